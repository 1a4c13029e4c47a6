//! Commands under a name, as the app of the real robot makes them.

use crate::kachaka::Command;
use crate::yaml::{Field, Fields, YamlError, hint};

use super::values::{ANGLE, DISTANCE, DURATION, SHORT_TEXT, id_or_none, needed_id, pose, text};

/// Commands under a name.
#[derive(Debug, Clone, PartialEq)]
pub struct ShortcutConfig {
    /// What it is started by.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What it does, in this order; at least one.
    pub commands: Vec<Command>,
}

const TYPES: [&str; 12] = [
    "move_to_location",
    "return_home",
    "move_to_pose",
    "move_forward",
    "rotate_in_place",
    "speak",
    "lock",
    "localize",
    "move_shelf",
    "return_shelf",
    "dock_shelf",
    "undock_shelf",
];

impl ShortcutConfig {
    pub(super) fn read(field: Field<'_>) -> Result<Self, YamlError> {
        let fields = Fields::new(field, &["id", "name", "commands"])?;
        let id = needed_id(&fields, "id")?;
        let name = fields.get("name").map_or(Ok(id.clone()), |f| text(&f))?;
        // More than that can never be accepted at once.
        let needed = "a list of 1 to 1000 commands";
        let list = fields.need("commands", needed)?;
        let items = list.list()?;
        if items.is_empty() || items.len() > 1_000 {
            return Err(list.wrong(needed));
        }
        let commands = (items.into_iter())
            .map(Command::read)
            .collect::<Result<_, _>>()?;
        Ok(Self { id, name, commands })
    }
}

/// A speed, or 0 for the robot's own.
fn own_or_speed(field: &Field<'_>) -> Result<f64, YamlError> {
    let fits = |value: f64| value == 0.0 || (0.01..=100.0).contains(&value);
    field.number_where(fits, "0 (the robot's own) or a number from 0.01 to 100 m/s")
}

impl Command {
    /// Reads a command with its `type` and the keys of that type.
    fn read(field: Field<'_>) -> Result<Self, YamlError> {
        let wanted = format!("a mapping with \"type\", one of {}", TYPES.join(", "));
        let Some(node) = field.node.get("type") else {
            return Err(field.wrong(wanted));
        };
        let kind = Field {
            path: format!("{}.type", field.path),
            node,
        };
        let name = kind.text()?;
        match name.as_str() {
            "move_to_location" => {
                let fields = Fields::new(field, &["type", "location_id"])?;
                let location_id = needed_id(&fields, "location_id")?;
                Ok(Self::MoveToLocation {
                    location_id,
                    source_location_id: String::new(),
                })
            }
            "return_home" => Fields::new(field, &["type"]).map(|_| Self::ReturnHome),
            "move_to_pose" => {
                let fields = Fields::new(field, &["type", "x", "y", "yaw"])?;
                Ok(Self::MoveToPose {
                    pose: pose(&fields)?,
                })
            }
            "move_forward" => {
                let fields = Fields::new(field, &["type", "distance", "speed"])?;
                Ok(Self::MoveForward {
                    distance: DISTANCE.needed(&fields, "distance")?,
                    speed: fields.get("speed").map_or(Ok(0.0), |f| own_or_speed(&f))?,
                    mute_sensors: false,
                })
            }
            "rotate_in_place" => {
                let fields = Fields::new(field, &["type", "angle"])?;
                let angle = ANGLE.needed(&fields, "angle")?;
                Ok(Self::RotateInPlace { angle })
            }
            "speak" => {
                let fields = Fields::new(field, &["type", "text"])?;
                let text = text(&fields.need("text", SHORT_TEXT)?)?;
                Ok(Self::Speak { text })
            }
            "lock" => {
                let fields = Fields::new(field, &["type", "duration"])?;
                let duration = DURATION.needed(&fields, "duration")?;
                Ok(Self::Lock { duration })
            }
            "localize" => Fields::new(field, &["type"]).map(|_| Self::Localize),
            "move_shelf" => {
                let fields = Fields::new(field, &["type", "shelf_id", "location_id"])?;
                Ok(Self::MoveShelf {
                    shelf_id: needed_id(&fields, "shelf_id")?,
                    location_id: needed_id(&fields, "location_id")?,
                    undock_on_destination: false,
                })
            }
            "return_shelf" | "undock_shelf" => {
                let fields = Fields::new(field, &["type", "shelf_id"])?;
                let shelf_id = id_or_none(&fields, "shelf_id")?;
                Ok(match name.as_str() {
                    "return_shelf" => Self::ReturnShelf { shelf_id },
                    _ => Self::UndockShelf { shelf_id },
                })
            }
            "dock_shelf" => Fields::new(field, &["type"]).map(|_| Self::DockShelf),
            _ => {
                let hint = hint(&name, &TYPES);
                Err(kind.wrong(format!("a type of command; {hint}")))
            }
        }
    }
}
