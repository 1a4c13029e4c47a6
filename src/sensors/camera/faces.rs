//! The faces of a scene that a camera may see, as planes over its picture.

use nalgebra::{Isometry3, Vector3};

use super::lens::Lens;
use super::outline::{Corners, Outlines, Window};
use super::scene::{Hole, Level, Material, Prism, Scene};
use super::texture;
use crate::sensors::noise::mix;
use crate::world::{PlanarShape, Pose2, ZExtent};

/// What a face does to the pixels it covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaceKind {
    /// Is seen where it is nearest.
    Surface,
    /// Takes the floor away that came before it.
    Opening,
}

/// A flat face. Its maps are linear in the ideal coordinates x and y of a pixel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Face {
    pub(super) kind: FaceKind,
    /// 1 / depth = a x + b y + c.
    pub(super) inverse_depth: [f32; 3],
    /// Places on the face, m: depth (a x + b y + c) + d.
    pub(super) u: [f32; 4],
    pub(super) v: [f32; 4],
    /// Where it ends along u and v, m; infinite where its edges are not to be shaded.
    pub(super) u_ends: [f32; 2],
    pub(super) v_ends: [f32; 2],
    /// Unit vector towards the camera's side, in the camera's frame.
    pub(super) normal: [f32; 3],
    /// 1 / length along u; 0 where it has no ends.
    pub(super) per_length: f32,
    /// 1 / distance of the plane from the camera, 1/m.
    pub(super) per_distance: f32,
    /// Red, green and blue, 0 to 1.
    pub(super) colour: [f32; 3],
    /// The light in which its brightest colour is 1.
    pub(super) light_max: f32,
    /// Share of the ambient light at either end along u.
    pub(super) shade: [f32; 2],
    /// Place among the textures.
    pub(super) pattern: usize,
    /// Place among the prisms plus one; 0 for floor, ceiling and sky.
    pub(super) prism: u32,
}

/// The camera in the world.
#[derive(Debug, Clone, Copy)]
pub(super) struct Eye {
    pub(super) position: Vector3<f64>,
    /// Its x (right), y (down) and z (forward) in the world.
    axes: [Vector3<f64>; 3],
}

impl Eye {
    pub(super) fn new(pose: &Isometry3<f64>) -> Self {
        Self {
            position: pose.translation.vector,
            axes: [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| pose.rotation * axis),
        }
    }

    /// A direction of the world in the camera's frame.
    pub(super) fn turn(&self, direction: &Vector3<f64>) -> [f64; 3] {
        self.axes.map(|axis| axis.dot(direction))
    }

    /// A point of the world in the camera's frame.
    pub(super) fn place(&self, point: &Vector3<f64>) -> [f64; 3] {
        self.turn(&(point - self.position))
    }
}

/// An infinite height counts as this far from the camera, m.
const ENDLESS: f64 = 100.0;
/// A plane that is nearer to the camera than this is seen edge-on, m.
const EDGE_ON: f64 = 1e-7;
/// Where the light comes from that makes sides differ: a unit vector in the plane.
const SIDE_LIGHT: [f64; 2] = [0.8, 0.6];
/// Largest width on the screen of one flat part of a round side, pixels.
const FACET_PIXELS: f64 = 8.0;
/// How far a flat part of a round side may lie inside the circle, m, if a part has a pixel.
const FACET_DEPTH: f64 = 1e-3;

/// Collects the faces of a scene.
pub(super) struct FaceBuilder<'a> {
    pub(super) eye: &'a Eye,
    pub(super) lens: &'a Lens,
    pub(super) window: &'a Window,
    /// Pixels per unit of ideal coordinates, about.
    pub(super) focal: f64,
    pub(super) outlines: &'a mut Outlines,
    pub(super) faces: &'a mut Vec<Face>,
    /// Pixels of each face and its prism, before anything hides them.
    pub(super) covered: &'a mut Vec<(u32, u32)>,
    pub(super) corners: &'a mut Corners,
}

/// How one prism looks.
#[derive(Clone, Copy)]
struct Look {
    material: Material,
    prism: u32,
    /// Start of its pattern, m: so that two boxes of one kind differ.
    offset: f64,
}

/// A plane with places on it, in the world.
struct Plane {
    normal: Vector3<f64>,
    /// A point in it, where u and v begin.
    origin: Vector3<f64>,
    along_u: Vector3<f64>,
    along_v: Vector3<f64>,
    /// What u and v are at the origin.
    start: [f64; 2],
}

