use super::*;
use r2r::tatami_msgs::msg::SensorSpec;

const URDF: &str = r#"<robot name="r"><link name="base_link"/><link name="laser"/>
    <joint name="j" type="fixed"><parent link="base_link"/><child link="laser"/></joint>
    <gazebo reference="laser"><sensor name="front" type="lidar"><topic>lidar/points</topic>
    <lidar><scan><horizontal><samples>4</samples><min_angle>-1</min_angle><max_angle>1</max_angle>
    </horizontal></scan><range><min>0.1</min><max>5</max></range></lidar></sensor></gazebo></robot>"#;

fn reserved() -> Reserved {
    Reserved::of("/tatami")
}

fn request(name: &str) -> SpawnRobot::Request {
    SpawnRobot::Request {
        name: name.to_owned(),
        urdf: URDF.to_owned(),
        ..Default::default()
    }
}

fn sensor(name: &str, topic: &str, block: &str) -> SensorSpec {
    SensorSpec {
        name: name.to_owned(),
        topic: topic.to_owned(),
        sensor: block.to_owned(),
        ..Default::default()
    }
}

#[test]
fn topics_stand_below_the_namespace() {
    let mut request = request("bot");
    request.frame_prefix = "bot/".to_owned();
    request.sensors = vec![
        sensor("scan", "", ""),
        sensor("a", "/absolute", ""),
        sensor("b", "", "front"),
    ];
    let plan = Plan::new(&request, &reserved()).unwrap();
    assert_eq!(plan.namespace, "/bot");
    let plain = Interface::Plain {
        cmd_vel: "/bot/cmd_vel".to_owned(),
        stamped: false,
        odom: "/bot/odom".to_owned(),
    };
    assert_eq!(plan.interface, plain);
    assert_eq!(plan.tf_topic, "/tf");
    assert_eq!(plan.tf_static_topic(), "/tf_static");
    assert_eq!(plan.base_frame, "bot/base_link");
    assert_eq!(plan.odom_frame, "bot/odom");
    assert_eq!(
        plan.sensors,
        ["/bot/scan", "/absolute", "/bot/lidar/points"]
    );
}

#[test]
fn one_robot_does_not_use_a_name_twice() {
    let mut request = request("bot");
    request.sensors = vec![sensor("odom", "", "")];
    let text = Plan::new(&request, &reserved()).unwrap_err().to_string();
    assert!(
        text.contains("sensors[0]") && text.contains("\"/bot/odom\""),
        "{text}"
    );
    request.sensors = vec![sensor("s", "/clock", "")];
    let text = Plan::new(&request, &reserved()).unwrap_err().to_string();
    assert!(text.contains("topic of the server"), "{text}");
    request.sensors = vec![sensor("s", "/tf", "")];
    let text = Plan::new(&request, &reserved()).unwrap_err().to_string();
    assert!(text.contains("and tf_topic are both \"/tf\""), "{text}");
    request.sensors.clear();
    request.tf_topic = "/tatami/discs".to_owned();
    let text = Plan::new(&request, &reserved()).unwrap_err().to_string();
    assert!(
        text.starts_with("tf_topic is \"/tatami/discs\", which is a topic of the server"),
        "{text}"
    );
    request.tf_topic.clear();
    request.odom_frame = "base_link".to_owned();
    let text = Plan::new(&request, &reserved()).unwrap_err().to_string();
    assert!(text.starts_with("base_frame is \"base_link\""), "{text}");
}

#[test]
fn robots_that_collide_are_named() {
    let first = Plan::new(&request("a"), &reserved()).unwrap();
    let mut second = request("b");
    let text = |request: &_| {
        let plan: Plan = Plan::new(request, &reserved()).unwrap();
        plan.check_beside(&first).map_err(|e| e.to_string())
    };
    let refused = text(&second).unwrap_err();
    assert!(refused.contains("base_frame is \"base_link\""), "{refused}");
    assert!(refused.contains("robot \"a\""), "{refused}");
    second.frame_prefix = "b/".to_owned();
    assert_eq!(text(&second), Ok(()));
    second.robot_namespace = "/a".to_owned();
    let refused = text(&second).unwrap_err();
    assert!(refused.contains("\"/a/cmd_vel\""), "{refused}");
    second.robot_namespace.clear();
    second.frame_prefix.clear();
    second.tf_topic = "tf".to_owned();
    assert_eq!(text(&second), Ok(()), "on its own topic a frame is its own");
}

