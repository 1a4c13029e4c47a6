//! The gRPC interface of a Kachaka in front of a simulated one: it knows ROS alone, not the world.
//!
//! One thread turns the node (`link`) and puts what it hears into the `view`: one cell with
//! the latest value and a cursor for each kind of response. The calls of kachaka-api (`api`)
//! run on tokio; reads answer from the cells or wait on them, writes call the robot's services
//! and answer when the cells show what they did.

mod api;
mod cell;
mod commands;
mod connections;
mod convert;
mod cors;
mod cursor;
mod limits;
mod link;
mod map_file;
mod map_image;
mod presence;
mod server;
mod settings;
mod statuses;
mod view;

pub use server::{AdapterError, serve};
pub use settings::SettingError;

/// Messages, enums and service of kachaka-api, generated from `proto/kachaka-api.proto`.
#[allow(missing_docs, unreachable_pub, clippy::all, clippy::pedantic)]
pub mod proto {
    tonic::include_proto!("kachaka_api");

    /// The file descriptor, encoded, for reflection.
    pub const DESCRIPTORS: &[u8] = tonic::include_file_descriptor_set!("kachaka_api");
}
