//! What a picture is drawn from: vertical prisms between a floor and a ceiling.

use nalgebra::{Point3, Unit, Vector3};

use crate::world::{PlanarShape, Pose2, ZExtent};

/// Everything there is to see.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// The things, in any order; where two faces lie in one place, the first one is seen.
    pub prisms: Vec<Prism>,
    /// The floor, endless.
    pub floor: Option<Level>,
    /// Regions without floor.
    pub holes: Vec<Hole>,
    /// The ceiling, endless.
    pub ceiling: Option<Level>,
    /// Light from everywhere: 1 shows colours as they are.
    pub ambient: f32,
    /// Lamps.
    pub torches: Vec<Torch>,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            prisms: Vec::new(),
            floor: Some(Level {
                z: 0.0,
                material: Material::FLOOR,
            }),
            holes: Vec::new(),
            ceiling: None,
            ambient: 1.0,
            torches: Vec::new(),
        }
    }
}

/// A shape in the plane from one height to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Prism {
    /// Outline: a solid, or a ring of walls without thickness that are seen from both sides.
    pub shape: PlanarShape,
    /// Of the shape in the world.
    pub pose: Pose2,
    /// Heights in the world; an end that is infinite counts as 100 m away from the camera.
    pub z: ZExtent,
    /// How it looks.
    pub material: Material,
    /// What it belongs to; parts of one thing share it. Not [`super::NOTHING`].
    pub id: u32,
    /// The id of what carries it, whose cameras do not see it either.
    pub carrier: Option<u32>,
}

/// A horizontal plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Height in the world, m.
    pub z: f64,
    /// How it looks.
    pub material: Material,
}

/// A region without floor.
#[derive(Debug, Clone, PartialEq)]
pub struct Hole {
    /// A convex polygon, counter-clockwise, or a disc.
    pub shape: PlanarShape,
    /// Of the shape in the world.
    pub pose: Pose2,
    /// How far the ground in it lies below the floor, m.
    pub depth: f64,
}

/// Colour and pattern.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Red, green and blue as in the picture, in full light.
    pub colour: [u8; 3],
    /// What is on it.
    pub pattern: Pattern,
}

/// A pattern that makes places on a surface differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pattern {
    /// Faint grain, as of paint or plastic.
    Plain,
    /// Blotches and scratches, as of a used wall.
    Plaster,
    /// Bricks of 25 by 6 cm.
    Bricks,
    /// Tiles of 50 cm with joints.
    Tiles,
    /// Boards with grain.
    Wood,
    /// Weave and folds.
    Cloth,
}

impl Pattern {
    pub(super) const ALL: [Self; 6] = [
        Self::Plain,
        Self::Plaster,
        Self::Bricks,
        Self::Tiles,
        Self::Wood,
        Self::Cloth,
    ];
}

impl Material {
    /// A floor of light tiles.
    pub const FLOOR: Self = Self::new([168, 160, 148], Pattern::Tiles);
    /// A ceiling.
    pub const CEILING: Self = Self::new([226, 226, 222], Pattern::Tiles);
    /// A painted wall.
    pub const WALL: Self = Self::new([206, 200, 186], Pattern::Plaster);

    /// A material.
    #[must_use]
    pub const fn new(colour: [u8; 3], pattern: Pattern) -> Self {
        Self { colour, pattern }
    }
}

/// A lamp that shines in a cone and throws no shadows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Torch {
    /// Where it is in the world, m.
    pub position: Point3<f64>,
    /// Where it shines.
    pub direction: Unit<Vector3<f64>>,
    /// Light on what faces it at a distance of 1 m on its axis: 1 is as much as ambient
    /// light of 1. With the distance d it falls as 1.25 / (d² + 0.25).
    pub strength: f32,
    /// Angle from the axis at which the light is gone, rad.
    pub half_angle: f64,
}

impl Torch {
    /// Light at 1 m of a torch at full level; estimate.
    pub const FULL_STRENGTH: f32 = 0.9;
    /// Half of the torch's cone, rad; estimate.
    pub const HALF_ANGLE: f64 = 0.7;

    /// A torch of a robot at a level of 0 to 255; nothing at level 0.
    #[must_use]
    pub fn of_level(
        position: Point3<f64>,
        direction: Unit<Vector3<f64>>,
        level: u8,
    ) -> Option<Self> {
        (level > 0).then(|| Self {
            position,
            direction,
            strength: Self::FULL_STRENGTH * f32::from(level) / 255.0,
            half_angle: Self::HALF_ANGLE,
        })
    }
}
