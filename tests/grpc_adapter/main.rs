//! The real adapter between a native client and a robot on real topics and services.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]
#![allow(dead_code, reason = "the bench uses other parts of the robot")]
#![allow(
    clippy::await_holding_lock,
    reason = "a turn is held for a whole test, each of which has a thread of its own"
)]
#![cfg(feature = "ros")]

mod adapter;
mod client;
mod commands;
mod connections;
mod endurance;
mod fake;
mod loss;
mod maps;
#[path = "../support_ros/process.rs"]
mod process;
mod reads;
mod ros;
mod web;
mod writes;
