//! Puts the sensors of a robot together from its request and its description.

use nalgebra::Isometry3;

use super::sensor::{Sensor, SensorType, Source, Suite};
use super::{BeamFan, RobotFault, RobotSpec, SensorFault, SensorSpec};
use crate::description::{RobotDescription, SensorBlock, SensorKind};
use crate::sensors::{
    BeamAngles, DepthCamera, Gaussian, Imu, ImuNoise, Lidar, LidarSpec, Mount, Schedule,
};
use crate::world::PhysicsDt;

/// Largest difference between two frames that count as one, m and rad.
const SAME_FRAME: f64 = 1e-6;

impl Suite {
    /// Makes the sensors of a request.
    pub(super) fn build(
        spec: &RobotSpec,
        description: &RobotDescription,
        dt: PhysicsDt,
        notes: &mut Vec<String>,
    ) -> Result<Self, RobotFault> {
        let mut bench = Bench {
            description,
            base: &spec.base_frame,
            dt,
            notes,
            lidars: Vec::new(),
        };
        let mut sensors: Vec<Sensor> = Vec::with_capacity(spec.sensors.len());
        for (index, wanted) in spec.sensors.iter().enumerate() {
            let fault = |reason| RobotFault::Sensor {
                index,
                sensor: wanted.name.clone(),
                reason,
            };
            if sensors.iter().any(|sensor| sensor.name == wanted.name) {
                return Err(fault(SensorFault::Repeated));
            }
            sensors.push(bench.sensor(wanted).map_err(fault)?);
        }
        let lidars = bench.lidars.into_iter().map(|plan| plan.lidar);
        Ok(Self {
            sensors,
            lidars: lidars.collect(),
        })
    }
}

/// Where a sensor sits and the name of the frame it reports in.
struct Place {
    mount: Mount,
    frame: String,
}

/// A lidar that further sensors may still join.
struct LidarPlan {
    /// Name of the block, or none for a fan of its own.
    block: Option<String>,
    lidar: Lidar,
    mount: Mount,
    has_cloud: bool,
}

/// Where sensors are put together.
struct Bench<'a> {
    description: &'a RobotDescription,
    base: &'a str,
    dt: PhysicsDt,
    notes: &'a mut Vec<String>,
    lidars: Vec<LidarPlan>,
}

