//! The scene of a world: the one place where cameras know it.

use super::scene::{Level, Material, Pattern, Prism, Scene};
use crate::hash::fnv1a;
use crate::world::{self, EntityShape, PlanarShape, World, ZExtent};

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
/// Colours of discs, by the hash of their names.
const DISC_COLOURS: [[u8; 3]; 5] = [
    [70, 96, 150],
    [150, 62, 62],
    [72, 120, 88],
    [116, 92, 140],
    [120, 112, 100],
];
/// A Kachaka's body: the colour of its description.
const ROBOT: Material = Material::new([92, 98, 102], Pattern::Plain);

/// What stands on a level of a world and reaches into it: things and robots, each under
/// the number of its [`world::BodyKey`] as id.
#[must_use]
pub fn scene_of(world: &World, level: world::Level, options: &SceneOptions) -> Scene {
    let reaches = |z: &ZExtent| level.reached_by(z);
    let mut prisms = Vec::new();
    for entity in world.entities().filter(|entity| reaches(&entity.z())) {
        prisms.push(Prism {
            shape: entity.shape().planar(),
            pose: entity.pose(),
            z: entity.z(),
            material: look_of(entity.shape(), entity.name()),
            id: entity.key().0,
        });
    }
    for (key, footprint, state) in world.robot_bodies() {
        if reaches(&state.z) {
            prisms.push(Prism {
                shape: PlanarShape::from(footprint),
                pose: state.pose,
                z: state.z,
                material: ROBOT,
                id: key.0,
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
        ceiling: ceiling.map(|z| Level {
            z,
            material: Material::CEILING,
        }),
        ambient: options.ambient,
        ..Scene::default()
    }
}

fn look_of(shape: &EntityShape, name: &str) -> Material {
    let hash = fnv1a(name.bytes()) as usize;
    match shape {
        EntityShape::Outline { .. } => Material::WALL,
        EntityShape::Box { .. } => {
            let pattern = [Pattern::Wood, Pattern::Plaster, Pattern::Bricks][hash / 7 % 3];
            Material::new(BOX_COLOURS[hash % BOX_COLOURS.len()], pattern)
        }
        EntityShape::Disc { .. } => {
            Material::new(DISC_COLOURS[hash % DISC_COLOURS.len()], Pattern::Cloth)
        }
    }
}
