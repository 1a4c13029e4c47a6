//! What the adapter knows of the robot, as clients see it.

mod cells;
mod commands;
mod dwell;
mod frames;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use r2r::geometry_msgs::msg::{PoseStamped, TransformStamped};
use r2r::nav_msgs::msg::{OccupancyGrid, Odometry};
use r2r::sensor_msgs::msg::{BatteryState, Imu, LaserScan};
use r2r::tatami_msgs::msg::{Locations, NamedId, OnboardInfo, OnboardState};
use tokio::sync::watch;

pub(super) use self::cells::Cells;
use self::commands::Commands;
pub(super) use self::dwell::DwellTimes;
use self::frames::{Frames, strip};
use super::convert::{self, Stamps};
use super::cursor::Cursors;
use super::map_image;
use super::proto::*;

/// The state that was heard last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heard {
    /// Its number.
    pub(super) sequence: u64,
    /// When it was heard first.
    pub(super) at: Instant,
    /// Whether the robot takes commands.
    pub(super) ready: bool,
}

/// Takes in what the robot tells, on the thread of ROS, and holds it for all readers.
#[derive(Debug)]
pub(super) struct View {
    /// What can be read.
    pub(super) cells: Cells,
    /// Commands and their results.
    pub(super) commands: Commands,
    /// The number of the state that all cells show; `None` before the first.
    pub(super) heard: watch::Sender<Option<Heard>>,
    stamps: Stamps,
    known: Mutex<Known>,
}

/// What is needed to make one message of several.
#[derive(Debug, Default)]
struct Known {
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

    /// Takes a state. Whoever waits for its number is told when all cells show it.
    pub(super) fn take_state(&self, state: &OnboardState, now: Instant) {
        let before = *self.heard.borrow();
        if before.is_some_and(|before| state.sequence < before.sequence) {
            self.begin_anew();
        }
        self.commands.take_state(&self.cells, state, now);
        self.take_flags(state);
        self.take_maps(state);
        let at = match before {
            Some(before) if before.sequence == state.sequence => before.at,
            _ => now,
        };
        self.heard.send_replace(Some(Heard {
            sequence: state.sequence,
            at,
            ready: state.ready,
        }));
    }

    /// Another robot has taken the place of the one known: a restarted server counts from 1.
    pub(super) fn begin_anew(&self) {
        tracing::info!("the robot is another one than before");
        self.commands.begin_anew();
        let mut known = self.known();
        known.frames = Frames::of(&known.prefix);
    }

    /// Whether everything that a robot publishes at a `republish` has been heard.
    pub(super) fn has_heard_all(&self) -> bool {
        let cells = &self.cells;
        cells.pose.latest().is_some()
            && cells.map.latest().is_some()
            && cells.imu.latest().is_some()
            && cells.odometry.latest().is_some()
            && cells.wheel_odometry.latest().is_some()
            && cells.scan.latest().is_some()
            && cells.dynamic_transforms.borrow().is_some()
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
        // The name of the map came after its picture.
        if let Some(latest) = cells.map.latest() {
            let mut response = (*latest).clone();
            if let Some(map) = &mut response.map {
                known.map_name().clone_into(&mut map.name);
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
    }

    /// Takes where the robot believes to be.
    pub(super) fn take_pose(&self, message: &PoseStamped) {
        self.cells.pose.set(GetRobotPoseResponse {
            metadata: None,
            pose: Some(convert::planar(&message.pose)),
        });
    }

    /// Takes a map. One without cells is left out.
    pub(super) fn take_map(&self, grid: &OccupancyGrid) {
        let name = self.known().map_name().to_owned();
        match map_image::draw(grid, &name) {
            Some(map) => self.cells.map.set_changed(GetPngMapResponse {
                metadata: None,
                map: Some(map),
            }),
            None => tracing::debug!("a map without cells is left out"),
        }
    }

    /// Takes a scan.
    pub(super) fn take_scan(&self, message: &LaserScan) {
        let frame = self.frame(&message.header.frame_id);
        self.cells.scan.set(GetRosLaserScanResponse {
            metadata: None,
            scan: Some(self.stamps.scan(message, &frame)),
        });
    }

    /// Takes measurements of the IMU.
    pub(super) fn take_imu(&self, message: &Imu) {
        let frame = self.frame(&message.header.frame_id);
        self.cells.imu.set(GetRosImuResponse {
            metadata: None,
            imu: Some(self.stamps.imu(message, &frame)),
        });
    }

    /// Takes fused odometry.
    pub(super) fn take_odometry(&self, message: &Odometry) {
        self.cells.odometry.set(GetRosOdometryResponse {
            metadata: None,
            odometry: Some(self.odometry(message)),
        });
    }

    /// Takes the odometry of the wheels alone.
    pub(super) fn take_wheel_odometry(&self, message: &Odometry) {
        self.cells.wheel_odometry.set(GetRosWheelOdometryResponse {
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

    /// Takes moving transforms of any robots.
    pub(super) fn take_moving_transforms(&self, transforms: &[TransformStamped]) {
        let all = self.known().frames.take_moving(transforms, &self.stamps);
        if let Some(transforms) = all {
            let message = Arc::new(GetDynamicTransformResponse { transforms });
            self.cells.dynamic_transforms.send_replace(Some(message));
        }
    }

    /// Takes fixed transforms of any robots.
    pub(super) fn take_fixed_transforms(&self, transforms: &[TransformStamped]) {
        let all = self.known().frames.take_fixed(transforms, &self.stamps);
        if let Some(transforms) = all {
            self.cells
                .static_transforms
                .set_changed(GetStaticTransformResponse {
                    metadata: None,
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
