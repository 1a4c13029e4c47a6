//! Maps: switching, previews, export and import.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::{StreamExt, stream};
use r2r::nav_msgs::msg::OccupancyGrid;
use r2r::tatami_msgs::srv::{AddMap, GetMap, SwitchMap};
use tonic::{Request, Response, Status, Streaming};

use super::super::limits::{Upload, check_texts};
use super::super::link::Reply;
use super::super::proto::export_map_response::{EndOfStream, MiddleOfStream, Response as Part};
use super::super::proto::{
    ExportMapRequest, ExportMapResponse, ImportImageAsMapRequest, ImportImageAsMapResponse,
    ImportMapRequest, ImportMapResponse, LoadMapPreviewRequest, LoadMapPreviewResponse, Pose,
    Result as Outcome, SwitchMapRequest, SwitchMapResponse,
};
use super::super::{map_file, map_image};
use super::transforms::Responses;
use super::{Answer, Api};
use crate::kachaka::error_codes::code;

/// Bytes of one part of an exported map.
const PART: usize = 64 * 1024;

/// How long a part of an upload is waited for, and the whole of it.
const PART_PATIENCE: Duration = Duration::from_secs(5);
const UPLOAD_PATIENCE: Duration = Duration::from_secs(60);

/// How long a map is waited for that was switched to. It is published before the reply, but it
/// is large and has to be drawn.
const MAP_PATIENCE: Duration = Duration::from_secs(2);

/// Name of a map that was made from a picture.
const PICTURE_NAME: &str = "picture";

impl Api {
    /// Takes another map for the present one.
    pub(super) async fn use_map(
        &self,
        request: Request<SwitchMapRequest>,
    ) -> Answer<SwitchMapResponse> {
        let asked = request.into_inner();
        check_texts(&[("map_id", &asked.map_id)])?;
        let inherits =
            asked.inherit_docking_state_and_docked_shelf || asked.docking_state_inherit_method != 0;
        let pose = asked.initial_pose.unwrap_or_default();
        let ros = SwitchMap::Request {
            map_id: asked.map_id,
            has_initial_pose: asked.initial_pose.is_some(),
            x: pose.x,
            y: pose.y,
            yaw: pose.theta,
            inherit_docked_shelf: inherits,
        };
        let (is_shown, asked) = (self.view.has_map(&ros.map_id), Instant::now());
        let reply = self.ask(&self.services.switch_map, &ros).await?;
        if reply.success && !is_shown {
            let follows = self.view.follows_map(asked);
            let _ = tokio::time::timeout(MAP_PATIENCE, follows).await;
        }
        let result = reply.result();
        Ok(Response::new(SwitchMapResponse { result }))
    }

    /// The picture of a map that the robot keeps.
    pub(super) async fn preview(
        &self,
        request: Request<LoadMapPreviewRequest>,
    ) -> Answer<LoadMapPreviewResponse> {
        let id = request.into_inner().map_id;
        let (result, map) = self.kept_map(id, map_image::draw_for_message).await?;
        let result = Some(result);
        Ok(Response::new(LoadMapPreviewResponse { result, map }))
    }

    /// A map that the robot keeps, as a file in parts.
    pub(super) async fn export(
        &self,
        request: Request<ExportMapRequest>,
    ) -> Answer<Responses<ExportMapResponse>> {
        let id = request.into_inner().map_id;
        let draw = |map: &OccupancyGrid, name: &str| {
            map_image::draw(map, name).map(|map| map_file::write(&map))
        };
        let (result, file) = self.kept_map(id, draw).await?;
        let file = file.unwrap_or_default();
        let count = file.len().div_ceil(PART);
        let parts = stream::iter(0..count).map(move |index| {
            let end = file.len().min((index + 1) * PART);
            let data = file[index * PART..end].to_vec();
            Part::MiddleOfStream(MiddleOfStream { data })
        });
        let result = Some(result);
        let end = stream::once(async move { Part::EndOfStream(EndOfStream { result }) });
        let responses = parts.chain(end).map(|part| {
            Ok(ExportMapResponse {
                response: Some(part),
            })
        });
        Ok(Response::new(Box::pin(responses)))
    }