impl FaceBuilder<'_> {
    /// Adds what a scene holds; the number of faces before those that have spans: sky,
    /// floor and ceiling.
    pub(super) fn scene(&mut self, scene: &Scene, without: Option<u32>) -> u32 {
        self.sky();
        for (level, is_floor) in [(scene.floor, true), (scene.ceiling, false)] {
            if let Some(level) = level {
                self.level(&level, is_floor);
            }
        }
        let endless = self.faces.len() as u32;
        if let Some(floor) = &scene.floor {
            // Every opening first: it would take away what is drawn before it.
            for hole in &scene.holes {
                self.opening(hole, floor);
            }
            for hole in &scene.holes {
                self.pit(hole, floor);
            }
        }
        for (prism, number) in scene.prisms.iter().zip(1..) {
            let is_own = |id: u32| Some(id) == without;
            if !is_own(prism.id) && !prism.carrier.is_some_and(is_own) {
                self.prism(prism, number);
            }
        }
        endless
    }

    fn sky(&mut self) {
        self.faces.push(Face {
            kind: FaceKind::Surface,
            inverse_depth: [0.0; 3],
            u: [0.0; 4],
            v: [0.0; 4],
            u_ends: [f32::NEG_INFINITY, f32::INFINITY],
            v_ends: [f32::NEG_INFINITY, f32::INFINITY],
            normal: [0.0; 3],
            per_length: 0.0,
            per_distance: 1.0,
            colour: [0.0; 3],
            light_max: 1.0,
            shade: [0.0; 2],
            pattern: 0,
            prism: 0,
        });
    }

    fn level(&mut self, level: &Level, is_floor: bool) {
        let above = self.eye.position.z - level.z;
        // Seen from its one side only.
        if above.abs() < EDGE_ON || (above > 0.0) != is_floor {
            return;
        }
        let look = Look {
            material: level.material,
            prism: 0,
            offset: 0.0,
        };
        let plane = horizontal(&Pose2::default(), level.z, is_floor);
        let shade = if is_floor { 0.94 } else { 0.9 };
        let face = self.face(&plane, &look, [shade; 2]);
        self.faces.extend(face);
    }

    fn prism(&mut self, prism: &Prism, number: u32) {
        let at = self.eye.position.z;
        let z = ZExtent::new(prism.z.min.max(at - ENDLESS), prism.z.max.min(at + ENDLESS));
        let has_place = prism.pose.is_finite() && z.min < z.max;
        if !has_place || self.is_out(&prism.shape, &prism.pose, z) {
            return;
        }
        let look = Look {
            material: prism.material,
            prism: number,
            offset: (mix(u64::from(prism.id)) >> 54) as f64 / 1024.0,
        };
        match &prism.shape {
            PlanarShape::Ring(points) => self.sides(points, &prism.pose, z, &look, true),
            PlanarShape::Convex(points) => {
                self.sides(points, &prism.pose, z, &look, false);
                self.lids(points, &prism.pose, z, &look);
            }
            PlanarShape::Disc(radius) => self.drum(*radius, &prism.pose, z, &look),
        }
    }

    /// Whether all of a prism is out of the picture.
    fn is_out(&self, shape: &PlanarShape, pose: &Pose2, z: ZExtent) -> bool {
        let reach = match shape {
            PlanarShape::Disc(radius) => *radius,
            PlanarShape::Ring(points) | PlanarShape::Convex(points) => {
                let square = |p: &[f64; 2]| p[0] * p[0] + p[1] * p[1];
                libm::sqrt(points.iter().map(square).fold(0.0, f64::max))
            }
        };
        let middle = Vector3::new(pose.x, pose.y, 0.5 * (z.min + z.max));
        let half = 0.5 * (z.max - z.min);
        let radius = libm::sqrt(reach * reach + half * half);
        self.window.misses(self.eye.place(&middle), radius)
    }

    /// The vertical sides over a ring of corners.
    fn sides(
        &mut self,
        points: &[[f64; 2]],
        pose: &Pose2,
        z: ZExtent,
        look: &Look,
        two_sided: bool,
    ) {
        let placed = placed(points, pose);
        let mut along = look.offset;
        for (at, &a) in placed.iter().enumerate() {
            let b = placed[(at + 1) % placed.len()];
            let length = libm::hypot(b[0] - a[0], b[1] - a[1]);
            if length > 0.0 {
                // Outwards of a counter-clockwise ring.
                let normal = [(b[1] - a[1]) / length, (a[0] - b[0]) / length];
                let shades = [side_shade(normal); 2];
                self.side([a, b], normal, z, along, look, shades, two_sided);
            }
            along += length;
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one side of a prism, in one place"
    )]
    fn side(
        &mut self,
        [a, b]: [[f64; 2]; 2],
        normal: [f64; 2],
        z: ZExtent,
        along: f64,
        look: &Look,
        shades: [f32; 2],
        two_sided: bool,
    ) {
        let eye = self.eye.position;
        let ahead = normal[0] * (eye.x - a[0]) + normal[1] * (eye.y - a[1]);
        if ahead.abs() < EDGE_ON || (ahead < 0.0 && !two_sided) {
            return;
        }
        let length = libm::hypot(b[0] - a[0], b[1] - a[1]);
        let shades = if ahead < 0.0 {
            [side_shade([-normal[0], -normal[1]]); 2]
        } else {
            shades
        };
        let plane = Plane {
            normal: Vector3::new(normal[0], normal[1], 0.0) * ahead.signum(),
            origin: Vector3::new(a[0], a[1], 0.0),
            along_u: Vector3::new((b[0] - a[0]) / length, (b[1] - a[1]) / length, 0.0),
            along_v: Vector3::new(0.0, 0.0, -1.0),
            // v counts downwards; a whole number keeps it positive near the ground.
            start: [along % 64.0, 0.0],
        };
        let Some(mut face) = self.face(&plane, look, shades) else {
            return;
        };
        face.u_ends = [plane.start[0] as f32, (plane.start[0] + length) as f32];
        face.per_length = (1.0 / length) as f32;
        face.v_ends = [-z.max as f32, -z.min as f32];
        self.corners.clear();
        for (point, height) in [(a, z.min), (b, z.min), (b, z.max), (a, z.max)] {
            let corner = Vector3::new(point[0], point[1], height);
            self.corners.push(self.eye.place(&corner));
        }
        self.outline(face);
    }

    /// Top or underside over a convex ring of corners, whichever is seen.
    fn lids(&mut self, points: &[[f64; 2]], pose: &Pose2, z: ZExtent, look: &Look) {
        let eye = self.eye.position.z;
        let (height, is_top) = if eye > z.max {
            (z.max, true)
        } else if eye < z.min {
            (z.min, false)
        } else {
            return;
        };
        self.lid(points, pose, height, is_top, look);
    }

    fn lid(&mut self, points: &[[f64; 2]], pose: &Pose2, height: f64, is_top: bool, look: &Look) {
        let plane = horizontal(pose, height, is_top);
        let shade = if is_top { 1.0 } else { 0.55 };
        if let Some(face) = self.face(&plane, look, [shade; 2]) {
            self.lid_corners(points, pose, height);
            self.outline(face);
        }
    }

    fn lid_corners(&mut self, points: &[[f64; 2]], pose: &Pose2, height: f64) {
        self.corners.clear();
        for [x, y] in placed(points, pose) {
            self.corners
                .push(self.eye.place(&Vector3::new(x, y, height)));
        }
    }

    /// A round prism: the part of its side that is seen, from one edge to the other, in flat
    /// parts.
    fn drum(&mut self, radius: f64, pose: &Pose2, z: ZExtent, look: &Look) {
        let eye = self.eye.position;
        let (dx, dy) = (eye.x - pose.x, eye.y - pose.y);
        let distance = libm::hypot(dx, dy);
        let width = 2.0 * radius * self.focal / (distance - radius).max(0.1);
        // An arc of half a turn in n chords is r pi^2 / (8 n^2) inside.
        let by_depth = libm::sqrt(radius * 1.2337 / FACET_DEPTH);
        let parts = by_depth.min(width).max(width / FACET_PIXELS);
        let parts = parts.clamp(4.0, 64.0) as u32;
        if distance > radius * (1.0 + 1e-9) {
            let towards = libm::atan2(dy, dx);
            let half = libm::acos(radius / distance);
            let point = |part: u32| {
                let angle = towards - half + 2.0 * half * f64::from(part) / f64::from(parts);
                let (sin, cos) = libm::sincos(angle);
                (angle, [sin, cos])
            };
            for part in 0..parts {
                let ((from, [sa, ca]), (_, [sb, cb])) = (point(part), point(part + 1));
                let a = [pose.x + radius * ca, pose.y + radius * sa];
                let b = [pose.x + radius * cb, pose.y + radius * sb];
                let length = libm::hypot(b[0] - a[0], b[1] - a[1]);
                if length > 0.0 {
                    let normal = [(b[1] - a[1]) / length, (a[0] - b[0]) / length];
                    let along = look.offset + radius * (from - pose.yaw + 8.0);
                    // Darker towards the edges, so that it looks round.
                    let shade = |cos: f64, sin: f64| {
                        let facing = (dx * cos + dy * sin) / distance;
                        side_shade([cos, sin]) * (0.62 + 0.38 * facing) as f32
                    };
                    let shades = [shade(ca, sa), shade(cb, sb)];
                    self.side([a, b], normal, z, along, look, shades, false);
                }
            }
        }
        self.lids(&circle(radius, 2 * parts), pose, z, look);
    }

    fn opening(&mut self, hole: &Hole, floor: &Level) {
        if self.eye.position.z <= floor.z {
            return;
        }
        self.lid_corners(&hole_outline(hole), &hole.pose, floor.z);
        let Some(mut face) = self.faces.first().copied() else {
            return;
        };
        face.kind = FaceKind::Opening;
        self.outline(face);
    }

    /// The walls and the ground of a hole.
    fn pit(&mut self, hole: &Hole, floor: &Level) {
        let look = Look {
            material: floor.material,
            prism: 0,
            offset: 0.0,
        };
        let depth = hole.depth.min(ENDLESS);
        let outline = hole_outline(hole);
        let z = ZExtent::new(floor.z - depth, floor.z);
        self.sides(&outline, &hole.pose, z, &look, true);
        if self.eye.position.z > z.min {
            self.lid(&outline, &hole.pose, z.min, true, &look);
        }
    }

    /// A face of a plane; `None` if it is seen edge-on.
    fn face(&self, plane: &Plane, look: &Look, shade: [f32; 2]) -> Option<Face> {
        let to_origin = plane.origin - self.eye.position;
        let distance = -plane.normal.dot(&to_origin);
        if distance.is_nan() || distance <= EDGE_ON {
            return None;
        }
        let normal = self.eye.turn(&plane.normal);
        // Of points p on the plane: normal p = -distance.
        let inverse_depth = normal.map(|n| (-n / distance) as f32);
        let map = |along: &Vector3<f64>, start: f64| {
            let [a, b, c] = self.eye.turn(along);
            let period = f64::from(texture::PERIOD) * 64.0;
            let offset = start - along.dot(&to_origin);
            // A pattern repeats: near 0 the floats are fine everywhere in a large world.
            let turns = if start == 0.0 && along.z == 0.0 {
                libm::floor(offset / period) * period
            } else {
                0.0
            };
            [a as f32, b as f32, c as f32, (offset - turns) as f32]
        };
        let colour = look.material.colour.map(|c| f32::from(c) / 255.0);
        let brightest = colour.iter().copied().fold(1e-3, f32::max);
        Some(Face {
            kind: FaceKind::Surface,
            inverse_depth,
            u: map(&plane.along_u, plane.start[0]),
            v: map(&plane.along_v, plane.start[1]),
            u_ends: [f32::NEG_INFINITY, f32::INFINITY],
            v_ends: [f32::NEG_INFINITY, f32::INFINITY],
            normal: normal.map(|n| n as f32),
            per_length: 0.0,
            per_distance: (1.0 / distance) as f32,
            colour,
            light_max: 1.0 / brightest,
            shade,
            pattern: look.material.pattern as usize,
            prism: look.prism,
        })
    }

    /// Keeps a face with the corners at hand, if any of its pixels is in the picture.
    fn outline(&mut self, face: Face) {
        let index = self.faces.len() as u32;
        let pixels = self
            .outlines
            .add(self.corners, self.window, self.lens, index);
        if pixels > 0 {
            self.faces.push(face);
            if face.prism > 0 {
                self.covered.push((face.prism, pixels));
            }
        }
    }
}

