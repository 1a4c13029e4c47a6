//! Robots of a layout: the request to spawn one, without the messages of ROS.

use std::path::Path;

use super::error::LayoutError;
use super::ground::Outline;
use super::items::{Names, name};
use super::package::{Packages, resolve};
use super::placement::Placement;
use super::wheels::{read_wheels, wrong_wheels};
use crate::description::RobotDescription;
use crate::drive::wheels::WheelModel;
use crate::drive::{AxisLimits, DriveError, DriveModel};
use crate::kachaka::KachakaConfig;
use crate::robot::{BeamFan, Robot, RobotSpec, SensorSpec};
use crate::world::{Footprint, PhysicsDt, PlanarShape, Pose2, ZExtent};
use crate::yaml::{Field, Fields, Value, YamlError, hint};

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
    /// Pose of its base frame.
    pub pose: Pose2,
    /// Name of the floor it stands on, "" = the level at z 0.
    pub floor: String,
    /// Its outline in the base frame.
    pub footprint: Footprint,
    /// Metres above the floor.
    pub z_min: f64,
    /// Metres, 0 = up to the top of the level.
    pub height: f64,
    /// How it follows commands.
    pub drive: DriveModel,
    /// Its sensors.
    pub sensors: Vec<SensorItem>,
    /// Whether `cmd_vel` is a `TwistStamped`.
    pub stamped: bool,
    /// Whether sensors are sent reliably.
    pub reliable: bool,
    /// Whether the server sends `robot_description` and the fixed joints.
    pub publish_description: bool,
    /// One of [`ONBOARD`], "" = a plain robot.
    pub onboard: String,
    /// Its configuration in YAML, "" = the defaults.
    pub onboard_config: String,
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
    pub fan: Option<BeamFan>,
}

/// The sensors a robot can have.
pub const SENSOR_TYPES: [&str; 4] = ["laserscan", "pointcloud", "imu", "contact"];

/// The software of their own that robots can have.
pub const ONBOARD: [&str; 1] = ["kachaka"];

/// What a robot needs `urdf` for.
const URDF: &str = "the path of a URDF file, or a model that has one";

/// Keys of a robot, which a model file may have, too.
pub(super) const ROBOT_KEYS: [&str; 22] = [
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
    "onboard",
    "onboard_config",
];

impl RobotItem {
    /// Reads a robot whose model, if any, lies under it already.
    pub(super) fn read(
        field: Field<'_>,
        packages: &Packages,
    ) -> Result<(Self, Placement), LayoutError> {
        let mut known = vec!["name", "model"];
        known.extend(ROBOT_KEYS);
        let fields = Fields::new(field, &known)?;
        let (onboard, onboard_config) = read_onboard(&fields)?;
        let placement = Placement::read(&fields)?;
        let robot = Self {
            name: name(&fields)?,
            robot_namespace: fields.text("robot_namespace", "")?,
            frame_prefix: fields.text("frame_prefix", "")?,
            urdf: read_urdf(&fields, packages)?,
            odom_frame: fields.text("odom_frame", "odom")?,
            base_frame: fields.text("base_frame", "base_link")?,
            world_frame: fields.text("world_frame", "")?,
            tf_topic: fields.text("tf_topic", "")?,
            pose: placement.first(),
            floor: fields.text("floor", "")?,
            footprint: read_footprint(&fields)?,
            z_min: fields.coordinate("z_min")?,
            height: not_negative(&fields, "height")?,
            drive: fields
                .get("drive")
                .map_or(Ok(DriveModel::default()), read_drive)?,
            sensors: read_sensors(&fields)?,
            stamped: fields.flag("stamped", false)?,
            reliable: fields.flag("reliable", true)?,
            publish_description: fields.flag("publish_description", false)?,
            onboard,
            onboard_config,
        };
        robot.check_against_description(&fields)?;
        robot.check_whole(&fields)?;
        Ok((robot, placement))
    }

    /// Its body at the origin, with its floor at this height in m.
    pub(super) fn outline(&self, floor: f64) -> Outline {
        let bottom = floor + self.z_min;
        let top = match self.height {
            0.0 => f64::INFINITY,
            height => bottom + height,
        };
        Outline {
            shape: PlanarShape::from(&self.footprint),
            z: ZExtent::new(bottom, top),
        }
    }
}

