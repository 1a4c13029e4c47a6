//! The sensors of a robot: when they measure, and who shares a cast.

use crate::sensors::{
    DepthCamera, Imu, ImuSample, LaserSample, Lidar, LidarCast, NoiseKey, PointCloudSample,
    Schedule, StepNoise, Surroundings,
};
use crate::world::{BodyState, Contact, StepIndex, World};

/// What a sensor measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SensorType {
    /// A planar scan.
    LaserScan,
    /// A cloud of points.
    PointCloud,
    /// Rate, yaw and specific force.
    Imu,
    /// What the body touches.
    Contact,
}

impl SensorType {
    /// The name it has in a request.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LaserScan => "laserscan",
            Self::PointCloud => "pointcloud",
            Self::Imu => "imu",
            Self::Contact => "contact",
        }
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        [Self::LaserScan, Self::PointCloud, Self::Imu, Self::Contact]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// Which sensors to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// Those that are due at the present step.
    Due,
    /// All.
    All,
}

/// What a sensor has read.
#[derive(Debug, Clone, PartialEq)]
pub enum Sample {
    /// Of a [`SensorType::LaserScan`].
    Laser(LaserSample),
    /// Of a [`SensorType::PointCloud`].
    PointCloud(PointCloudSample),
    /// Of a [`SensorType::Imu`].
    Imu(Box<ImuSample>),
    /// Of a [`SensorType::Contact`].
    Contacts(Vec<Contact>),
}

/// One sensor of a robot.
#[derive(Debug, Clone)]
pub struct Sensor {
    pub(super) name: String,
    pub(super) kind: SensorType,
    pub(super) frame: String,
    pub(super) block_topic: Option<String>,
    /// Keys its noise: sensors on one block of the description read the same noise.
    pub(super) noise_name: String,
    pub(super) schedule: Schedule,
    pub(super) source: Source,
}

impl Sensor {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it measures.
    #[must_use]
    pub fn kind(&self) -> SensorType {
        self.kind
    }

    /// The frame its readings are in, without prefix.
    #[must_use]
    pub fn frame(&self) -> &str {
        &self.frame
    }

    /// The topic that the description names for it.
    #[must_use]
    pub fn block_topic(&self) -> Option<&str> {
        self.block_topic.as_deref()
    }

    /// Sim time between two readings, s.
    #[must_use]
    pub fn period(&self) -> f64 {
        self.schedule.period()
    }
}

/// Where the readings of a sensor come from.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// One of the robot's lidars, by its place among them.
    Lidar(usize),
    Depth(Box<DepthCamera>),
    Imu(Imu),
    Touch,
}

/// A robot at one moment, as its sensors meet it.
pub(super) struct Moment<'a> {
    pub(super) robot: &'a str,
    pub(super) seed: i64,
    pub(super) step: StepIndex,
    pub(super) dt: f64,
    pub(super) state: BodyState,
    pub(super) surroundings: Surroundings<'a>,
    pub(super) world: &'a World,
    /// Lidars that rest measure nothing.
    pub(super) lidars_rest: bool,
}

impl Moment<'_> {
    fn noise(&self, sensor: &Sensor) -> StepNoise {
        NoiseKey::new(self.seed, self.robot, &sensor.noise_name).at(self.step)
    }
}

/// All sensors of a robot.
#[derive(Debug, Clone)]
pub(super) struct Suite {
    pub(super) sensors: Vec<Sensor>,
    pub(super) lidars: Vec<Lidar>,
}

impl Suite {
    pub(super) fn sensors(&self) -> &[Sensor] {
        &self.sensors
    }

    /// Reads the sensors. Those on one lidar share one cast.
    pub(super) fn sample(&self, moment: &Moment<'_>, which: Selection) -> Vec<(usize, Sample)> {
        let mut casts: Vec<Option<LidarCast>> = vec![None; self.lidars.len()];
        let mut samples = Vec::new();
        for (index, sensor) in self.sensors.iter().enumerate() {
            if which == Selection::Due && !sensor.schedule.is_due(moment.step) {
                continue;
            }
            if moment.lidars_rest && matches!(sensor.source, Source::Lidar(_)) {
                continue;
            }
            let noise = moment.noise(sensor);
            let sample = match &sensor.source {
                Source::Lidar(lidar) => {
                    let cast = casts[*lidar].get_or_insert_with(|| {
                        self.lidars[*lidar].cast(&moment.surroundings, &noise)
                    });
                    self.lidar_sample(sensor, &self.lidars[*lidar], cast)
                }
                Source::Depth(camera) => Some(Sample::PointCloud(
                    camera.cloud(&moment.surroundings, &noise),
                )),
                Source::Imu(imu) => Some(Sample::Imu(Box::new(imu.sample(
                    moment.state.pose.yaw,
                    moment.state.previous_twist,
                    moment.state.twist,
                    moment.dt,
                    &noise,
                )))),
                Source::Touch => {
                    let contacts = moment.world.contacts(moment.robot);
                    Some(Sample::Contacts(contacts.unwrap_or_default()))
                }
            };
            samples.extend(sample.map(|sample| (index, sample)));
        }
        samples
    }

    fn lidar_sample(&self, sensor: &Sensor, lidar: &Lidar, cast: &LidarCast) -> Option<Sample> {
        match sensor.kind {
            SensorType::LaserScan => Some(Sample::Laser(lidar.scan(cast, sensor.period()))),
            _ => lidar.cloud(cast).map(Sample::PointCloud),
        }
    }
}
