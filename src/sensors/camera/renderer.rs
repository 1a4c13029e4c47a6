//! Draws a scene for a camera.

use nalgebra::Isometry3;

use super::super::SensorError;
use super::faces::{Eye, Face, FaceBuilder};
use super::frame::{Channels, Frame, NOTHING};
use super::lens::Lens;
use super::lighting::Beam;
use super::outline::{Corners, Outlines, Window};
use super::rows::{NearestRow, RowRays, RowY, SKY};
use super::scene::Scene;
use super::shading::Shader;
use super::spec::CameraSpec;
use super::texture;

/// A camera with the direction of each of its pixels.
#[derive(Debug, Clone)]
pub struct Camera {
    spec: CameraSpec,
    lens: Lens,
    rays: Rays,
    window: Window,
}

/// The ideal coordinates of all pixels.
#[derive(Debug, Clone)]
enum Rays {
    /// By column and by row.
    Pinhole { x: Vec<f32>, y: Vec<f32> },
    /// Of each pixel, row by row.
    Each { x: Vec<f32>, y: Vec<f32> },
}

/// Where a camera is and what it does not see.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    /// The optical frame in the world: x to the right of the picture, y down, z ahead.
    pub pose: Isometry3<f64>,
    /// The id of what the camera is mounted on: it sees neither that nor what that carries.
    pub without: Option<u32>,
}

impl View {
    /// A view from the pose of a sensor that looks along x with z up, as sensors of a robot
    /// description do.
    #[must_use]
    pub fn from_sensor(sensor: &Isometry3<f64>, without: Option<u32>) -> Self {
        Self {
            pose: sensor * optical_frame(),
            without,
        }
    }
}

/// An optical frame in the frame of a sensor that looks along x with z up: x to the right,
/// y down, z ahead.
fn optical_frame() -> Isometry3<f64> {
    // Turns by -90 degrees about z and about x, exactly.
    let half = nalgebra::Quaternion::new(0.5, -0.5, 0.5, -0.5);
    Isometry3::from_parts(
        nalgebra::Translation3::identity(),
        nalgebra::UnitQuaternion::new_unchecked(half),
    )
}

impl Camera {
    /// A camera.
    ///
    /// # Errors
    /// As [`CameraSpec::check`].
    pub fn new(spec: CameraSpec) -> Result<Self, SensorError> {
        spec.check()?;
        let lens = spec.lens();
        let rays = Rays::new(&spec, &lens);
        let window = rays.window(&spec);
        Ok(Self {
            spec,
            lens,
            rays,
            window,
        })
    }

    /// What it is.
    #[must_use]
    pub fn spec(&self) -> &CameraSpec {
        &self.spec
    }

    /// Its lens.
    #[must_use]
    pub fn lens(&self) -> &Lens {
        &self.lens
    }

    /// The directions of the pixels of a row.
    pub(super) fn row(&self, row: usize) -> RowRays<'_> {
        match &self.rays {
            Rays::Pinhole { x, y } => RowRays {
                x,
                y: RowY::Same(y[row]),
            },
            Rays::Each { x, y } => {
                let width = self.spec.width as usize;
                let range = row * width..(row + 1) * width;
                RowRays {
                    x: &x[range.clone()],
                    y: RowY::Each(&y[range]),
                }
            }
        }
    }
}

impl Rays {
    fn new(spec: &CameraSpec, lens: &Lens) -> Self {
        let (width, height) = (spec.width, spec.height);
        if lens.is_pinhole() {
            let x = |column| lens.direction(f64::from(column), 0.0, None)[0] as f32;
            let y = |row| lens.direction(0.0, f64::from(row), None)[1] as f32;
            return Self::Pinhole {
                x: (0..width).map(x).collect(),
                y: (0..height).map(y).collect(),
            };
        }
        let pixels = width as usize * height as usize;
        let (mut x, mut y) = (Vec::with_capacity(pixels), Vec::with_capacity(pixels));
        for row in 0..height {
            let mut neighbour = None;
            for column in 0..width {
                let at = lens.direction(f64::from(column), f64::from(row), neighbour);
                neighbour = Some(at);
                x.push(at[0] as f32);
                y.push(at[1] as f32);
            }
        }
        Self::Each { x, y }
    }