impl RobotItem {
    /// The robot without its own software and what concerns ROS alone.
    #[must_use]
    pub fn spec(&self) -> RobotSpec {
        let (radius, footprint) = match &self.footprint {
            Footprint::Disc(radius) => (*radius, Vec::new()),
            Footprint::Polygon(points) => (0.0, points.clone()),
        };
        let sensor = |sensor: &SensorItem| SensorSpec {
            name: sensor.name.clone(),
            kind: sensor.kind.clone(),
            frame: sensor.frame.clone(),
            sensor: sensor.sensor.clone(),
            rate: sensor.rate,
            fan: sensor.fan.into_iter().collect(),
        };
        RobotSpec {
            name: self.name.clone(),
            urdf: self.urdf.clone(),
            base_frame: self.base_frame.clone(),
            pose: self.pose,
            floor: self.floor.clone(),
            radius,
            footprint,
            z_min: self.z_min,
            height: self.height,
            drive: self.drive.clone(),
            sensors: self.sensors.iter().map(sensor).collect(),
            onboard: None,
        }
    }

    /// Whether the server could make this robot, as far as that shows without the server.
    fn check_whole(&self, fields: &Fields<'_>) -> Result<(), LayoutError> {
        match Robot::build(self.spec(), PhysicsDt::default()) {
            Ok(_) => Ok(()),
            Err(error) => Err(LayoutError::Thing {
                at: fields.at().clone(),
                key: fields.path().to_owned(),
                reason: error.to_string(),
            }),
        }
    }

    /// Whether the description can be read and has what the robot names.
    fn check_against_description(&self, fields: &Fields<'_>) -> Result<(), LayoutError> {
        let urdf = fields.need("urdf", URDF)?;
        // What was skipped in it is for the server to say, which reads it, too.
        let (description, _) =
            RobotDescription::parse(&self.urdf).map_err(|error| LayoutError::File {
                at: urdf.node.at.clone(),
                key: urdf.path.clone(),
                value: urdf.text().unwrap_or_default(),
                reason: error.to_string(),
            })?;
        let link = |field: Field<'_>, name: &str| match description.has_link(name) {
            true => Ok(()),
            false => Err(field.wrong("a link of the description")),
        };
        if let Some(field) = fields.get("base_frame") {
            link(field.clone(), &self.base_frame)?;
            let root = description.root();
            if description.is_fixed_to(root, &self.base_frame) != Ok(true) {
                let expected = format!("the root {root:?} or a link that is fixed to it");
                return Err(field.wrong(expected).into());
            }
        }
        let joints = self
            .drive
            .wheels
            .check_joints(&description.turning_joints());
        if let (Err(error), Some(drive)) = (joints, fields.get("drive")) {
            return Err(wrong_wheels(&drive.below("wheels"), &error).into());
        }
        for (sensor, field) in self.sensors.iter().zip(fields.list("sensors")?) {
            if !sensor.frame.is_empty() {
                link(field.below("frame"), &sensor.frame)?;
            }
            if !sensor.sensor.is_empty() {
                description.sensor(&sensor.sensor).map_err(|error| {
                    let expected = format!("a sensor of the description ({error})");
                    field.below("sensor").wrong(expected)
                })?;
            }
        }
        Ok(())
    }
}

/// The software of a robot and its configuration, which is checked and passed on as text.
fn read_onboard(fields: &Fields<'_>) -> Result<(String, String), YamlError> {
    let onboard = fields.text("onboard", "")?;
    if let Some(field) = fields.get("onboard")
        && !onboard.is_empty()
        && !ONBOARD.contains(&onboard.as_str())
    {
        let hint = hint(&onboard, &ONBOARD);
        return Err(field.wrong(format!("software that a robot can have, or \"\"; {hint}")));
    }
    let Some(config) = fields.get("onboard_config") else {
        return Ok((onboard, String::new()));
    };
    KachakaConfig::read(config.clone())?;
    // A model's configuration stands here also when the layout takes its software away.
    let text = match onboard.is_empty() || matches!(config.node.value, Value::Empty) {
        true => String::new(),
        false => config.node.to_text(),
    };
    Ok((onboard, text))
}

fn not_negative(fields: &Fields<'_>, key: &'static str) -> Result<f64, YamlError> {
    fields
        .get(key)
        .map_or(Ok(0.0), |field| field.not_negative())
}