#[test]
fn odometry_moves_the_root_when_the_base_frame_hangs_under_it() {
    let mut request = request("bot");
    request.urdf = r#"<robot name="r"><link name="root"/><link name="base_link"/>
        <joint name="j" type="fixed"><parent link="root"/><child link="base_link"/>
        <origin xyz="0.5 0 0"/></joint></robot>"#
        .to_owned();
    let plan = Plan::new(&request, &reserved()).unwrap();
    assert_eq!(
        (&*plan.base_frame, &*plan.truth_child),
        ("root", "base_link")
    );
    // The base has turned left by 90 degrees on the spot, at 1 rad/s: the root, half a
    // metre behind it, has gone round to its right and moves to the right.
    let turned = Pose2::new(0.0, 0.0, std::f64::consts::FRAC_PI_2);
    let (pose, twist) = plan.child_odometry(turned, Twist2::new(0.0, 0.0, 1.0));
    assert!((pose.x - 0.5).abs() < 1e-12, "{pose:?}");
    assert!((pose.y + 0.5).abs() < 1e-12, "{pose:?}");
    assert_eq!(twist, Twist2::new(0.0, -0.5, 1.0));
    let truth = plan.child_truth(Pose2::new(3.0, 1.0, 0.0));
    assert_eq!(truth, Pose2::new(2.5, 1.0, 0.0));
}

#[test]
fn frames_and_future_fields_are_checked() {
    let mut bad = request("bot");
    bad.frame_prefix = "/bot/".to_owned();
    let text = Plan::new(&bad, &reserved()).unwrap_err().to_string();
    assert!(text.contains("must not start with a slash"), "{text}");
    let mut bad = request("bot");
    bad.onboard = "roomba".to_owned();
    let text = Plan::new(&bad, &reserved()).unwrap_err().to_string();
    assert!(text.contains("\"roomba\""), "{text}");
}

fn kachaka(name: &str) -> SpawnRobot::Request {
    SpawnRobot::Request {
        onboard: "kachaka".to_owned(),
        frame_prefix: format!("{name}/"),
        ..request(name)
    }
}

fn refused(request: &SpawnRobot::Request) -> String {
    Plan::new(request, &reserved()).unwrap_err().to_string()
}

#[test]
fn a_kachaka_has_the_names_of_the_bridge_instead_of_plain_ones() {
    let plan = Plan::new(&kachaka("k"), &reserved()).unwrap();
    let has = |list: &UseList, name: &str| list.find(name).is_some();
    for topic in [
        "/k/odometry/odometry",
        "/k/sim/state",
        "/k/mapping/map",
        "/k/goal_pose",
    ] {
        assert!(has(&plan.uses.topics, topic), "{topic}");
    }
    for topic in ["/k/cmd_vel", "/k/odom"] {
        assert!(!has(&plan.uses.topics, topic), "{topic}");
    }
    for service in ["/k/sim/reset", "/k/kachaka_command/execute"] {
        assert!(has(&plan.uses.services, service), "{service}");
    }
    assert!(has(&plan.uses.frames, "k/odom"), "{:?}", plan.uses.frames);
    assert!(plan.sends_fixed_transforms());
}

#[test]
fn somebody_else_places_an_external_kachaka_and_makes_its_map() {
    let mut request = kachaka("k");
    request.onboard_config = "localization: {mode: external}".to_owned();
    let plan = Plan::new(&request, &reserved()).unwrap();
    assert!(plan.uses.frames.iter().all(|used| used.name != "k/odom"));
    assert!(
        plan.uses
            .topics
            .iter()
            .all(|used| used.name != "/k/mapping/map")
    );
}

