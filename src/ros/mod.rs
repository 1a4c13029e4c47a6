//! Everything that needs ROS.

pub mod layout_client;
