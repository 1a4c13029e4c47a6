//! Reading the configuration from YAML.

use std::sync::Arc;

use super::values::{
    DISTANCE, DURATION, LENGTH, PERIOD, POWER, SHARE, SPEED, YAW_RATE, above, choice, flag, from,
    read_unique, text, whole,
};
use super::{
    AutonomousConfig, BatteryConfig, CollisionConfig, CommandConfig, DriveConfig, FrontStopConfig,
    IdentityConfig, KachakaConfig, LidarConfig, LocalizationConfig, LocalizationMode, ManualConfig,
    MappingConfig, Navigator, OdometryConfig, Places, ResetConfig, RestartConfig, ShortcutConfig,
    SpeakerConfig,
};
use crate::yaml::{Field, Fields, Node, Value, YamlError};

/// Why a configuration is refused: the text names line, column and key and says what would
/// be right.
pub type ConfigError = YamlError;

const KEYS: [&str; 19] = [
    "drive",
    "manual",
    "autonomous",
    "front_stop",
    "collisions",
    "battery",
    "lidar",
    "odometry",
    "localization",
    "mapping",
    "navigator",
    "commands",
    "restart",
    "reset",
    "identity",
    "speaker",
    "locations",
    "default_location",
    "shortcuts",
];

impl KachakaConfig {
    /// Longest name or spoken text, in letters.
    pub const MAX_TEXT: usize = 1000;
    /// Longest id, in letters.
    pub const MAX_ID: usize = 100;
    /// Most shortcuts, which all go into one message.
    pub const MAX_SHORTCUTS: usize = 200;

    /// Reads YAML; what it leaves out keeps its default. No text at all is the default.
    ///
    /// # Errors
    /// When it is no YAML, has a key that is not known, or a value that can't be.
    pub fn parse(yaml: &str) -> Result<Self, ConfigError> {
        let node = Node::read(yaml, &Arc::from("onboard_config"))?;
        Self::read(Field {
            path: "onboard_config".to_owned(),
            node: &node,
        })
    }

    /// As [`Self::parse`], from a value inside a larger text.
    pub(crate) fn read(field: Field<'_>) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        if matches!(field.node.value, Value::Empty) {
            return Ok(config);
        }
        let fields = Fields::new(field, &KEYS)?;
        section(&fields, "drive", &mut config.drive, read_drive)?;
        section(&fields, "manual", &mut config.manual, read_manual)?;
        section(
            &fields,
            "autonomous",
            &mut config.autonomous,
            read_autonomous,
        )?;
        section(
            &fields,
            "front_stop",
            &mut config.front_stop,
            read_front_stop,
        )?;
        section(
            &fields,
            "collisions",
            &mut config.collisions,
            read_collisions,
        )?;
        section(&fields, "battery", &mut config.battery, read_battery)?;
        section(&fields, "lidar", &mut config.lidar, read_lidar)?;
        section(&fields, "odometry", &mut config.odometry, read_odometry)?;
        section(
            &fields,
            "localization",
            &mut config.localization,
            read_localization,
        )?;
        section(&fields, "mapping", &mut config.mapping, read_mapping)?;
        section(&fields, "commands", &mut config.commands, read_commands)?;
        section(&fields, "restart", &mut config.restart, read_restart)?;
        section(&fields, "reset", &mut config.reset, read_reset)?;
        section(&fields, "identity", &mut config.identity, read_identity)?;
        section(&fields, "speaker", &mut config.speaker, read_speaker)?;
        if let Some(field) = fields.get("navigator") {
            config.navigator = read_navigator(&field)?;
        }
        check_look_ahead(&fields, &config)?;
        let places = Places::read(&fields)?;
        config.locations = places.locations;
        config.default_location = places.default_location;
        config.shortcuts = read_unique(
            &fields,
            "shortcuts",
            Self::MAX_SHORTCUTS,
            ShortcutConfig::read,
            |s| &s.id,
        )?;
        Ok(config)
    }
}

