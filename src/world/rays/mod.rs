//! Batched, height-aware ray casts against everything that has a shape.
//!
//! A [`RayIndex`] holds the shapes, a [`Fan`] the directions. [`RayIndex::nearest`] answers
//! what a level scanner sees; [`RayIndex::cast`] keeps every crossing with its height, from
//! which [`RayHits`] answers for rays of any slope.
//!
//! Shapes are moved into the frame of the fan, where beam directions are constants. There a
//! straight wall has the inverse distance `p cos + q sin`, linear in the direction, so a wall
//! costs two products and a maximum per beam it covers, and no division.
//!
//! What holds for every cast:
//!
//! - Walls are two-sided. A ray that starts inside a solid meets its boundary from inside.
//! - A ray through a corner that two edges share meets at least one of them. Whether it does
//!   is decided by the sign of one product that both edges compute from the same numbers.
//! - A ray exactly along a wall meets the nearer end of it.
//! - A ray that starts on a wall, to rounding, and crosses it meets it at 0, whichever way it
//!   points. A ray that starts on a circle counts as inside: it meets the far side, or 0 when
//!   it points away.
//! - Finite input never gives NaN. The same bodies and poses give the same bits, however
//!   the index came to hold them.

mod body;
mod cast;
mod crossing;
mod drops;
mod fan;
mod hits;
mod index;
mod lane;
mod nearest;
mod tree;

use crate::world::{Level, Pose2};

pub use fan::{Fan, FanError};
pub use hits::{HitKind, Ray, RayHit, RayHits};
pub use index::RayIndex;
pub use lane::Lane;

/// Where the rays of a fan leave from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayOrigin {
    /// The frame of the fan in the world.
    pub pose: Pose2,
    /// Height of the origin above z = 0 of the world, m.
    pub z: f64,
    /// The storey whose things can be seen.
    pub level: Level,
}
