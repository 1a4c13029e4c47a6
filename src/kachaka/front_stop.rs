//! The stop in front of obstacles.

use super::FrontStopConfig;
use super::step::coast;
use crate::world::rays::{Lane, RayOrigin};
use crate::world::{BodyKey, Level, PhysicsDt, Pose2, World};

/// Metres from the front of a robot at a pose to the nearest thing in the lane ahead of it;
/// `None` for nothing within [`FrontStopConfig::range`].
///
/// Exact, without noise and least range: on the real robot the depth camera sees what is
/// too near for the lidar. The robot itself, by its key, is not seen.
#[must_use]
pub fn front_clearance(
    world: &World,
    robot: BodyKey,
    pose: Pose2,
    level: Level,
    config: &FrontStopConfig,
) -> Option<f64> {
    let origin = RayOrigin {
        pose: pose.compose(&Pose2::new(config.front_x, 0.0, 0.0)),
        z: level.floor + config.height,
        level,
    };
    let lane = Lane {
        half_width: config.half_width,
        length: config.range,
    };
    world.rays().nearest_ahead(&origin, &lane, Some(robot))
}

/// How the body brakes along x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Braking {
    /// m/s² by which the speed falls that the wheels are told; the body must have the traction
    /// to follow.
    pub decel: f64,
    /// Time constant of the first-order lag with which the body follows, s; 0 = none.
    pub lag: f64,
    /// Speed of the body per speed that the wheels are told.
    pub gain: f64,
}

/// How fast the robot goes along x, as its wheels count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Going {
    /// m/s.
    pub speed: f64,
    /// What the wheels are told, m/s: a body with a lag gets there later.
    pub told: f64,
}

impl Going {
    /// At a speed in m/s that the wheels are told, too.
    #[must_use]
    pub fn steady(speed: f64) -> Self {
        Self { speed, told: speed }
    }
}

/// Decides when an obstacle ahead stops forward motion.
///
/// It blocks as soon as braking later than at the next look would come nearer than the
/// margin to what stands there; what comes towards the robot brings its own way. It lets go
/// once the clearance has grown by the hysteresis over the least one seen since, so the robot
/// does not creep up in starts and stops. Only forward motion is concerned; the command is
/// the caller's to keep.
#[derive(Debug, Clone, PartialEq)]
pub struct FrontStop {
    config: FrontStopConfig,
    braking: Braking,
    /// How long the body coasts on at its speed because it lags, s.
    coast: f64,
    /// The longest time between two looks, s.
    interval: f64,
    /// As of the last look; infinite for nothing in the lane.
    clearance: f64,
    /// While it blocks: the least clearance since it does.
    held_at: Option<f64>,
    muted: bool,
}

impl FrontStop {
    /// A stop that has not looked yet, for a robot that brakes like this in a world of steps
    /// of `dt`. It looks at least as far as stopping from `top_speed`, in m/s, takes.
    #[must_use]
    pub fn new(config: &FrontStopConfig, braking: Braking, top_speed: f64, dt: PhysicsDt) -> Self {
        let mut stop = Self {
            config: config.clone(),
            braking,
            coast: coast(braking.lag, dt),
            interval: longest_interval(config.period, dt),
            clearance: f64::INFINITY,
            held_at: None,
            muted: false,
        };
        let needed = stop.stopping_distance(Going::steady(top_speed)) + config.hysteresis;
        stop.config.range = config.range.max(needed);
        stop
    }

    /// What it does, with the range that it looks to.
    #[must_use]
    pub fn config(&self) -> &FrontStopConfig {
        &self.config
    }

    /// Takes in the clearance of a look, in metres; `None` = nothing in the lane.
    pub fn look(&mut self, clearance: Option<f64>) {
        self.clearance = clearance.unwrap_or(f64::INFINITY);
    }

    /// Decides for how fast the robot goes at the end of the step which begins, if it is let;
    /// backwards counts as standing. Whether it blocks.
    pub fn update(&mut self, going: Going) -> bool {
        if self.muted || !self.config.enabled {
            self.held_at = None;
            return false;
        }
        let blocks = self.clearance <= self.stopping_distance(going);
        self.held_at = match self.held_at {
            Some(least) if blocks || self.clearance <= least + self.config.hysteresis => {
                Some(least.min(self.clearance))
            }
            None if blocks => Some(self.clearance),
            _ => None,
        };
        self.is_blocking()
    }

