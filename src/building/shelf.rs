//! Shelves: plates on four round legs, under which a robot drives to carry them.
//!
//! The frame of a shelf has its origin on the floor in the middle between the legs; a robot
//! that is docked has its base there. Robots come in along x, from either end.

use std::f64::consts::PI;

use super::check::Check;
use super::walk::distance;
use super::{BuildingError, Kind, Part};
use crate::world::{PlanarShape, Pose2, ZExtent, normalize_angle};

/// Distance within which the pin of a robot finds a shelf, m (estimate).
const DOCKING_DISTANCE: f64 = 0.05;
/// Angle between a robot and the shelf's x axis within which the pin finds it, rad (estimate).
const DOCKING_ANGLE: f64 = 0.2;
/// Most plates of a shelf.
const MAX_PLATES: usize = 100;

/// Sizes of a shelf.
#[derive(Debug, Clone, PartialEq)]
pub struct ShelfShape {
    /// Full lengths of a plate along x and y, m.
    pub plate: [f64; 2],
    /// Thickness of a plate, m.
    pub plate_thickness: f64,
    /// Heights of the undersides of the plates above the floor, m, upwards.
    pub undersides: Vec<f64>,
    /// Distances of the middles of the legs along x and y, m.
    pub leg_distance: [f64; 2],
    /// Diameter of a leg, m.
    pub leg_diameter: f64,
    /// Height of the whole shelf, to which the legs reach, m.
    pub height: f64,
}

impl Default for ShelfShape {
    /// The Kachaka Shelf with three tiers, as the meshes of the community's model measure.
    fn default() -> Self {
        Self {
            plate: [0.328, 0.488],
            plate_thickness: 0.025,
            undersides: vec![0.155, 0.486, 0.717],
            leg_distance: [0.232, 0.392],
            leg_diameter: 0.04,
            height: 0.742,
        }
    }
}

/// How fast a robot carries a shelf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SpeedMode {
    /// As the robot is set.
    #[default]
    Default,
    /// Slowly.
    Low,
    /// As fast as with any shelf.
    Normal,
}

/// A shelf.
#[derive(Debug, Clone, PartialEq)]
pub struct ShelfSpec {
    /// Unique name; its id for robots.
    pub name: String,
    /// What people call it; "" = its name.
    pub title: String,
    /// Where it stands.
    pub pose: Pose2,
    /// Name of its floor; "" = the level at z 0.
    pub floor: String,
    /// Id of the location that is its home; "" = `<name>_home`.
    pub home: String,
    /// How fast it is carried.
    pub speed_mode: SpeedMode,
    /// Its sizes.
    pub shape: ShelfShape,
    /// Kilograms.
    pub mass: f64,
}

/// Where a shelf is.
#[derive(Debug, Clone, PartialEq)]
pub struct ShelfState {
    /// Its pose now, carried or not.
    pub pose: Pose2,
    /// The robot that carries it; "" = none.
    pub carrier: String,
}

/// Which way a robot stands under a shelf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DockingEnd {
    /// It looks along the shelf's x axis: it came in at the -x end.
    Along,
    /// It looks against it: it came in at the +x end.
    Against,
}

impl ShelfSpec {
    /// Mass of a Kachaka Shelf, kg (estimate: nobody has published it).
    pub const MASS: f64 = 6.0;

    /// A Kachaka Shelf with three tiers.
    #[must_use]
    pub fn new(name: impl Into<String>, pose: Pose2) -> Self {
        Self {
            name: name.into(),
            title: String::new(),
            pose,
            floor: String::new(),
            home: String::new(),
            speed_mode: SpeedMode::default(),
            shape: ShelfShape::default(),
            mass: Self::MASS,
        }
    }

    /// Whether there can be such a shelf.
    ///
    /// # Errors
    /// The first number that cannot be.
    pub fn check(&self) -> Result<(), BuildingError> {
        let check = Check::name(Kind::Shelf, &self.name)?;
        check.pose("", &self.pose)?;
        check.value(
            "mass",
            self.mass,
            self.mass > 0.0 && self.mass <= 1e4,
            "above 0 and at most 10000 kg",
        )?;
        self.shape.check(&check)
    }

    /// What people call it.
    #[must_use]
    pub fn title(&self) -> &str {
        match self.title.as_str() {
            "" => &self.name,
            title => title,
        }
    }

    /// Id of the location that is its home.
    #[must_use]
    pub fn home(&self) -> String {
        match self.home.as_str() {
            "" => format!("{}_home", self.name),
            home => home.to_owned(),
        }
    }

    /// Its legs and its plates.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        self.shape.parts()
    }
}

