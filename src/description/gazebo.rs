//! `<gazebo>` blocks: sensors are read, plugins and tuning of other simulators skipped.

use nalgebra::{Isometry3, Vector3};
use roxmltree::Node;

use super::DescriptionError;
use super::sensor::{CameraBlock, LidarBlock, RangeBlock, ScanAxis, SensorBlock, SensorKind};
use super::xml::{self, Remarks};
use crate::sensors::{Gaussian, ImuNoise};
use crate::shown::Shown;

/// Reads one `<gazebo>` block. `is_link` says whether a link of that name exists.
pub(super) fn parse_block(
    gazebo: Node<'_, '_>,
    is_link: impl Fn(&str) -> bool,
    sensors: &mut Vec<SensorBlock>,
    remarks: &mut Remarks,
) -> Result<(), DescriptionError> {
    let reference = gazebo.attribute("reference");
    for element in xml::elements(gazebo) {
        match element.tag_name().name() {
            "sensor" => {
                let name = xml::required_attribute(element, "name")?;
                let link = match reference {
                    Some(link) if is_link(link) => link,
                    Some(other) => {
                        let problem = format!(
                            "<gazebo reference={other:?}> names a link that does not exist"
                        );
                        return Err(fault(name, problem));
                    }
                    None => {
                        let problem = "it must stand in a <gazebo reference=\"link\">";
                        return Err(fault(name, problem));
                    }
                };
                sensors.push(parse_sensor(element, name, link, remarks)?);
            }
            "plugin" => remarks.skipped(element, "a plugin of another simulator"),
            _ => match reference {
                Some(name) => remarks.skipped(element, &format!("unknown in <gazebo> of {name:?}")),
                None => remarks.skipped(element, "unknown in <gazebo>"),
            },
        }
    }
    Ok(())
}

fn fault(sensor: &str, problem: impl Into<String>) -> DescriptionError {
    DescriptionError::Sensor {
        sensor: sensor.to_owned(),
        problem: problem.into(),
    }
}

fn parse_sensor(
    node: Node<'_, '_>,
    name: &str,
    link: &str,
    remarks: &mut Remarks,
) -> Result<SensorBlock, DescriptionError> {
    let kind = match xml::required_attribute(node, "type")? {
        "lidar" | "gpu_lidar" | "ray" | "gpu_ray" => SensorKind::Lidar,
        "camera" => SensorKind::Camera,
        "depth" | "depth_camera" | "rgbd_camera" => SensorKind::Depth,
        "imu" => SensorKind::Imu,
        "contact" => SensorKind::Contact,
        other => SensorKind::Other(other.to_owned()),
    };
    let update_rate = xml::child_f64(node, "update_rate")?.unwrap_or(0.0);
    if update_rate < 0.0 {
        return Err(fault(name, "<update_rate> must be 0 or more"));
    }
    skip_unread(node, name, &kind, remarks);
    let lidar = match kind {
        SensorKind::Lidar => Some(parse_lidar(node, name, remarks)?),
        _ => None,
    };
    let camera = match kind {
        SensorKind::Camera | SensorKind::Depth => Some(parse_camera(node, name, &kind, remarks)?),
        _ => None,
    };
    let imu = match kind {
        SensorKind::Imu => Some(parse_imu(node, name, remarks)?),
        _ => None,
    };
    Ok(SensorBlock {
        name: name.to_owned(),
        link: link.to_owned(),
        pose: parse_pose(node, name)?,
        topic: xml::child_text(node, "topic"),
        update_rate,
        frame: parse_frame(node),
        kind,
        lidar,
        camera,
        imu,
    })
}

/// Remarks for what stands in a sensor and is not read. What only concerns a gazebo
/// window (`visualize`, `always_on`, ...) changes no measurement and gets none.
fn skip_unread(node: Node<'_, '_>, name: &str, kind: &SensorKind, remarks: &mut Remarks) {
    if let SensorKind::Other(other) = kind {
        remarks.skipped(
            node,
            &format!("sensors of type {other:?} are not simulated"),
        );
        return;
    }
    for element in xml::elements(node) {
        match element.tag_name().name() {
            "pose" | "topic" | "update_rate" | "visualize" | "always_on" | "enable_metrics"
            | "gz_frame_id" | "ignition_frame_id" | "optical_frame_id" | "lidar" | "ray"
            | "camera" | "imu" | "contact" => {}
            "plugin" => remarks.skipped(element, "a plugin of another simulator"),
            _ => remarks.skipped(element, &format!("unknown in sensor {name:?}")),
        }
    }
}

