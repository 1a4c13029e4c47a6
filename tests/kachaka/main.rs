//! What a simulated Kachaka does, in lock-step: one file per behaviour.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod appliances;
mod building;
mod default_room;
mod determinism;
mod drivers;
mod drives;
mod follow;
mod front_stop;
mod localization;
mod manual;
mod model;
mod pause;
mod queue;
mod queue_random;
mod reset;
mod respawn;
mod restart;
mod shelves;
mod sim;
mod state;
