//! Reading the configuration from YAML.

use std::sync::Arc;

use super::values::{
    DISTANCE, DURATION, LENGTH, PERIOD, POWER, SHARE, SPEED, YAW_RATE, above, choice, flag, from,
    read_unique, text, whole,
};
use super::{
    AutonomousConfig, BatteryConfig, ChargerConfig, CollisionConfig, CommandConfig, DriveConfig,
    FrontStopConfig, IdentityConfig, KachakaConfig, LidarConfig, LocalizationConfig,
    LocalizationMode, ManualConfig, MappingConfig, Navigator, OdometryConfig, Places, ResetConfig,
    RestartConfig, ShortcutConfig, SpeakerConfig, StepSensorConfig,
};
use crate::shown::Shown;
use crate::yaml::{Field, Fields, Node, Value, YamlError};

/// Why a configuration is refused: the text names line, column and key and says what would
/// be right.
pub type ConfigError = YamlError;

const KEYS: [&str; 21] = [
    "drive",
    "manual",
    "autonomous",
    "front_stop",
    "collisions",
    "step_sensors",
    "battery",
    "charger",
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
        section(
            &fields,
            "step_sensors",
            &mut config.step_sensors,
            read_step_sensors,
        )?;
        section(&fields, "battery", &mut config.battery, read_battery)?;
        section(&fields, "charger", &mut config.charger, read_charger)?;
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
        check_shortcuts(&fields, &config)?;
        Ok(config)
    }
}

/// Whether all commands of each shortcut can be accepted at once.
fn check_shortcuts(fields: &Fields<'_>, config: &KachakaConfig) -> Result<(), YamlError> {
    let limit = config.commands.queue_limit;
    let most = limit as usize + 1;
    for (field, shortcut) in fields.list("shortcuts")?.iter().zip(&config.shortcuts) {
        let count = shortcut.commands.len();
        if count > most {
            let list = field.below("commands");
            return Err(YamlError::Value {
                at: list.node.at.clone(),
                key: list.path,
                found: format!("a list of {count} commands"),
                expected: format!(
                    "at most {most}, or the shortcut {:?} can never start: one runs, and \
                     commands.queue_limit, {limit}, wait",
                    shortcut.id
                ),
            });
        }
    }
    Ok(())
}

/// A number that others are related to: section, key and its place.
type Knob = (
    &'static str,
    &'static str,
    fn(&mut KachakaConfig) -> &mut f64,
);

/// What the front stop must see far enough for, and how far it sees.
const LOOK_AHEAD: [Knob; 10] = [
    ("front_stop", "range", |c| &mut c.front_stop.range),
    ("drive", "linear_accel", |c| &mut c.drive.linear_accel),
    ("drive", "autonomous_linear", |c| {
        &mut c.drive.autonomous_linear
    }),
    ("drive", "manual_linear", |c| &mut c.drive.manual_linear),
    ("drive", "mass", |c| &mut c.drive.mass),
    ("drive", "wheel_torque", |c| &mut c.drive.wheel_torque),
    ("drive", "wheel_radius", |c| &mut c.drive.wheel_radius),
    ("front_stop", "margin", |c| &mut c.front_stop.margin),
    ("front_stop", "hysteresis", |c| &mut c.front_stop.hysteresis),
    ("front_stop", "period", |c| &mut c.front_stop.period),
];

/// Whether the front stop sees far enough to stop from the highest speed.
fn check_look_ahead(fields: &Fields<'_>, config: &KachakaConfig) -> Result<(), YamlError> {
    let (needed, v) = stopping_way(config);
    let range = config.front_stop.range;
    if range >= needed || !config.front_stop.enabled {
        return Ok(());
    }
    // Up to whole millimetres, but for what arithmetic adds to them.
    let needed = Shown((needed * 1000.0 - 1e-6).ceil() / 1000.0);
    let v = Shown(v);
    let Some((key, field)) = cause(fields, config) else {
        return Ok(());
    };
    Err(field.wrong(if key == "range" {
        format!("at least {needed} m: margin, hysteresis, and what stopping from {v} m/s takes")
    } else {
        format!(
            "so that front_stop.range, {} m, is at least {needed} m: margin, hysteresis, and \
             what stopping from {v} m/s takes",
            Shown(range)
        )
    }))
}

/// How far the front stop must see, m, and the highest speed, m/s.
fn stopping_way(config: &KachakaConfig) -> (f64, f64) {
    let (stop, drive) = (&config.front_stop, &config.drive);
    let v = drive.autonomous_linear.max(drive.manual_linear);
    let braking = 0.5 * v * v / drive.linear_accel.min(drive.traction());
    (stop.margin + stop.hysteresis + v * stop.period + braking, v)
}