fn parse_frame(node: Node<'_, '_>) -> Option<String> {
    // SDF has <optical_frame_id> within <camera>; that next to it is as widespread.
    (xml::child(node, "camera").and_then(|camera| xml::child_text(camera, "optical_frame_id")))
        .or_else(|| xml::child_text(node, "optical_frame_id"))
        .or_else(|| xml::child_text(node, "gz_frame_id"))
        .or_else(|| xml::child_text(node, "ignition_frame_id"))
}

fn parse_pose(node: Node<'_, '_>, name: &str) -> Result<Isometry3<f64>, DescriptionError> {
    let Some(pose) = xml::child(node, "pose") else {
        return Ok(Isometry3::identity());
    };
    if pose.attribute("relative_to").is_some_and(|f| !f.is_empty())
        || pose
            .attribute("rotation_format")
            .is_some_and(|f| f != "euler_rpy")
    {
        let problem = "<pose> must be x y z roll pitch yaw in the frame of the link";
        return Err(fault(name, problem));
    }
    let written = xml::text(pose);
    if written.is_empty() {
        return Ok(Isometry3::identity());
    }
    let [x, y, z, roll, pitch, yaw] = xml::numbers(pose, "", &written)?;
    let unit = match pose.attribute("degrees") {
        Some("true" | "1") => std::f64::consts::PI / 180.0,
        _ => 1.0,
    };
    let rpy = Vector3::new(roll, pitch, yaw) * unit;
    Ok(xml::isometry(Vector3::new(x, y, z), rpy))
}

fn parse_lidar(
    node: Node<'_, '_>,
    name: &str,
    remarks: &mut Remarks,
) -> Result<LidarBlock, DescriptionError> {
    let missing = |element: &str| fault(name, format!("it needs a {element}"));
    let lidar = (xml::child(node, "lidar").or_else(|| xml::child(node, "ray")))
        .ok_or_else(|| missing("<lidar> (or <ray>)"))?;
    let scan = xml::child(lidar, "scan").ok_or_else(|| missing("<scan>"))?;
    let horizontal = xml::child(scan, "horizontal").ok_or_else(|| missing("<scan><horizontal>"))?;
    let horizontal = parse_scan_axis(horizontal, name, 640)?;
    let vertical = match xml::child(scan, "vertical") {
        Some(vertical) => parse_scan_axis(vertical, name, 1)?,
        None => ScanAxis {
            samples: 1,
            resolution: 1.0,
            min_angle: 0.0,
            max_angle: 0.0,
        },
    };
    let range = xml::child(lidar, "range").ok_or_else(|| missing("<range>"))?;
    let range = RangeBlock {
        min: xml::child_f64(range, "min")?.unwrap_or(0.0),
        max: xml::child_f64(range, "max")?.ok_or_else(|| missing("<range><max>"))?,
        resolution: xml::child_f64(range, "resolution")?.unwrap_or(0.0),
    };
    if !(range.min >= 0.0 && range.max > range.min) {
        let problem = format!(
            "<range> is {} to {}, <min> must be 0 or more and <max> above it",
            Shown(range.min),
            Shown(range.max)
        );
        return Err(fault(name, problem));
    }
    Ok(LidarBlock {
        horizontal,
        vertical,
        range,
        noise: parse_noise(xml::child(lidar, "noise"), name, remarks)?,
    })
}

fn parse_scan_axis(
    node: Node<'_, '_>,
    sensor: &str,
    default_samples: u32,
) -> Result<ScanAxis, DescriptionError> {
    let axis = ScanAxis {
        samples: xml::child_count(node, "samples")?.unwrap_or(default_samples),
        resolution: xml::child_f64(node, "resolution")?.unwrap_or(1.0),
        min_angle: xml::child_f64(node, "min_angle")?.unwrap_or(0.0),
        max_angle: xml::child_f64(node, "max_angle")?.unwrap_or(0.0),
    };
    let tag = node.tag_name().name();
    let ranges = f64::from(axis.samples) * axis.resolution;
    if !(axis.resolution > 0.0 && ranges <= f64::from(u32::MAX)) {
        let problem = format!(
            "<{tag}> has {} samples of resolution {}, resolution must be above 0 and their \
             product at most {}",
            axis.samples,
            axis.resolution,
            u32::MAX
        );
        return Err(fault(sensor, problem));
    }
    if axis.ranges() > 1 && axis.max_angle <= axis.min_angle {
        let problem = format!(
            "<{tag}> spans {} to {} rad, <max_angle> must be above <min_angle> for more than \
             one ray",
            axis.min_angle, axis.max_angle
        );
        return Err(fault(sensor, problem));
    }
    Ok(axis)
}

