//! The transforms of one robot among those of all.

use std::collections::BTreeMap;

use r2r::geometry_msgs::msg::TransformStamped;

use super::super::convert::Stamps;
use super::super::proto::RosTransformStamped;

/// Frames that everything of a robot hangs from.
const ROOTS: [&str; 4] = ["map", "odom", "base_footprint", "base_link"];

/// Longest chain of frames that is followed, so that a loop is no trap.
const DEPTH: usize = 64;

/// Takes the frame prefix off a frame.
pub(super) fn strip<'a>(prefix: &str, frame: &'a str) -> Option<&'a str> {
    let frame = frame.trim_start_matches('/');
    let rest = frame.strip_prefix(prefix)?;
    // A name with another slash is another robot's, whose prefix begins with ours.
    (!rest.is_empty() && !rest.contains('/')).then_some(rest)
}

/// The latest transforms by child frame, without the prefix, moving and fixed ones.
#[derive(Debug, Default)]
pub(super) struct Frames {
    prefix: String,
    moving: BTreeMap<String, RosTransformStamped>,
    fixed: BTreeMap<String, RosTransformStamped>,
}

impl Frames {
    /// Without a transform yet.
    pub(super) fn of(prefix: &str) -> Self {
        Self {
            prefix: prefix.to_owned(),
            ..Default::default()
        }
    }

    /// Takes what is the robot's of a message on the topic of moving transforms; returns all of
    /// them if there was any.
    pub(super) fn take_moving(
        &mut self,
        transforms: &[TransformStamped],
        stamps: &Stamps,
    ) -> Option<Vec<RosTransformStamped>> {
        take(&mut self.moving, &self.prefix, transforms, stamps)
            .then(|| self.own(&self.moving))
            .filter(|own| !own.is_empty())
    }

    /// The same of fixed transforms.
    pub(super) fn take_fixed(
        &mut self,
        transforms: &[TransformStamped],
        stamps: &Stamps,
    ) -> Option<Vec<RosTransformStamped>> {
        take(&mut self.fixed, &self.prefix, transforms, stamps)
            .then(|| self.own(&self.fixed))
            .filter(|own| !own.is_empty())
    }

    fn own(&self, transforms: &BTreeMap<String, RosTransformStamped>) -> Vec<RosTransformStamped> {
        let own = transforms
            .values()
            .filter(|one| self.is_own(&one.child_frame_id));
        own.cloned().collect()
    }

    /// Whether a frame hangs from the robot's own: without a prefix the names do not tell.
    fn is_own(&self, frame: &str) -> bool {
        let mut frame = frame;
        for _ in 0..DEPTH {
            if ROOTS.contains(&frame) {
                return true;
            }
            let above = self.moving.get(frame).or_else(|| self.fixed.get(frame));
            match above.and_then(|one| one.header.as_ref()) {
                Some(header) => frame = &header.frame_id,
                None => return false,
            }
        }
        false
    }
}

fn take(
    into: &mut BTreeMap<String, RosTransformStamped>,
    prefix: &str,
    transforms: &[TransformStamped],
    stamps: &Stamps,
) -> bool {
    let mut any = false;
    for transform in transforms {
        let Some(parent) = strip(prefix, &transform.header.frame_id) else {
            continue;
        };
        let Some(child) = strip(prefix, &transform.child_frame_id) else {
            continue;
        };
        let own = stamps.transform(transform, parent, child);
        into.insert(child.to_owned(), own);
        any = true;
    }
    any
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

    fn children(transforms: Option<Vec<RosTransformStamped>>) -> Vec<String> {
        let all = transforms.unwrap_or_default();
        all.into_iter().map(|one| one.child_frame_id).collect()
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
        assert_eq!(
            children(frames.take_moving(&all, &stamps)),
            ["base_footprint", "odom"]
        );
        assert_eq!(frames.take_moving(&all[4..], &stamps), None);
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
        ];
        let own = children(frames.take_fixed(&fixed, &stamps));
        assert_eq!(own, ["laser_frame", "lidar_center_frame"]);
        let moving = [
            transform("odom", "base_footprint"),
            transform("r2_odom", "r2_base"),
        ];
        assert_eq!(
            children(frames.take_moving(&moving, &stamps)),
            ["base_footprint"]
        );
    }

    #[test]
    fn every_message_holds_the_complete_set() {
        let mut frames = Frames::of("");
        let stamps = Stamps::default();
        frames.take_moving(&[transform("map", "odom")], &stamps);
        let all = frames.take_moving(&[transform("odom", "base_footprint")], &stamps);
        assert_eq!(children(all), ["base_footprint", "odom"]);
    }
}