/// The key that is to blame for a front stop that sees too little: the first that would mend
/// it with its default, or else the first that is not the default.
fn cause<'a>(fields: &Fields<'a>, config: &KachakaConfig) -> Option<(&'static str, Field<'a>)> {
    let mut defaults = KachakaConfig::default();
    let mut own = config.clone();
    let changed: Vec<&Knob> = LOOK_AHEAD
        .iter()
        .filter(|(_, _, value)| *value(&mut own) != *value(&mut defaults))
        .collect();
    let mends = |value: fn(&mut KachakaConfig) -> &mut f64| {
        let mut mended = config.clone();
        *value(&mut mended) = *value(&mut KachakaConfig::default());
        mended.front_stop.range >= stopping_way(&mended).0
    };
    let mending = changed.iter().find(|(_, _, value)| mends(*value));
    let (section, key, _) = mending.or(changed.first())?;
    let field = fields.get(section)?;
    Some((key, field.below(key)))
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
    from(0.001, 1000.0, "m/s2").take(&fields, "linear_accel", &mut to.linear_accel)?;
    from(0.001, 1000.0, "rad/s2").take(&fields, "angular_accel", &mut to.angular_accel)?;
    from(0.001, 1000.0, "Nm").take(&fields, "wheel_torque", &mut to.wheel_torque)?;
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

fn read_step_sensors(field: Field<'_>, to: &mut StepSensorConfig) -> Result<(), YamlError> {
    let keys = ["enabled", "x", "half_distance", "threshold"];
    let fields = Fields::new(field, &keys)?;
    flag(&fields, "enabled", &mut to.enabled)?;
    DISTANCE.take(&fields, "x", &mut to.x)?;
    LENGTH.take(&fields, "half_distance", &mut to.half_distance)?;
    LENGTH.take(&fields, "threshold", &mut to.threshold)
}

fn read_charger(field: Field<'_>, to: &mut ChargerConfig) -> Result<(), YamlError> {
    let fields = Fields::new(field, &["sensors_off"])?;
    flag(&fields, "sensors_off", &mut to.sensors_off)
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
    // The one that is not the default: the other one may stand in a file of defaults.
    let is_default = to.empty == BatteryConfig::default().empty;
    let key = if is_default { "low" } else { "empty" };
    match fields.get(key) {
        Some(field) if to.empty > to.low => {
            let (empty, low) = (Shown(to.empty), Shown(to.low));
            Err(field.wrong(format!("so that empty, {empty}, is not above low, {low}")))
        }
        _ => Ok(()),
    }
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
    whole(&fields, "queue_limit", 0, 499, &mut to.queue_limit)?;
    whole(&fields, "history_limit", 2, 1_000, &mut to.history_limit)?;
    check_history(&fields, to)?;
    SPEED.take(&fields, "forward_speed", &mut to.forward_speed)?;
    YAW_RATE.take(&fields, "turn_speed", &mut to.turn_speed)?;
    DURATION.take(&fields, "speech_per_letter", &mut to.speech_per_letter)?;
    DURATION.take(&fields, "speech_min", &mut to.speech_min)?;
    PERIOD.take(&fields, "blocked_timeout", &mut to.blocked_timeout)?;
    from(1e-6, 1.0, "m").take(&fields, "distance_tolerance", &mut to.distance_tolerance)?;
    from(1e-6, 1.0, "rad").take(&fields, "angle_tolerance", &mut to.angle_tolerance)?;
    from(1e-6, 10.0, "m").take(&fields, "path_tolerance", &mut to.path_tolerance)?;
    SPEED.take(&fields, "muted_speed", &mut to.muted_speed)?;
    PERIOD.take(&fields, "muted_duration", &mut to.muted_duration)
}

/// Half of the history may not be published yet when everything that runs and waits ends at once:
/// no result of these may push out another one.
fn check_history(fields: &Fields<'_>, commands: &CommandConfig) -> Result<(), YamlError> {
    let (queue, history) = (commands.queue_limit, commands.history_limit);
    if history >= 2 * (queue + 1) {
        return Ok(());
    }
    let wrong = |key, bound| {
        let field: Option<Field<'_>> = fields.get(key);
        field.map(|field| Err(field.wrong(format!("{bound}, or results could be lost"))))
    };
    let least = format!("{} or more beside queue_limit {queue}", 2 * (queue + 1));
    let most = format!(
        "{} or less beside history_limit {history}",
        (history / 2).saturating_sub(1)
    );
    wrong("history_limit", least)
        .or_else(|| wrong("queue_limit", most))
        .unwrap_or(Ok(()))
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
