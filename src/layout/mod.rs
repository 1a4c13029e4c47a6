//! Layout files: what stands in a world, as YAML.
//!
//! A layout is read and checked whole before anything of it is used. Every error names the
//! file, line, column and key. `docs/layouts.md` describes the format.

mod error;
mod furniture;
mod ground;
mod items;
mod package;
mod placement;
mod robot;
mod transform;
mod wheels;

use std::hash::{BuildHasher, Hasher};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

pub use error::LayoutError;
pub use package::Packages;
pub use robot::{ONBOARD, RobotItem, SENSOR_TYPES, SensorItem};

use crate::building::{ChargerSpec, DoorSpec, DropSpec, ElevatorSpec, PersonSpec, ShelfSpec};
use crate::kachaka::Places;
use crate::world::{BoxSpec, FloorSpec, OutlineSpec, Pose2};
use crate::yaml::{Entry, Field, Fields, Node, Place, Value, hint};
use furniture::{
    charger_outline, person_outline, read_charger, read_door, read_drop, read_elevator,
    read_person, read_shelf, shelf_outline,
};
use ground::Outline;
use items::{Names, read_box, read_floor, read_outline};
use placement::{Placement, Site};

/// Largest layout, model or description that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// Names that `model` takes. Each is a file of the package, `config/<name>.yaml`.
pub const MODELS: [&str; 1] = ["kachaka"];

const LAYOUT_KEYS: [&str; 14] = [
    "floors",
    "outlines",
    "boxes",
    "doors",
    "drops",
    "elevators",
    "chargers",
    "shelves",
    "people",
    "robots",
    "locations",
    "default_location",
    "seed",
    "clearance",
];

/// What is kept free around things that are placed at random, m, when a file does not say:
/// enough for a robot's bumper, chosen by us.
const DEFAULT_CLEARANCE: f64 = 0.1;

/// What stands in a world. Things are in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layout {
    /// Of the draws, when something was placed at random: with it the same layout is had again.
    pub seed: Option<i64>,
    /// Named heights.
    pub floors: Vec<FloorSpec>,
    /// Static rings of walls.
    pub outlines: Vec<OutlineSpec>,
    /// Rectangles.
    pub boxes: Vec<BoxSpec>,
    /// Doors.
    pub doors: Vec<DoorSpec>,
    /// Regions without floor.
    pub drops: Vec<DropSpec>,
    /// Elevators.
    pub elevators: Vec<ElevatorSpec>,
    /// Charging docks.
    pub chargers: Vec<ChargerSpec>,
    /// Shelves.
    pub shelves: Vec<ShelfSpec>,
    /// People.
    pub people: Vec<PersonSpec>,
    /// Robots, each with the text of its description.
    pub robots: Vec<RobotItem>,
    /// Places that its Kachakas know.
    pub places: Places,
    /// Where each of them stands in the file.
    pub(crate) places_at: Vec<Place>,
}

impl Layout {
    /// Reads a layout file; models and descriptions are found with
    /// [`Packages::of_environment`].
    ///
    /// # Errors
    /// When it can't be read or something in it is wrong.
    pub fn load(path: &Path) -> Result<Self, LayoutError> {
        LayoutReader::new(Packages::of_environment(path)).load(path)
    }

    /// Reads the text of a layout. `path` stands in errors and is what relative paths in it
    /// start from.
    ///
    /// # Errors
    /// When something in it is wrong.
    pub fn parse(text: &str, path: &Path) -> Result<Self, LayoutError> {
        LayoutReader::new(Packages::of_environment(path)).parse(text, path)
    }

    /// The height of the floor of a robot, "" = the level at z 0, in m. One that is not here is
    /// for the server to know.
    fn floor_height(&self, name: &str) -> f64 {
        let floor = self.floors.iter().find(|floor| floor.name == name);
        floor.map_or(0.0, |floor| floor.z)
    }
}

/// Reads layouts with given packages and with values that replace those of the file.
#[derive(Debug, Clone, Default)]
pub struct LayoutReader {
    packages: Packages,
    overrides: Vec<String>,
    seed: Option<i64>,
}

/// A thing of a layout by its place in its list.
#[derive(Debug, Clone, Copy)]
enum Thing {
    Box(usize),
    Charger(usize),
    Shelf(usize),
    Person(usize),
    Robot(usize),
}

impl LayoutReader {
    /// A reader that finds models and descriptions in these packages.
    #[must_use]
    pub fn new(packages: Packages) -> Self {
        Self {
            packages,
            overrides: Vec::new(),
            seed: None,
        }
    }

