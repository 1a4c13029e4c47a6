//! What the adapter knows of the robot, as clients see it.

mod cells;
mod charts;
mod commands;
mod dwell;
mod frames;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use r2r::geometry_msgs::msg::{PoseStamped, TransformStamped};
use r2r::nav_msgs::msg::Odometry;
use r2r::sensor_msgs::msg::{BatteryState, Imu, LaserScan};
use r2r::tatami_msgs::msg::{
    CommandHistory, Locations, NamedId, OnboardCommand, OnboardInfo, OnboardState,
};
use tokio::sync::watch;

pub(super) use self::cells::Cells;
use self::charts::{Chart, Drawn};
use self::commands::Commands;
pub(super) use self::dwell::DwellTimes;
use self::frames::{Frames, strip};
use super::convert::{self, Stamps};
use super::cursor::Cursors;
use super::proto::*;

/// The state that was heard last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heard {
    /// Its number.
    pub(super) sequence: u64,
    /// Its sim time, ns.
    pub(super) stamp: i64,
    /// When it was heard first.
    pub(super) at: Instant,
    /// Whether the robot takes commands.
    pub(super) ready: bool,
}

/// A pose that was told.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Placed {
    /// Its sim time, ns.
    stamp: i64,
    pose: Pose,
}

/// Takes in what the robot tells, on the thread of ROS, and holds it for all readers.
#[derive(Debug)]
pub(super) struct View {
    /// What can be read.
    pub(super) cells: Cells,
    /// Commands and their results.
    commands: Commands,
    /// The number of the state that all cells show; `None` before the first.
    pub(super) heard: watch::Sender<Option<Heard>>,
    /// The map that is to be drawn.
    to_draw: watch::Sender<Option<Arc<Chart>>>,
    /// The map that was drawn last.
    drawn: watch::Sender<Option<Drawn>>,
    pose: watch::Sender<Option<Placed>>,
    stamps: Stamps,
    known: Mutex<Known>,
}

/// What is needed to make one message of several.
#[derive(Debug, Default)]
struct Known {
    /// How many robots have taken the place of one another.
    robots: u64,
    name: Option<String>,
    prefix: String,
    frames: Frames,
    current_map: String,
    maps: Vec<NamedId>,
}

impl Known {
    fn map_name(&self) -> &str {
        let current = self.maps.iter().find(|map| map.id == self.current_map);
        current.map_or("", |map| &map.name)
    }
}

