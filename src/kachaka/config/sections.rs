//! The sections of the configuration. Defaults that nobody has published are marked.

/// Caps of speed and acceleration, and the body that the motors move.
#[derive(Debug, Clone, PartialEq)]
pub struct DriveConfig {
    /// Highest speed under manual control, m/s (published: full scale of the bridge).
    pub manual_linear: f64,
    /// Highest yaw rate under manual control, rad/s (published: full scale of the bridge).
    pub manual_angular: f64,
    /// Highest speed on its own, m/s (estimate: the top speed of the data sheet).
    pub autonomous_linear: f64,
    /// Highest yaw rate on its own, rad/s (estimate: that of manual control).
    pub autonomous_angular: f64,
    /// Highest speed with a shelf, m/s (estimate: the top speed of the data sheet with one).
    pub towing_linear: f64,
    /// Change of speed, m/s² (community).
    pub linear_accel: f64,
    /// Change of yaw rate, rad/s² (community).
    pub angular_accel: f64,
    /// Torque of the motor of each of the two wheels, Nm (published: the most of a Kachaka Pro).
    pub wheel_torque: f64,
    /// Radius of the drive wheels, m (published).
    pub wheel_radius: f64,
    /// Distance between the drive wheels, m (published).
    pub wheel_separation: f64,
    /// Mass of the whole robot, kg (published, 0.6 of it as placeholders).
    pub mass: f64,
    /// Moment of inertia about the middle between the wheels, kg m² (computed from the
    /// published description).
    pub inertia: f64,
}

impl Default for DriveConfig {
    fn default() -> Self {
        Self {
            manual_linear: 0.3,
            manual_angular: 1.57,
            autonomous_linear: 0.8,
            autonomous_angular: 1.57,
            towing_linear: 0.5,
            linear_accel: 2.0,
            angular_accel: 3.0,
            wheel_torque: 2.0,
            wheel_radius: 0.045,
            wheel_separation: 0.2,
            mass: 10.6,
            inertia: 0.196,
        }
    }
}

impl DriveConfig {
    /// The acceleration that both motors at full torque give the body, m/s²: the traction
    /// of its drive.
    #[must_use]
    pub fn traction(&self) -> f64 {
        2.0 * self.wheel_torque / self.wheel_radius / self.mass
    }
}

/// Manual control.
#[derive(Debug, Clone, PartialEq)]
pub struct ManualConfig {
    /// Sim time that a velocity holds, s (published).
    pub velocity_timeout: f64,
    /// Sim time after which manual control switches itself off, s (published).
    pub expiry: f64,
}

impl Default for ManualConfig {
    fn default() -> Self {
        Self {
            velocity_timeout: 0.3,
            expiry: 60.0,
        }
    }
}

/// Velocities of an autonomous driver, such as Nav2.
#[derive(Debug, Clone, PartialEq)]
pub struct AutonomousConfig {
    /// Sim time that a velocity holds, s (estimate: as under manual control).
    pub velocity_timeout: f64,
}

impl Default for AutonomousConfig {
    fn default() -> Self {
        Self {
            velocity_timeout: 0.3,
        }
    }
}

/// The stop in front of obstacles.
#[derive(Debug, Clone, PartialEq)]
pub struct FrontStopConfig {
    /// Whether it is switched on, which the app of the real robot decides.
    pub enabled: bool,
    /// Where the lane begins, on x of the base frame, m (estimate).
    pub front_x: f64,
    /// Half the width of the lane, m (estimate: less than between the legs of a shelf).
    pub half_width: f64,
    /// Height of the lane above the floor, m (published: the plane of the lidar).
    pub height: f64,
    /// Farthest clearance that is looked for, m (estimate).
    pub range: f64,
    /// Distance that it keeps, m (estimate).
    pub margin: f64,
    /// How much more clearance lets it drive on, m (estimate).
    pub hysteresis: f64,
    /// Sim time between two looks, s (community: the scan period).
    pub period: f64,
}

impl Default for FrontStopConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            front_x: 0.23,
            half_width: 0.15,
            height: 0.1049,
            range: 3.0,
            margin: 0.1,
            hysteresis: 0.03,
            period: 0.1,
        }
    }
}