fn horizontal(pose: &Pose2, height: f64, is_top: bool) -> Plane {
    let (sin, cos) = libm::sincos(pose.yaw);
    Plane {
        normal: Vector3::new(0.0, 0.0, if is_top { 1.0 } else { -1.0 }),
        origin: Vector3::new(pose.x, pose.y, height),
        along_u: Vector3::new(cos, sin, 0.0),
        along_v: Vector3::new(-sin, cos, 0.0),
        start: [0.0, 0.0],
    }
}

/// Share of the ambient light on a vertical side.
fn side_shade(normal: [f64; 2]) -> f32 {
    let facing = normal[0] * SIDE_LIGHT[0] + normal[1] * SIDE_LIGHT[1];
    (0.82 + 0.12 * facing) as f32
}

fn placed(points: &[[f64; 2]], pose: &Pose2) -> Vec<[f64; 2]> {
    let (sin, cos) = libm::sincos(pose.yaw);
    let place = |&[x, y]: &[f64; 2]| [pose.x + cos * x - sin * y, pose.y + sin * x + cos * y];
    points.iter().map(place).collect()
}

fn circle(radius: f64, corners: u32) -> Vec<[f64; 2]> {
    (0..corners)
        .map(|corner| {
            let angle = std::f64::consts::TAU * f64::from(corner) / f64::from(corners);
            let (sin, cos) = libm::sincos(angle);
            [radius * cos, radius * sin]
        })
        .collect()
}

fn hole_outline(hole: &Hole) -> Vec<[f64; 2]> {
    match &hole.shape {
        PlanarShape::Disc(radius) => circle(*radius, 32),
        PlanarShape::Ring(points) | PlanarShape::Convex(points) => points.clone(),
    }
}
