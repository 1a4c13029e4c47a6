//! Ray casts against textbook geometry.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod bodies;
mod corners;
mod heights;
mod nearest;
mod reference;
mod scene;
