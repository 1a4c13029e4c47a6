//! Tatami: a 2.5D simulator for mobile robots.
//!
//! The library holds the simulator without ROS: [`world`] (geometry, physics, rays and
//! integer time), [`drive`] (how a body follows velocity commands), [`sensors`],
//! [`description`] (robot descriptions in URDF), [`robot`] (one robot of all that) and
//! [`scene`] (the world with its robots, as the services of the server see it).
//! [`kachaka`] is the software that a Kachaka runs itself, [`building`] what doors, people
//! and furniture do. [`layout`] reads files that say what stands in a world, [`yaml`] what
//! they have in common with other texts in YAML. With the feature `ros` the node and its
//! messages come on top.
//!
//! Units are SI and radians. Angles grow counter-clockwise. Unless something else is
//! said, poses are those of a body's base frame in the world frame.

pub mod building;
pub mod description;
pub mod drive;
#[cfg(feature = "ros")]
pub mod grpc;
mod hash;
pub mod kachaka;
pub mod layout;
pub mod robot;
#[cfg(feature = "ros")]
pub mod ros;
pub mod scene;
pub mod sensors;
mod shown;
pub mod world;
pub mod yaml;