    /// Whether forward motion is blocked, as of the last [`Self::update`].
    #[must_use]
    pub fn is_blocking(&self) -> bool {
        self.held_at.is_some()
    }

    /// Switches it off for a while, or on again.
    pub fn set_muted(&mut self, muted: bool) {
        self.muted = muted;
        if muted {
            self.held_at = None;
        }
    }

    /// Whether it is switched off for a while.
    #[must_use]
    pub fn is_muted(&self) -> bool {
        self.muted
    }

    /// The margin, the way until the next look, and the way of braking, m.
    ///
    /// A body with a lag goes the way of what its wheels are told, and what it coasts.
    fn stopping_distance(&self, going: Going) -> f64 {
        let Braking { decel, lag, gain } = self.braking;
        let v = going.speed.max(0.0);
        // A body that is faster than its wheels are told, by more than its lag makes it,
        // brakes no harder for that.
        let told = going.told.max(v - decel * lag).max(0.0);
        let way = v * (self.interval + self.coast) + 0.5 * told * told / decel;
        self.config.margin + gain * way
    }
}

/// The longest time between two looks, s: they come at whole steps.
fn longest_interval(period: f64, dt: PhysicsDt) -> f64 {
    // A step that was rounded to nanoseconds still fits into its period as often as meant.
    let steps = (period / dt.seconds() - 1e-6).ceil().max(1.0);
    steps * dt.seconds()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::world::{BoxSpec, DiscSpec, Dynamics, Footprint, RobotBody};

    /// A body that does what its wheels are told.
    const PROMPT: Braking = Braking {
        decel: 2.0,
        lag: 0.0,
        gain: 1.0,
    };

    /// With steps of which a whole number fits between two looks, 0.1 s.
    fn stop() -> FrontStop {
        stop_in_steps_of(0.01)
    }

    fn stop_in_steps_of(dt: f64) -> FrontStop {
        let dt = PhysicsDt::from_seconds(dt).unwrap();
        FrontStop::new(&FrontStopConfig::default(), PROMPT, 0.8, dt)
    }

    fn looking(clearance: f64) -> FrontStop {
        let mut stop = stop();
        stop.look(Some(clearance));
        stop
    }

    #[test]
    fn it_blocks_at_margin_and_a_scan_period_and_the_way_of_braking() {
        // 0.1 m; 0.1 + 0.3 * 0.1 + 0.09 / 4; 0.1 + 0.8 * 0.1 + 0.64 / 4.
        for (speed, limit) in [(0.0, 0.1), (-0.3, 0.1), (0.3, 0.1525), (0.8, 0.34)] {
            assert!(
                !looking(limit + 1e-9).update(Going::steady(speed)),
                "above at {speed} m/s"
            );
            assert!(
                looking(limit - 1e-9).update(Going::steady(speed)),
                "below at {speed} m/s"
            );
        }
        let mut free = stop();
        free.look(None);
        assert!(!free.update(Going::steady(0.8)), "a free lane");
        assert!(!stop().update(Going::steady(0.8)), "before the first look");
    }

    #[test]
    fn a_lag_makes_it_coast_and_a_gain_makes_every_way_longer() {
        let braking = Braking {
            decel: 0.5,
            lag: 0.3,
            gain: 1.2,
        };
        let dt = PhysicsDt::from_seconds(0.01).unwrap();
        let config = FrontStopConfig::default();
        // Steps of a first-order lag sum up to a little less than the lag, half a step.
        let coast = 0.01 / (0.01_f64 / 0.3).exp_m1();
        for (speed, told, braked) in [
            (0.8, 0.8, 0.64),
            (0.5, 0.65, 0.4225),
            // Halted: as if the wheels braked with the body.
            (0.8, 0.0, 0.65 * 0.65),
        ] {
            let limit = 0.1 + 1.2 * (speed * (0.1 + coast) + braked);
            let blocks_at = |clearance: f64| {
                let mut stop = FrontStop::new(&config, braking, 0.8, dt);
                stop.look(Some(clearance));
                stop.update(Going { speed, told })
            };
            assert!(!blocks_at(limit + 1e-9), "above {limit} m at {speed} m/s");
            assert!(blocks_at(limit - 1e-9), "below {limit} m at {speed} m/s");
        }
    }

    #[test]
    fn it_looks_as_far_as_stopping_takes() {
        let slow = Braking {
            decel: 0.05,
            ..PROMPT
        };
        let dt = PhysicsDt::from_seconds(0.01).unwrap();
        let stop = FrontStop::new(&FrontStopConfig::default(), slow, 0.8, dt);
        // 0.1 + 0.03 + 0.8 * 0.1 + 0.64 / 0.1.
        let found = stop.config().range;
        assert!((found - 6.61).abs() < 1e-9, "{found}");
        assert_eq!(stop_in_steps_of(0.01).config().range, 3.0);
    }

    #[test]
    fn it_counts_the_longest_time_between_two_looks_in_whole_steps() {
        // Each twelfth step of 1/120 s, each second one of 0.08 s, and each one of 0.25 s.
        for (dt, interval) in [(1.0 / 120.0, 0.1), (0.08, 0.16), (0.25, 0.25)] {
            let limit = 0.1 + 0.8 * interval + 0.16;
            let blocks_at = |clearance: f64| {
                let mut stop = stop_in_steps_of(dt);
                stop.look(Some(clearance));
                stop.update(Going::steady(0.8))
            };
            assert!(!blocks_at(limit + 1e-6), "above {limit} m with {dt} s");
            assert!(blocks_at(limit - 1e-6), "below {limit} m with {dt} s");
        }
    }

    #[test]
    fn it_lets_go_when_the_clearance_has_grown_by_the_hysteresis() {
        let mut stop = looking(0.33);
        assert!(stop.update(Going::steady(0.8)));
        // It brakes, and what is left grows less than it would need at full speed.
        for (clearance, speed, expected) in [
            (0.26, 0.5, true),
            (0.18, 0.0, true),
            (0.18, 0.0, true),
            (0.2099, 0.0, true),
            (0.2101, 0.0, false),
            (0.2101, 0.3, false),
        ] {
            stop.look(Some(clearance));
            let found = stop.update(Going::steady(speed));
            assert_eq!(found, expected, "at {clearance} m with {speed} m/s");
        }
    }

    #[test]
    fn a_grown_clearance_does_not_let_go_while_it_is_too_small_for_the_speed() {
        let mut stop = looking(0.12);
        assert!(stop.update(Going::steady(0.8)));
        stop.look(Some(0.2));
        assert!(stop.update(Going::steady(0.8)), "0.34 m would be needed");
    }

    #[test]
    fn muted_or_switched_off_it_never_blocks() {
        let mut muted = looking(0.05);
        assert!(muted.update(Going::steady(0.1)));
        muted.set_muted(true);
        assert!(!muted.is_blocking() && !muted.update(Going::steady(0.1)) && muted.is_muted());
        muted.set_muted(false);
        assert!(muted.update(Going::steady(0.1)), "again");
        let config = FrontStopConfig {
            enabled: false,
            ..FrontStopConfig::default()
        };
        let mut off = FrontStop::new(&config, PROMPT, 0.8, PhysicsDt::default());
        off.look(Some(0.0));
        assert!(!off.update(Going::steady(0.8)));
    }

    proptest! {
        /// A look every tenth second or at the next step after it, a wall ahead.
        #[test]
        fn driven_against_a_wall_it_stops_once_at_the_margin_or_a_scan_before_it(
            cap in 0.02..1.2_f64,
            dt in prop::sample::select(vec![1.0 / 120.0, 0.0333, 0.08, 0.25, 0.5]),
            phase in 0.0..0.1_f64,
            way in 2.0..3.0_f64,
        ) {
            let change = 2.0 * dt;
            let looks = |step: u32| ((f64::from(step) * dt + phase) / 0.1).floor();
            let mut stop = stop_in_steps_of(dt);
            stop.look(Some(way));
            let (mut x, mut v, mut starts) = (0.0, 0.0_f64, 0);
            for step in 1..(160.0 / dt) as u32 {
                if looks(step) > looks(step - 1) {
                    stop.look(Some(way - x));
                }
                let blocks = stop.update(Going::steady((v + change).min(cap)));
                let target = if blocks { 0.0 } else { cap };
                starts += u32::from(v == 0.0 && target > 0.0);
                v += (target - v).clamp(-change, change);
                x += v * dt;
            }
            let left: f64 = way - x;
            // It looks too early by up to an interval, and brakes in up to half a step's way
            // less than in continuous time.
            let bounds = 0.1 - 1e-6..=0.1 + cap * (0.1 + 2.0 * dt);
            prop_assert!(bounds.contains(&left), "{left} m left at {cap} m/s");
            prop_assert_eq!((starts, v), (1, 0.0), "starts and speed at {} m/s", cap);
        }
    }

    fn room() -> (World, BodyKey) {
        let dt = PhysicsDt::from_seconds(0.01).unwrap();
        let mut world = World::new(dt, Dynamics::Rigid);
        let key = world
            .add_robot(RobotBody {
                name: "kachaka".into(),
                footprint: Footprint::polygon(&[
                    [0.237, -0.12],
                    [0.237, 0.12],
                    [-0.15, 0.12],
                    [-0.15, -0.12],
                ])
                .unwrap(),
                pose: Pose2::default(),
                floor: String::new(),
                z_min: 0.0,
                height: 0.113,
                mass: 10.6,
            })
            .unwrap();
        (world, key)
    }

    fn clearance(world: &World, key: BodyKey, pose: Pose2) -> Option<f64> {
        let level = world.floors().level("").unwrap();
        front_clearance(world, key, pose, level, &FrontStopConfig::default())
    }

    #[test]
    fn clearance_starts_at_the_front_and_does_not_see_the_robot() {
        let (mut world, key) = room();
        assert_eq!(clearance(&world, key, Pose2::default()), None);
        world
            .add_box(&BoxSpec {
                name: "wall".into(),
                size: [0.2, 4.0],
                pose: Pose2::new(1.1, 0.0, 0.0),
                z_min: 0.0,
                z_max: 1.0,
            })
            .unwrap();
        // The face stands at x = 1.
        let found = clearance(&world, key, Pose2::default()).unwrap();
        assert!((found - 0.77).abs() < 1e-12, "{found}");
        let found = clearance(&world, key, Pose2::new(0.3, 0.5, 0.4)).unwrap();
        // At a slant the lane's right side is nearer to the wall, along the lane.
        let (sin, cos) = 0.4_f64.sin_cos();
        let expected = (0.7 - 0.15 * sin) / cos - 0.23;
        assert!(
            (found - expected).abs() < 1e-12,
            "{found}, expected {expected}"
        );
        assert_eq!(clearance(&world, key, Pose2::new(0.0, 0.0, 1.8)), None);
    }

    #[test]
    fn legs_beside_the_lane_and_things_of_other_heights_do_not_count() {
        let (mut world, key) = room();
        let add = |world: &mut World, name: &str, y: f64, z: [f64; 2]| {
            world
                .add_disc(&DiscSpec {
                    name: name.into(),
                    radius: 0.02,
                    center: [1.0, y],
                    velocity: [0.0, 0.0],
                    z_min: z[0],
                    z_max: z[1],
                })
                .unwrap();
        };
        add(&mut world, "leg", 0.192, [0.0, 0.5]);
        add(&mut world, "plate", 0.0, [0.155, 0.5]);
        add(&mut world, "sill", 0.0, [0.0, 0.02]);
        assert_eq!(clearance(&world, key, Pose2::default()), None);
        add(&mut world, "post", 0.16, [0.0, 0.5]);
        // 10 mm beyond the lane's side: the lane cuts the post at half a chord.
        let expected = 1.0 - (0.02_f64 * 0.02 - 0.01 * 0.01).sqrt() - 0.23;
        let found = clearance(&world, key, Pose2::default()).unwrap();
        assert!(
            (found - expected).abs() < 1e-12,
            "{found}, expected {expected}"
        );
    }
}
