//! The gRPC interface of a Kachaka in front of a simulated one: it knows ROS alone, not the world.

/// Messages, enums and service of kachaka-api, generated from `proto/kachaka-api.proto`.
#[allow(missing_docs, unreachable_pub, clippy::all, clippy::pedantic)]
pub mod proto {
    tonic::include_proto!("kachaka_api");

    /// The file descriptor, encoded, for reflection.
    pub const DESCRIPTORS: &[u8] = tonic::include_file_descriptor_set!("kachaka_api");
}
