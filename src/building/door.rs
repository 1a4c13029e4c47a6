//! Doors: a panel that opens and closes a doorway.
//!
//! The frame of a doorway has its origin on the floor in the middle of it, x along the wall
//! and y across. A door is the panel alone; the wall around it is somebody else's.

use std::f64::consts::FRAC_PI_2;

use super::check::Check;
use super::{Actor, BuildingError, DoorSenses, Kind, Part};
use crate::world::{PhysicsDt, PlanarShape, Pose2, ZExtent};

/// How far a sliding panel is wider than its doorway on either side, m.
const OVERHANG: f64 = 0.05;
/// By how much a hinged panel is narrower than its doorway, m.
const PLAY: f64 = 0.01;
/// Distance of a sliding panel from the face of the wall, m (estimate).
const WALL_GAP: f64 = 0.005;
/// What rounding makes of the depth of a panel that slides along somebody, m.
const ROUNDING: f64 = 1e-9;
/// Halvings of the way of a step in which a door looks for where it touches somebody: to a
/// thousandth of that way.
const HALVINGS: u32 = 10;

/// How a door opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DoorKind {
    /// Its panel runs along the -y face of the wall, towards +x, until it clears the doorway.
    #[default]
    Sliding,
    /// Its panel turns about its -x end by a quarter turn towards -y.
    Hinged,
}

/// A door that opens and closes by the clock, beginning as it starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DoorCycle {
    /// Time for which it is to be open, opening included, s.
    pub open: f64,
    /// Time for which it is to be closed, closing included, s.
    pub closed: f64,
}

/// A door that opens when somebody's base comes into a rectangle on both sides of it:
/// |x| up to half the width and `margin`, |y| up to `range`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AutomaticDoor {
    /// Reach of the sensor across the doorway, on either side, m.
    pub range: f64,
    /// Reach of the sensor along the wall beyond the doorway, on either side, m.
    pub margin: f64,
    /// Time for which it stays open after it has noticed somebody, s.
    pub hold: f64,
}

impl Default for AutomaticDoor {
    /// 1.5 m, 0.2 m and 3 s (estimates).
    fn default() -> Self {
        Self {
            range: 1.5,
            margin: 0.2,
            hold: 3.0,
        }
    }
}

/// A door. Numbers without another source are estimates.
#[derive(Debug, Clone, PartialEq)]
pub struct DoorSpec {
    /// Unique name.
    pub name: String,
    /// The frame of the doorway.
    pub pose: Pose2,
    /// Name of its floor; "" = the level at z 0.
    pub floor: String,
    /// How it opens.
    pub kind: DoorKind,
    /// Width of the doorway, m.
    pub width: f64,
    /// Width of the panel, m; by default 2 x 5 cm wider than the doorway if it slides, 1 cm
    /// narrower if it is hinged.
    pub panel_width: Option<f64>,
    /// Height of the panel, m.
    pub height: f64,
    /// Thickness of the panel, m.
    pub thickness: f64,
    /// Thickness of the wall, along whose -y face a sliding panel runs, m.
    pub wall_thickness: f64,
    /// Speed of the panel: m/s if it slides, rad/s if it is hinged.
    pub speed: f64,
    /// Whether it is open at the start.
    pub starts_open: bool,
    /// Whether it goes on when it meets somebody, and pushes; else it stops.
    pub pushes: bool,
    /// Whether it opens and closes by the clock.
    pub cycle: Option<DoorCycle>,
    /// Whether it opens by itself, which only sliding doors do.
    pub automatic: Option<AutomaticDoor>,
}

impl DoorSpec {
    /// Speed of a sliding panel, m/s (estimate).
    pub const SLIDING_SPEED: f64 = 0.5;
    /// Speed of a hinged panel, rad/s (estimate).
    pub const HINGED_SPEED: f64 = 0.8;

