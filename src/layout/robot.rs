//! Robots of a layout: the request to spawn one, without the messages of ROS.

use std::path::Path;

use super::error::LayoutError;
use super::fields::{Field, Fields};
use super::items::{Names, name};
use super::package::{Packages, resolve};
use crate::world::Footprint;

/// A robot as `spawn_robot` takes it. What a layout leaves out has the message's default.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotItem {
    /// Unique name.
    pub name: String,
    /// Namespace of its topics, "" = `/` and the name.
    pub robot_namespace: String,
    /// Put before every frame of the robot.
    pub frame_prefix: String,
    /// Text of the description.
    pub urdf: String,
    /// Parent frame of odometry.
    pub odom_frame: String,
    /// Link of the description that moves.
    pub base_frame: String,
    /// Parent of the odometry frame, "" = none.
    pub world_frame: String,
    /// Topic of its transforms, "" = `/tf`.
    pub tf_topic: String,
    /// Metres, world frame.
    pub x: f64,
    /// Metres, world frame.
    pub y: f64,
    /// Radians.
    pub yaw: f64,
    /// Name of the floor it stands on, "" = the level at z 0.
    pub floor: String,
    /// Its outline in the base frame.
    pub footprint: Footprint,
    /// Metres above the floor.
    pub z_min: f64,
    /// Metres, 0 = up to the top of the level.
    pub height: f64,
    /// How it follows commands.
    pub drive: DriveItem,
    /// Its sensors.
    pub sensors: Vec<SensorItem>,
    /// Whether `cmd_vel` is a `TwistStamped`.
    pub stamped: bool,
    /// Whether sensors are sent reliably.
    pub reliable: bool,
    /// Whether the server sends `robot_description` and the fixed joints.
    pub publish_description: bool,
}

/// How a body follows its velocity commands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DriveItem {
    /// Along x of the base frame, m/s and m/s2.
    pub linear: AxisItem,
    /// Along y of the base frame, m/s and m/s2.
    pub lateral: AxisItem,
    /// About z, rad/s and rad/s2.
    pub angular: AxisItem,
    /// Body velocity per commanded velocity, for linear, lateral, angular.
    pub gain: [f64; 3],
    /// Time constants of a first-order lag in seconds, for linear, lateral, angular.
    pub lag: [f64; 3],
    /// Largest planar acceleration in m/s2, 0 = unlimited.
    pub traction: f64,
    /// The point on x of the base frame about which the body turns, metres.
    pub pivot_x: f64,
    /// Seconds of sim time after which a command becomes zero, 0 = never.
    pub timeout: f64,
}

/// Velocity bounds and acceleration limits of one axis.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AxisItem {
    /// Lowest velocity.
    pub low: f64,
    /// Highest velocity.
    pub high: f64,
    /// Towards higher speed, 0 = unlimited.
    pub accel: f64,
    /// Towards lower speed, 0 = the same as `accel`.
    pub decel: f64,
}

/// One sensor.
#[derive(Debug, Clone, PartialEq)]
pub struct SensorItem {
    /// Unique on the robot.
    pub name: String,
    /// One of [`SENSOR_TYPES`].
    pub kind: String,
    /// Relative names resolve under the namespace, "" = the name.
    pub topic: String,
    /// A link of the description, "" = the one that has the sensor block.
    pub frame: String,
    /// The sensor block of the description it takes its numbers from, "" = the fan.
    pub sensor: String,
    /// Hz of sim time, 0 = the description's.
    pub rate: f64,
    /// For when the description has none.
    pub fan: Option<FanItem>,
}

/// A planar fan of beams.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FanItem {
    /// Angle of the first beam, radians.
    pub angle_min: f64,
    /// From one beam to the next, radians.
    pub angle_increment: f64,
    /// How many.
    pub beams: u32,
    /// Metres.
    pub range_min: f64,
    /// Metres.
    pub range_max: f64,
    /// Standard deviation of a range, metres.
    pub noise_stddev: f64,
}

/// The sensors a robot can have.
pub const SENSOR_TYPES: [&str; 4] = ["laserscan", "pointcloud", "imu", "contact"];

