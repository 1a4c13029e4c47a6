//! How fast the robot may go, by who drives.

use super::DriveConfig;

/// Who drives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Manual control.
    Manual,
    /// A driver outside the robot, such as Nav2.
    Autonomous,
    /// A command that the robot carries out by itself.
    Command,
}

/// The caps of speed.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeedLimits {
    drive: DriveConfig,
}

impl SpeedLimits {
    /// The caps of a configuration.
    #[must_use]
    pub fn new(drive: &DriveConfig) -> Self {
        Self {
            drive: drive.clone(),
        }
    }

    /// Highest speed forwards and backwards, m/s. A shelf lowers it, whoever drives.
    #[must_use]
    pub fn cap(&self, source: Source, towing: bool) -> f64 {
        let cap = match source {
            Source::Manual => self.drive.manual_linear,
            Source::Autonomous | Source::Command => self.drive.autonomous_linear,
        };
        if towing {
            cap.min(self.drive.towing_linear)
        } else {
            cap
        }
    }

    /// Highest yaw rate either way, rad/s. A shelf does not lower it.
    #[must_use]
    pub fn angular_cap(&self, source: Source) -> f64 {
        match source {
            Source::Manual => self.drive.manual_angular,
            Source::Autonomous | Source::Command => self.drive.autonomous_angular,
        }
    }

    /// Speed and yaw rate within the caps, each clamped by itself: a turn at full rate does
    /// not slow a drive.
    #[must_use]
    pub fn clamped(&self, source: Source, towing: bool, linear: f64, angular: f64) -> (f64, f64) {
        let cap = self.cap(source, towing);
        let angular_cap = self.angular_cap(source);
        (
            linear.clamp(-cap, cap),
            angular.clamp(-angular_cap, angular_cap),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_two_regimes_and_a_shelf_slows_the_faster_one() {
        let limits = SpeedLimits::new(&DriveConfig::default());
        let found = [Source::Manual, Source::Autonomous, Source::Command]
            .map(|source| (limits.cap(source, false), limits.cap(source, true)));
        assert_eq!(found, [(0.3, 0.3), (0.8, 0.5), (0.8, 0.5)]);
    }

    #[test]
    fn each_axis_is_clamped_by_itself() {
        let limits = SpeedLimits::new(&DriveConfig::default());
        let clamped = |linear, angular| limits.clamped(Source::Manual, false, linear, angular);
        assert_eq!(clamped(1.0, 0.5), (0.3, 0.5));
        assert_eq!(clamped(-1e308, -9.0), (-0.3, -1.57));
        assert_eq!(clamped(0.2, -0.1), (0.2, -0.1));
    }
}
