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
    let has = |list: &[Use], name: &str| list.iter().any(|used| used.name == name);
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
    assert_eq!(plan.uses.places, [Use::new("location \"L01\"", "k/L01")]);
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