/// Keys of a robot, which a model file may have, too.
pub(super) const ROBOT_KEYS: [&str; 20] = [
    "robot_namespace",
    "frame_prefix",
    "urdf",
    "odom_frame",
    "base_frame",
    "world_frame",
    "tf_topic",
    "x",
    "y",
    "yaw",
    "floor",
    "radius",
    "footprint",
    "z_min",
    "height",
    "drive",
    "sensors",
    "stamped",
    "reliable",
    "publish_description",
];

impl RobotItem {
    /// Reads a robot whose model, if any, lies under it already.
    pub(super) fn read(field: Field<'_>, packages: &Packages) -> Result<Self, LayoutError> {
        let mut known = vec!["name", "model"];
        known.extend(ROBOT_KEYS);
        let fields = Fields::new(field, &known)?;
        let robot = Self {
            name: name(&fields)?,
            robot_namespace: fields.text("robot_namespace", "")?,
            frame_prefix: fields.text("frame_prefix", "")?,
            urdf: read_urdf(&fields, packages)?,
            odom_frame: fields.text("odom_frame", "odom")?,
            base_frame: fields.text("base_frame", "base_link")?,
            world_frame: fields.text("world_frame", "")?,
            tf_topic: fields.text("tf_topic", "")?,
            x: fields.coordinate("x")?,
            y: fields.coordinate("y")?,
            yaw: fields.number("yaw", 0.0)?,
            floor: fields.text("floor", "")?,
            footprint: read_footprint(&fields)?,
            z_min: fields.coordinate("z_min")?,
            height: not_negative(&fields, "height")?,
            drive: fields
                .get("drive")
                .map_or(Ok(DriveItem::default()), DriveItem::read)?,
            sensors: read_sensors(&fields)?,
            stamped: fields.flag("stamped", false)?,
            reliable: fields.flag("reliable", true)?,
            publish_description: fields.flag("publish_description", false)?,
        };
        Ok(robot)
    }
}

fn not_negative(fields: &Fields<'_>, key: &'static str) -> Result<f64, LayoutError> {
    fields.get(key).map_or(Ok(0.0), |field| field.not_negative())
}

/// The text of the description that `urdf` names.
fn read_urdf(fields: &Fields<'_>, packages: &Packages) -> Result<String, LayoutError> {
    let field = fields.need("urdf", "the path of a URDF file, or a model")?;
    let value = field.text()?;
    // What a command line names is relative to where the command runs.
    let named_in = field.node.at.file().unwrap_or(Path::new(""));
    resolve(&value, named_in, packages)
        .and_then(|path| {
            super::read_file(&path).map_err(|reason| format!("{}: {reason}", path.display()))
        })
        .map_err(|reason| LayoutError::File {
            at: field.node.at.clone(),
            key: field.path.clone(),
            value,
            reason,
        })
}

fn read_footprint(fields: &Fields<'_>) -> Result<Footprint, LayoutError> {
    match (fields.get("radius"), fields.get("footprint")) {
        (Some(_), Some(footprint)) => Err(LayoutError::Value {
            at: footprint.node.at.clone(),
            key: footprint.path,
            found: "given beside radius".to_owned(),
            expected: "left out, or radius: a body is a disc or a polygon".to_owned(),
        }),
        (Some(radius), None) => {
            Footprint::disc(radius.number()?).map_err(|error| radius.wrong(error.to_string()))
        }
        (None, Some(footprint)) => Footprint::polygon(&footprint.points()?).map_err(|error| {
            LayoutError::Value {
                at: footprint.node.at.clone(),
                key: footprint.path.clone(),
                found: "no body".to_owned(),
                expected: format!("a convex polygon ({error})"),
            }
        }),
        (None, None) => Err(LayoutError::MissingKey {
            at: fields.at().clone(),
            inside: fields.path().to_owned(),
            key: "radius",
            expected: "a radius in m, or a footprint, a list of points [x, y] in m",
        }),
    }
}

fn read_sensors(fields: &Fields<'_>) -> Result<Vec<SensorItem>, LayoutError> {
    let mut names = Names::default();
    let mut sensors = Vec::new();
    for field in fields.list("sensors")? {
        let sensor = SensorItem::read(field.clone())?;
        names.take(&field, &sensor.name)?;
        sensors.push(sensor);
    }
    Ok(sensors)
}