/// The text of the description that `urdf` names.
fn read_urdf(fields: &Fields<'_>, packages: &Packages) -> Result<String, LayoutError> {
    let field = fields.need("urdf", URDF)?;
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

fn read_footprint(fields: &Fields<'_>) -> Result<Footprint, YamlError> {
    match (fields.get("radius"), fields.get("footprint")) {
        (Some(_), Some(footprint)) => Err(YamlError::Value {
            at: footprint.node.at.clone(),
            key: footprint.path,
            found: "given beside radius".to_owned(),
            expected: "left out, or radius: a body is a disc or a polygon".to_owned(),
        }),
        (Some(radius), None) => {
            let within = |value: f64| value > 0.0 && value <= Footprint::MAX_REACH;
            let value = radius.number_where(within, "a radius above 0 m, at most 100 m")?;
            Footprint::disc(value).map_err(|error| radius.wrong(error.to_string()))
        }
        (None, Some(footprint)) => {
            Footprint::polygon(&footprint.points()?).map_err(|error| YamlError::Value {
                at: footprint.node.at.clone(),
                key: footprint.path.clone(),
                found: "no body".to_owned(),
                expected: format!("a convex polygon ({error})"),
            })
        }
        (None, None) => Err(YamlError::MissingKey {
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

fn read_drive(field: Field<'_>) -> Result<DriveModel, YamlError> {
    const KEYS: [&str; 9] = [
        "linear", "lateral", "angular", "gain", "lag", "traction", "pivot_x", "timeout", "wheels",
    ];
    let fields = Fields::new(field.clone(), &KEYS)?;
    let default = DriveModel::default();
    let axis = |key| fields.get(key).map_or(Ok(AxisLimits::default()), read_axis);
    let each_axis = |key, default| {
        fields.get(key).map_or(Ok(default), |field| {
            field.numbers("3 numbers, for linear, lateral and angular")
        })
    };
    let drive = DriveModel {
        linear: axis("linear")?,
        lateral: axis("lateral")?,
        angular: axis("angular")?,
        gain: each_axis("gain", default.gain)?,
        lag: each_axis("lag", default.lag)?,
        traction: any_number(&fields, "traction")?,
        pivot_x: any_number(&fields, "pivot_x")?,
        timeout: any_number(&fields, "timeout")?,
        wheels: (fields.get("wheels")).map_or(Ok(WheelModel::None), read_wheels)?,
    };
    match drive.validate() {
        Ok(()) => Ok(drive),
        Err(DriveError::Field {
            field: wrong,
            expected,
            ..
        }) => Err(field.below(&wrong).wrong(expected)),
        Err(DriveError::Wheels(error)) => Err(wrong_wheels(&field.below("wheels"), &error)),
        Err(other @ DriveError::Command(_)) => Err(field.wrong(other.to_string())),
    }
}

fn read_axis(field: Field<'_>) -> Result<AxisLimits, YamlError> {
    let fields = Fields::new(field, &["low", "high", "accel", "decel"])?;
    Ok(AxisLimits {
        low: any_number(&fields, "low")?,
        high: any_number(&fields, "high")?,
        accel: any_number(&fields, "accel")?,
        decel: any_number(&fields, "decel")?,
    })
}

/// A number that is checked later, 0 when it is left out.
pub(super) fn any_number(fields: &Fields<'_>, key: &'static str) -> Result<f64, YamlError> {
    fields.get(key).map_or(Ok(0.0), |field| field.any_number())
}

impl SensorItem {
    fn read(field: Field<'_>) -> Result<Self, YamlError> {
        const KEYS: [&str; 7] = ["name", "type", "topic", "frame", "sensor", "rate", "fan"];
        let fields = Fields::new(field, &KEYS)?;
        let name = name(&fields)?;
        let kind_field = fields.need("type", "laserscan, pointcloud, imu or contact")?;
        let kind = kind_field.text()?;
        if !SENSOR_TYPES.contains(&kind.as_str()) {
            let hint = hint(&kind, &SENSOR_TYPES);
            return Err(kind_field.wrong(format!("a type of sensor; {hint}")));
        }
        let fan = match fields.list("fan")?.as_slice() {
            [] => None,
            [fan] => Some(read_fan(fan.clone())?),
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

fn read_fan(field: Field<'_>) -> Result<BeamFan, YamlError> {
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
    let angle = |key| fields.need(key, "an angle in rad")?.angle();
    Ok(BeamFan {
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
