//! The transforms of a Kachaka, which sends all of them itself as the real robot does: where
//! it is, its wheels and its pin as they move, and its fixed parts and places.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};
use r2r::geometry_msgs::msg::TransformStamped;

use super::plan::KachakaPlan;
use crate::description::{Joint, JointKind};
use crate::kachaka::{Kachaka, Locations};
use crate::robot::Robot;
use crate::ros::messages;
use crate::ros::plan::Plan;
use crate::world::Pose2;

/// Which places were sent as frames.
#[derive(Debug, Default)]
pub(in crate::ros) struct Places {
    revision: Option<u64>,
}

impl Places {
    /// Whether there are others than when this was asked last.
    pub(in crate::ros) fn take_change(&mut self, locations: &Locations) -> bool {
        self.revision.replace(locations.revision()) != Some(locations.revision())
    }
}

/// Transforms that never change: the fixed joints, frames in the same place as a link, and
/// the registered places on the map.
pub(in crate::ros) fn fixed_transforms(
    plan: &KachakaPlan,
    robot: &Robot,
    locations: &Locations,
) -> Vec<TransformStamped> {
    let joints = (robot.description().fixed_joints()).map(|joint| joint_transform(plan, joint, 0.0));
    let same = plan.same_frames().iter();
    let same = same.map(|(link, frame)| messages::transform(link, frame));
    let places = locations.all().iter().map(|place| {
        let mut transform = messages::transform(&plan.map_frame(), &plan.frame(&place.id));
        transform.transform = messages::planar_transform(place.pose, 0.0);
        transform
    });
    joints.chain(same).chain(places).collect()
}

/// Transforms that move, still without numbers: the odometry frame on the map unless somebody
/// else places it, the base, and the links of joints.
pub(in crate::ros) fn moving_transforms(
    plan: &Plan,
    kachaka: &KachakaPlan,
    robot: &Robot,
) -> Vec<TransformStamped> {
    let odom = (kachaka.places_odometry())
        .then(|| messages::transform(&kachaka.map_frame(), &plan.odom_frame));
    let base = messages::transform(&plan.odom_frame, &plan.base_frame);
    let joints = robot.description().movable_joints();
    let joints = joints.map(|joint| joint_transform(kachaka, joint, 0.0));
    odom.into_iter().chain([base]).chain(joints).collect()
}

/// Sets the numbers of the transforms that move.
pub(in crate::ros) fn set_moving(
    transforms: &mut [TransformStamped],
    plan: &Plan,
    robot: &Robot,
    kachaka: &Kachaka,
) {
    let fused = kachaka.fused_odometry();
    let (odometry, _) = plan.child_odometry(fused.pose, fused.twist);
    let mut transforms = transforms.iter_mut();
    if let Some(map_to_odom) = kachaka.map_to_odom()
        && let Some(odom) = transforms.next()
    {
        odom.transform = messages::planar_transform(map_to_odom_of(plan, map_to_odom, fused.pose, odometry), 0.0);
    }
    if let Some(base) = transforms.next() {
        base.transform = messages::planar_transform(odometry, 0.0);
    }
    let joints = (robot.description().movable_joints()).zip(robot.joint_motions());
    for ((joint, motion), transform) in joints.zip(transforms) {
        transform.transform = messages::spatial_transform(&placed(joint, motion.position));
    }
}

/// The odometry on the map, for odometry of the base frame's root instead of the base frame.
fn map_to_odom_of(plan: &Plan, map_to_odom: Pose2, base: Pose2, child: Pose2) -> Pose2 {
    if base == child {
        return map_to_odom;
    }
    plan.child_truth(map_to_odom.compose(&base)).compose(&child.inverse())
}

fn joint_transform(plan: &KachakaPlan, joint: &Joint, position: f64) -> TransformStamped {
    let (parent, child) = (plan.frame(&joint.parent), plan.frame(&joint.child));
    let mut transform = messages::transform(&parent, &child);
    transform.transform = messages::spatial_transform(&placed(joint, position));
    transform
}

/// Where the child of a joint is in its parent.
fn placed(joint: &Joint, position: f64) -> Isometry3<f64> {
    let axis = joint.axis.into_inner();
    let moved = match joint.kind {
        JointKind::Revolute | JointKind::Continuous => {
            let (sin, cos) = libm::sincos(0.5 * position);
            let rotation = UnitQuaternion::new_unchecked(Quaternion::from_parts(cos, axis * sin));
            Isometry3::from_parts(Translation3::identity(), rotation)
        }
        JointKind::Prismatic => {
            Isometry3::from_parts(Translation3::from(axis * position), UnitQuaternion::identity())
        }
        JointKind::Fixed | JointKind::Floating | JointKind::Planar => Isometry3::identity(),
    };
    joint.origin * moved
}
