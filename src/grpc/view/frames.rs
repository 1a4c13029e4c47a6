//! The transforms of one robot among those of all.

use std::collections::{BTreeMap, BTreeSet};

use r2r::geometry_msgs::msg::TransformStamped;

use super::super::convert::Stamps;
use super::super::proto::RosTransformStamped;

/// What everything of a robot hangs from, but for what hangs from the map.
const ROOTS: [&str; 3] = ["odom", "base_footprint", "base_link"];

/// The frame that the robot's odometry and its places hang from.
const MAP: &str = "map";

/// Longest chain of frames that is followed, so that a loop is no trap.
const DEPTH: usize = 64;

/// Frames that are kept of one topic; past it those that are not known to be the robot's go.
const MOST: usize = 1024;

/// Takes the frame prefix off a frame.
pub(super) fn strip<'a>(prefix: &str, frame: &'a str) -> Option<&'a str> {
    let frame = frame.trim_start_matches('/');
    let rest = frame.strip_prefix(prefix)?;
    // A name with another slash is another robot's, whose prefix begins with ours.
    (!rest.is_empty() && !rest.contains('/')).then_some(rest)
}

/// The latest transforms by child frame, without the prefix, moving and fixed ones. Which of
/// them are the robot's may show later: by frames above them, and by the registered places.
#[derive(Debug, Default)]
pub(super) struct Frames {
    prefix: String,
    moving: BTreeMap<String, RosTransformStamped>,
    fixed: BTreeMap<String, RosTransformStamped>,
    places: BTreeSet<String>,
}

impl Frames {
    /// Without a transform yet.
    pub(super) fn of(prefix: &str) -> Self {
        Self {
            prefix: prefix.to_owned(),
            ..Default::default()
        }
    }

    /// Takes the ids of the registered places, whose frames hang from the map.
    pub(super) fn take_places(&mut self, places: BTreeSet<String>) {
        self.places = places;
    }

    /// Takes what may be the robot's of a message on the topic of moving transforms; returns
    /// whether there was any.
    pub(super) fn take_moving(&mut self, transforms: &[TransformStamped], stamps: &Stamps) -> bool {
        self.take(transforms, stamps, |frames| &mut frames.moving)
    }

    /// The same of fixed transforms.
    pub(super) fn take_fixed(&mut self, transforms: &[TransformStamped], stamps: &Stamps) -> bool {
        self.take(transforms, stamps, |frames| &mut frames.fixed)
    }

    /// All moving transforms of the robot.
    pub(super) fn moving(&self) -> Vec<RosTransformStamped> {
        self.own(&self.moving)
    }

    /// All fixed transforms of the robot and its places.
    pub(super) fn fixed(&self) -> Vec<RosTransformStamped> {
        self.own(&self.fixed)
    }

    fn own(&self, transforms: &BTreeMap<String, RosTransformStamped>) -> Vec<RosTransformStamped> {
        let own = transforms.values().filter(|one| self.is_own(one));
        own.cloned().collect()
    }

    /// Whether a transform is the robot's: without a prefix the names do not tell, but it hangs
    /// from the robot's own frames, or is that of a place.
    fn is_own(&self, transform: &RosTransformStamped) -> bool {
        let child = transform.child_frame_id.as_str();
        if parent(transform) == MAP && self.places.contains(child) {
            return true;
        }
        let mut frame = child;
        for _ in 0..DEPTH {
            if ROOTS.contains(&frame) {
                return true;
            }
            match self.moving.get(frame).or_else(|| self.fixed.get(frame)) {
                Some(above) => frame = parent(above),
                None => return false,
            }
        }
        false
    }

    fn take(
        &mut self,
        transforms: &[TransformStamped],
        stamps: &Stamps,
        kept: fn(&mut Self) -> &mut BTreeMap<String, RosTransformStamped>,
    ) -> bool {
        let mut any = false;
        for transform in transforms {
            let Some(parent) = strip(&self.prefix, &transform.header.frame_id) else {
                continue;
            };
            let Some(child) = strip(&self.prefix, &transform.child_frame_id) else {
                continue;
            };
            let own = stamps.transform(transform, parent, child);
            let kept_now = kept(self);
            if kept_now.len() >= MOST && !kept_now.contains_key(child) {
                let mut own = kept_now.clone();
                own.retain(|_, one| self.is_own(one));
                *kept(self) = own;
            }
            let into = kept(self);
            if into.len() < MOST || into.contains_key(child) {
                into.insert(child.to_owned(), own);
                any = true;
            }
        }
        any
    }
}