    /// Draws with this seed, whatever the file says.
    #[must_use]
    pub fn seed(mut self, seed: i64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Replaces a value of a robot: `<robot>.<key>=<value>`, keys of keys with dots, the value
    /// in YAML. Later ones win. Checked when a layout is read.
    #[must_use]
    pub fn set(mut self, argument: &str) -> Self {
        self.overrides.push(argument.to_owned());
        self
    }

    /// Reads a layout file.
    ///
    /// # Errors
    /// When it can't be read or something in it is wrong.
    pub fn load(&self, path: &Path) -> Result<Layout, LayoutError> {
        let text = read_file(path).map_err(|reason| LayoutError::Unreadable {
            path: path.to_owned(),
            reason,
        })?;
        self.parse(&text, path)
    }

    /// Reads the text of a layout. `path` stands in errors and is what relative paths in it
    /// start from.
    ///
    /// # Errors
    /// When something in it is wrong.
    pub fn parse(&self, text: &str, path: &Path) -> Result<Layout, LayoutError> {
        let mut root = read_tree(text, path)?;
        for argument in &self.overrides {
            apply_override(&mut root, argument)?;
        }
        let field = Field {
            path: String::new(),
            node: &root,
        };
        let fields = Fields::new(field, &LAYOUT_KEYS)?;
        let mut names = Names::default();
        let mut site = Site::default();
        let mut layout = Layout::default();
        for field in fields.list("floors")? {
            let floor = read_floor(field.clone())?;
            names.take(&field, &floor.name)?;
            layout.floors.push(floor);
        }
        for field in fields.list("outlines")? {
            let outline = read_outline(field.clone())?;
            names.take(&field, &outline.name)?;
            site.stand(Outline::of_ring(&outline), Pose2::default());
            layout.outlines.push(outline);
        }
        for field in fields.list("boxes")? {
            let (item, placement) = read_box(field.clone())?;
            names.take(&field, &item.name)?;
            let thing = Thing::Box(layout.boxes.len());
            site.take(thing, &field, &item.name, placement, Outline::of_box(&item));
            layout.boxes.push(item);
        }
        self.read_furniture(&fields, &mut layout, &mut names, &mut site)?;
        for field in fields.list("robots")? {
            let (robot, placement) = self.read_robot(&field)?;
            names.take(&field, &robot.name)?;
            let thing = Thing::Robot(layout.robots.len());
            let outline = robot.outline(layout.floor_height(&robot.floor));
            site.take(thing, &field, &robot.name, placement, outline);
            layout.robots.push(robot);
        }
        self.place(&mut layout, site, &fields)?;
        layout.places = Places::read(&fields)?;
        for field in fields.list("locations")? {
            let id = field.node.get("id").unwrap_or(field.node);
            layout.places_at.push(id.at.clone());
        }
        Ok(layout)
    }

    /// What does something in the building.
    fn read_furniture(
        &self,
        fields: &Fields<'_>,
        layout: &mut Layout,
        names: &mut Names,
        site: &mut Site<Thing>,
    ) -> Result<(), LayoutError> {
        for field in fields.list("doors")? {
            let door = read_door(field.clone())?;
            names.take(&field, &door.name)?;
            layout.doors.push(door);
        }
        for field in fields.list("drops")? {
            let region = read_drop(field.clone())?;
            names.take(&field, &region.name)?;
            let floor = layout.floor_height(&region.floor);
            site.stand(Outline::of_drop(&region, floor), Pose2::default());
            layout.drops.push(region);
        }
        for field in fields.list("elevators")? {
            let elevator = read_elevator(field.clone())?;
            names.take(&field, &elevator.name)?;
            layout.elevators.push(elevator);
        }
        for field in fields.list("chargers")? {
            let (charger, placement) = read_charger(field.clone())?;
            names.take(&field, &charger.name)?;
            let outline = charger_outline(&charger, layout.floor_height(&charger.floor));
            let thing = Thing::Charger(layout.chargers.len());
            site.take(thing, &field, &charger.name, placement, outline);
            layout.chargers.push(charger);
        }
        for field in fields.list("shelves")? {
            let (shelf, placement) = read_shelf(field.clone())?;
            names.take(&field, &shelf.name)?;
            let outline = shelf_outline(&shelf, layout.floor_height(&shelf.floor));
            let thing = Thing::Shelf(layout.shelves.len());
            site.take(thing, &field, &shelf.name, placement, outline);
            layout.shelves.push(shelf);
        }
        for field in fields.list("people")? {
            let (person, placement) = read_person(field.clone())?;
            names.take(&field, &person.name)?;
            let outline = person_outline(&person, layout.floor_height(&person.floor));
            let thing = Thing::Person(layout.people.len());
            site.take(thing, &field, &person.name, placement, outline);
            layout.people.push(person);
        }
        Ok(())
    }

    /// Draws what the file leaves to chance.
    fn place(
        &self,
        layout: &mut Layout,
        site: Site<Thing>,
        fields: &Fields<'_>,
    ) -> Result<(), LayoutError> {
        let given = fields.get("seed").map(|field| field.whole_number());
        let clearance = fields.get("clearance").map(|field| field.not_negative());
        let (given, clearance) = (given.transpose()?, clearance.transpose()?);
        if !site.is_random() {
            return Ok(());
        }
        let seed = self.seed.or(given).unwrap_or_else(any_seed);
        layout.seed = Some(seed);
        for (thing, pose) in site.settle(clearance.unwrap_or(DEFAULT_CLEARANCE), seed)? {
            match thing {
                Thing::Box(index) => layout.boxes[index].pose = pose,
                Thing::Charger(index) => layout.chargers[index].pose = pose,
                Thing::Shelf(index) => layout.shelves[index].pose = pose,
                Thing::Person(index) => layout.people[index].pose = pose,
                Thing::Robot(index) => layout.robots[index].pose = pose,
            }
        }
        Ok(())
    }

    fn read_robot(&self, field: &Field<'_>) -> Result<(RobotItem, Placement), LayoutError> {
        let Some(model) = field.node.get("model") else {
            return RobotItem::read(field.clone(), &self.packages);
        };
        let model = Field {
            path: format!("{}.model", field.path),
            node: model,
        };
        let mut merged = self.read_model(&model)?;
        // A body is a disc or a polygon: one given here replaces either of the model's.
        for shape in ["radius", "footprint"] {
            if field.node.get(shape).is_some() {
                merged.remove("radius");
                merged.remove("footprint");
            }
        }
        merged.overlay(field.node.clone());
        let field = Field {
            path: field.path.clone(),
            node: &merged,
        };
        RobotItem::read(field, &self.packages)
    }

    /// The keys that a model gives.
    fn read_model(&self, field: &Field<'_>) -> Result<Node, LayoutError> {
        let model = field.text()?;
        if !MODELS.contains(&model.as_str()) {
            let hint = hint(&model, &MODELS);
            return Err(field.wrong(format!("a model; {hint}")).into());
        }
        let unusable = |reason| LayoutError::File {
            at: field.node.at.clone(),
            key: field.path.clone(),
            value: model.clone(),
            reason,
        };
        let path =
            package::own_file(&format!("config/{model}.yaml"), &self.packages).map_err(unusable)?;
        let text =
            read_file(&path).map_err(|reason| unusable(format!("{}: {reason}", path.display())))?;
        let node = read_tree(&text, &path)?;
        let root = Field {
            path: format!("model {model}"),
            node: &node,
        };
        Fields::new(root, &robot::ROBOT_KEYS)?;
        Ok(node)
    }
}

/// The mapping that a file holds.
fn read_tree(text: &str, path: &Path) -> Result<Node, LayoutError> {
    let source: Arc<str> = path.to_string_lossy().into();
    let node = Node::read(text, &source)?;
    match node.value {
        Value::Empty => Err(LayoutError::Empty {
            at: Place::whole(&source),
            keys: LAYOUT_KEYS.join(", "),
        }),
        _ => Ok(node),
    }
}

/// Puts one `<robot>.<key>=<value>` into a layout.
fn apply_override(root: &mut Node, argument: &str) -> Result<(), LayoutError> {
    let wrong = |reason: String| LayoutError::Override {
        argument: argument.to_owned(),
        reason,
    };
    let (target, text) = argument
        .split_once('=')
        .ok_or_else(|| wrong("it must look like robot.key=value".to_owned()))?;
    let robots = match root.get_mut("robots").map(|node| &mut node.value) {
        Some(Value::List(robots)) => robots.as_mut_slice(),
        _ => &mut [],
    };
    let names: Vec<String> = robots.iter().filter_map(name_of).collect();
    // Names may hold dots, so the name is looked for, not cut off.
    let robot = robots.iter_mut().find_map(|robot| {
        let keys = target.strip_prefix(&name_of(robot)?)?.strip_prefix('.')?;
        Some((robot, keys.to_owned()))
    });
    let Some((robot, keys)) = robot else {
        let known = names.join(", ");
        return Err(wrong(format!(
            "it must start with the name of a robot and a dot; robots are: {known}"
        )));
    };
    let source: Arc<str> = format!("--set {argument}").into();
    let at = Place::whole(&source);
    let mut value = match text {
        "" => Value::Text(String::new()),
        _ => Node::read(text, &source)?.value,
    };
    for key in keys.rsplit('.') {
        value = Value::Map(vec![Entry {
            key: key.to_owned(),
            key_at: at.clone(),
            node: Node {
                at: at.clone(),
                value,
            },
        }]);
    }
    let robot_at = robot.at.clone();
    robot.overlay(Node {
        at: robot_at,
        value,
    });
    Ok(())
}

/// Another one at each call. Short enough to be typed again.
fn any_seed() -> i64 {
    let hasher = std::hash::RandomState::new().build_hasher();
    (hasher.finish() % 1_000_000) as i64
}

fn name_of(robot: &Node) -> Option<String> {
    match &robot.get("name")?.value {
        Value::Text(name) => Some(name.clone()),
        _ => None,
    }
}

/// The text of a file that is not larger than [`MAX_FILE_BYTES`].
fn read_file(path: &Path) -> Result<String, String> {
    // A pipe would be waited for without end.
    let kind = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !kind.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut text = String::new();
    file.take(MAX_FILE_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|error| error.to_string())?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(format!("it is larger than {} MiB", MAX_FILE_BYTES >> 20));
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