    /// A closed door of 0.9 m that waits for `set_open`.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: DoorKind, pose: Pose2) -> Self {
        Self {
            name: name.into(),
            pose,
            floor: String::new(),
            kind,
            width: 0.9,
            panel_width: None,
            height: 2.0,
            thickness: 0.04,
            wall_thickness: 0.1,
            speed: match kind {
                DoorKind::Sliding => Self::SLIDING_SPEED,
                DoorKind::Hinged => Self::HINGED_SPEED,
            },
            starts_open: false,
            pushes: false,
            cycle: None,
            automatic: None,
        }
    }

    /// Whether there can be such a door.
    ///
    /// # Errors
    /// The first number that cannot be, a doorway narrower than its panel, a cycle without
    /// time, or a sensor where there can be none.
    pub fn check(&self) -> Result<(), BuildingError> {
        let check = Check::name(Kind::Door, &self.name)?;
        check.pose("", &self.pose)?;
        check.length("width", self.width)?;
        check.length("height", self.height)?;
        check.length("thickness", self.thickness)?;
        check.length("wall_thickness", self.wall_thickness)?;
        self.check_panel(&check)?;
        let unit = match self.kind {
            DoorKind::Sliding => "m/s",
            DoorKind::Hinged => "rad/s",
        };
        check.speed("speed", self.speed, unit)?;
        if let Some(cycle) = &self.cycle {
            check.time("cycle.open", cycle.open)?;
            check.time("cycle.closed", cycle.closed)?;
            let period = cycle.open + cycle.closed;
            // Below a millisecond it would open and close within one step.
            check.value("cycle", period, period >= 1e-3, "0.001 s or longer in all")?;
        }
        if let Some(automatic) = &self.automatic {
            check.length("automatic.range", automatic.range)?;
            let expected = "0 to 1000 m";
            check.within(
                "automatic.margin",
                automatic.margin,
                [0.0, 1000.0],
                expected,
            )?;
            check.time("automatic.hold", automatic.hold)?;
            if self.kind == DoorKind::Hinged {
                let problem = "is for sliding doors, a hinged one would hit who comes near";
                return Err(check.unfit("automatic", problem));
            }
            if self.cycle.is_some() {
                let problem = "and cycle exclude each other, leave one of them out";
                return Err(check.unfit("automatic", problem));
            }
        }
        Ok(())
    }

    fn check_panel(&self, check: &Check<'_>) -> Result<(), BuildingError> {
        if let Some(panel) = self.panel_width {
            check.length("panel_width", panel)?;
            let width = self.width;
            return match self.kind {
                DoorKind::Sliding => {
                    check.at_least("panel_width", panel, width, "the width of the doorway")
                }
                DoorKind::Hinged => {
                    check.at_most("panel_width", panel, width, "the width of the doorway")
                }
            };
        }
        let fits = self.kind == DoorKind::Sliding || self.width > PLAY;
        let expected = "above 0.01 m, by which a hinged panel is narrower";
        check.value("width", self.width, fits, expected)
    }

    /// Width of the panel, m.
    #[must_use]
    pub fn panel_width(&self) -> f64 {
        self.panel_width.unwrap_or(match self.kind {
            DoorKind::Sliding => self.width + 2.0 * OVERHANG,
            DoorKind::Hinged => self.width - PLAY,
        })
    }

    /// The panel around its middle.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let panel = PlanarShape::rectangle(self.panel_width(), self.thickness);
        vec![Part::solid(panel, ZExtent::new(0.0, self.height))]
    }

    /// How far the panel goes from closed to open: m if it slides, rad if it is hinged.
    #[must_use]
    pub fn travel(&self) -> f64 {
        match self.kind {
            DoorKind::Sliding => 0.5 * (self.width + self.panel_width()),
            DoorKind::Hinged => FRAC_PI_2,
        }
    }

    /// Pose of the middle of the panel in the world; 0 = closed, 1 = open.
    #[must_use]
    pub fn panel_pose(&self, opening: f64) -> Pose2 {
        let way = opening * self.travel();
        let panel = match self.kind {
            DoorKind::Sliding => {
                let off_wall = 0.5 * (self.wall_thickness + self.thickness) + WALL_GAP;
                Pose2::new(way, -off_wall, 0.0)
            }
            DoorKind::Hinged => {
                let half = 0.5 * self.panel_width();
                let hinge = Pose2::new(-half, 0.0, -way);
                hinge.compose(&Pose2::new(half, 0.0, 0.0))
            }
        };
        self.pose.compose(&panel)
    }
}

/// How far a door is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoorState {
    /// Open, and to stay so.
    Open,
    /// Closed, and to stay so.
    Closed,
    /// On its way to open.
    Opening,
    /// On its way to closed, also while somebody keeps it from it.
    Closing,
}

/// A door and what it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Door {
    spec: DoorSpec,
    /// 0 = closed, 1 = open.
    opening: f64,
    /// Whether it is to be open.
    target: bool,
    /// What it was last told, which ends its cycle and overrides its sensor.
    told: Option<bool>,
    /// Time since the start or the last reset, ns.
    elapsed: u64,
    /// The end of the time for which it stays open for who came near, ns.
    held_until: u64,
    /// Whether somebody was in its way in the last step.
    is_blocked: bool,
}

impl Door {
    /// A door as it starts.
    ///
    /// # Errors
    /// As [`DoorSpec::check`].
    pub fn new(spec: DoorSpec) -> Result<Self, BuildingError> {
        spec.check()?;
        let mut door = Self {
            opening: 0.0,
            target: false,
            told: None,
            elapsed: 0,
            held_until: 0,
            is_blocked: false,
            spec,
        };
        door.reset();
        Ok(door)
    }

    /// What it was made with.
    #[must_use]
    pub fn spec(&self) -> &DoorSpec {
        &self.spec
    }

    /// How far it is open: 0 = closed, 1 = open.
    #[must_use]
    pub fn opening(&self) -> f64 {
        self.opening
    }

