//! Maps: switching, previews, export and import.

use futures::{StreamExt, stream};
use r2r::nav_msgs::msg::OccupancyGrid;
use r2r::tatami_msgs::srv::{AddMap, GetMap, SwitchMap};
use tonic::{Request, Response, Status, Streaming};

use super::super::limits::check_texts;
use super::super::link::Reply;
use super::super::proto::export_map_response::{EndOfStream, MiddleOfStream, Response as Part};
use super::super::proto::{
    ExportMapRequest, ExportMapResponse, ImportImageAsMapRequest, ImportImageAsMapResponse,
    ImportMapRequest, ImportMapResponse, LoadMapPreviewRequest, LoadMapPreviewResponse, Map, Pose,
    Result as Outcome, SwitchMapRequest, SwitchMapResponse,
};
use super::super::{map_file, map_image};
use super::transforms::Responses;
use super::{Answer, Api};
use crate::kachaka::error_codes::code;

/// Bytes of one part of an exported map.
const PART: usize = 64 * 1024;

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
        let reply = self.ask(&self.services.switch_map, &ros).await?;
        let result = reply.result();
        Ok(Response::new(SwitchMapResponse { result }))
    }

    /// The picture of a map that the robot keeps.
    pub(super) async fn preview(
        &self,
        request: Request<LoadMapPreviewRequest>,
    ) -> Answer<LoadMapPreviewResponse> {
        let (result, map) = self.kept_map(request.into_inner().map_id).await?;
        let result = Some(result);
        Ok(Response::new(LoadMapPreviewResponse { result, map }))
    }

    /// A map that the robot keeps, as a file in parts.
    pub(super) async fn export(
        &self,
        request: Request<ExportMapRequest>,
    ) -> Answer<Responses<ExportMapResponse>> {
        let (result, map) = self.kept_map(request.into_inner().map_id).await?;
        let file = map.as_ref().map(map_file::write).unwrap_or_default();
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

    async fn kept_map(&self, map_id: String) -> Result<(Outcome, Option<Map>), Status> {
        check_texts(&[("map_id", &map_id)])?;
        let ros = GetMap::Request { map_id };
        let reply = self.ask(&self.services.get_map, &ros).await?;
        let map = reply
            .success
            .then(|| map_image::draw(&reply.map, &reply.name));
        let result = Outcome {
            success: reply.success,
            error_code: reply.error_code,
        };
        Ok((result, map.flatten()))
    }

    /// Takes a map from the file that an export has written.
    pub(super) async fn import(
        &self,
        request: Request<Streaming<ImportMapRequest>>,
    ) -> Answer<ImportMapResponse> {
        let mut parts = request.into_inner();
        let mut file = Vec::new();
        while let Some(part) = parts.message().await? {
            append(&mut file, &part.data)?;
        }
        let read = map_file::read(&file).map_err(|error| error.to_string());
        let read = read.and_then(|map| {
            let grid = map_image::read(&map).map_err(|error| error.to_string())?;
            Ok((map.name, grid))
        });
        let (result, map_id) = match read {
            Ok((name, grid)) => self.add_map(name, grid, None).await?,
            Err(reason) => refuse(&reason),
        };
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
        let mut parts = request.into_inner();
        let mut file = Vec::new();
        let (mut charger, mut resolution) = (None, 0.0);
        while let Some(part) = parts.message().await? {
            append(&mut file, &part.data)?;
            // They may stand in any part; the first that has them counts.
            charger = charger.or(part.charger_pose);
            if resolution == 0.0 {
                resolution = part.resolution;
            }
        }
        let (result, map_id) = match map_image::read_picture(&file, resolution) {
            Ok(grid) => self.add_map(PICTURE_NAME.to_owned(), grid, charger).await?,
            Err(error) => refuse(&error.to_string()),
        };
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

fn append(file: &mut Vec<u8>, part: &[u8]) -> Result<(), Status> {
    if file.len() + part.len() > map_file::MOST_BYTES {
        return Err(Status::resource_exhausted(format!(
            "the upload has more than {} bytes",
            map_file::MOST_BYTES
        )));
    }
    file.extend_from_slice(part);
    Ok(())
}

fn refuse(reason: &str) -> (Outcome, String) {
    tracing::info!("a map was refused: {reason}");
    let result = Outcome {
        success: false,
        error_code: code::BAD_MAP,
    };
    (result, String::new())
}