#[test]
fn kachakas_in_one_namespace_or_prefix_are_refused_with_names() {
    let first = Plan::new(&kachaka("a"), &reserved()).unwrap();
    let beside = |request: &_| {
        let plan: Plan = Plan::new(request, &reserved()).unwrap();
        plan.check_beside(&first).map_err(|e| e.to_string())
    };
    let mut second = kachaka("b");
    assert_eq!(beside(&second), Ok(()));
    second.robot_namespace = "/a".to_owned();
    let text = beside(&second).unwrap_err();
    assert!(
        text.contains("robot \"a\"") && text.contains("/a/odometry/odometry"),
        "{text}"
    );
    let mut second = kachaka("b");
    second.frame_prefix = "a/".to_owned();
    let text = beside(&second).unwrap_err();
    assert!(
        text.contains("robot \"a\"") && text.contains("frame_prefix"),
        "{text}"
    );
    // A plain robot can't have one of its services' or topics' names either.
    let mut plain = request("c");
    plain.sensors = vec![sensor("s", "/a/sim/state", "")];
    let text = beside(&plain).unwrap_err();
    assert!(text.contains("\"/a/sim/state\""), "{text}");
}

#[test]
fn services_of_the_server_are_nobody_elses() {
    let mut request = kachaka("k");
    request.robot_namespace = "/".to_owned();
    let reserved = Reserved::of("/sim");
    let text = Plan::new(&request, &reserved).unwrap_err().to_string();
    assert!(text.contains("\"/sim/reset\""), "{text}");
}

#[test]
fn places_become_frames_and_are_checked_as_such() {
    let mut request = kachaka("k");
    request.onboard_config = "locations: [{id: L01, name: a}]".to_owned();
    let mut plan = Plan::new(&request, &reserved()).unwrap();
    let places: Vec<&Use> = plan.uses.places.iter().collect();
    assert_eq!(places, [&Use::new("location \"L01\"", "k/L01")]);
    for bad in ["", "a b", "odom", "map", "base_link", "laser"] {
        let before = plan.clone();
        assert!(plan.set_places([bad].into_iter()).is_err(), "{bad:?}");
        assert_eq!(plan, before);
    }
    plan.set_places(["home"].into_iter()).unwrap();
    let mut plain = self::request("c");
    plain.odom_frame = "k/home".to_owned();
    plain.world_frame = "world".to_owned();
    let plain = Plan::new(&plain, &reserved()).unwrap();
    let text = plain.check_beside(&plan).unwrap_err().to_string();
    assert!(
        text.contains("\"k/home\"") && text.contains("robot \"k\""),
        "{text}"
    );
}

#[test]
fn no_place_is_what_a_robot_hangs_under() {
    let place = |name: &str, id: &str| {
        let mut request = kachaka(name);
        request.frame_prefix = String::new();
        request.onboard_config = format!("locations: [{{id: {id}, name: a}}]");
        request
    };
    let text = refused(&place("k", "world"));
    assert!(
        text.contains("location \"world\"") && text.contains("true poses"),
        "{text}"
    );
    let mut external = kachaka("e");
    external.onboard_config = "localization: {mode: external}".to_owned();
    let mut plain = request("bot");
    plain.frame_prefix = "bot/".to_owned();
    plain.world_frame = "earth".to_owned();
    let cases = [
        (kachaka("b"), "b/map"),
        (external, "e/odom"),
        (plain, "earth"),
    ];
    for (other, frame) in cases {
        let other = Plan::new(&other, &reserved()).unwrap();
        let placing = Plan::new(&place("k", frame), &reserved()).unwrap();
        for (new, there) in [(&placing, &other), (&other, &placing)] {
            let text = new.check_beside(there).unwrap_err().to_string();
            let names = [format!("{frame:?}"), format!("robot {:?}", there.robot)];
            assert!(names.iter().all(|name| text.contains(name)), "{text}");
        }
        let beside = Plan::new(&place("k", "desk"), &reserved()).unwrap();
        assert_eq!(beside.check_beside(&other), Ok(()));
    }
}