impl View {
    /// Of a robot that has told nothing yet.
    pub(super) fn new(stamps: Stamps, times: DwellTimes) -> Self {
        let cursors = Arc::new(Cursors::default());
        Self {
            cells: Cells::new(&cursors),
            commands: Commands::new(times),
            heard: watch::Sender::new(None),
            to_draw: watch::Sender::new(None),
            drawn: watch::Sender::new(None),
            pose: watch::Sender::new(None),
            stamps,
            known: Mutex::default(),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what does not change while the robot exists.
    pub(super) fn take_info(&self, info: &OnboardInfo) {
        let mut known = self.known();
        known.name = Some(info.robot.clone());
        if known.prefix != info.frame_prefix {
            known.prefix.clone_from(&info.frame_prefix);
            known.frames = Frames::of(&info.frame_prefix);
        }
        drop(known);
        let cells = &self.cells;
        cells
            .serial_number
            .set_changed(GetRobotSerialNumberResponse {
                metadata: None,
                serial_number: info.serial_number.clone(),
            });
        cells.version.set_changed(GetRobotVersionResponse {
            metadata: None,
            version: info.version.clone(),
        });
        let shortcut = |shortcut: &NamedId| Shortcut {
            id: shortcut.id.clone(),
            name: shortcut.name.clone(),
        };
        cells.shortcuts.set_changed(GetShortcutsResponse {
            metadata: None,
            shortcuts: info.shortcuts.iter().map(shortcut).collect(),
        });
    }

    /// The robot's name in the world, once it has told it.
    pub(super) fn robot(&self) -> Option<String> {
        self.known().name.clone()
    }

    /// Takes a state. Whoever waits for its number is told when all cells show it.
    pub(super) fn take_state(&self, state: &OnboardState, now: Instant) {
        if self.commands.is_state_of_another(state) {
            self.begin_anew(now);
        }
        self.commands.take_state(&self.cells, state, now);
        self.take_flags(state);
        self.take_maps(state);
        let before = *self.heard.borrow();
        let at = match before {
            Some(before) if before.sequence == state.sequence => before.at,
            _ => now,
        };
        self.heard.send_replace(Some(Heard {
            sequence: state.sequence,
            stamp: convert::nanoseconds(&state.stamp),
            at,
            ready: state.ready,
        }));
    }

    /// Takes the last results, newest first.
    pub(super) fn take_history(&self, message: &CommandHistory, now: Instant) {
        if self.commands.is_history_of_another(message) {
            self.begin_anew(now);
        }
        self.commands.take_history(&self.cells, message, now);
    }

    /// The robot is gone for good, or another one takes its place: what it told is forgotten,
    /// and its commands end.
    pub(super) fn begin_anew(&self, now: Instant) {
        let mut known = self.known();
        known.robots += 1;
        known.frames = Frames::of(&known.prefix);
        known.current_map.clear();
        known.maps.clear();
        drop(known);
        self.heard.send_replace(None);
        self.to_draw.send_replace(None);
        self.drawn.send_replace(None);
        self.pose.send_replace(None);
        self.cells.clear();
        self.commands.begin_anew(&self.cells, now);
    }

    /// Which robot it is by now, for [`View::accept`].
    pub(super) fn robot_number(&self) -> u64 {
        self.commands.robot()
    }

    /// A client's command was accepted under this id; reads show it when this returns. `robot`
    /// is the one that was there when it was asked: when another has taken its place meanwhile,
    /// the command has ended.
    pub(super) fn accept(&self, robot: u64, id: &str, command: &OnboardCommand) {
        self.commands.accept(&self.cells, robot, id, command);
    }

    /// A client has ended what runs; reads show it when this returns, unless many results are
    /// to be seen before.
    pub(super) async fn hurry(&self) {
        self.commands.hurry(&self.cells, None);
        self.commands.caught_up().await;
    }

    /// Shows commands and results when their time has come, for as long as it is polled.
    pub(super) async fn keep_showing(&self) {
        self.commands.keep_showing(&self.cells).await;
    }

    /// The topics that can have told something below the robot's namespace, each with whether
    /// it has.
    pub(super) fn told(&self) -> [(&'static str, bool); 10] {
        let cells = &self.cells;
        [
            ("sim/state", self.heard.borrow().is_some()),
            ("sim/command/history", cells.history.latest().is_some()),
            ("sim/locations", cells.locations.latest().is_some()),
            ("sim/pose", cells.pose.latest().is_some()),
            ("mapping/map", self.to_draw.borrow().is_some()),
            ("imu/imu", cells.imu.latest().is_some()),
            ("odometry/odometry", cells.odometry.latest().is_some()),
            (
                "wheel_odometry/wheel_odometry",
                cells.wheel_odometry.latest().is_some(),
            ),
            ("lidar/scan", cells.scan.latest().is_some()),
            ("sim/info", cells.version.latest().is_some()),
        ]
    }

    /// Whether both topics of transforms have told the robot's.
    pub(super) fn has_transforms(&self) -> bool {
        let known = self.known();
        !known.frames.moving().is_empty() && !known.frames.fixed().is_empty()
    }

    fn take_flags(&self, state: &OnboardState) {
        let cells = &self.cells;
        cells.errors.set_changed(GetErrorResponse {
            metadata: None,
            error_codes: state.errors.clone(),
        });
        cells.moving_shelf.set_changed(GetMovingShelfIdResponse {
            metadata: None,
            shelf_id: state.moving_shelf_id.clone(),
        });
        cells.auto_homing.set_changed(GetAutoHomingEnabledResponse {
            metadata: None,
            enabled: state.auto_homing_enabled,
        });
        cells
            .manual_control
            .set_changed(GetManualControlEnabledResponse {
                metadata: None,
                enabled: state.manual_control_enabled,
            });
        cells.speaker_volume.set_changed(GetSpeakerVolumeResponse {
            metadata: None,
            volume: state.speaker_volume,
        });
        let sound = |sound: &NamedId| Sound {
            id: sound.id.clone(),
            name: sound.name.clone(),
        };
        cells.sounds.set_changed(GetSoundListResponse {
            metadata: None,
            sounds: state.sounds.iter().map(sound).collect(),
        });
        cells.battery.set_changed(GetBatteryInfoResponse {
            metadata: None,
            remaining_percentage: state.battery_percentage,
            power_supply_status: i32::from(state.power_supply_status),
        });
    }

    fn take_maps(&self, state: &OnboardState) {
        let cells = &self.cells;
        let entry = |map: &NamedId| MapListEntry {
            id: map.id.clone(),
            name: map.name.clone(),
        };
        cells.map_list.set_changed(GetMapListResponse {
            metadata: None,
            map_list_entries: state.maps.iter().map(entry).collect(),
        });
        cells.current_map.set_changed(GetCurrentMapIdResponse {
            metadata: None,
            id: state.current_map_id.clone(),
        });
        let mut known = self.known();
        known.current_map.clone_from(&state.current_map_id);
        known.maps.clone_from(&state.maps);
        let name = known.map_name().to_owned();
        drop(known);
        // The name of the map came after its picture.
        if let Some(latest) = cells.map.latest()
            && latest.map.as_ref().is_some_and(|map| map.name != name)
        {
            let mut response = (*latest).clone();
            if let Some(map) = &mut response.map {
                map.name = name;
            }
            cells.map.set_changed(response);
        }
    }

    /// Takes the charge of the battery, which states tell only when something else changes.
    pub(super) fn take_battery(&self, battery: &BatteryState) {
        if !battery.percentage.is_finite() {
            return;
        }
        let percentage = f64::from(battery.percentage) * 100.0;
        let status = i32::from(battery.power_supply_status);
        // The topic has the precision of float32, the state that of float64.
        let same = (self.cells.battery.latest()).is_some_and(|latest| {
            latest.power_supply_status == status
                && (latest.remaining_percentage - percentage).abs() < 1e-4
        });
        if !same {
            self.cells.battery.set(GetBatteryInfoResponse {
                metadata: None,
                remaining_percentage: percentage,
                power_supply_status: status,
            });
        }
    }

    /// Takes the registered places.
    pub(super) fn take_locations(&self, message: &Locations) {
        let locations = &message.locations;
        self.cells.locations.set_changed(GetLocationsResponse {
            metadata: None,
            locations: locations.iter().map(convert::location).collect(),
            default_location_id: message.default_location_id.clone(),
        });
        let digest = locations.iter().map(convert::location_digest).collect();
        self.cells
            .locations_digest
            .set_changed(GetLocationsDigestResponse {
                metadata: None,
                locations: digest,
            });
        let ids = locations.iter().map(|place| place.id.clone()).collect();
        self.known().frames.take_places(ids);
        self.tell_fixed_transforms();
    }

    /// Takes where the robot believes to be. Told again, it is nothing new.
    pub(super) fn take_pose(&self, message: &PoseStamped) {
        let pose = convert::planar(&message.pose);
        let stamp = convert::nanoseconds(&message.header.stamp);
        let placed = Some(Placed { stamp, pose });
        if *self.pose.borrow() == placed {
            return;
        }
        self.cells.pose.set(GetRobotPoseResponse {
            metadata: None,
            pose: Some(pose),
        });
        self.pose.send_replace(placed);
    }

    /// Whether clients read this pose now.
    pub(super) fn shows_pose(&self, pose: &Pose) -> bool {
        let placed = self.pose.borrow();
        placed.is_some_and(|placed| is_same(&placed.pose, pose))
    }

    /// Waits until clients read a pose that follows from setting it to this one: one that is
    /// younger than the state that was heard last, or that is it.
    pub(super) async fn follows_pose(&self, pose: &Pose) {
        let since = (*self.heard.borrow()).map_or(i64::MIN, |heard| heard.stamp);
        let mut placed = self.pose.subscribe();
        let follows = placed.wait_for(|placed| {
            placed.is_some_and(|placed| {
                placed.stamp > since || (placed.stamp == since && is_same(&placed.pose, pose))
            })
        });
        // The sender lives as long as this.
        let _ = follows.await;
    }

    /// Takes a scan. What is told again with its stamp is no new sample, here and below.
    pub(super) fn take_scan(&self, message: &LaserScan) {
        let frame = self.frame(&message.header.frame_id);
        self.cells.scan.set_changed(GetRosLaserScanResponse {
            metadata: None,
            scan: Some(self.stamps.scan(message, &frame)),
        });
    }

    /// Takes measurements of the IMU.
    pub(super) fn take_imu(&self, message: &Imu) {
        let frame = self.frame(&message.header.frame_id);
        self.cells.imu.set_changed(GetRosImuResponse {
            metadata: None,
            imu: Some(self.stamps.imu(message, &frame)),
        });
    }

    /// Takes fused odometry.
    pub(super) fn take_odometry(&self, message: &Odometry) {
        self.cells.odometry.set_changed(GetRosOdometryResponse {
            metadata: None,
            odometry: Some(self.odometry(message)),
        });
    }

    /// Takes the odometry of the wheels alone.
    pub(super) fn take_wheel_odometry(&self, message: &Odometry) {
        self.cells
            .wheel_odometry
            .set_changed(GetRosWheelOdometryResponse {
                metadata: None,
                odometry: Some(self.odometry(message)),
            });
    }

    fn odometry(&self, message: &Odometry) -> RosOdometry {
        let frame = self.frame(&message.header.frame_id);
        let child = self.frame(&message.child_frame_id);
        self.stamps.odometry(message, &frame, &child)
    }

    /// A frame without the robot's prefix, which clients add themselves.
    fn frame(&self, frame: &str) -> String {
        let known = self.known();
        strip(&known.prefix, frame).unwrap_or(frame).to_owned()
    }

    /// Takes moving transforms of any robots, and tells them to those who follow them.
    pub(super) fn take_moving_transforms(&self, transforms: &[TransformStamped]) {
        let any = self.known().frames.take_moving(transforms, &self.stamps);
        if any && self.cells.dynamic_transforms.receiver_count() > 0 {
            self.tell_moving_transforms();
        }
    }

    /// The moving transforms as they are now and from now on.
    pub(super) fn follow_moving_transforms(
        &self,
    ) -> watch::Receiver<Option<Arc<GetDynamicTransformResponse>>> {
        let receiver = self.cells.dynamic_transforms.subscribe();
        self.tell_moving_transforms();
        receiver
    }

    fn tell_moving_transforms(&self) {
        let known = self.known();
        let transforms = known.frames.moving();
        let message =
            (!transforms.is_empty()).then_some(GetDynamicTransformResponse { transforms });
        // Under the lock, so that what is older can't come later.
        let sender = &self.cells.dynamic_transforms;
        sender.send_replace(message.map(Arc::new));
    }

    /// Takes fixed transforms of any robots.
    pub(super) fn take_fixed_transforms(&self, transforms: &[TransformStamped]) {
        if self.known().frames.take_fixed(transforms, &self.stamps) {
            self.tell_fixed_transforms();
        }
    }

    fn tell_fixed_transforms(&self) {
        let transforms = self.known().frames.fixed();
        if !transforms.is_empty() {
            let metadata = None;
            (self.cells.static_transforms).set_changed(GetStaticTransformResponse {
                metadata,
                transforms,
            });
        }
    }

    /// Waits until all cells show the state of this number, which a service that was called at
    /// `asked` has named.
    pub(super) async fn shows(&self, sequence: u64, asked: Instant) {
        let mut heard = self.heard.subscribe();
        let there = |heard: &Option<Heard>| {
            // A greater number than the one named came after the question, else it is that of
            // a robot that was there before.
            heard.is_some_and(|heard| {
                heard.sequence == sequence || (heard.sequence > sequence && heard.at >= asked)
            })
        };
        // The sender lives as long as this.
        let _ = heard.wait_for(there).await;
    }
}

/// Whether two poses differ by no more than what their conversions lose.
fn is_same(one: &Pose, other: &Pose) -> bool {
    const LOST: f64 = 1e-9;
    let turn = libm::remainder(one.theta - other.theta, std::f64::consts::TAU);
    (one.x - other.x).abs() < LOST && (one.y - other.y).abs() < LOST && turn.abs() < LOST
}

#[cfg(test)]
mod tests;
