//! A Kachaka's body and furniture for it, in a world without a scene.

use tatami::world::rays::Fan;
use tatami::world::{
    Dynamics, Footprint, Kind, Part, PhysicsDt, PlanarShape, Pose2, RobotBody, ScanMount,
    ThingMotion, ThingSpec, World, ZExtent,
};

/// Height of the lidar above the floor, m.
pub(crate) const LIDAR: f64 = 0.1049;
/// Radius of a leg, m.
pub(crate) const LEG: f64 = 0.02;
/// Centres of the legs of a shelf, m.
pub(crate) const LEGS: [[f64; 2]; 4] = [
    [0.116, 0.196],
    [-0.116, 0.196],
    [-0.116, -0.196],
    [0.116, -0.196],
];
/// Mass of a shelf, kg.
pub(crate) const SHELF_MASS: f64 = 6.0;
/// Mass of a robot, kg.
pub(crate) const ROBOT_MASS: f64 = 10.0;

/// The physics step, s: exact in nanoseconds and in binary.
pub(crate) const DT: f64 = 1.0 / 32.0;

/// An empty world where things stop robots.
pub(crate) fn world() -> World {
    World::new(PhysicsDt::from_seconds(DT).unwrap(), Dynamics::Rigid)
}

/// A robot 0.24 m wide and 0.113 m high; its front is 0.237 m ahead of its base.
pub(crate) fn kachaka(name: &str, pose: Pose2) -> RobotBody {
    let corners = [[-0.15, -0.12], [0.237, -0.12], [0.237, 0.12], [-0.15, 0.12]];
    RobotBody {
        name: name.into(),
        footprint: Footprint::polygon(&corners).unwrap(),
        pose,
        floor: String::new(),
        z_min: 0.0,
        height: 0.113,
        mass: ROBOT_MASS,
    }
}

/// Four legs up to 0.155 m and three plates of 0.328 m by 0.488 m on them.
pub(crate) fn shelf_parts() -> Vec<Part> {
    let leg = Part::solid(PlanarShape::Disc(LEG), ZExtent::new(0.0, 0.155));
    let legs = LEGS.map(|[x, y]| leg.clone().at(Pose2::new(x, y, 0.0)));
    let plates = [[0.155, 0.18], [0.486, 0.511], [0.717, 0.742]]
        .map(|[low, high]| plate([0.328, 0.488], low, high));
    legs.into_iter().chain(plates).collect()
}

/// A rectangle from a height to another.
pub(crate) fn plate(size: [f64; 2], low: f64, high: f64) -> Part {
    let shape = PlanarShape::rectangle(size[0], size[1]);
    Part::solid(shape, ZExtent::new(low, high))
}

/// A thing on the ground.
pub(crate) fn thing(
    name: &str,
    kind: Kind,
    parts: Vec<Part>,
    pose: Pose2,
    motion: ThingMotion,
) -> ThingSpec {
    ThingSpec {
        name: name.into(),
        kind,
        parts,
        pose,
        floor: String::new(),
        motion,
    }
}

/// A shelf that can be pushed.
pub(crate) fn shelf(name: &str, pose: Pose2) -> ThingSpec {
    let motion = ThingMotion::Pushed { mass: SHELF_MASS };
    thing(name, Kind::Shelf, shelf_parts(), pose, motion)
}

/// The range along one bearing from the base of a robot at a height, infinite for nothing
/// within 30 m.
pub(crate) fn range(world: &World, robot: &str, bearing: f64, height: f64) -> f64 {
    let fan = Fan::uniform(bearing, 0.01, 1).unwrap();
    let pose = Pose2::default();
    let mount = ScanMount { pose, height };
    world.scan(robot, &mount, &fan, 30.0).unwrap()[0]
}

/// Bearing of a point in a frame, and its distance.
pub(crate) fn polar(frame: Pose2, point: [f64; 2]) -> (f64, f64) {
    let [x, y] = frame.inverse_transform_point(point);
    (y.atan2(x), x.hypot(y))
}