impl ShelfShape {
    fn check(&self, check: &Check<'_>) -> Result<(), BuildingError> {
        check.length("plate.x", self.plate[0])?;
        check.length("plate.y", self.plate[1])?;
        check.length("plate_thickness", self.plate_thickness)?;
        check.length("leg_diameter", self.leg_diameter)?;
        check.length("height", self.height)?;
        for (axis, name) in ["x", "y"].into_iter().enumerate() {
            let (legs, plate) = (self.leg_distance[axis], self.plate[axis]);
            let field = format!("leg_distance.{name}");
            let apart = "or its legs would overlap";
            check.at_least(&field, legs, self.leg_diameter, apart)?;
            let below = "or its legs would stand out beside the plates";
            check.at_most(&field, legs, plate - self.leg_diameter, below)?;
        }
        if self.undersides.len() > MAX_PLATES {
            let problem = format!(
                "has {} plates, at most {MAX_PLATES} are allowed",
                self.undersides.len()
            );
            return Err(check.unfit("undersides", problem));
        }
        let mut top = 0.0;
        for (index, underside) in self.undersides.iter().enumerate() {
            let field = format!("undersides[{index}]");
            check.at_least(&field, *underside, top, "the top of what is below it")?;
            top = underside + self.plate_thickness;
            // The heights are given in millimetres, their sum may miss the last bit.
            check.at_most(
                &field,
                top,
                self.height + 1e-9,
                "the height of the shelf, its plate included",
            )?;
        }
        Ok(())
    }

    /// The four legs, from the floor to the top, then the plates, upwards.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let [x, y] = self.leg_distance.map(|distance| 0.5 * distance);
        let leg = Part::solid(
            PlanarShape::Disc(0.5 * self.leg_diameter),
            ZExtent::new(0.0, self.height),
        );
        let legs = [[x, y], [-x, y], [-x, -y], [x, -y]]
            .map(|[x, y]| leg.clone().at(Pose2::new(x, y, 0.0)));
        let plates = self.undersides.iter().map(|underside| {
            let z = ZExtent::new(*underside, underside + self.plate_thickness);
            Part::solid(PlanarShape::rectangle(self.plate[0], self.plate[1]), z)
        });
        legs.into_iter().chain(plates).collect()
    }

    /// Radius of the circle around its middle that holds it, m.
    #[must_use]
    pub fn reach(&self) -> f64 {
        let [x, y] = self.half_lengths();
        libm::hypot(x, y)
    }

    /// Half of what it covers along x and y, m.
    fn half_lengths(&self) -> [f64; 2] {
        [0, 1].map(|axis| {
            let legs = self.leg_distance[axis] + self.leg_diameter;
            0.5 * legs.max(self.plate[axis])
        })
    }

    /// Width of the way in between the legs along y, m.
    #[must_use]
    pub fn opening_width(&self) -> f64 {
        self.leg_distance[1] - self.leg_diameter
    }

    /// Height of the way in below the lowest plate, m.
    #[must_use]
    pub fn opening_height(&self) -> f64 {
        self.undersides.first().copied().unwrap_or(self.height)
    }

    /// The footprint of a robot with this shelf on it: the convex outline around the robot
    /// and what the shelf covers. Corners of the robot and pose of the shelf are in the
    /// robot's base frame; so is the result, counter-clockwise.
    #[must_use]
    pub fn towing_footprint(&self, robot: &[[f64; 2]], shelf: &Pose2) -> Vec<[f64; 2]> {
        let [x, y] = self.half_lengths();
        let corners = [[-x, -y], [x, -y], [x, y], [-x, y]].map(|p| shelf.transform_point(p));
        convex_hull(robot.iter().copied().chain(corners).collect())
    }
}

impl DockingEnd {
    /// Which way a robot stands under a shelf if its pin, raised now, finds it: its base is
    /// within 5 cm of the shelf's pose and within 0.2 rad of the shelf's x axis, either way.
    #[must_use]
    pub fn of(robot: &Pose2, shelf: &Pose2) -> Option<Self> {
        if distance([robot.x, robot.y], [shelf.x, shelf.y]) > DOCKING_DISTANCE {
            return None;
        }
        let turned = normalize_angle(robot.yaw - shelf.yaw).abs();
        if turned <= DOCKING_ANGLE {
            Some(Self::Along)
        } else if PI - turned <= DOCKING_ANGLE {
            Some(Self::Against)
        } else {
            None
        }
    }
}

/// The corners of the convex hull, counter-clockwise (Andrew's monotone chain).
fn convex_hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let chain = |points: &mut dyn Iterator<Item = &[f64; 2]>| {
        let mut hull: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while let [.., a, b] = hull[..] {
                let turn = (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]);
                if turn > 0.0 {
                    break;
                }
                hull.pop();
            }
            hull.push(*point);
        }
        hull.pop();
        hull
    };
    let mut hull = chain(&mut points.iter());
    hull.extend(chain(&mut points.iter().rev()));
    hull
}
