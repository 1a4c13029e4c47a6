//! Doors, people, shelves, chargers, drops and elevators of a layout.
//!
//! Keys have the names of the message fields that they become; what is left out is as the
//! library has it.

use super::error::LayoutError;
use super::ground::Outline;
use super::items::name;
use super::placement::Placement;
use crate::building::{
    AutomaticDoor, BuildingError, ChargerSpec, DoorCycle, DoorKind, DoorSpec, DropSpec,
    ElevatorSpec, ElevatorStop, PersonShape, PersonSpec, Repeat, ShelfSpec, SpeedMode, Walk,
    Waypoint,
};
use crate::world::{PlanarShape, Pose2, ZExtent};
use crate::yaml::{Field, Fields, YamlError};

const SPEED_MODES: [(&str, SpeedMode); 3] = [
    ("default", SpeedMode::Default),
    ("low", SpeedMode::Low),
    ("normal", SpeedMode::Normal),
];

const DOOR_KINDS: [(&str, DoorKind); 2] =
    [("sliding", DoorKind::Sliding), ("hinged", DoorKind::Hinged)];

const REPEATS: [(&str, Repeat); 3] = [
    ("loop", Repeat::Loop),
    ("there_and_back", Repeat::ThereAndBack),
    ("once", Repeat::Once),
];

const PERSON_SHAPES: [(&str, PersonShape); 2] =
    [("legs", PersonShape::LEGS), ("disc", PersonShape::DISC)];

pub(super) fn read_shelf(field: Field<'_>) -> Result<(ShelfSpec, Placement), LayoutError> {
    const KEYS: [&str; 17] = [
        "name",
        "title",
        "x",
        "y",
        "yaw",
        "floor",
        "home",
        "speed_mode",
        "size_x",
        "size_y",
        "height",
        "undersides",
        "plate_thickness",
        "leg_distance_x",
        "leg_distance_y",
        "leg_diameter",
        "mass",
    ];
    let fields = Fields::new(field, &KEYS)?;
    let placement = Placement::read(&fields)?;
    let mut spec = ShelfSpec::new(name(&fields)?, placement.first());
    spec.title = fields.text("title", "")?;
    spec.floor = fields.text("floor", "")?;
    spec.home = fields.text("home", "")?;
    take_choice(&fields, "speed_mode", &SPEED_MODES, &mut spec.speed_mode)?;
    let shape = &mut spec.shape;
    take(&fields, "size_x", &mut shape.plate[0])?;
    take(&fields, "size_y", &mut shape.plate[1])?;
    take(&fields, "height", &mut shape.height)?;
    if let Some(field) = fields.get("undersides") {
        let heights = field.list()?;
        let heights = heights.iter().map(Field::any_number);
        shape.undersides = heights.collect::<Result<_, _>>()?;
    }
    take(&fields, "plate_thickness", &mut shape.plate_thickness)?;
    take(&fields, "leg_distance_x", &mut shape.leg_distance[0])?;
    take(&fields, "leg_distance_y", &mut shape.leg_distance[1])?;
    take(&fields, "leg_diameter", &mut shape.leg_diameter)?;
    take(&fields, "mass", &mut spec.mass)?;
    checked(&fields, spec.check())?;
    Ok((spec, placement))
}

pub(super) fn read_door(field: Field<'_>) -> Result<DoorSpec, LayoutError> {
    const KEYS: [&str; 20] = [
        "name",
        "type",
        "x",
        "y",
        "yaw",
        "floor",
        "width",
        "panel_width",
        "height",
        "thickness",
        "wall_thickness",
        "speed",
        "open",
        "pushes",
        "cycle_open",
        "cycle_closed",
        "automatic",
        "sensor_range",
        "sensor_margin",
        "hold",
    ];
    let fields = Fields::new(field, &KEYS)?;
    let mut kind = DoorKind::default();
    take_choice(&fields, "type", &DOOR_KINDS, &mut kind)?;
    let mut spec = DoorSpec::new(name(&fields)?, kind, fixed_pose(&fields)?);
    spec.floor = fields.text("floor", "")?;
    take(&fields, "width", &mut spec.width)?;
    spec.panel_width = optional(&fields, "panel_width")?;
    take(&fields, "height", &mut spec.height)?;
    take(&fields, "thickness", &mut spec.thickness)?;
    take(&fields, "wall_thickness", &mut spec.wall_thickness)?;
    take(&fields, "speed", &mut spec.speed)?;
    spec.starts_open = fields.flag("open", false)?;
    spec.pushes = fields.flag("pushes", false)?;
    let (open, closed) = (
        optional(&fields, "cycle_open")?,
        optional(&fields, "cycle_closed")?,
    );
    spec.cycle = (open.is_some() || closed.is_some()).then_some(DoorCycle {
        open: open.unwrap_or(0.0),
        closed: closed.unwrap_or(0.0),
    });
    let mut sensor = AutomaticDoor::default();
    take(&fields, "sensor_range", &mut sensor.range)?;
    take(&fields, "sensor_margin", &mut sensor.margin)?;
    take(&fields, "hold", &mut sensor.hold)?;
    spec.automatic = fields.flag("automatic", false)?.then_some(sensor);
    checked(&fields, spec.check())?;
    Ok(spec)
}