    /// Pose of the middle of its panel in the world.
    #[must_use]
    pub fn pose(&self) -> Pose2 {
        self.spec.panel_pose(self.opening)
    }

    /// How far it is.
    #[must_use]
    pub fn state(&self) -> DoorState {
        match self.target {
            true if self.opening >= 1.0 => DoorState::Open,
            true => DoorState::Opening,
            false if self.opening <= 0.0 => DoorState::Closed,
            false => DoorState::Closing,
        }
    }

    /// Whether somebody was in its way in the last step.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        self.is_blocked
    }

    /// Opens or closes it. Until the next reset its cycle or its sensor has no say.
    pub fn set_open(&mut self, open: bool) {
        self.told = Some(open);
        self.target = open;
    }

    /// Open or closed at once, and told so: as a door of an elevator starts.
    pub(super) fn rest(&mut self, open: bool) {
        self.set_open(open);
        self.opening = if open { 1.0 } else { 0.0 };
    }

    /// As it started.
    pub fn reset(&mut self) {
        self.target = self.spec.starts_open;
        self.opening = if self.target { 1.0 } else { 0.0 };
        self.told = None;
        (self.elapsed, self.held_until) = (0, 0);
        self.is_blocked = false;
    }

    /// Takes a step.
    pub fn step(&mut self, dt: PhysicsDt, senses: &DoorSenses<'_>) {
        self.elapsed += dt.nanoseconds();
        self.target = self.wants_open(senses);
        let reach = self.spec.speed / self.spec.travel() * dt.seconds();
        let wanted = self.towards_target(reach);
        let reached = if self.spec.pushes || wanted == self.opening {
            wanted
        } else {
            self.free_until(wanted, senses.depth_at)
        };
        self.is_blocked = reached != wanted;
        self.opening = reached;
        if self.is_blocked && !self.target && self.told.is_none() {
            // Not to come back before it is wholly open.
            self.hold_open(self.spec.travel() / self.spec.speed);
        }
    }

    /// How far it would be after a step in which it gets so far.
    fn towards_target(&self, reach: f64) -> f64 {
        let end = if self.target { 1.0 } else { 0.0 };
        // What rounding leaves of the way is no way.
        match (end - self.opening).abs() <= reach + 1e-9 {
            true => end,
            false => self.opening + reach.copysign(end - self.opening),
        }
    }

    /// Whether it is to be open now: as told, or by the clock, or for who is near.
    fn wants_open(&mut self, senses: &DoorSenses<'_>) -> bool {
        if let Some(told) = self.told {
            return told;
        }
        if let Some(cycle) = &self.spec.cycle {
            return self.is_open_by(cycle);
        }
        let Some(sensor) = &self.spec.automatic else {
            return self.target;
        };
        let notices = |actor: &Actor| self.notices(sensor, actor, senses.z);
        if senses.actors.iter().any(notices) {
            self.hold_open(0.0);
            return true;
        }
        self.elapsed < self.held_until
    }

    /// Stays open as long as its sensor holds it, and for so many seconds at least.
    fn hold_open(&mut self, at_least: f64) {
        if let Some(sensor) = &self.spec.automatic {
            self.held_until = self.elapsed + nanoseconds(sensor.hold.max(at_least));
        }
    }

    fn is_open_by(&self, cycle: &DoorCycle) -> bool {
        let [open, closed] = [cycle.open, cycle.closed].map(nanoseconds);
        let phase = self.elapsed % (open + closed).max(1);
        if self.spec.starts_open {
            phase < open
        } else {
            phase >= closed
        }
    }

    fn notices(&self, sensor: &AutomaticDoor, actor: &Actor, z: ZExtent) -> bool {
        let [along, across] = self.spec.pose.inverse_transform_point(actor.at);
        actor.z.overlaps(&z)
            && along.abs() <= 0.5 * self.spec.width + sensor.margin
            && across.abs() <= sensor.range
    }

    /// How far it gets on its way without pressing into somebody, or deeper than that somebody
    /// presses already. Whoever is pressed gives way: a door that went on by a little in each
    /// step would push.
    fn free_until(&self, wanted: f64, depth_at: &dyn Fn(Pose2) -> f64) -> f64 {
        let depth = |opening: f64| depth_at(self.spec.panel_pose(opening));
        if depth(wanted) == 0.0 {
            return wanted;
        }
        let allowed = depth(self.opening) + ROUNDING;
        if depth(wanted) <= allowed {
            return wanted;
        }
        let (mut free, mut met) = (self.opening, wanted);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (free + met);
            if depth(middle) <= allowed {
                free = middle;
            } else {
                met = middle;
            }
        }
        free
    }
}

/// Seconds in whole nanoseconds.
pub(super) fn nanoseconds(seconds: f64) -> u64 {
    libm::round(seconds * 1e9) as u64
}
