//! Scenes of worlds: a camera and a lidar see the same walls.

use super::*;
use crate::sensors::{BeamAngles, Gaussian, Lidar, LidarSpec, Mount, NoiseKey, Surroundings};
use crate::world::{
    BoxSpec, DiscSpec, Dynamics, FloorSpec, Footprint, Kind, OutlineSpec, Part, PhysicsDt,
    RobotBody, ThingMotion, ThingSpec, World,
};

const LIDAR_HEIGHT: f64 = 0.1049;

fn world() -> World {
    let mut world = World::new(PhysicsDt::from_seconds(0.01).unwrap(), Dynamics::Rigid);
    let corner = |x: f64, y: f64| [x, y];
    world
        .add_outline(&OutlineSpec {
            name: "room".into(),
            points: vec![
                corner(-2.5, -2.0),
                corner(2.5, -2.0),
                corner(2.5, 2.0),
                corner(-2.5, 2.0),
            ],
            z_min: 0.0,
            z_max: 2.4,
        })
        .unwrap();
    world
        .add_box(&BoxSpec {
            name: "crate".into(),
            size: [0.5, 0.4],
            pose: Pose2::new(1.2, 0.6, 0.4),
            z_min: 0.0,
            z_max: 0.5,
        })
        .unwrap();
    world
        .add_disc(&DiscSpec {
            name: "post".into(),
            radius: 0.1,
            center: [1.0, -0.5],
            velocity: [0.0, 0.0],
            z_min: 0.0,
            z_max: 1.0,
        })
        .unwrap();
    for (name, x, y) in [("kachaka", -0.5, 0.1), ("other", 0.6, 0.1)] {
        world
            .add_robot(RobotBody {
                name: name.into(),
                footprint: Footprint::polygon(&[
                    [0.237, -0.12],
                    [0.237, 0.12],
                    [-0.15, 0.12],
                    [-0.15, -0.12],
                ])
                .unwrap(),
                pose: Pose2::new(x, y, 0.2),
                floor: String::new(),
                z_min: 0.0,
                height: 0.113,
                mass: 10.0,
            })
            .unwrap();
    }
    world
}

/// A camera at the lidar's height and place, turned to one side: all that the lidar sees in
/// its picture is as far as the lidar says.
fn compare(world: &World, yaw: f64) -> usize {
    let state = world.robot_state("kachaka").unwrap();
    let own = world.robot_bodies().next().map(|(key, ..)| key);
    let mount = |yaw: f64| {
        Isometry3::from_parts(
            Translation3::new(0.156, 0.0, LIDAR_HEIGHT),
            UnitQuaternion::from_euler_angles(0.0, 0.0, yaw),
        )
    };
    let base = Isometry3::from_parts(
        Translation3::new(state.pose.x, state.pose.y, 0.0),
        UnitQuaternion::from_euler_angles(0.0, 0.0, state.pose.yaw),
    );
    let mut spec = small();
    // A row of its own for the plane of the lidar.
    spec.height = 121;
    let view = View::from_sensor(&(base * mount(yaw)), own.map(|key| key.0));
    let scene = scene_of(world, state.level, &SceneOptions::default());
    let frame = draw(spec, &scene, &view);
    let lens = spec.lens();
    let mut compared = 0;
    for column in 0..200 {
        let [x, y] = lens.direction(column as f64, 60.0, None);
        assert_eq!(y, 0.0);
        let beams = BeamAngles {
            min: -libm::atan(x),
            increment: 0.0,
            beams: 1,
        };
        let lidar = LidarSpec {
            beams,
            elevations: vec![0.0],
            range_min: 0.01,
            range_max: 20.0,
            noise: Gaussian::default(),
        };
        let lidar = Lidar::new(lidar, Mount::at(mount(yaw)), false).unwrap();
        let surroundings = Surroundings {
            rays: world.rays(),
            base: state.pose,
            level: state.level,
            own,
        };
        let cast = lidar.cast(&surroundings, &NoiseKey::new(0, "r", "s").at(1));
        let range = f64::from(lidar.scan(&cast, 0.1).ranges[0]);
        let found = depth(&frame, column, 60) * libm::hypot(1.0, x);
        // Half a pixel beside an edge the two see different things.
        let beside = |other: usize| id(&frame, other, 60) == id(&frame, column, 60);
        if column > 0 && column < 199 && beside(column - 1) && beside(column + 1) {
            assert!(
                (found - range).abs() < 0.01,
                "column {column}: camera {found}, lidar {range}"
            );
            compared += 1;
        }
    }
    compared
}

#[test]
fn camera_and_lidar_agree_on_every_distance() {
    let world = world();
    for yaw in [0.0, 1.5, 3.0, -1.5] {
        let compared = compare(&world, yaw);
        assert!(compared > 150, "{compared} columns at {yaw}");
    }
}

#[test]
fn a_camera_sees_things_and_the_other_robot_but_not_its_own() {
    let world = world();
    let state = world.robot_state("kachaka").unwrap();
    let scene = scene_of(&world, state.level, &SceneOptions::default());
    assert_eq!(scene.prisms.len(), 5);
    let keys: Vec<u32> = world.robot_bodies().map(|(key, ..)| key.0).collect();
    let sensor = Isometry3::from_parts(
        Translation3::new(state.pose.x + 0.2, state.pose.y, 0.07),
        UnitQuaternion::identity(),
    );
    let frame = draw(small(), &scene, &View::from_sensor(&sensor, Some(keys[0])));
    assert_eq!(bounds(&frame, keys[0]), None);
    assert!(
        bounds(&frame, keys[1]).is_some(),
        "the other robot stands ahead"
    );
    for entity in world.entities() {
        assert!(
            bounds(&frame, entity.key().0).is_some(),
            "{}",
            entity.name()
        );
    }
}