impl Bench<'_> {
    fn sensor(&mut self, spec: &SensorSpec) -> Result<Sensor, SensorFault> {
        if spec.name.is_empty() {
            return Err(SensorFault::NoName);
        }
        let kind =
            SensorType::parse(&spec.kind).ok_or_else(|| SensorFault::Type(spec.kind.clone()))?;
        let block = match spec.sensor.as_str() {
            "" => None,
            name => Some(self.description.sensor(name)?),
        };
        let place = self.place(spec, block)?;
        let has_beams = matches!(kind, SensorType::LaserScan | SensorType::PointCloud);
        if !has_beams && !spec.fan.is_empty() {
            return Err(SensorFault::NoBeams(kind.name()));
        }
        let source = match kind {
            SensorType::LaserScan | SensorType::PointCloud => {
                self.beams(kind, spec, block, &place.mount)?
            }
            SensorType::Imu => {
                let noise = match block.map(|block| (block, &block.imu)) {
                    None => ImuNoise::default(),
                    Some((_, Some(imu))) => *imu,
                    Some((block, None)) => return Err(wrong_kind(block, kind, "an imu")),
                };
                Source::Imu(Imu::new(place.mount.sensor, noise)?)
            }
            SensorType::Contact => match block {
                Some(block) if block.kind != SensorKind::Contact => {
                    return Err(wrong_kind(block, kind, "a contact sensor"));
                }
                _ => Source::Touch,
            },
        };
        let rate = if spec.rate == 0.0 {
            block.map_or(0.0, |block| block.update_rate)
        } else {
            spec.rate
        };
        let (schedule, warning) = Schedule::new(rate, self.dt)?;
        if let Some(warning) = warning {
            self.notes
                .push(format!("sensor '{}': {warning}", spec.name));
        }
        Ok(Sensor {
            name: spec.name.clone(),
            kind,
            frame: place.frame,
            block_topic: block.and_then(|block| block.topic.clone()),
            noise_name: block.map_or_else(|| spec.name.clone(), |block| block.name.clone()),
            schedule,
            source,
        })
    }

    fn place(&self, spec: &SensorSpec, block: Option<&SensorBlock>) -> Result<Place, SensorFault> {
        let Some(block) = block else {
            let frame = match spec.frame.as_str() {
                "" => self.base,
                frame => frame,
            };
            return Ok(Place {
                mount: Mount::at(self.fixed(frame)?),
                frame: frame.to_owned(),
            });
        };
        let sensor = self.fixed(&block.link)? * block.pose;
        let frame = if !spec.frame.is_empty() {
            &spec.frame
        } else {
            block.frame.as_ref().unwrap_or(&block.link)
        };
        // A frame id of a block need not be a link: then it is the name of the sensor's own.
        let frame_pose = if self.description.has_link(frame) || !spec.frame.is_empty() {
            self.fixed(frame)?
        } else {
            sensor
        };
        let is_cloud = spec.kind == SensorType::PointCloud.name();
        let is_named_by_request = !spec.frame.is_empty() && spec.frame != block.link;
        if is_named_by_request && !is_cloud && !same_frame(&frame_pose, &sensor) {
            return Err(SensorFault::Frame {
                frame: spec.frame.clone(),
                block: block.name.clone(),
                link: block.link.clone(),
            });
        }
        Ok(Place {
            mount: Mount {
                sensor,
                frame: frame_pose,
            },
            frame: frame.clone(),
        })
    }

    /// The pose in the base of a link that does not move against it.
    fn fixed(&self, link: &str) -> Result<Isometry3<f64>, SensorFault> {
        let pose = self.description.frame_in(self.base, link)?;
        if self.description.is_fixed_to(self.base, link)? {
            return Ok(pose);
        }
        Err(SensorFault::MovingFrame {
            frame: link.to_owned(),
            base: self.base.to_owned(),
        })
    }

    /// Beams of a block or of a fan.
    fn beams(
        &mut self,
        kind: SensorType,
        spec: &SensorSpec,
        block: Option<&SensorBlock>,
        mount: &Mount,
    ) -> Result<Source, SensorFault> {
        let both_or_none = |given: &str| SensorFault::Beams {
            kind: kind.name(),
            given: given.to_owned(),
        };
        match (block, spec.fan.as_slice()) {
            (None, []) => Err(both_or_none("neither is")),
            (Some(_), [_, ..]) => Err(both_or_none("both are")),
            (None, [_, _, ..]) => Err(both_or_none(&format!("{} fans are", spec.fan.len()))),
            (None, [fan]) => self.lidar(kind, None, fan_spec(fan), mount),
            (Some(block), []) => match (&block.lidar, &block.camera) {
                (Some(lidar), _) => self.lidar(kind, Some(&block.name), lidar.spec()?, mount),
                (None, Some(camera))
                    if kind == SensorType::PointCloud && block.kind == SensorKind::Depth =>
                {
                    let camera = DepthCamera::new(camera.depth_spec(), *mount)?;
                    Ok(Source::Depth(Box::new(camera)))
                }
                _ if kind == SensorType::LaserScan => Err(wrong_kind(block, kind, "a lidar")),
                _ => Err(wrong_kind(block, kind, "a lidar or a depth camera")),
            },
        }
    }

    /// Joins the lidar of the same block, or sets up one more.
    fn lidar(
        &mut self,
        kind: SensorType,
        block: Option<&str>,
        spec: LidarSpec,
        mount: &Mount,
    ) -> Result<Source, SensorFault> {
        let wants_cloud = kind == SensorType::PointCloud;
        let fits = |plan: &LidarPlan| {
            let same_block = block.is_some() && plan.block.as_deref() == block;
            let clash = wants_cloud && plan.has_cloud && plan.mount.frame != mount.frame;
            same_block && !clash
        };
        if let Some(at) = self.lidars.iter().position(fits) {
            let plan = &mut self.lidars[at];
            if wants_cloud && !plan.has_cloud {
                plan.lidar = Lidar::new(spec, *mount, true)?;
                plan.mount = *mount;
                plan.has_cloud = true;
            }
            return Ok(Source::Lidar(at));
        }
        self.lidars.push(LidarPlan {
            block: block.map(ToOwned::to_owned),
            lidar: Lidar::new(spec, *mount, wants_cloud)?,
            mount: *mount,
            has_cloud: wants_cloud,
        });
        Ok(Source::Lidar(self.lidars.len() - 1))
    }
}

fn same_frame(a: &Isometry3<f64>, b: &Isometry3<f64>) -> bool {
    let between = a.inv_mul(b);
    between.translation.vector.norm() < SAME_FRAME && between.rotation.angle() < SAME_FRAME
}

fn wrong_kind(block: &SensorBlock, kind: SensorType, wanted: &'static str) -> SensorFault {
    SensorFault::Kind {
        block: block.name.clone(),
        found: match &block.kind {
            SensorKind::Lidar => "a lidar".to_owned(),
            SensorKind::Camera => "a camera".to_owned(),
            SensorKind::Depth => "a depth camera".to_owned(),
            SensorKind::Imu => "an imu".to_owned(),
            SensorKind::Contact => "a contact sensor".to_owned(),
            SensorKind::Other(other) => format!("of type '{other}'"),
        },
        kind: kind.name(),
        wanted,
    }
}

fn fan_spec(fan: &BeamFan) -> LidarSpec {
    LidarSpec {
        beams: BeamAngles {
            min: fan.angle_min,
            increment: fan.angle_increment,
            beams: fan.beams as usize,
        },
        elevations: vec![0.0],
        range_min: fan.range_min,
        range_max: fan.range_max,
        noise: Gaussian {
            mean: 0.0,
            stddev: fan.noise_stddev,
        },
    }
}