pub(super) fn read_person(field: Field<'_>) -> Result<(PersonSpec, Placement), LayoutError> {
    const KEYS: [&str; 15] = [
        "name",
        "x",
        "y",
        "yaw",
        "floor",
        "shape",
        "radius",
        "leg_radius",
        "leg_distance",
        "height",
        "waypoints",
        "speed",
        "pause",
        "repeat",
        "avoids",
    ];
    let fields = Fields::new(field, &KEYS)?;
    let placement = Placement::read(&fields)?;
    let mut spec = PersonSpec::new(name(&fields)?, placement.first());
    spec.floor = fields.text("floor", "")?;
    take_choice(&fields, "shape", &PERSON_SHAPES, &mut spec.shape)?;
    match &mut spec.shape {
        PersonShape::Disc { radius } => take(&fields, "radius", radius)?,
        PersonShape::Legs {
            leg_radius,
            leg_distance,
            radius,
        } => {
            take(&fields, "radius", radius)?;
            take(&fields, "leg_radius", leg_radius)?;
            take(&fields, "leg_distance", leg_distance)?;
        }
    }
    take(&fields, "height", &mut spec.height)?;
    let waypoints = fields.list("waypoints")?;
    let waypoints = waypoints.into_iter().map(read_waypoint);
    let mut walk = Walk::through(waypoints.collect::<Result<_, _>>()?);
    take(&fields, "speed", &mut walk.speed)?;
    take(&fields, "pause", &mut walk.pause)?;
    take_choice(&fields, "repeat", &REPEATS, &mut walk.repeat)?;
    spec.walk = (!walk.waypoints.is_empty()).then_some(walk);
    spec.avoids = fields.flag("avoids", spec.avoids)?;
    checked(&fields, spec.check())?;
    Ok((spec, placement))
}

fn read_waypoint(field: Field<'_>) -> Result<Waypoint, YamlError> {
    let fields = Fields::new(field, &["x", "y", "pause"])?;
    let mut waypoint = Waypoint::new(fields.coordinate("x")?, fields.coordinate("y")?);
    take(&fields, "pause", &mut waypoint.pause)?;
    Ok(waypoint)
}

pub(super) fn read_charger(field: Field<'_>) -> Result<(ChargerSpec, Placement), LayoutError> {
    const KEYS: [&str; 14] = [
        "name",
        "x",
        "y",
        "yaw",
        "floor",
        "panel_size_x",
        "panel_size_y",
        "panel_height",
        "panel_distance",
        "plate_size_x",
        "plate_size_y",
        "plate_height",
        "tolerance",
        "angle_tolerance",
    ];
    let fields = Fields::new(field, &KEYS)?;
    let placement = Placement::read(&fields)?;
    let mut spec = ChargerSpec::new(name(&fields)?, placement.first());
    spec.floor = fields.text("floor", "")?;
    take(&fields, "panel_size_x", &mut spec.panel[0])?;
    take(&fields, "panel_size_y", &mut spec.panel[1])?;
    take(&fields, "panel_height", &mut spec.panel[2])?;
    take(&fields, "panel_distance", &mut spec.panel_distance)?;
    take(&fields, "plate_size_x", &mut spec.plate[0])?;
    take(&fields, "plate_size_y", &mut spec.plate[1])?;
    take(&fields, "plate_height", &mut spec.plate[2])?;
    take(&fields, "tolerance", &mut spec.tolerance)?;
    take(&fields, "angle_tolerance", &mut spec.angle_tolerance)?;
    checked(&fields, spec.check())?;
    Ok((spec, placement))
}

pub(super) fn read_drop(field: Field<'_>) -> Result<DropSpec, LayoutError> {
    let fields = Fields::new(field, &["name", "floor", "points", "depth"])?;
    let corners = "corners [x, y] of a convex region in m, in order";
    let mut spec = DropSpec {
        name: name(&fields)?,
        floor: fields.text("floor", "")?,
        points: fields.need("points", corners)?.points()?,
        depth: DropSpec::DEPTH,
    };
    take(&fields, "depth", &mut spec.depth)?;
    checked(&fields, spec.check())?;
    Ok(spec)
}