fn parse_camera(
    node: Node<'_, '_>,
    name: &str,
    kind: &SensorKind,
    remarks: &mut Remarks,
) -> Result<CameraBlock, DescriptionError> {
    let camera = xml::child(node, "camera").ok_or_else(|| fault(name, "it needs a <camera>"))?;
    for element in xml::elements(camera) {
        if matches!(element.tag_name().name(), "distortion" | "lens") {
            remarks.skipped(
                element,
                &format!("sensor {name:?} is a pinhole camera here"),
            );
        }
    }
    let image = xml::child(camera, "image");
    let count = |tag, default| -> Result<u32, DescriptionError> {
        let given = image
            .map(|image| xml::child_count(image, tag))
            .transpose()?;
        Ok(given.flatten().unwrap_or(default))
    };
    let depth_clip = (xml::child(camera, "depth_camera").filter(|_| *kind == SensorKind::Depth))
        .and_then(|depth| xml::child(depth, "clip"));
    let (clip, default_far) = match depth_clip {
        Some(clip) => (Some(clip), 10.0),
        None => (xml::child(camera, "clip"), 100.0),
    };
    let plane = |tag, default| -> Result<f64, DescriptionError> {
        let given = clip.map(|clip| xml::child_f64(clip, tag)).transpose()?;
        Ok(given.flatten().unwrap_or(default))
    };
    let block = CameraBlock {
        width: count("width", 320)?,
        height: count("height", 240)?,
        horizontal_fov: xml::child_f64(camera, "horizontal_fov")?.unwrap_or(1.047),
        clip_near: plane("near", 0.1)?,
        clip_far: plane("far", default_far)?,
        noise: parse_noise(xml::child(camera, "noise"), name, remarks)?,
    };
    // The bounds SDF states for the angle.
    if !(0.001..=6.283186).contains(&block.horizontal_fov) {
        let problem = format!(
            "<horizontal_fov> is {}, it must be 0.001 to 6.283186",
            Shown(block.horizontal_fov)
        );
        return Err(fault(name, problem));
    }
    if !(block.clip_near >= 0.0 && block.clip_far > block.clip_near) {
        let problem = format!(
            "<clip> is {} to {}, <near> must be 0 or more and <far> above it",
            Shown(block.clip_near),
            Shown(block.clip_far)
        );
        return Err(fault(name, problem));
    }
    Ok(block)
}

fn parse_imu(
    node: Node<'_, '_>,
    name: &str,
    remarks: &mut Remarks,
) -> Result<ImuNoise, DescriptionError> {
    let mut block = ImuNoise::default();
    let Some(imu) = xml::child(node, "imu") else {
        return Ok(block);
    };
    for element in xml::elements(imu) {
        let axes = match element.tag_name().name() {
            "angular_velocity" => &mut block.angular_velocity,
            "linear_acceleration" => &mut block.linear_acceleration,
            _ => {
                remarks.skipped(element, &format!("unknown in sensor {name:?}"));
                continue;
            }
        };
        for (noise, tag) in axes.iter_mut().zip(["x", "y", "z"]) {
            let axis = xml::child(element, tag).and_then(|axis| xml::child(axis, "noise"));
            *noise = parse_noise(axis, name, remarks)?;
        }
    }
    Ok(block)
}

/// Reads a `<noise>`, whose type stands in an element (lidar, camera) or an attribute (IMU).
fn parse_noise(
    noise: Option<Node<'_, '_>>,
    sensor: &str,
    remarks: &mut Remarks,
) -> Result<Gaussian, DescriptionError> {
    let Some(noise) = noise else {
        return Ok(Gaussian::default());
    };
    let kind = xml::child_text(noise, "type")
        .or_else(|| noise.attribute("type").map(str::to_owned))
        .unwrap_or_else(|| "gaussian".to_owned());
    match kind.as_str() {
        "none" => return Ok(Gaussian::default()),
        "gaussian" => {}
        "gaussian_quantized" => remarks.skipped(noise, "quantisation, the noise itself is kept"),
        _ => {
            remarks.skipped(noise, &format!("noise of type {kind:?} is not simulated"));
            return Ok(Gaussian::default());
        }
    }
    for element in xml::elements(noise) {
        if element.tag_name().name().contains("bias") {
            remarks.skipped(
                element,
                &format!("bias of sensor {sensor:?} is not simulated"),
            );
        }
    }
    let block = Gaussian {
        mean: xml::child_f64(noise, "mean")?.unwrap_or(0.0),
        stddev: xml::child_f64(noise, "stddev")?.unwrap_or(0.0),
    };
    if block.stddev < 0.0 {
        return Err(fault(sensor, "<noise><stddev> must be 0 or more"));
    }
    Ok(block)
}
