//! Steps down: two sensors at the front look at the floor.

use super::StepSensorConfig;
use crate::world::Pose2;

/// What the two step sensors see. A drop that comes into view pauses the robot; as long as one
/// is in view, nothing drives it forwards.
#[derive(Debug, Clone, PartialEq)]
pub struct StepSensors {
    config: StepSensorConfig,
    /// Whether the left and the right one see a drop.
    see_drop: [bool; 2],
}

impl StepSensors {
    /// Sensors that have not looked yet.
    #[must_use]
    pub fn new(config: &StepSensorConfig) -> Self {
        Self {
            config: config.clone(),
            see_drop: [false; 2],
        }
    }

    /// Takes in how far the ground is below the floor at each spot, m. Whether a drop has come
    /// into view.
    pub fn look(&mut self, depths: [f64; 2]) -> bool {
        let before = self.see_drop;
        self.see_drop = depths.map(|depth| self.config.enabled && depth > self.config.threshold);
        let appeared = |sensor: usize| self.see_drop[sensor] && !before[sensor];
        appeared(0) || appeared(1)
    }

    /// Whether one of them sees a drop.
    #[must_use]
    pub fn see_drop(&self) -> bool {
        self.see_drop != [false; 2]
    }
}

impl StepSensorConfig {
    /// Where the left and the right one look at the floor, in the frame of the base's pose, m.
    #[must_use]
    pub fn spots(&self, base: &Pose2) -> [[f64; 2]; 2] {
        [self.half_distance, -self.half_distance].map(|y| base.transform_point([self.x, y]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kachaka::DriveConfig;

    #[test]
    fn they_look_at_the_floor_beside_the_axis_at_the_front() {
        let config = StepSensorConfig {
            x: 0.2,
            half_distance: 0.1,
            ..StepSensorConfig::default()
        };
        // Turned left: what is ahead is along y, what is left along -x.
        let base = Pose2::new(1.0, 2.0, std::f64::consts::FRAC_PI_2);
        let [left, right] = config.spots(&base);
        for (found, expected) in [(left, [0.9, 2.2]), (right, [1.1, 2.2])] {
            let near = |axis: usize| (found[axis] - expected[axis]).abs() < 1e-12;
            assert!(near(0) && near(1), "{found:?}, expected {expected:?}");
        }
    }

    #[test]
    fn a_drop_pauses_once_for_each_sensor_and_blocks_as_long_as_it_is_seen() {
        let mut sensors = StepSensors::new(&StepSensorConfig::default());
        let deep = 0.2;
        for (depths, pauses, blocks) in [
            ([0.0, 0.0], false, false),
            ([deep, 0.0], true, true),
            ([deep, 0.0], false, true),
            ([deep, deep], true, true),
            ([0.0, deep], false, true),
            ([0.0, 0.0], false, false),
            ([0.0, deep], true, true),
        ] {
            assert_eq!(sensors.look(depths), pauses, "pause at {depths:?}");
            assert_eq!(sensors.see_drop(), blocks, "block at {depths:?}");
        }
    }

    #[test]
    fn a_low_sill_is_no_drop_and_disabled_sensors_see_none() {
        let config = StepSensorConfig {
            threshold: 0.03,
            ..StepSensorConfig::default()
        };
        let mut sensors = StepSensors::new(&config);
        assert!(!sensors.look([0.03, 0.02]) && !sensors.see_drop());
        assert!(sensors.look([0.031, 0.0]));
        let mut off = StepSensors::new(&StepSensorConfig {
            enabled: false,
            ..config
        });
        assert!(!off.look([1.0, 1.0]) && !off.see_drop());
    }

    /// At 0.3 m/s the casters, 0.19 m before the base, are to stop 1.5 cm before an edge,
    /// within 0.5 cm. A step sees the drop after some of its last way; the next one brakes with
    /// all traction.
    #[test]
    fn the_sensors_are_where_the_casters_stop_1_5_cm_before_an_edge() {
        let x = StepSensorConfig::default().x;
        let traction = DriveConfig::default().traction();
        let speed = 0.3;
        let ideal = 0.19 + 0.015 + speed * speed / (2.0 * traction);
        assert!((x - ideal).abs() < 0.0005, "{x}, without steps {ideal}");
        for dt in [0.0005, 0.001, 0.005, 0.01, 0.02, 0.0333] {
            let mut braking = 0.0;
            let mut v = speed;
            while v > 0.0 {
                v = (v - traction * dt).max(0.0);
                braking += v * dt;
            }
            for share in [0.01, 0.5, 1.0] {
                let beyond = share * speed * dt;
                let left = x - 0.19 - beyond - braking;
                assert!(
                    (left - 0.015).abs() <= 0.005,
                    "{left} m left with steps of {dt} s"
                );
            }
        }
    }
}
