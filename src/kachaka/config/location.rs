//! Registered places.

use super::values::{choice, needed_id, pose, read_unique, text};
use crate::kachaka::{Location, locations};
use crate::yaml::{Field, Fields, YamlError, hint};

/// What a registered place is for. The numbers are those of kachaka-api.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LocationKind {
    /// A place to go to.
    #[default]
    Ordinary = 0,
    /// Where the charger stands.
    Charger = 1,
    /// Where a shelf belongs.
    ShelfHome = 2,
    /// A marker that helps the robot to find its pose.
    SlamMarker = 3,
}

impl LocationKind {
    /// All kinds with their names in YAML.
    pub const ALL: [(&'static str, Self); 4] = [
        ("ordinary", Self::Ordinary),
        ("charger", Self::Charger),
        ("shelf_home", Self::ShelfHome),
        ("slam_marker", Self::SlamMarker),
    ];

    /// The kind with this number, if there is one.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        (Self::ALL.iter().map(|(_, kind)| *kind)).find(|kind| *kind as u8 == number)
    }
}

const KEYS: [&str; 9] = [
    "id",
    "name",
    "type",
    "x",
    "y",
    "yaw",
    "undock_shelf_aligning_to_wall",
    "undock_shelf_avoiding_obstacles",
    "ignore_voice_recognition",
];

impl Location {
    fn read(field: Field<'_>) -> Result<Self, YamlError> {
        let fields = Fields::new(field, &KEYS)?;
        let flag = |key| fields.flag(key, false);
        let id = needed_id(&fields, "id")?;
        let kind = match fields.get("type") {
            Some(field) => choice(&field, &LocationKind::ALL)?,
            None => LocationKind::default(),
        };
        Ok(Self {
            name: fields.get("name").map_or(Ok(id.clone()), |f| text(&f))?,
            id,
            kind,
            pose: pose(&fields)?,
            undock_shelf_aligning_to_wall: flag("undock_shelf_aligning_to_wall")?,
            undock_shelf_avoiding_obstacles: flag("undock_shelf_avoiding_obstacles")?,
            ignore_voice_recognition: flag("ignore_voice_recognition")?,
        })
    }
}

/// Registered places and the one that counts where none is named.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Places {
    /// In the map frame, told apart by their ids.
    pub locations: Vec<Location>,
    /// Id of one of them, "" = none.
    pub default_location: String,
}

impl Places {
    /// Reads the keys `locations` and `default_location` of a mapping.
    ///
    /// # Errors
    /// When a place is wrong, two have the same id, there are too many or with too long
    /// names, or the default is none of them.
    pub(crate) fn read(fields: &Fields<'_>) -> Result<Self, YamlError> {
        let locations = read_unique(
            fields,
            "locations",
            locations::MAX_LOCATIONS,
            Location::read,
            |l| &l.id,
        )?;
        let bytes: usize = (locations.iter())
            .map(|place| place.id.len() + place.name.len())
            .sum();
        if let Some(field) = fields.get("locations")
            && bytes > locations::MAX_TEXT_BYTES
        {
            return Err(field.wrong(format!(
                "locations with at most {} bytes of ids and names together, not {bytes}",
                locations::MAX_TEXT_BYTES
            )));
        }
        let default_location = match fields.get("default_location") {
            Some(field) => default_among(&locations, &field)?,
            None => String::new(),
        };
        Ok(Self {
            locations,
            default_location,
        })
    }
}

/// The id of one of the places, or "".
fn default_among(locations: &[Location], field: &Field<'_>) -> Result<String, YamlError> {
    let id = field.text()?;
    let ids: Vec<&str> = locations.iter().map(|l| l.id.as_str()).collect();
    if id.is_empty() || ids.contains(&id.as_str()) {
        return Ok(id);
    }
    let known = match ids.is_empty() {
        true => "there are none".to_owned(),
        false => hint(&id, &ids),
    };
    Err(field.wrong(format!("the id of one of the locations, or \"\"; {known}")))
}