/// Counting of collisions.
#[derive(Debug, Clone, PartialEq)]
pub struct CollisionConfig {
    /// Sim time without contact with a thing after which the next one counts, s (estimate).
    pub gap: f64,
    /// Whether a collision pauses the robot. The real one has no bumper.
    pub stop: bool,
}

impl Default for CollisionConfig {
    fn default() -> Self {
        Self {
            gap: 0.5,
            stop: false,
        }
    }
}

/// The sensors that look for steps down. That there are two at the front is all that is
/// published of them.
#[derive(Debug, Clone, PartialEq)]
pub struct StepSensorConfig {
    /// Whether they work.
    pub enabled: bool,
    /// Where they look at the floor, on x of the base frame, m. The default has the casters,
    /// which are the foremost support, at x 0.19, stop 1.5 cm before an edge from 0.3 m/s:
    /// 0.19 + 0.015 and the way of braking with all traction, 0.3² / (2 x 8.386) = 0.0054,
    /// and 0.3 mm more for what a step of the simulation adds.
    pub x: f64,
    /// Where they look, to the left and the right of the axis, m (estimate).
    pub half_distance: f64,
    /// Depth below the floor from which on it is a drop, m (estimate).
    pub threshold: f64,
}

impl Default for StepSensorConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            x: 0.2107,
            half_distance: 0.08,
            threshold: 0.03,
        }
    }
}

/// On the charger.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChargerConfig {
    /// Whether lidar and front stop are off there, as the real one's are. By default they stay
    /// on: who localizes it by its scans needs them to leave.
    pub sensors_off: bool,
}

/// Charge and consumption. No figure of it is published, all are estimates.
#[derive(Debug, Clone, PartialEq)]
pub struct BatteryConfig {
    /// Energy of the full battery, Wh.
    pub capacity: f64,
    /// Charge at the spawn and after a reset, 0 to 1.
    pub initial: f64,
    /// Charge below which it is low, 0 to 1.
    pub low: f64,
    /// Charge below which it counts as empty, 0 to 1.
    pub empty: f64,
    /// Power of computer, sensors and network, W.
    pub idle_power: f64,
    /// Power lost per speed of the rims of both wheels, W per m/s.
    pub rolling_loss: f64,
    /// What a shelf multiplies that loss by.
    pub towing_factor: f64,
    /// Share of the electric power that the motors turn into motion, above 0 to 1.
    pub motor_efficiency: f64,
    /// Time between two updates, s.
    pub period: f64,
    /// Power into the battery on the charger while the current is constant, W.
    pub charge_power: f64,
    /// Charge from which on the voltage is constant and the power falls, 0 to 1.
    pub cv_level: f64,
    /// Lowest power into the battery on the charger, W, with which it gets full.
    pub charge_floor: f64,
}

impl Default for BatteryConfig {
    fn default() -> Self {
        Self {
            capacity: 74.0,
            initial: 1.0,
            low: 0.15,
            empty: 0.03,
            idle_power: 10.0,
            rolling_loss: 10.0,
            towing_factor: 1.5,
            motor_efficiency: 0.7,
            period: 1.0,
            charge_power: 40.0,
            cv_level: 0.8,
            charge_floor: 2.0,
        }
    }
}

/// When the lidar rests.
#[derive(Debug, Clone, PartialEq)]
pub struct LidarConfig {
    /// Sim time of standing still after which it rests, s; 0 = never. The real one rests
    /// after some 5 to 10 s.
    pub rest_after: f64,
}

impl Default for LidarConfig {
    fn default() -> Self {
        Self { rest_after: 0.0 }
    }
}

/// Drift of the fused odometry: a random walk along the way. No figure of it is published,
/// all are estimates; 0 = none.
#[derive(Debug, Clone, PartialEq)]
pub struct OdometryConfig {
    /// Standard deviation along the way after a metre of way, m/√m.
    pub along_per_way: f64,
    /// Standard deviation to the side after a metre of way, m/√m.
    pub aside_per_way: f64,
    /// Standard deviation of the yaw after a metre of way, rad/√m.
    pub yaw_per_way: f64,
    /// Standard deviation of the yaw after a turn by a radian, rad/√rad.
    pub yaw_per_turn: f64,
}

