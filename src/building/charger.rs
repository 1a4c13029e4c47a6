//! Chargers: a back panel and a thin plate on the floor, onto which a robot backs.
//!
//! The frame of a charger is the base frame of a robot that is docked at it: x points away
//! from the panel. No sizes are published, all are estimates after photographs.

use super::check::Check;
use super::walk::distance;
use super::{BuildingError, Kind, Part, Solidity};
use crate::world::{PlanarShape, Pose2, ZExtent, normalize_angle};

/// A charger.
#[derive(Debug, Clone, PartialEq)]
pub struct ChargerSpec {
    /// Unique name.
    pub name: String,
    /// Where the base of a docked robot is.
    pub pose: Pose2,
    /// Name of its floor; "" = the level at z 0.
    pub floor: String,
    /// Thickness, width and height of the back panel, m.
    pub panel: [f64; 3],
    /// Distance of the panel's front from the base of a docked robot, m.
    pub panel_distance: f64,
    /// Length, width and height of the floor plate, m.
    pub plate: [f64; 3],
    /// Distance from the docked pose within which a robot charges, m.
    pub tolerance: f64,
    /// Angle from the docked pose within which a robot charges, rad.
    pub angle_tolerance: f64,
}

impl ChargerSpec {
    /// A charger for a Kachaka, whose rear is 0.15 m behind its base.
    #[must_use]
    pub fn new(name: impl Into<String>, pose: Pose2) -> Self {
        Self {
            name: name.into(),
            pose,
            floor: String::new(),
            panel: [0.05, 0.24, 0.18],
            panel_distance: 0.16,
            plate: [0.15, 0.24, 0.008],
            tolerance: 0.04,
            angle_tolerance: 0.15,
        }
    }

    /// Whether there can be such a charger.
    ///
    /// # Errors
    /// The first number that cannot be.
    pub fn check(&self) -> Result<(), BuildingError> {
        let check = Check::name(Kind::Charger, &self.name)?;
        check.pose("", &self.pose)?;
        let sizes = ["panel", "plate"].into_iter().zip([self.panel, self.plate]);
        for (field, [x, y, z]) in sizes {
            check.length(&format!("{field}.x"), x)?;
            check.length(&format!("{field}.y"), y)?;
            check.length(&format!("{field}.z"), z)?;
        }
        let expected = "0 to 1000 m";
        check.within(
            "panel_distance",
            self.panel_distance,
            [0.0, 1000.0],
            expected,
        )?;
        check.length("tolerance", self.tolerance)?;
        let expected = "0 to 3.2 rad";
        check.within(
            "angle_tolerance",
            self.angle_tolerance,
            [0.0, 3.2],
            expected,
        )
    }

    /// The panel, which stops robots, and the plate, over which they drive.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let front = -self.panel_distance;
        let [thickness, width, height] = self.panel;
        let panel = PlanarShape::rectangle(thickness, width);
        let [length, plate_width, plate_height] = self.plate;
        let plate = PlanarShape::rectangle(length, plate_width);
        vec![
            Part::solid(panel, ZExtent::new(0.0, height)).at(Pose2::new(
                front - 0.5 * thickness,
                0.0,
                0.0,
            )),
            Part::solid(plate, ZExtent::new(0.0, plate_height))
                .at(Pose2::new(front + 0.5 * length, 0.0, 0.0))
                .with_solidity(Solidity::Seen),
        ]
    }

    /// Whether a robot with its base there charges: within 4 cm and 0.15 rad of the docked
    /// pose, if nothing else is said.
    #[must_use]
    pub fn charges(&self, robot: &Pose2) -> bool {
        distance([robot.x, robot.y], [self.pose.x, self.pose.y]) <= self.tolerance
            && normalize_angle(robot.yaw - self.pose.yaw).abs() <= self.angle_tolerance
    }
}
