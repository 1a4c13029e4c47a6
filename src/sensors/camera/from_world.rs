//! The scene of a world: the one place where cameras know it.

use super::detection::{Label, Target};
use super::scene::{Hole, Level, Material, Pattern, Prism, Scene};
use crate::hash::fnv1a;
use crate::world::{self, Entity, Kind, PlanarShape, World};

/// How a world looks where it does not say it itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SceneOptions {
    /// Light from everywhere: 1 shows colours as they are.
    pub ambient: f32,
    /// Height above the floor of a ceiling where no floor lies above, m; `None` is open to
    /// the sky, as it is for rays.
    pub ceiling: Option<f64>,
}

impl Default for SceneOptions {
    fn default() -> Self {
        Self {
            ambient: 1.0,
            ceiling: None,
        }
    }
}

/// Colours of boxes, by the hash of their names.
const BOX_COLOURS: [[u8; 3]; 6] = [
    [172, 120, 72],
    [96, 128, 164],
    [150, 150, 146],
    [178, 86, 70],
    [110, 140, 98],
    [196, 168, 104],
];
/// Colours of discs and of people's clothes, by the hash of their names.
const CLOTH_COLOURS: [[u8; 3]; 5] = [
    [70, 96, 150],
    [150, 62, 62],
    [72, 120, 88],
    [116, 92, 140],
    [120, 112, 100],
];
/// A Kachaka's body: the colour of its description.
const ROBOT: Material = Material::new([92, 98, 102], Pattern::Plain);
const SHELF_PLATE: Material = Material::new([202, 164, 118], Pattern::Wood);
const SHELF_LEG: Material = Material::new([84, 84, 88], Pattern::Plain);
const DOOR: Material = Material::new([150, 160, 172], Pattern::Plain);
const CHARGER: Material = Material::new([46, 48, 54], Pattern::Plain);
const ELEVATOR: Material = Material::new([164, 166, 168], Pattern::Plain);

/// What stands on a level of a world and reaches into it: things and robots, each under
/// the number of its [`world::BodyKey`] as id, and the drops in its floor.
#[must_use]
pub fn scene_of(world: &World, level: world::Level, options: &SceneOptions) -> Scene {
    let mut prisms = Vec::new();
    let mut holes = Vec::new();
    for entity in world.entities() {
        if entity.kind() == Kind::Drop {
            holes.extend(holes_of(entity, level));
        } else if level.reached_by(&entity.z()) {
            let carrier = (world.carrier_of(entity.name()))
                .and_then(|robot| world.robot_key(robot).ok())
                .map(|key| key.0);
            add_parts(entity, carrier, &mut prisms);
        }
    }
    for (key, footprint, state) in world.robot_bodies() {
        if level.reached_by(&state.z) {
            prisms.push(Prism {
                shape: PlanarShape::from(footprint),
                pose: state.pose,
                z: state.z,
                material: ROBOT,
                id: key.0,
                carrier: None,
            });
        }
    }
    // Where faces lie in one place the first is seen: in an order that names do not change.
    prisms.sort_by_key(|prism| prism.id);
    let ceiling = if level.ceiling.is_finite() {
        Some(level.ceiling)
    } else {
        options.ceiling.map(|height| level.floor + height)
    };
    Scene {
        prisms,
        floor: Some(Level {
            z: level.floor,
            material: Material::FLOOR,
        }),
        holes,
        ceiling: ceiling.map(|z| Level {
            z,
            material: Material::CEILING,
        }),
        ambient: options.ambient,
        torches: Vec::new(),
    }
}

/// What a detector knows of a world, on all levels: people, shelves, chargers and doors.
#[must_use]
pub fn targets_of(world: &World) -> Vec<Target> {
    let target = |entity: &Entity| {
        let label = match entity.kind() {
            Kind::Person => Label::Person,
            Kind::Shelf => Label::Shelf,
            Kind::Charger => Label::Charger,
            Kind::Door => Label::Door,
            _ => return None,
        };
        let id = entity.key().0;
        Some(Target { id, label })
    };
    world.entities().filter_map(target).collect()
}

fn add_parts(entity: &Entity, carrier: Option<u32>, prisms: &mut Vec<Prism>) {
    let pose = entity.pose();
    for part in entity.parts() {
        prisms.push(Prism {
            pose: part.placed(&pose),
            z: part.z,
            material: look_of(entity.kind(), entity.name(), &part.shape),
            shape: part.shape,
            id: entity.key().0,
            carrier,
        });
    }
}

/// The regions of a drop in the floor of a level.
fn holes_of(drop: &Entity, level: world::Level) -> impl Iterator<Item = Hole> {
    let pose = drop.pose();
    let parts = drop.parts().into_iter();
    let here = parts.filter(move |part| part.z.max == level.floor);
    here.map(move |part| Hole {
        pose: part.placed(&pose),
        depth: level.floor - part.z.min,
        shape: part.shape,
    })
}

fn look_of(kind: Kind, name: &str, shape: &PlanarShape) -> Material {
    let hash = fnv1a(name.bytes()) as usize;
    let cloth = || Material::new(CLOTH_COLOURS[hash % CLOTH_COLOURS.len()], Pattern::Cloth);
    match kind {
        Kind::Box => {
            let pattern = [Pattern::Wood, Pattern::Plaster, Pattern::Bricks][hash / 7 % 3];
            Material::new(BOX_COLOURS[hash % BOX_COLOURS.len()], pattern)
        }
        Kind::Disc | Kind::Person => cloth(),
        Kind::Shelf if matches!(shape, PlanarShape::Disc(_)) => SHELF_LEG,
        Kind::Shelf => SHELF_PLATE,
        Kind::Door => DOOR,
        Kind::Charger => CHARGER,
        Kind::Elevator => ELEVATOR,
        Kind::Robot => ROBOT,
        Kind::Outline | Kind::Floor | Kind::Drop => Material::WALL,
    }
}
