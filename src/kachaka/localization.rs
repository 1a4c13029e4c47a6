//! Where the robot believes to be in its map.

use super::LocalizationMode;
use crate::world::Pose2;

/// The estimated pose, in the map frame, which lies on the world frame.
///
/// With the truth as its source an estimate is the true pose, but for a shift that somebody
/// has given it: the robot then believes in a map that lies elsewhere, until the shift is
/// forgotten. Nothing here moves the body.
#[derive(Debug, Clone, PartialEq)]
pub struct Localization {
    mode: LocalizationMode,
    /// From the true pose in the world to the estimate in the map.
    shift: Pose2,
    /// What the program outside said last.
    map_to_odom: Option<Pose2>,
}

impl Localization {
    /// Localization that nobody has shifted.
    #[must_use]
    pub fn new(mode: LocalizationMode) -> Self {
        Self {
            mode,
            shift: Pose2::default(),
            map_to_odom: None,
        }
    }

    /// Where the pose comes from.
    #[must_use]
    pub fn mode(&self) -> LocalizationMode {
        self.mode
    }

    /// The estimated pose in the map of a robot at a true pose that its fused odometry has
    /// at another one; none in external mode before the program outside has said anything.
    #[must_use]
    pub fn estimate(&self, truth: Pose2, fused: Pose2) -> Option<Pose2> {
        match self.mode {
            LocalizationMode::Truth => Some(self.shift.compose(&truth)),
            LocalizationMode::External => Some(self.map_to_odom?.compose(&fused)),
        }
    }

    /// Makes a pose in the map the estimate for a true pose. Whether it did: in external mode
    /// the program outside decides, and nothing changes.
    pub fn set_estimate(&mut self, wanted: Pose2, truth: Pose2) -> bool {
        let decides = self.mode == LocalizationMode::Truth;
        if decides {
            self.shift = wanted.compose(&truth.inverse());
        }
        decides
    }

    /// Forgets the shift, as when the robot finds its pose by itself.
    pub fn forget_shift(&mut self) {
        self.shift = Pose2::default();
    }

    /// Forgets what the program outside said, which was about an odometry frame that is no
    /// more.
    pub fn forget_map_to_odom(&mut self) {
        self.map_to_odom = None;
    }

    /// The transform from map to odometry that the robot sends; `None` in external mode,
    /// in which the program outside sends it.
    #[must_use]
    pub fn map_to_odom(&self, truth: Pose2, fused: Pose2) -> Option<Pose2> {
        match self.mode {
            LocalizationMode::Truth => {
                let estimate = self.estimate(truth, fused)?;
                Some(estimate.compose(&fused.inverse()))
            }
            LocalizationMode::External => None,
        }
    }

    /// Takes in the transform from map to odometry of the program outside; in truth mode
    /// it changes nothing.
    pub fn hear(&mut self, map_to_odom: Pose2) {
        if self.mode == LocalizationMode::External && map_to_odom.is_finite() {
            self.map_to_odom = Some(map_to_odom);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use proptest::prelude::*;

    use super::*;

    fn near(found: Pose2, expected: Pose2) -> bool {
        let apart = expected.inverse().compose(&found);
        apart.x.abs().max(apart.y.abs()).max(apart.yaw.abs()) < 1e-12
    }

    #[track_caller]
    fn assert_near(found: Pose2, expected: Pose2) {
        assert!(near(found, expected), "{found:?}, expected {expected:?}");
    }

    #[test]
    fn by_default_the_estimate_is_the_truth() {
        let localization = Localization::new(LocalizationMode::Truth);
        let truth = Pose2::new(1.0, -2.0, 0.5);
        assert_eq!(
            localization.estimate(truth, Pose2::new(9.0, 9.0, 9.0)),
            Some(truth)
        );
    }

    #[test]
    fn a_set_estimate_goes_along_with_the_body() {
        let mut localization = Localization::new(LocalizationMode::Truth);
        // At (1, 0) it faces x; it is told to be at (5, 5) and to face y.
        let fused = Pose2::default();
        assert!(
            localization.set_estimate(Pose2::new(5.0, 5.0, FRAC_PI_2), Pose2::new(1.0, 0.0, 0.0))
        );
        let found = localization
            .estimate(Pose2::new(1.0, 0.0, 0.0), fused)
            .unwrap();
        assert_near(found, Pose2::new(5.0, 5.0, FRAC_PI_2));
        // 2 m straight on, then 0.5 m to its left after no turn.
        let found = localization
            .estimate(Pose2::new(3.0, 0.5, 0.25), fused)
            .unwrap();
        assert_near(found, Pose2::new(4.5, 7.0, FRAC_PI_2 + 0.25));
        localization.forget_shift();
        let truth = Pose2::new(3.0, 0.5, 0.25);
        assert_near(localization.estimate(truth, fused).unwrap(), truth);
    }

    #[test]
    fn outside_another_program_decides() {
        let mut localization = Localization::new(LocalizationMode::External);
        let (truth, fused) = (Pose2::new(7.0, 7.0, 1.0), Pose2::new(2.0, 0.0, 0.0));
        assert_eq!(
            localization.estimate(truth, fused),
            None,
            "nobody has said it yet"
        );
        localization.hear(Pose2::new(1.0, 1.0, FRAC_PI_2));
        let expected = Pose2::new(1.0, 3.0, FRAC_PI_2);
        assert_near(localization.estimate(truth, fused).unwrap(), expected);
        assert!(!localization.set_estimate(Pose2::default(), truth));
        localization.hear(Pose2::new(f64::NAN, 0.0, 0.0));
        assert_near(localization.estimate(truth, fused).unwrap(), expected);
        assert_eq!(localization.map_to_odom(truth, fused), None);
        localization.forget_map_to_odom();
        assert_eq!(localization.estimate(truth, fused), None);
    }

    #[test]
    fn what_is_heard_in_truth_mode_changes_nothing() {
        let mut localization = Localization::new(LocalizationMode::Truth);
        localization.hear(Pose2::new(1.0, 1.0, 1.0));
        assert_eq!(localization, Localization::new(LocalizationMode::Truth));
    }

    fn any_pose() -> impl Strategy<Value = Pose2> {
        (-9.0..9.0_f64, -9.0..9.0_f64, -3.1..3.1_f64).prop_map(|(x, y, yaw)| Pose2::new(x, y, yaw))
    }

    proptest! {
        #[test]
        fn the_transforms_lead_from_the_map_to_the_estimate(
            wanted in any_pose(),
            set_at in any_pose(),
            truth in any_pose(),
            fused in any_pose(),
        ) {
            let mut localization = Localization::new(LocalizationMode::Truth);
            localization.set_estimate(wanted, set_at);
            let estimate = localization.estimate(truth, fused).unwrap();
            let map_to_odom = localization.map_to_odom(truth, fused).unwrap();
            prop_assert!(near(map_to_odom.compose(&fused), estimate));
            // Between two estimates lies the way that the body went.
            let went = set_at.inverse().compose(&truth);
            prop_assert!(near(wanted.compose(&went), estimate), "{estimate:?}");
        }
    }
}
