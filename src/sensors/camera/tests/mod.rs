//! Pictures of small scenes, with expected values from geometry.

mod detecting;
mod encoding;
mod geometry;
mod light;
mod worlds;

use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use super::*;
use crate::world::{PlanarShape, Pose2, ZExtent};

const GREY: Material = Material::new([200, 200, 200], Pattern::Plain);

fn prism(id: u32, shape: PlanarShape, pose: Pose2, z: [f64; 2]) -> Prism {
    Prism {
        shape,
        pose,
        z: ZExtent::new(z[0], z[1]),
        material: GREY,
        id,
        carrier: None,
    }
}

/// A wall across the view with its near face this far ahead, from one height to another.
fn wall(id: u32, x: f64, width: f64, z: [f64; 2]) -> Prism {
    let shape = PlanarShape::rectangle(0.2, width);
    prism(id, shape, Pose2::new(x + 0.1, 0.0, 0.0), z)
}

fn scene(prisms: Vec<Prism>) -> Scene {
    Scene {
        prisms,
        ..Scene::default()
    }
}

/// A sensor at a height above the origin that looks along x, turned up by an angle.
fn looking(z: f64, up: f64) -> View {
    let sensor = Isometry3::from_parts(
        Translation3::new(0.0, 0.0, z),
        UnitQuaternion::from_euler_angles(0.0, -up, 0.0),
    );
    View::from_sensor(&sensor, None)
}

/// 200 x 120 pixels, 90 degrees: 100 pixels per metre at 1 m, axis at 99.5, 59.5.
fn small() -> CameraSpec {
    CameraSpec {
        width: 200,
        height: 120,
        view: FieldOfView::Horizontal(std::f64::consts::FRAC_PI_2),
        ..CameraSpec::kachaka_front()
    }
}

fn draw(spec: CameraSpec, scene: &Scene, view: &View) -> Frame {
    let mut frame = Frame::default();
    let camera = Camera::new(spec).unwrap();
    Renderer::new().draw(&camera, scene, view, Channels::ALL, &mut frame);
    frame
}

/// Depth of a pixel.
fn depth(frame: &Frame, column: usize, row: usize) -> f64 {
    f64::from(frame.depth[row * frame.width + column])
}

fn id(frame: &Frame, column: usize, row: usize) -> u32 {
    frame.ids[row * frame.width + column]
}

/// First and last column and row of the pixels that show an id.
fn bounds(frame: &Frame, wanted: u32) -> Option<[usize; 4]> {
    let mut found: Option<[usize; 4]> = None;
    for (pixel, id) in frame.ids.iter().enumerate() {
        if *id == wanted {
            let (column, row) = (pixel % frame.width, pixel / frame.width);
            let [left, right, top, _] = found.unwrap_or([column, column, row, row]);
            found = Some([left.min(column), right.max(column), top, row]);
        }
    }
    found
}

/// Mean of all colour values.
fn brightness(frame: &Frame) -> f64 {
    let sum: f64 = frame.colour.iter().map(|&c| f64::from(c)).sum();
    sum / frame.colour.len() as f64
}
