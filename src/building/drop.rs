//! Drops: places where a floor is missing, such as a step down or the head of a stair.

use super::check::Check;
use super::{BuildingError, Kind};
use crate::world::Footprint;

/// A convex region of a floor that is missing.
#[derive(Debug, Clone, PartialEq)]
pub struct DropSpec {
    /// Unique name.
    pub name: String,
    /// Name of its floor; "" = the level at z 0.
    pub floor: String,
    /// Corners in the world frame, m, in order.
    pub points: Vec<[f64; 2]>,
    /// How far below the floor the ground is, m.
    pub depth: f64,
}

impl DropSpec {
    /// Depth of a step of a stair, m (estimate).
    pub const DEPTH: f64 = 0.18;

    /// A rectangle along the axes of the world from two opposite corners.
    #[must_use]
    pub fn rectangle(name: impl Into<String>, [x, y]: [f64; 2], [x2, y2]: [f64; 2]) -> Self {
        Self {
            name: name.into(),
            floor: String::new(),
            points: vec![[x, y], [x2, y], [x2, y2], [x, y2]],
            depth: Self::DEPTH,
        }
    }

    /// Whether there can be such a drop.
    ///
    /// # Errors
    /// A number that cannot be, or corners that do not go round a convex region.
    pub fn check(&self) -> Result<(), BuildingError> {
        self.region().map(|_| ())
    }

    /// Its corners, counter-clockwise.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn region(&self) -> Result<Vec<[f64; 2]>, BuildingError> {
        let check = Check::name(Kind::Drop, &self.name)?;
        check.length("depth", self.depth)?;
        for (index, point) in self.points.iter().enumerate() {
            check.point(&format!("points[{index}]"), *point)?;
        }
        let [x, y] = self.points.first().copied().unwrap_or_default();
        // Seen from one of its corners: a footprint has its body around it.
        let local: Vec<[f64; 2]> = self.points.iter().map(|p| [p[0] - x, p[1] - y]).collect();
        match Footprint::polygon(&local) {
            Ok(Footprint::Polygon(corners)) => {
                Ok(corners.iter().map(|p| [p[0] + x, p[1] + y]).collect())
            }
            _ => {
                let problem = format!(
                    "are {} corners, they must be 3 or more in order round a convex region of at most 100 m",
                    self.points.len()
                );
                Err(check.unfit("points", problem))
            }
        }
    }
}

/// Whether a point is inside a convex region with counter-clockwise corners; its edge still
/// bears.
#[must_use]
pub(super) fn is_inside(region: &[[f64; 2]], point: [f64; 2]) -> bool {
    let edges = region.iter().zip(region.iter().cycle().skip(1));
    !region.is_empty()
        && edges.into_iter().all(|(a, b)| {
            (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]) > 0.0
        })
}
