//! All calls of the service, each with what answers it.

use tonic::{Request, Response, Streaming};

use super::super::proto::kachaka_api_server::KachakaApi;
use super::super::proto::*;
use super::transforms::Responses;
use super::{Answer, Api};

#[tonic::async_trait]
impl KachakaApi for Api {
    type ExportMapStream = Responses<ExportMapResponse>;
    type GetDynamicTransformStream = Responses<GetDynamicTransformResponse>;

    async fn get_robot_serial_number(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetRobotSerialNumberResponse> {
        self.read(&self.view.cells.serial_number, &request).await
    }

    async fn get_robot_version(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetRobotVersionResponse> {
        self.read(&self.view.cells.version, &request).await
    }

    async fn get_robot_pose(&self, request: Request<GetRequest>) -> Answer<GetRobotPoseResponse> {
        self.read(&self.view.cells.pose, &request).await
    }

    async fn set_robot_pose(
        &self,
        request: Request<SetRobotPoseRequest>,
    ) -> Answer<SetRobotPoseResponse> {
        self.pose_estimate(request).await
    }

    async fn get_png_map(&self, request: Request<GetRequest>) -> Answer<GetPngMapResponse> {
        self.read(&self.view.cells.map, &request).await
    }

    async fn get_battery_info(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetBatteryInfoResponse> {
        self.read(&self.view.cells.battery, &request).await
    }

    async fn get_object_detection(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetObjectDetectionResponse> {
        self.read(&self.view.cells.detection, &request).await
    }

    async fn get_object_detection_features(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetObjectDetectionFeaturesResponse> {
        self.read(&self.view.cells.detection_features, &request)
            .await
    }

    async fn get_ros_imu(&self, request: Request<GetRequest>) -> Answer<GetRosImuResponse> {
        self.read(&self.view.cells.imu, &request).await
    }

    async fn get_ros_odometry(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetRosOdometryResponse> {
        self.read(&self.view.cells.odometry, &request).await
    }

    async fn get_ros_wheel_odometry(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetRosWheelOdometryResponse> {
        self.read(&self.view.cells.wheel_odometry, &request).await
    }

    async fn get_ros_laser_scan(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetRosLaserScanResponse> {
        self.read(&self.view.cells.scan, &request).await
    }

    async fn get_front_camera_ros_camera_info(
        &self,
        _request: Request<GetRequest>,
    ) -> Answer<GetFrontCameraRosCameraInfoResponse> {
        self.no_camera()
    }

    async fn get_front_camera_ros_image(
        &self,
        _request: Request<GetRequest>,
    ) -> Answer<GetFrontCameraRosImageResponse> {
        self.no_camera()
    }

    async fn get_front_camera_ros_compressed_image(
        &self,
        _request: Request<GetRequest>,
    ) -> Answer<GetFrontCameraRosCompressedImageResponse> {
        self.no_camera()
    }

    async fn get_back_camera_ros_camera_info(
        &self,
        _request: Request<GetRequest>,
    ) -> Answer<GetBackCameraRosCameraInfoResponse> {
        self.no_camera()
    }

    async fn get_back_camera_ros_image(
        &self,
        _request: Request<GetRequest>,
    ) -> Answer<GetBackCameraRosImageResponse> {
        self.no_camera()
    }

    async fn get_back_camera_ros_compressed_image(
        &self,
        _request: Request<GetRequest>,
    ) -> Answer<GetBackCameraRosCompressedImageResponse> {
        self.no_camera()
    }

    async fn get_tof_camera_ros_camera_info(
        &self,
        _request: Request<GetRequest>,
    ) -> Answer<GetTofCameraRosCameraInfoResponse> {
        self.no_camera()
    }

    async fn get_tof_camera_ros_image(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetTofCameraRosImageResponse> {
        self.read(&self.view.cells.tof_image, &request).await
    }

    async fn get_tof_camera_ros_compressed_image(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetTofCameraRosCompressedImageResponse> {
        self.read(&self.view.cells.tof_compressed_image, &request)
            .await
    }

    async fn get_robot_error_code_json(
        &self,
        _request: Request<EmptyRequest>,
    ) -> Answer<GetRobotErrorCodeJsonResponse> {
        self.error_codes()
    }

    async fn get_error(&self, request: Request<GetRequest>) -> Answer<GetErrorResponse> {
        self.read(&self.view.cells.errors, &request).await
    }

    async fn is_ready(&self, _request: Request<EmptyRequest>) -> Answer<IsReadyResponse> {
        self.ready()
    }

    async fn start_command(
        &self,
        request: Request<StartCommandRequest>,
    ) -> Answer<StartCommandResponse> {
        self.start(request).await
    }

    async fn cancel_command(
        &self,
        _request: Request<EmptyRequest>,
    ) -> Answer<CancelCommandResponse> {
        self.cancel().await
    }

    async fn get_command_state(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetCommandStateResponse> {
        self.read(&self.view.cells.command_state, &request).await
    }

    async fn get_last_command_result(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetLastCommandResultResponse> {
        self.read(&self.view.cells.last_result, &request).await
    }

    async fn proceed(&self, _request: Request<EmptyRequest>) -> Answer<ProceedResponse> {
        self.go_on().await
    }

    async fn get_locations(&self, request: Request<GetRequest>) -> Answer<GetLocationsResponse> {
        self.read(&self.view.cells.locations, &request).await
    }

    async fn get_locations_digest(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetLocationsDigestResponse> {
        self.read(&self.view.cells.locations_digest, &request).await
    }

    async fn get_shelves(&self, request: Request<GetRequest>) -> Answer<GetShelvesResponse> {
        self.read(&self.view.cells.shelves, &request).await
    }

    async fn get_shelves_digest(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetShelvesDigestResponse> {
        self.read(&self.view.cells.shelves_digest, &request).await
    }

    async fn get_moving_shelf_id(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetMovingShelfIdResponse> {
        self.read(&self.view.cells.moving_shelf, &request).await
    }

    async fn reset_shelf_pose(
        &self,
        request: Request<ResetShelfPoseRequest>,
    ) -> Answer<ResetShelfPoseResponse> {
        self.shelf_pose(request).await
    }

    async fn set_auto_homing_enabled(
        &self,
        request: Request<SetAutoHomingEnabledRequest>,
    ) -> Answer<SetAutoHomingEnabledResponse> {
        self.auto_homing(request).await
    }

    async fn get_auto_homing_enabled(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetAutoHomingEnabledResponse> {
        self.read(&self.view.cells.auto_homing, &request).await
    }

    async fn set_manual_control_enabled(
        &self,
        request: Request<SetManualControlEnabledRequest>,
    ) -> Answer<SetManualControlEnabledResponse> {
        self.manual_control(request).await
    }

    async fn get_manual_control_enabled(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetManualControlEnabledResponse> {
        self.read(&self.view.cells.manual_control, &request).await
    }

    async fn set_front_torch_intensity(
        &self,
        request: Request<SetFrontTorchIntensityRequest>,
    ) -> Answer<SetFrontTorchIntensityResponse> {
        let value = f64::from(request.into_inner().intensity);
        let result = self.set(&self.services.front_torch, value).await?;
        Ok(Response::new(SetFrontTorchIntensityResponse { result }))
    }

    async fn set_back_torch_intensity(
        &self,
        request: Request<SetBackTorchIntensityRequest>,
    ) -> Answer<SetBackTorchIntensityResponse> {
        let value = f64::from(request.into_inner().intensity);
        let result = self.set(&self.services.back_torch, value).await?;
        Ok(Response::new(SetBackTorchIntensityResponse { result }))
    }

    async fn set_robot_velocity(
        &self,
        request: Request<SetRobotVelocityRequest>,
    ) -> Answer<SetRobotVelocityResponse> {
        self.velocity(request).await
    }

    async fn activate_laser_scan(
        &self,
        request: Request<ActivateLaserScanRequest>,
    ) -> Answer<ActivateLaserScanResponse> {
        let value = request.into_inner().duration_sec;
        let result = self.set(&self.services.laser_scan, value).await?;
        Ok(Response::new(ActivateLaserScanResponse { result }))
    }

    async fn get_map_list(&self, request: Request<GetRequest>) -> Answer<GetMapListResponse> {
        self.read(&self.view.cells.map_list, &request).await
    }

    async fn get_current_map_id(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetCurrentMapIdResponse> {
        self.read(&self.view.cells.current_map, &request).await
    }

    async fn load_map_preview(
        &self,
        request: Request<LoadMapPreviewRequest>,
    ) -> Answer<LoadMapPreviewResponse> {
        self.preview(request).await
    }

    async fn switch_map(&self, request: Request<SwitchMapRequest>) -> Answer<SwitchMapResponse> {
        self.use_map(request).await
    }

    async fn export_map(
        &self,
        request: Request<ExportMapRequest>,
    ) -> Answer<Self::ExportMapStream> {
        self.export(request).await
    }

    async fn import_map(
        &self,
        request: Request<Streaming<ImportMapRequest>>,
    ) -> Answer<ImportMapResponse> {
        self.import(request).await
    }

    async fn import_image_as_map(
        &self,
        request: Request<Streaming<ImportImageAsMapRequest>>,
    ) -> Answer<ImportImageAsMapResponse> {
        self.import_picture(request).await
    }

    async fn get_shortcuts(&self, request: Request<GetRequest>) -> Answer<GetShortcutsResponse> {
        self.read(&self.view.cells.shortcuts, &request).await
    }

    async fn start_shortcut_command(
        &self,
        request: Request<StartShortcutCommandRequest>,
    ) -> Answer<StartShortcutCommandResponse> {
        self.shortcut(request).await
    }

    async fn get_history_list(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetHistoryListResponse> {
        self.read(&self.view.cells.history, &request).await
    }

    async fn get_speaker_volume(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetSpeakerVolumeResponse> {
        self.read(&self.view.cells.speaker_volume, &request).await
    }

    async fn set_speaker_volume(
        &self,
        request: Request<SetSpeakerVolumeRequest>,
    ) -> Answer<SetSpeakerVolumeResponse> {
        let value = f64::from(request.into_inner().volume);
        let result = self.set(&self.services.speaker_volume, value).await?;
        Ok(Response::new(SetSpeakerVolumeResponse { result }))
    }

    async fn restart_robot(&self, _request: Request<EmptyRequest>) -> Answer<RestartRobotResponse> {
        self.restart().await
    }

    async fn set_emergency_stop(
        &self,
        _request: Request<EmptyRequest>,
    ) -> Answer<SetEmergencyStopResponse> {
        self.emergency_stop().await
    }

    async fn get_static_transform(
        &self,
        request: Request<GetRequest>,
    ) -> Answer<GetStaticTransformResponse> {
        self.read(&self.view.cells.static_transforms, &request)
            .await
    }

    async fn get_dynamic_transform(
        &self,
        request: Request<EmptyRequest>,
    ) -> Answer<Self::GetDynamicTransformStream> {
        self.moving_transforms(&request)
    }

    async fn get_sound_list(&self, request: Request<GetRequest>) -> Answer<GetSoundListResponse> {
        self.read(&self.view.cells.sounds, &request).await
    }

    async fn add_sound(&self, request: Request<AddSoundRequest>) -> Answer<AddSoundResponse> {
        self.new_sound(request).await
    }

    async fn delete_sound(
        &self,
        request: Request<DeleteSoundRequest>,
    ) -> Answer<DeleteSoundResponse> {
        self.drop_sound(request).await
    }

    async fn play_sound(&self, request: Request<PlaySoundRequest>) -> Answer<PlaySoundResponse> {
        self.play(request).await
    }

    async fn stop_sound(&self, _request: Request<StopSoundRequest>) -> Answer<StopSoundResponse> {
        self.silence().await
    }
}