#[test]
fn a_level_shows_what_reaches_into_it_under_its_own_ceiling() {
    let mut world = world();
    let open = scene_of(
        &world,
        world.floors().level("").unwrap(),
        &SceneOptions::default(),
    );
    assert_eq!(open.ceiling, None);
    let options = SceneOptions {
        ceiling: Some(2.6),
        ..SceneOptions::default()
    };
    let roofed = scene_of(&world, world.floors().level("").unwrap(), &options);
    assert_eq!(roofed.ceiling.map(|level| level.z), Some(2.6));
    world
        .add_floors(&[
            FloorSpec {
                name: "1F".into(),
                z: 0.0,
            },
            FloorSpec {
                name: "2F".into(),
                z: 3.0,
            },
        ])
        .unwrap();
    let upstairs = scene_of(&world, world.floors().level("2F").unwrap(), &options);
    assert_eq!(upstairs.prisms, [], "all of it stands on the first floor");
    assert_eq!(upstairs.floor.map(|level| level.z), Some(3.0));
    assert_eq!(upstairs.ceiling.map(|level| level.z), Some(5.6));
    let below = scene_of(&world, world.floors().level("1F").unwrap(), &options);
    assert_eq!(below.ceiling.map(|level| level.z), Some(3.0));
}

/// A shelf of a plate on a leg, a person and a drop ahead of the robot.
fn furnish(world: &mut World) {
    let plate = PlanarShape::rectangle(0.3, 0.5);
    let plate = Part::solid(plate, ZExtent::new(0.155, 0.18));
    let leg = Part::solid(PlanarShape::Disc(0.02), ZExtent::new(0.0, 0.155));
    let person = Part::solid(PlanarShape::Disc(0.2), ZExtent::new(0.0, 1.7));
    let edge = PlanarShape::rectangle(0.4, 0.4);
    let drop = Part::solid(edge, ZExtent::new(-0.3, 0.0));
    let things = [
        (
            "shelf",
            Kind::Shelf,
            vec![plate, leg],
            Pose2::new(-0.45, 0.1, 0.2),
        ),
        (
            "person",
            Kind::Person,
            vec![person],
            Pose2::new(1.8, 0.2, 0.0),
        ),
        ("drop", Kind::Drop, vec![drop], Pose2::new(-1.5, -1.0, 0.5)),
    ];
    for (name, kind, parts, pose) in things {
        let motion = match kind {
            Kind::Shelf => ThingMotion::Pushed { mass: 5.0 },
            Kind::Person => ThingMotion::Driven,
            _ => ThingMotion::Fixed,
        };
        let (name, floor) = (name.to_owned(), String::new());
        world
            .add_thing(&ThingSpec {
                name,
                kind,
                parts,
                pose,
                floor,
                motion,
            })
            .unwrap();
    }
}

#[test]
fn things_are_drawn_with_all_their_parts_and_drops_as_holes() {
    let mut world = world();
    furnish(&mut world);
    let level = world.floors().level("").unwrap();
    let scene = scene_of(&world, level, &SceneOptions::default());
    let shelf = world.thing_key("shelf").unwrap().0;
    let of_shelf: Vec<&Prism> = scene
        .prisms
        .iter()
        .filter(|prism| prism.id == shelf)
        .collect();
    assert_eq!(of_shelf.len(), 2);
    assert_eq!(of_shelf[0].z, ZExtent::new(0.155, 0.18));
    assert_eq!(of_shelf[0].pose, Pose2::new(-0.45, 0.1, 0.2));
    let [hole] = &scene.holes[..] else {
        panic!("{:?}", scene.holes)
    };
    assert_eq!((hole.depth, hole.pose), (0.3, Pose2::new(-1.5, -1.0, 0.5)));
    let labels: Vec<Label> = targets_of(&world)
        .iter()
        .map(|target| target.label)
        .collect();
    assert_eq!(labels, [Label::Person, Label::Shelf], "by name");
}

#[test]
fn a_carried_shelf_is_seen_by_others_and_not_by_its_carrier() {
    let mut world = world();
    furnish(&mut world);
    world.attach("kachaka", "shelf").unwrap();
    let level = world.floors().level("").unwrap();
    let scene = scene_of(&world, level, &SceneOptions::default());
    let shelf = world.thing_key("shelf").unwrap().0;
    let keys: Vec<u32> = world.robot_bodies().map(|(key, ..)| key.0).collect();
    // From 1 m behind the shelf, and up.
    let sensor = Isometry3::from_parts(
        Translation3::new(-1.5, 0.1, 0.5),
        UnitQuaternion::from_euler_angles(0.0, 0.2, 0.0),
    );
    for (without, seen) in [(keys[0], false), (keys[1], true)] {
        let frame = draw(small(), &scene, &View::from_sensor(&sensor, Some(without)));
        assert_eq!(bounds(&frame, shelf).is_some(), seen, "without {without}");
    }
}