fn parent(transform: &RosTransformStamped) -> &str {
    let header = transform.header.as_ref();
    header.map_or("", |header| header.frame_id.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transform(parent: &str, child: &str) -> TransformStamped {
        let mut transform = TransformStamped::default();
        transform.header.frame_id = parent.to_owned();
        transform.child_frame_id = child.to_owned();
        transform
    }

    fn children(transforms: Vec<RosTransformStamped>) -> Vec<String> {
        (transforms.into_iter())
            .map(|one| one.child_frame_id)
            .collect()
    }

    #[test]
    fn a_prefix_is_taken_off_and_other_robots_are_left_out() {
        let mut frames = Frames::of("k1/");
        let all = [
            transform("map", "odom"),
            transform("k1/map", "k1/odom"),
            transform("k1/odom", "k1/base_footprint"),
            transform("k1/k2/odom", "k1/k2/base_footprint"),
            transform("k2/odom", "k2/base_footprint"),
        ];
        let stamps = Stamps::default();
        assert!(frames.take_moving(&all, &stamps));
        assert_eq!(children(frames.moving()), ["base_footprint", "odom"]);
        assert!(!frames.take_moving(&all[4..], &stamps));
    }

    #[test]
    fn without_a_prefix_frames_that_do_not_hang_from_the_robot_are_left_out() {
        let mut frames = Frames::of("");
        let stamps = Stamps::default();
        let fixed = [
            transform("base_link", "laser_frame"),
            transform("laser_frame", "lidar_center_frame"),
            transform("r2_base", "r2_laser"),
            transform("a", "b"),
            transform("b", "a"),
            // Other robots are placed on the same map.
            transform("map", "r3_odom"),
            transform("r3_odom", "r3_base"),
        ];
        frames.take_fixed(&fixed, &stamps);
        let own = children(frames.fixed());
        assert_eq!(own, ["laser_frame", "lidar_center_frame"]);
        let moving = [
            transform("map", "odom"),
            transform("odom", "base_footprint"),
            transform("map", "r2_odom"),
            transform("r2_odom", "r2_base"),
        ];
        frames.take_moving(&moving, &stamps);
        assert_eq!(children(frames.moving()), ["base_footprint", "odom"]);
    }

    #[test]
    fn places_are_those_that_are_registered_now() {
        let mut frames = Frames::of("");
        let stamps = Stamps::default();
        let fixed = [
            transform("map", "L01"),
            transform("map", "L02"),
            transform("L01", "shelf"),
            transform("base_link", "laser_frame"),
        ];
        frames.take_fixed(&fixed, &stamps);
        assert_eq!(children(frames.fixed()), ["laser_frame"]);
        frames.take_places(["L01".to_owned(), "L02".to_owned()].into());
        assert_eq!(children(frames.fixed()), ["L01", "L02", "laser_frame"]);
        frames.take_places(["L02".to_owned()].into());
        assert_eq!(children(frames.fixed()), ["L02", "laser_frame"]);
    }

    #[test]
    fn frames_of_others_do_not_pile_up() {
        let mut frames = Frames::of("");
        let stamps = Stamps::default();
        frames.take_fixed(&[transform("base_link", "laser_frame")], &stamps);
        for number in 0..5000 {
            let other = transform("map", &format!("visitor_{number}"));
            frames.take_fixed(&[other], &stamps);
            assert!(
                frames.fixed.len() <= MOST,
                "{} are kept",
                frames.fixed.len()
            );
        }
        frames.take_fixed(&[transform("base_link", "imu_link")], &stamps);
        assert_eq!(children(frames.fixed()), ["imu_link", "laser_frame"]);
    }

    #[test]
    fn every_message_holds_the_complete_set() {
        let mut frames = Frames::of("");
        let stamps = Stamps::default();
        frames.take_moving(&[transform("map", "odom")], &stamps);
        frames.take_moving(&[transform("odom", "base_footprint")], &stamps);
        assert_eq!(children(frames.moving()), ["base_footprint", "odom"]);
    }
}