    /// What is to be drawn: all directions of pixels and half a pixel more.
    fn window(&self, spec: &CameraSpec) -> Window {
        let (Self::Pinhole { x, y } | Self::Each { x, y }) = self;
        let ends = |all: &[f32], pixel: f64| {
            let low = all.iter().copied().fold(f32::INFINITY, f32::min);
            let high = all.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let margin = pixel + 1e-3 * f64::from(high - low);
            [f64::from(low) - margin, f64::from(high) + margin]
        };
        let intrinsics = spec.intrinsics();
        Window {
            near: spec.nearest(),
            far: spec.far,
            x: ends(x, 1.0 / intrinsics.fx),
            y: ends(y, 1.0 / intrinsics.fy),
        }
    }
}

/// Draws pictures; keeps its memory from one to the next. One renderer can serve any number
/// of cameras and scenes, one after the other.
///
/// Each face of a prism is a plane, over which 1/depth is linear in the picture. Its outline
/// is cut to the view and becomes spans of pixels in each row; in a row the nearest face of
/// each pixel is found, and only then is it coloured.
#[derive(Debug, Default)]
pub struct Renderer {
    outlines: Outlines,
    faces: Vec<Face>,
    covered: Vec<(u32, u32)>,
    corners: Corners,
    nearest: NearestRow,
}

impl Renderer {
    /// A renderer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Draws the wanted channels of a scene into a frame.
    pub fn draw(
        &mut self,
        camera: &Camera,
        scene: &Scene,
        view: &View,
        channels: Channels,
        frame: &mut Frame,
    ) {
        let spec = &camera.spec;
        let (width, height) = (spec.width as usize, spec.height as usize);
        frame.prepare(width, height, channels);
        let eye = Eye::new(&view.pose);
        let endless = self.collect(camera, &eye, scene, view.without);
        if channels.ids {
            frame.covered = sums(&self.covered, scene);
        }
        let beams: Vec<Beam> = (scene.torches.iter())
            .map(|torch| Beam::new(torch, &eye))
            .collect();
        let shader = Shader {
            faces: &self.faces,
            textures: texture::textures(),
            beams: &beams,
            ambient: scene.ambient.max(0.0),
            pixel: (1.0 / spec.intrinsics().fx) as f32,
        };
        let far = spec.far as f32;
        for row in 0..height {
            let rays = camera.row(row);
            let spans = self.outlines.row(row);
            let floors = SKY + 1..endless;
            (self.nearest).find(&rays, spans, &self.faces, floors, far);
            let pixels = row * width..(row + 1) * width;
            if channels.colour {
                let out = &mut frame.colour[3 * pixels.start..3 * pixels.end];
                shader.row(&rays, &self.nearest.face, out);
            }
            if channels.depth {
                let out = &mut frame.depth[pixels.clone()];
                depths(&self.nearest, out);
            }
            if channels.ids {
                let out = &mut frame.ids[pixels];
                for (out, &face) in out.iter_mut().zip(&self.nearest.face) {
                    *out = match self.faces[face as usize].prism {
                        0 => NOTHING,
                        number => scene.prisms[number as usize - 1].id,
                    };
                }
            }
        }
    }

    /// Finds the faces that may be seen and their spans; the number of those before them
    /// that are endless.
    fn collect(&mut self, camera: &Camera, eye: &Eye, scene: &Scene, without: Option<u32>) -> u32 {
        let spec = &camera.spec;
        self.outlines
            .begin(spec.width as usize, spec.height as usize);
        self.faces.clear();
        self.covered.clear();
        let mut builder = FaceBuilder {
            eye,
            lens: &camera.lens,
            window: &camera.window,
            focal: spec.intrinsics().fx,
            outlines: &mut self.outlines,
            faces: &mut self.faces,
            covered: &mut self.covered,
            corners: &mut self.corners,
        };
        builder.scene(scene, without)
    }
}

fn depths(nearest: &NearestRow, out: &mut [f32]) {
    for ((out, &inverse), &face) in out.iter_mut().zip(&nearest.inverse).zip(&nearest.face) {
        let depth = 1.0 / inverse;
        *out = if face == SKY { f32::INFINITY } else { depth };
    }
}

/// Pixels per id from pixels per prism.
fn sums(covered: &[(u32, u32)], scene: &Scene) -> Vec<(u32, u32)> {
    let mut of_ids: Vec<(u32, u32)> = (covered.iter())
        .map(|&(number, pixels)| (scene.prisms[number as usize - 1].id, pixels))
        .collect();
    of_ids.sort_unstable();
    of_ids.dedup_by(|next, first| {
        let same = next.0 == first.0;
        if same {
            first.1 += next.1;
        }
        same
    });
    of_ids
}