pub(super) fn read_elevator(field: Field<'_>) -> Result<ElevatorSpec, LayoutError> {
    const KEYS: [&str; 11] = [
        "name",
        "stops",
        "size_x",
        "size_y",
        "height",
        "wall_thickness",
        "door_width",
        "door_speed",
        "door_sensor",
        "door_hold",
        "ride_time",
    ];
    let fields = Fields::new(field, &KEYS)?;
    let stops = fields.list("stops")?.into_iter().map(read_stop);
    let mut spec = ElevatorSpec::new(name(&fields)?, stops.collect::<Result<_, _>>()?);
    take(&fields, "size_x", &mut spec.size[0])?;
    take(&fields, "size_y", &mut spec.size[1])?;
    take(&fields, "height", &mut spec.height)?;
    take(&fields, "wall_thickness", &mut spec.wall_thickness)?;
    take(&fields, "door_width", &mut spec.door_width)?;
    take(&fields, "door_speed", &mut spec.door_speed)?;
    take(&fields, "door_sensor", &mut spec.door_sensor)?;
    take(&fields, "door_hold", &mut spec.door_hold)?;
    take(&fields, "ride_time", &mut spec.ride_time)?;
    checked(&fields, spec.check())?;
    Ok(spec)
}

fn read_stop(field: Field<'_>) -> Result<ElevatorStop, YamlError> {
    let fields = Fields::new(field, &["name", "floor", "x", "y", "yaw"])?;
    Ok(ElevatorStop {
        floor: fields.text("floor", "")?,
        name: fields.text("name", "")?,
        pose: fixed_pose(&fields)?,
    })
}

/// The ground that a shelf takes up, its floor at this height in m.
pub(super) fn shelf_outline(spec: &ShelfSpec, floor: f64) -> Outline {
    let [x, y] = spec.shape.plate;
    Outline {
        shape: PlanarShape::rectangle(x, y),
        z: ZExtent::new(floor, floor + spec.shape.height),
    }
}

/// The ground that a person takes up, with the floor at this height in m.
pub(super) fn person_outline(spec: &PersonSpec, floor: f64) -> Outline {
    Outline {
        shape: PlanarShape::Disc(spec.shape.reach()),
        z: ZExtent::new(floor, floor + spec.height),
    }
}

/// The ground that a charger and a robot that is docked to it take up, its floor at this
/// height in m. A Kachaka reaches 0.237 m ahead of its base.
pub(super) fn charger_outline(spec: &ChargerSpec, floor: f64) -> Outline {
    let (back, front) = (spec.panel_distance + spec.panel[0], 0.24);
    let half = 0.5 * spec.panel[1].max(spec.plate[1]);
    let corners = vec![[-back, -half], [front, -half], [front, half], [-back, half]];
    Outline {
        shape: PlanarShape::Convex(corners),
        z: ZExtent::new(floor, floor + spec.panel[2]),
    }
}

/// A number in place of the default, if the key is there; its range is checked with the whole.
fn take(fields: &Fields<'_>, key: &'static str, to: &mut f64) -> Result<(), YamlError> {
    if let Some(value) = optional(fields, key)? {
        *to = value;
    }
    Ok(())
}

fn optional(fields: &Fields<'_>, key: &'static str) -> Result<Option<f64>, YamlError> {
    fields.get(key).map(|field| field.any_number()).transpose()
}

fn take_choice<T: Copy>(
    fields: &Fields<'_>,
    key: &'static str,
    of: &[(&str, T)],
    to: &mut T,
) -> Result<(), YamlError> {
    let Some(field) = fields.get(key) else {
        return Ok(());
    };
    let word = field.text()?;
    let found = of.iter().find(|(name, _)| *name == word);
    let Some((_, choice)) = found else {
        let words: Vec<&str> = of.iter().map(|(name, _)| *name).collect();
        return Err(field.wrong(format!("one of {}", words.join(", "))));
    };
    *to = *choice;
    Ok(())
}

/// `x`, `y` and `yaw` of what has its place in a wall.
fn fixed_pose(fields: &Fields<'_>) -> Result<Pose2, YamlError> {
    Ok(Pose2 {
        x: fields.coordinate("x")?,
        y: fields.coordinate("y")?,
        yaw: fields.get("yaw").map_or(Ok(0.0), |field| field.angle())?,
    })
}

/// What the library says of the whole item, with the place of the item.
fn checked(fields: &Fields<'_>, checked: Result<(), BuildingError>) -> Result<(), LayoutError> {
    checked.map_err(|reason| LayoutError::Thing {
        at: fields.at().clone(),
        key: fields.path().to_owned(),
        reason: reason.to_string(),
    })
}
