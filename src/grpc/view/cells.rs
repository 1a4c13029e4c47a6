//! One cell for each kind of response that has a cursor.

use std::sync::Arc;

use tokio::sync::watch;

use super::super::cell::{Cell, Stamped};
use super::super::cursor::Cursors;
use super::super::proto::*;

macro_rules! cells {
    ($($name:ident: $response:ident,)*) => {
        /// What a client can read. Empty until the robot has told it, except for what never
        /// changes.
        #[derive(Debug)]
        pub(in super::super) struct Cells {
            $(pub(in super::super) $name: Cell<$response>,)*
            /// The moving transforms, all of them in each message.
            pub(in super::super) dynamic_transforms: watch::Sender<Option<Arc<GetDynamicTransformResponse>>>,
        }

        impl Cells {
            fn empty(cursors: &Arc<Cursors>) -> Self {
                Self {
                    $($name: Cell::new(cursors),)*
                    dynamic_transforms: watch::Sender::new(None),
                }
            }
        }

        $(impl Stamped for $response {
            fn metadata(&mut self) -> &mut Option<Metadata> {
                &mut self.metadata
            }
        })*
    };
}

cells! {
    serial_number: GetRobotSerialNumberResponse,
    version: GetRobotVersionResponse,
    shortcuts: GetShortcutsResponse,
    pose: GetRobotPoseResponse,
    battery: GetBatteryInfoResponse,
    map: GetPngMapResponse,
    map_list: GetMapListResponse,
    current_map: GetCurrentMapIdResponse,
    imu: GetRosImuResponse,
    odometry: GetRosOdometryResponse,
    wheel_odometry: GetRosWheelOdometryResponse,
    scan: GetRosLaserScanResponse,
    detection: GetObjectDetectionResponse,
    detection_features: GetObjectDetectionFeaturesResponse,
    tof_image: GetTofCameraRosImageResponse,
    tof_compressed_image: GetTofCameraRosCompressedImageResponse,
    errors: GetErrorResponse,
    command_state: GetCommandStateResponse,
    last_result: GetLastCommandResultResponse,
    history: GetHistoryListResponse,
    locations: GetLocationsResponse,
    locations_digest: GetLocationsDigestResponse,
    shelves: GetShelvesResponse,
    shelves_digest: GetShelvesDigestResponse,
    moving_shelf: GetMovingShelfIdResponse,
    auto_homing: GetAutoHomingEnabledResponse,
    manual_control: GetManualControlEnabledResponse,
    speaker_volume: GetSpeakerVolumeResponse,
    sounds: GetSoundListResponse,
    static_transforms: GetStaticTransformResponse,
}

impl Cells {
    /// Forgets what was told by a robot that is not there any more. What never changes stays,
    /// and so do commands and results, which are followed one by one.
    pub(super) fn clear(&self) {
        self.serial_number.clear();
        self.version.clear();
        self.shortcuts.clear();
        self.pose.clear();
        self.battery.clear();
        self.map.clear();
        self.map_list.clear();
        self.current_map.clear();
        self.imu.clear();
        self.odometry.clear();
        self.wheel_odometry.clear();
        self.scan.clear();
        self.errors.clear();
        self.history.clear();
        self.locations.clear();
        self.locations_digest.clear();
        self.moving_shelf.clear();
        self.auto_homing.clear();
        self.manual_control.clear();
        self.speaker_volume.clear();
        self.sounds.clear();
        self.static_transforms.clear();
        self.dynamic_transforms.send_replace(None);
    }

    /// Cells that are empty but for those without a source yet, whose value never changes: no
    /// shelves, nothing detected, no picture of the ToF camera.
    pub(super) fn new(cursors: &Arc<Cursors>) -> Self {
        let cells = Self::empty(cursors);
        let header = |frame: &str| {
            Some(RosHeader {
                stamp_nsec: 0,
                frame_id: frame.to_owned(),
            })
        };
        cells.shelves.set(GetShelvesResponse::default());
        cells
            .shelves_digest
            .set(GetShelvesDigestResponse::default());
        cells.detection.set(GetObjectDetectionResponse {
            header: header("camera_front"),
            ..Default::default()
        });
        let features = GetObjectDetectionFeaturesResponse {
            header: header("camera_front"),
            ..Default::default()
        };
        cells.detection_features.set(features);
        cells.tof_image.set(GetTofCameraRosImageResponse {
            image: Some(RosImage {
                header: header("tof_camera"),
                ..Default::default()
            }),
            ..Default::default()
        });
        let picture = GetTofCameraRosCompressedImageResponse {
            image: Some(RosCompressedImage {
                header: header("tof_camera"),
                ..Default::default()
            }),
            ..Default::default()
        };
        cells.tof_compressed_image.set(picture);
        cells
    }
}
