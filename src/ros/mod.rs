//! The node: pacing, services, topics.
//!
//! Everything happens on one thread, in one loop ([`serve`]): it waits for messages until
//! the next step is due, takes in all that has arrived, answers requests in the order of
//! arrival and steps the world. During a long step request the loop looks for messages
//! about every millisecond of wall time, which does not influence what the steps do.
//!
//! `rmw_fastrtps` publishes synchronously by default, so what a step has published is with
//! the middleware before the reply to the request that wanted it. With another middleware
//! or `RMW_FASTRTPS_PUBLICATION_MODE=ASYNCHRONOUS` it may be sent later.

mod bindings;
mod building;
mod clock;
mod closing;
mod command_input;
mod control;
mod convert;
mod error;
mod held;
mod inbox;
mod inputs;
mod kachaka;
pub mod layout_client;
mod messages;
mod names;
pub(crate) mod onboard;
mod output;
mod parameter_services;
mod parameters;
mod plan;
mod replies;
mod respond;
mod robot_topics;
mod sensor_output;
mod server;
mod service_set;
mod services;
mod stage;
mod start;
mod transforms;
mod uses;
mod warnings;
mod words;

pub(crate) use convert::{heading_of, yaw_to_quaternion};
pub use error::ServerError;
pub use server::serve;
pub(crate) use start::{create_context, overrides};

/// Depth of the queues of reliable topics.
const DEPTH: usize = 100;

/// Depth of the queues of services: requests and replies of all clients share them.
const SERVICE_DEPTH: usize = 1000;