impl Default for OdometryConfig {
    fn default() -> Self {
        Self {
            along_per_way: 0.005,
            aside_per_way: 0.002,
            yaw_per_way: 0.002,
            yaw_per_turn: 0.005,
        }
    }
}

/// Where the pose in the map comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LocalizationMode {
    /// From the true pose.
    #[default]
    Truth,
    /// From a program outside, such as slam_toolbox or AMCL, which sends `map -> odom`.
    External,
}

/// Localization.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LocalizationConfig {
    /// Where the pose in the map comes from.
    pub mode: LocalizationMode,
}

/// The map made from the geometry.
#[derive(Debug, Clone, PartialEq)]
pub struct MappingConfig {
    /// Side of a cell, m (observed on a robot).
    pub resolution: f64,
    /// Around everything that stands, m (estimate).
    pub margin: f64,
    /// Height of the slice above the floor, m (published: the plane of the lidar).
    pub height: f64,
    /// Least sim time between two maps, s (estimate).
    pub period: f64,
}

impl Default for MappingConfig {
    fn default() -> Self {
        Self {
            resolution: 0.025,
            margin: 0.5,
            height: 0.1049,
            period: 1.0,
        }
    }
}

/// Who plans the way to a pose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Navigator {
    /// The robot itself.
    #[default]
    Builtin,
}

/// The queue and how commands are carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandConfig {
    /// Commands that may wait behind the running one (estimate).
    pub queue_limit: u32,
    /// Results that are kept (estimate).
    pub history_limit: u32,
    /// Speed of a way forward that names none, m/s (estimate).
    pub forward_speed: f64,
    /// Yaw rate of turns on the spot, rad/s (estimate).
    pub turn_speed: f64,
    /// Sim time of a spoken letter, s (estimate).
    pub speech_per_letter: f64,
    /// Sim time of the shortest speech, s (estimate).
    pub speech_min: f64,
    /// Sim time after which a drive that the front stop holds, or that does not get on, has
    /// failed, s.
    pub blocked_timeout: f64,
    /// How near to its end a way counts as gone, m.
    pub distance_tolerance: f64,
    /// How near to its end a turn counts as made, rad.
    pub angle_tolerance: f64,
    /// How far to the side of the straight way to a pose it turns towards it again, m.
    pub path_tolerance: f64,
    /// Highest speed of a move by velocity with muted sensors, m/s (estimate).
    pub muted_speed: f64,
    /// Longest move by velocity with muted sensors, s of sim time (estimate).
    pub muted_duration: f64,
}

impl Default for CommandConfig {
    fn default() -> Self {
        Self {
            queue_limit: 32,
            history_limit: 100,
            forward_speed: 0.3,
            turn_speed: 1.0,
            speech_per_letter: 0.1,
            speech_min: 0.5,
            blocked_timeout: 1.0,
            distance_tolerance: 0.001,
            angle_tolerance: 0.001,
            path_tolerance: 0.02,
            muted_speed: 0.3,
            muted_duration: 30.0,
        }
    }
}

/// Starting again.
#[derive(Debug, Clone, PartialEq)]
pub struct RestartConfig {
    /// Sim time until it is ready again, s (estimate).
    pub duration: f64,
}

impl Default for RestartConfig {
    fn default() -> Self {
        Self { duration: 30.0 }
    }
}

/// The simulator's reset of one robot.
#[derive(Debug, Clone, PartialEq)]
pub struct ResetConfig {
    /// Sim time in which velocities that come in are ignored, s.
    pub ignore_velocity: f64,
}

impl Default for ResetConfig {
    fn default() -> Self {
        Self {
            ignore_velocity: 1.0,
        }
    }
}

/// What the robot says it is.
#[derive(Debug, Clone, PartialEq)]
pub struct IdentityConfig {
    /// Serial number; "" = the robot's name.
    pub serial_number: String,
    /// Version of its software (published: the release whose interface is offered).
    pub version: String,
}

impl Default for IdentityConfig {
    fn default() -> Self {
        Self {
            serial_number: String::new(),
            version: "3.17.5".to_owned(),
        }
    }
}

/// The speaker.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeakerConfig {
    /// Volume at the spawn and after a reset, 0 to 10 (estimate).
    pub volume: u32,
}

impl Default for SpeakerConfig {
    fn default() -> Self {
        Self { volume: 5 }
    }
}