/// Whether the front stop sees far enough to stop from the highest speed.
fn check_look_ahead(fields: &Fields<'_>, config: &KachakaConfig) -> Result<(), YamlError> {
    let (stop, drive) = (&config.front_stop, &config.drive);
    let v = drive.autonomous_linear.max(drive.manual_linear);
    let braking = 0.5 * v * v / drive.linear_accel;
    let needed = stop.margin + stop.hysteresis + v * stop.period + braking;
    if stop.range >= needed || !stop.enabled {
        return Ok(());
    }
    // The section that makes it so; the defaults alone never do.
    let given = fields.get("front_stop").or(fields.get("drive"));
    let at = given.map_or(fields.at(), |field| &field.node.at);
    Err(YamlError::Value {
        at: at.clone(),
        key: format!("{}.front_stop.range", fields.path()),
        found: format!("{:?}", stop.range),
        expected: format!(
            "at least {needed:.3} m: margin, hysteresis, and what stopping from {v:?} m/s takes"
        ),
    })
}

fn section<T>(
    fields: &Fields<'_>,
    key: &'static str,
    to: &mut T,
    read: fn(Field<'_>, &mut T) -> Result<(), YamlError>,
) -> Result<(), YamlError> {
    match fields.get(key) {
        Some(field) if !matches!(field.node.value, Value::Empty) => read(field, to),
        _ => Ok(()),
    }
}

fn read_drive(field: Field<'_>, to: &mut DriveConfig) -> Result<(), YamlError> {
    const KEYS: [&str; 12] = [
        "manual_linear",
        "manual_angular",
        "autonomous_linear",
        "autonomous_angular",
        "towing_linear",
        "linear_accel",
        "angular_accel",
        "wheel_torque",
        "wheel_radius",
        "wheel_separation",
        "mass",
        "inertia",
    ];
    let fields = Fields::new(field, &KEYS)?;
    SPEED.take(&fields, "manual_linear", &mut to.manual_linear)?;
    YAW_RATE.take(&fields, "manual_angular", &mut to.manual_angular)?;
    SPEED.take(&fields, "autonomous_linear", &mut to.autonomous_linear)?;
    YAW_RATE.take(&fields, "autonomous_angular", &mut to.autonomous_angular)?;
    SPEED.take(&fields, "towing_linear", &mut to.towing_linear)?;
    above(0.0, 1000.0, "m/s2").take(&fields, "linear_accel", &mut to.linear_accel)?;
    above(0.0, 1000.0, "rad/s2").take(&fields, "angular_accel", &mut to.angular_accel)?;
    above(0.0, 1000.0, "Nm").take(&fields, "wheel_torque", &mut to.wheel_torque)?;
    above(0.0, 10.0, "m").take(&fields, "wheel_radius", &mut to.wheel_radius)?;
    above(0.0, 10.0, "m").take(&fields, "wheel_separation", &mut to.wheel_separation)?;
    above(0.0, 10_000.0, "kg").take(&fields, "mass", &mut to.mass)?;
    above(0.0, 10_000.0, "kg m2").take(&fields, "inertia", &mut to.inertia)
}

fn read_manual(field: Field<'_>, to: &mut ManualConfig) -> Result<(), YamlError> {
    let fields = Fields::new(field, &["velocity_timeout", "expiry"])?;
    PERIOD.take(&fields, "velocity_timeout", &mut to.velocity_timeout)?;
    PERIOD.take(&fields, "expiry", &mut to.expiry)
}

fn read_autonomous(field: Field<'_>, to: &mut AutonomousConfig) -> Result<(), YamlError> {
    let fields = Fields::new(field, &["velocity_timeout"])?;
    PERIOD.take(&fields, "velocity_timeout", &mut to.velocity_timeout)
}

fn read_front_stop(field: Field<'_>, to: &mut FrontStopConfig) -> Result<(), YamlError> {
    const KEYS: [&str; 8] = [
        "enabled",
        "front_x",
        "half_width",
        "height",
        "range",
        "margin",
        "hysteresis",
        "period",
    ];
    let fields = Fields::new(field, &KEYS)?;
    flag(&fields, "enabled", &mut to.enabled)?;
    DISTANCE.take(&fields, "front_x", &mut to.front_x)?;
    above(0.0, 10.0, "m").take(&fields, "half_width", &mut to.half_width)?;
    LENGTH.take(&fields, "height", &mut to.height)?;
    above(0.0, 100.0, "m").take(&fields, "range", &mut to.range)?;
    LENGTH.take(&fields, "margin", &mut to.margin)?;
    LENGTH.take(&fields, "hysteresis", &mut to.hysteresis)?;
    PERIOD.take(&fields, "period", &mut to.period)
}

fn read_collisions(field: Field<'_>, to: &mut CollisionConfig) -> Result<(), YamlError> {
    let fields = Fields::new(field, &["gap", "stop"])?;
    DURATION.take(&fields, "gap", &mut to.gap)?;
    flag(&fields, "stop", &mut to.stop)
}

fn read_battery(field: Field<'_>, to: &mut BatteryConfig) -> Result<(), YamlError> {
    const KEYS: [&str; 12] = [
        "capacity",
        "initial",
        "low",
        "empty",
        "idle_power",
        "rolling_loss",
        "towing_factor",
        "motor_efficiency",
        "period",
        "charge_power",
        "cv_level",
        "charge_floor",
    ];
    let fields = Fields::new(field, &KEYS)?;
    above(0.0, 100_000.0, "Wh").take(&fields, "capacity", &mut to.capacity)?;
    SHARE.take(&fields, "initial", &mut to.initial)?;
    SHARE.take(&fields, "low", &mut to.low)?;
    SHARE.take(&fields, "empty", &mut to.empty)?;
    POWER.take(&fields, "idle_power", &mut to.idle_power)?;
    from(0.0, 10_000.0, "W per m/s").take(&fields, "rolling_loss", &mut to.rolling_loss)?;
    from(0.0, 100.0, "").take(&fields, "towing_factor", &mut to.towing_factor)?;
    above(0.0, 1.0, "").take(&fields, "motor_efficiency", &mut to.motor_efficiency)?;
    PERIOD.take(&fields, "period", &mut to.period)?;
    POWER.take(&fields, "charge_power", &mut to.charge_power)?;
    SHARE.take(&fields, "cv_level", &mut to.cv_level)?;
    POWER.take(&fields, "charge_floor", &mut to.charge_floor)?;
    if let Some(field) = fields.get("empty").or(fields.get("low"))
        && to.empty > to.low
    {
        let (empty, low) = (to.empty, to.low);
        return Err(field.wrong(format!(
            "so that empty, {empty:?}, is not above low, {low:?}"
        )));
    }
    Ok(())
}

fn read_lidar(field: Field<'_>, to: &mut LidarConfig) -> Result<(), YamlError> {
    let fields = Fields::new(field, &["rest_after"])?;
    DURATION.take(&fields, "rest_after", &mut to.rest_after)
}

fn read_odometry(field: Field<'_>, to: &mut OdometryConfig) -> Result<(), YamlError> {
    const KEYS: [&str; 4] = [
        "along_per_way",
        "aside_per_way",
        "yaw_per_way",
        "yaw_per_turn",
    ];
    let fields = Fields::new(field, &KEYS)?;
    from(0.0, 1.0, "m per root of a metre").take(
        &fields,
        "along_per_way",
        &mut to.along_per_way,
    )?;
    from(0.0, 1.0, "m per root of a metre").take(
        &fields,
        "aside_per_way",
        &mut to.aside_per_way,
    )?;
    from(0.0, 1.0, "rad per root of a metre").take(&fields, "yaw_per_way", &mut to.yaw_per_way)?;
    from(0.0, 1.0, "rad per root of a radian").take(&fields, "yaw_per_turn", &mut to.yaw_per_turn)
}

fn read_localization(field: Field<'_>, to: &mut LocalizationConfig) -> Result<(), YamlError> {
    let fields = Fields::new(field, &["mode"])?;
    if let Some(field) = fields.get("mode") {
        to.mode = choice(
            &field,
            &[
                ("truth", LocalizationMode::Truth),
                ("external", LocalizationMode::External),
            ],
        )?;
    }
    Ok(())
}

fn read_mapping(field: Field<'_>, to: &mut MappingConfig) -> Result<(), YamlError> {
    let fields = Fields::new(field, &["resolution", "margin", "height", "period"])?;
    from(0.001, 10.0, "m").take(&fields, "resolution", &mut to.resolution)?;
    LENGTH.take(&fields, "margin", &mut to.margin)?;
    LENGTH.take(&fields, "height", &mut to.height)?;
    PERIOD.take(&fields, "period", &mut to.period)
}

fn read_navigator(field: &Field<'_>) -> Result<Navigator, YamlError> {
    if matches!(&field.node.value, Value::Text(name) if name == "nav2") {
        return Err(field.wrong("builtin: nav2 can't be used yet"));
    }
    choice(field, &[("builtin", Navigator::Builtin)])
}

fn read_commands(field: Field<'_>, to: &mut CommandConfig) -> Result<(), YamlError> {
    const KEYS: [&str; 12] = [
        "queue_limit",
        "history_limit",
        "forward_speed",
        "turn_speed",
        "speech_per_letter",
        "speech_min",
        "blocked_timeout",
        "distance_tolerance",
        "angle_tolerance",
        "path_tolerance",
        "muted_speed",
        "muted_duration",
    ];
    let fields = Fields::new(field, &KEYS)?;
    whole(&fields, "queue_limit", 0, 1_000, &mut to.queue_limit)?;
    whole(&fields, "history_limit", 1, 1_000, &mut to.history_limit)?;
    SPEED.take(&fields, "forward_speed", &mut to.forward_speed)?;
    YAW_RATE.take(&fields, "turn_speed", &mut to.turn_speed)?;
    DURATION.take(&fields, "speech_per_letter", &mut to.speech_per_letter)?;
    DURATION.take(&fields, "speech_min", &mut to.speech_min)?;
    PERIOD.take(&fields, "blocked_timeout", &mut to.blocked_timeout)?;
    above(0.0, 1.0, "m").take(&fields, "distance_tolerance", &mut to.distance_tolerance)?;
    above(0.0, 1.0, "rad").take(&fields, "angle_tolerance", &mut to.angle_tolerance)?;
    above(0.0, 10.0, "m").take(&fields, "path_tolerance", &mut to.path_tolerance)?;
    SPEED.take(&fields, "muted_speed", &mut to.muted_speed)?;
    PERIOD.take(&fields, "muted_duration", &mut to.muted_duration)
}

fn read_restart(field: Field<'_>, to: &mut RestartConfig) -> Result<(), YamlError> {
    let fields = Fields::new(field, &["duration"])?;
    DURATION.take(&fields, "duration", &mut to.duration)
}

fn read_reset(field: Field<'_>, to: &mut ResetConfig) -> Result<(), YamlError> {
    let fields = Fields::new(field, &["ignore_velocity"])?;
    DURATION.take(&fields, "ignore_velocity", &mut to.ignore_velocity)
}

fn read_identity(field: Field<'_>, to: &mut IdentityConfig) -> Result<(), YamlError> {
    let fields = Fields::new(field, &["serial_number", "version"])?;
    if let Some(field) = fields.get("serial_number") {
        to.serial_number = match field.text()?.is_empty() {
            true => String::new(),
            false => text(&field)?,
        };
    }
    if let Some(field) = fields.get("version") {
        to.version = text(&field)?;
    }
    Ok(())
}

fn read_speaker(field: Field<'_>, to: &mut SpeakerConfig) -> Result<(), YamlError> {
    let fields = Fields::new(field, &["volume"])?;
    whole(&fields, "volume", 0, 10, &mut to.volume)
}