    /// A map that the robot keeps, as `draw` draws it.
    async fn kept_map<T: Send + 'static>(
        &self,
        map_id: String,
        draw: impl FnOnce(&OccupancyGrid, &str) -> Option<T> + Send + 'static,
    ) -> Result<(Outcome, Option<T>), Status> {
        check_texts(&[("map_id", &map_id)])?;
        let ros = GetMap::Request { map_id };
        let reply = self.ask(&self.services.get_map, &ros).await?;
        let result = Outcome {
            success: reply.success,
            error_code: reply.error_code,
        };
        let drawn = aside(move || reply.success.then(|| draw(&reply.map, &reply.name))).await?;
        Ok((result, drawn.flatten()))
    }

    /// Takes a map from the file that an export has written.
    pub(super) async fn import(
        &self,
        request: Request<Streaming<ImportMapRequest>>,
    ) -> Answer<ImportMapResponse> {
        let upload = self.limits.upload()?;
        let upload = receive(request, upload, |upload, part| upload.append(&part.data)).await?;
        let upload = Arc::new(upload);
        let file = Arc::clone(&upload);
        let read = aside(move || {
            let map = map_file::read(file.bytes()).map_err(|error| error.to_string())?;
            let grid = map_image::read(&map).and_then(checked);
            grid.map(|grid| (map.name, grid))
                .map_err(|error| error.to_string())
        });
        let (result, map_id) = match read.await? {
            Ok((name, grid)) => self.add_map(name, grid, None).await?,
            Err(reason) => refuse(&reason),
        };
        drop(upload);
        Ok(Response::new(ImportMapResponse {
            result: Some(result),
            map_id,
        }))
    }

    /// Takes a map from a picture.
    pub(super) async fn import_picture(
        &self,
        request: Request<Streaming<ImportImageAsMapRequest>>,
    ) -> Answer<ImportImageAsMapResponse> {
        let upload = self.limits.upload()?;
        let (mut charger, mut resolution) = (None, 0.0);
        let upload = receive(request, upload, |upload, part| {
            // They may stand in any part; the first that has them counts.
            charger = charger.or(part.charger_pose);
            if resolution == 0.0 {
                resolution = part.resolution;
            }
            upload.append(&part.data)
        });
        let upload = Arc::new(upload.await?);
        let file = Arc::clone(&upload);
        let read =
            aside(move || map_image::read_picture(file.bytes(), resolution).and_then(checked));
        let (result, map_id) = match read.await? {
            Ok(grid) => self.add_map(PICTURE_NAME.to_owned(), grid, charger).await?,
            Err(error) => refuse(&error.to_string()),
        };
        drop(upload);
        Ok(Response::new(ImportImageAsMapResponse {
            result: Some(result),
            map_id,
        }))
    }

    async fn add_map(
        &self,
        name: String,
        map: OccupancyGrid,
        charger: Option<Pose>,
    ) -> Result<(Outcome, String), Status> {
        check_texts(&[("name", &name)])?;
        let pose = charger.unwrap_or_default();
        let ros = AddMap::Request {
            name,
            map,
            has_charger_pose: charger.is_some(),
            charger_x: pose.x,
            charger_y: pose.y,
            charger_yaw: pose.theta,
        };
        let reply = self.ask(&self.services.add_map, &ros).await?;
        let result = Outcome {
            success: reply.success,
            error_code: reply.error_code,
        };
        Ok((result, reply.map_id))
    }
}

/// Receives all parts of an upload.
///
/// # Errors
/// `DEADLINE_EXCEEDED` when it stalls or takes too long: its room is needed by others.
async fn receive<T>(
    request: Request<Streaming<T>>,
    mut upload: Upload,
    mut take: impl FnMut(&mut Upload, T) -> Result<(), Status>,
) -> Result<Upload, Status> {
    let mut parts = request.into_inner();
    let end = tokio::time::Instant::now() + UPLOAD_PATIENCE;
    loop {
        let until = end.min(tokio::time::Instant::now() + PART_PATIENCE);
        let part = tokio::time::timeout_at(until, parts.message()).await;
        let part = part.map_err(|_| {
            Status::deadline_exceeded(format!(
                "the upload has stalled: its parts may be {} s apart, all of it take {} s",
                PART_PATIENCE.as_secs(),
                UPLOAD_PATIENCE.as_secs()
            ))
        })?;
        match part? {
            Some(part) => take(&mut upload, part)?,
            None => return Ok(upload),
        }
    }
}

/// Does something that takes long where no other call waits for it.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Status> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Status::internal(format!("it was not done: {error}")))
}

/// A map that clients can be told.
fn checked(grid: OccupancyGrid) -> Result<OccupancyGrid, map_image::ImageError> {
    map_image::check_fits(&grid)?;
    Ok(grid)
}

fn refuse(reason: &str) -> (Outcome, String) {
    tracing::debug!("a map was refused: {reason}");
    let result = Outcome {
        success: false,
        error_code: code::BAD_MAP,
    };
    (result, String::new())
}
