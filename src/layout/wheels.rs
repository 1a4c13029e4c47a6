//! Wheels of a robot in a layout, with the keys of the message.

use super::robot::any_number;
use crate::drive::wheels::{WheelError, WheelFields, WheelModel, WheelPose};
use crate::yaml::{Field, Fields, YamlError};

const KEYS: [&str; 15] = [
    "type",
    "wheel_joints",
    "steering_joints",
    "wheel_radius",
    "wheel_base",
    "track_width",
    "non_steerable_track_width",
    "steerable_wheels_at_rear",
    "wheel_poses",
    "mecanum_angles",
    "wheel_axis",
    "max_linear_speed",
    "max_angular_speed",
    "max_wheel_speed",
    "max_turning_angle",
];

/// Reads the wheels of a drive.
pub(super) fn read_wheels(field: Field<'_>) -> Result<WheelModel, YamlError> {
    let fields = Fields::new(field.clone(), &KEYS)?;
    let number = |key| any_number(&fields, key);
    let wheels = WheelFields {
        kind: fields.text("type", "")?,
        wheel_joints: each(&fields, "wheel_joints", Field::text)?,
        steering_joints: each(&fields, "steering_joints", Field::text)?,
        wheel_radius: each(&fields, "wheel_radius", Field::any_number)?,
        wheel_base: number("wheel_base")?,
        track_width: number("track_width")?,
        non_steerable_track_width: number("non_steerable_track_width")?,
        steerable_wheels_at_rear: fields.flag("steerable_wheels_at_rear", false)?,
        wheel_poses: each(&fields, "wheel_poses", |pose| read_pose(pose.clone()))?,
        mecanum_angles: each(&fields, "mecanum_angles", Field::any_number)?,
        wheel_axis: (fields.get("wheel_axis")).map_or(Ok([0.0; 3]), read_vector)?,
        max_linear_speed: number("max_linear_speed")?,
        max_angular_speed: number("max_angular_speed")?,
        max_wheel_speed: number("max_wheel_speed")?,
        max_turning_angle: number("max_turning_angle")?,
    };
    wheels.model().map_err(|error| wrong_wheels(&field, &error))
}

/// The error for wheels that can't be, at the key that makes them so.
pub(super) fn wrong_wheels(wheels: &Field<'_>, error: &WheelError) -> YamlError {
    let parameter = error.parameter();
    let key = parameter.split(['.', '[']).next().unwrap_or(parameter);
    let below = wheels.below(parameter);
    if wheels.node.get(key).is_some() {
        return below.wrong(error.expected());
    }
    YamlError::Value {
        at: below.node.at.clone(),
        key: below.path,
        found: "left out".to_owned(),
        expected: error.expected(),
    }
}

fn each<'a, T>(
    fields: &Fields<'a>,
    key: &'static str,
    read: impl Fn(&Field<'a>) -> Result<T, YamlError>,
) -> Result<Vec<T>, YamlError> {
    fields.list(key)?.iter().map(read).collect()
}

fn read_pose(field: Field<'_>) -> Result<WheelPose, YamlError> {
    let fields = Fields::new(field, &["position", "orientation"])?;
    Ok(WheelPose {
        position: (fields.get("position")).map_or(Ok([0.0; 3]), read_vector)?,
        orientation: (fields.get("orientation")).map_or(Ok([1.0, 0.0, 0.0, 0.0]), |field| {
            let fields = Fields::new(field, &["x", "y", "z", "w"])?;
            let number = |key| any_number(&fields, key);
            Ok([number("w")?, number("x")?, number("y")?, number("z")?])
        })?,
    })
}

fn read_vector(field: Field<'_>) -> Result<[f64; 3], YamlError> {
    let fields = Fields::new(field, &["x", "y", "z"])?;
    let number = |key| any_number(&fields, key);
    Ok([number("x")?, number("y")?, number("z")?])
}
