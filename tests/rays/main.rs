//! Ray casts against textbook geometry.

mod bodies;
mod corners;
mod heights;
mod nearest;
mod reference;
mod scene;