impl Default for DriveItem {
    /// A body that does not move.
    fn default() -> Self {
        Self {
            linear: AxisItem::default(),
            lateral: AxisItem::default(),
            angular: AxisItem::default(),
            gain: [1.0; 3],
            lag: [0.0; 3],
            traction: 0.0,
            pivot_x: 0.0,
            timeout: 0.0,
        }
    }
}

impl DriveItem {
    fn read(field: Field<'_>) -> Result<Self, LayoutError> {
        const KEYS: [&str; 8] = [
            "linear", "lateral", "angular", "gain", "lag", "traction", "pivot_x", "timeout",
        ];
        let fields = Fields::new(field, &KEYS)?;
        let axis = |key| {
            fields
                .get(key)
                .map_or(Ok(AxisItem::default()), AxisItem::read)
        };
        let each = |key, default| {
            fields.get(key).map_or(Ok(default), |field| {
                field.numbers("3 numbers, for linear, lateral and angular")
            })
        };
        let default = Self::default();
        Ok(Self {
            linear: axis("linear")?,
            lateral: axis("lateral")?,
            angular: axis("angular")?,
            gain: each("gain", default.gain)?,
            lag: each("lag", default.lag)?,
            traction: not_negative(&fields, "traction")?,
            pivot_x: fields.coordinate("pivot_x")?,
            timeout: not_negative(&fields, "timeout")?,
        })
    }
}

impl AxisItem {
    fn read(field: Field<'_>) -> Result<Self, LayoutError> {
        let fields = Fields::new(field, &["low", "high", "accel", "decel"])?;
        let low = fields.number("low", 0.0)?;
        let at_least = format!("a velocity not below low, which is {low}");
        let high = fields
            .need("high", "the highest velocity")?
            .number_where(|value| value >= low, &at_least)?;
        Ok(Self {
            low,
            high,
            accel: not_negative(&fields, "accel")?,
            decel: not_negative(&fields, "decel")?,
        })
    }
}

impl SensorItem {
    fn read(field: Field<'_>) -> Result<Self, LayoutError> {
        const KEYS: [&str; 7] = ["name", "type", "topic", "frame", "sensor", "rate", "fan"];
        let fields = Fields::new(field, &KEYS)?;
        let name = name(&fields)?;
        let kind_field = fields.need("type", "laserscan, pointcloud, imu or contact")?;
        let kind = kind_field.text()?;
        if !SENSOR_TYPES.contains(&kind.as_str()) {
            let hint = super::error::hint(&kind, &SENSOR_TYPES);
            return Err(kind_field.wrong(format!("a type of sensor; {hint}")));
        }
        let fan = match fields.list("fan")?.as_slice() {
            [] => None,
            [fan] => Some(FanItem::read(fan.clone())?),
            [_, second, ..] => {
                return Err(second.wrong("left out: a sensor has at most one fan"));
            }
        };
        Ok(Self {
            name,
            kind,
            topic: fields.text("topic", "")?,
            frame: fields.text("frame", "")?,
            sensor: fields.text("sensor", "")?,
            rate: not_negative(&fields, "rate")?,
            fan,
        })
    }
}

impl FanItem {
    fn read(field: Field<'_>) -> Result<Self, LayoutError> {
        const KEYS: [&str; 6] = [
            "angle_min",
            "angle_increment",
            "beams",
            "range_min",
            "range_max",
            "noise_stddev",
        ];
        let fields = Fields::new(field, &KEYS)?;
        let range_min = not_negative(&fields, "range_min")?;
        let above = format!("a range above range_min, which is {range_min} m");
        let angle = |key| fields.need(key, "an angle in rad")?.number();
        Ok(Self {
            angle_min: angle("angle_min")?,
            angle_increment: angle("angle_increment")?,
            beams: fields.need("beams", "a number of beams")?.count()?,
            range_min,
            range_max: fields
                .need("range_max", "a range in m")?
                .number_where(|value| value > range_min, &above)?,
            noise_stddev: not_negative(&fields, "noise_stddev")?,
        })
    }
}