#[test]
fn what_a_kachaka_does_otherwise_is_refused_by_field() {
    let mut bad = kachaka("k");
    bad.world_frame = "world".to_owned();
    assert!(
        refused(&bad).starts_with("world_frame is \"world\""),
        "{}",
        refused(&bad)
    );
    let mut bad = kachaka("k");
    bad.stamped = true;
    assert!(
        refused(&bad).starts_with("stamped is true"),
        "{}",
        refused(&bad)
    );
    let mut bad = kachaka("k");
    bad.onboard_config = "drive: {mas: 1}".to_owned();
    assert!(
        refused(&bad).contains("onboard_config:1:9"),
        "{}",
        refused(&bad)
    );
    let mut bad = request("bot");
    bad.onboard_config = "drive: {}".to_owned();
    assert!(
        refused(&bad).contains("onboard is empty"),
        "{}",
        refused(&bad)
    );
}

#[test]
fn the_topic_of_fixed_transforms_must_fit_as_well() {
    // 247 characters are what a topic may have, 7 of them are for "_static".
    let mut request = request("bot");
    request.tf_topic = format!("/{}", "t".repeat(239));
    let plan = Plan::new(&request, &reserved()).unwrap();
    assert_eq!(plan.tf_static_topic().len(), 247);
    for length in [241, 245] {
        request.tf_topic = format!("/{}", "t".repeat(length - 1));
        let text = refused(&request);
        assert!(
            text.starts_with("tf_topic with _static behind it is") && text.contains("247"),
            "{length}: {text}"
        );
    }
}

#[test]
fn the_namespace_of_a_kachaka_leaves_room_for_its_longest_name() {
    let longest = "kachaka_command/execute/_action/cancel_goal";
    let with_namespace = |length: usize| {
        let mut request = kachaka("k");
        request.robot_namespace = format!("/{}", "n".repeat(length - 1));
        request
    };
    // With the slash between them.
    let room = 247 - 1 - longest.len();
    let plan = Plan::new(&with_namespace(room), &reserved()).unwrap();
    assert_eq!(plan.namespace.len(), room);
    let text = refused(&with_namespace(room + 1));
    assert!(
        text.starts_with(&format!("{longest} is")) && text.contains("247"),
        "{text}"
    );
}

#[test]
fn what_is_sent_with_each_message_is_bounded() {
    let long = "n".repeat(256);
    let joint = |name: &str, kind: &str, child: &str| {
        format!(
            r#"<robot name="r"><link name="base_link"/><link name="{child}"/>
            <joint name="{name}" type="{kind}"><parent link="base_link"/><child link="{child}"/>
            <axis xyz="0 0 1"/></joint></robot>"#
        )
    };
    type Change = Box<dyn Fn(&mut SpawnRobot::Request)>;
    let cases: [(&str, Change); 7] = [
        (
            "frame_prefix has 1000000 bytes",
            Box::new(|r| r.frame_prefix = "p".repeat(1_000_000)),
        ),
        // Each fits, both together do not.
        (
            "odom_frame is",
            Box::new(|r| {
                r.frame_prefix = "p".repeat(200);
                r.odom_frame = "o".repeat(56);
            }),
        ),
        (
            "world_frame is",
            Box::new({
                let long = long.clone();
                move |r| r.world_frame.clone_from(&long)
            }),
        ),
        (
            "sensors[1].name has 256 bytes",
            Box::new({
                let long = long.clone();
                move |r| r.sensors = vec![sensor("a", "", ""), sensor(&long, "b", "")]
            }),
        ),
        (
            "link \"nnn",
            Box::new({
                let urdf = joint("j", "fixed", &long);
                move |r| r.urdf.clone_from(&urdf)
            }),
        ),
        (
            "the name of joint \"nnn",
            Box::new({
                let urdf = joint(&long, "continuous", "wheel");
                move |r| r.urdf.clone_from(&urdf)
            }),
        ),
        (
            "sensors has 1001 entries, a robot has at most 1000",
            Box::new(|r| {
                // None of them has a name either: their number is looked at first.
                r.sensors = vec![sensor("", "", ""); 1_001];
            }),
        ),
    ];
    for (expected, change) in cases {
        let mut request = request("bot");
        change(&mut request);
        let text = refused(&request);
        assert!(text.starts_with(expected), "{expected}: {text}");
        assert!(text.contains("at most"), "{text}");
    }
    let mut request = request("bot");
    request.frame_prefix = "p".repeat(200);
    request.odom_frame = "o".repeat(55);
    let plan = Plan::new(&request, &reserved()).unwrap();
    assert_eq!(plan.odom_frame.len(), 255);
}
