//! One picture of 1280 x 720, drawn and coded apart, and one depth image of 160 x 120.
//!
//! The camera stands in a room of 8 x 6 m with boxes, shelves and people, or in a warehouse
//! of 40 x 20 m with 200 shelves.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use tatami::sensors::NoiseKey;
use tatami::sensors::camera::{
    Camera, CameraSpec, Channels, DepthImage, DepthNoise, DetectionConfig, Frame, Label, Level,
    Material, Pattern, Prism, Renderer, Scene, Target, View, coding, detect,
};
use tatami::world::{PlanarShape, Pose2, ZExtent};

const PAINT: Material = Material::new([180, 120, 80], Pattern::Plain);
const CLOTH: Material = Material::new([80, 100, 160], Pattern::Cloth);

struct Stage {
    scene: Scene,
    targets: Vec<Target>,
}

impl Stage {
    fn room(x: f64, y: f64) -> Self {
        let ring = vec![[-x, -y], [x, -y], [x, y], [-x, y]];
        let mut stage = Self {
            scene: Scene {
                ceiling: Some(Level {
                    z: 2.6,
                    material: Material::CEILING,
                }),
                ..Scene::default()
            },
            targets: Vec::new(),
        };
        let walls = PlanarShape::Ring(ring);
        stage.add(0, walls, Pose2::default(), [0.0, 2.4], Material::WALL);
        stage
    }

    fn add(&mut self, id: u32, shape: PlanarShape, pose: Pose2, z: [f64; 2], material: Material) {
        self.scene.prisms.push(Prism {
            shape,
            pose,
            z: ZExtent::new(z[0], z[1]),
            material,
            id,
            carrier: None,
        });
    }

    /// Three plates on four legs.
    fn shelf(&mut self, id: u32, pose: Pose2) {
        for z in [0.155, 0.486, 0.717] {
            let plate = PlanarShape::rectangle(0.328, 0.488);
            self.add(id, plate, pose, [z, z + 0.025], PAINT);
        }
        for (x, y) in [
            (-0.116, -0.196),
            (-0.116, 0.196),
            (0.116, 0.196),
            (0.116, -0.196),
        ] {
            let place = pose.compose(&Pose2::new(x, y, 0.0));
            self.add(id, PlanarShape::Disc(0.02), place, [0.0, 0.742], PAINT);
        }
        let label = Label::Shelf;
        self.targets.push(Target { id, label });
    }

    fn person(&mut self, id: u32, x: f64, y: f64) {
        let pose = Pose2::new(x, y, 0.0);
        self.add(id, PlanarShape::Disc(0.22), pose, [0.0, 1.7], CLOTH);
        let label = Label::Person;
        self.targets.push(Target { id, label });
    }
}

fn room() -> Stage {
    let mut stage = Stage::room(4.0, 3.0);
    for (id, x, y, yaw) in [(1, 2.0, 1.0, 0.3), (2, 3.2, -1.5, 1.0), (3, 1.2, -0.9, 0.7)] {
        let size = PlanarShape::rectangle(0.5, 0.4);
        stage.add(id, size, Pose2::new(x, y, yaw), [0.0, 0.5], PAINT);
    }
    stage.shelf(4, Pose2::new(2.6, 0.0, 0.2));
    stage.shelf(5, Pose2::new(3.4, 1.4, 1.6));
    stage.person(6, 1.9, -0.4);
    stage.person(7, 3.0, 2.0);
    stage
}

fn warehouse() -> Stage {
    let mut stage = Stage::room(20.0, 10.0);
    for i in 0..200_u32 {
        let (column, row) = (f64::from(i % 20), f64::from(i / 20));
        let pose = Pose2::new(-18.0 + 1.9 * column, -8.5 + 1.9 * row, 0.0);
        stage.shelf(1 + i, pose);
    }
    for i in 0..40_u32 {
        let (column, row) = (f64::from(i % 10), f64::from(i / 10));
        stage.person(300 + i, -17.0 + 3.7 * column, -7.5 + 4.0 * row);
    }
    stage
}

/// On the floor, looking ahead or up by an angle.
fn view(z: f64, up: f64) -> View {
    let sensor = Isometry3::from_parts(
        Translation3::new(-0.6, 0.1, z),
        UnitQuaternion::from_euler_angles(0.0, -up, 0.1),
    );
    View::from_sensor(&sensor, None)
}

fn pictures(criterion: &mut Criterion) {
    let camera = Camera::new(CameraSpec::kachaka_front()).expect("it is a camera");
    let bent = CameraSpec {
        distortion: CameraSpec::KACHAKA_DISTORTION,
        ..CameraSpec::kachaka_front()
    };
    let bent = Camera::new(bent).expect("it is a camera");
    let mut renderer = Renderer::new();
    let mut frame = Frame::default();
    let ahead = view(0.07, 0.0);
    let mut group = criterion.benchmark_group("camera");
    for (name, stage) in [("room", room()), ("warehouse", warehouse())] {
        let scene = &stage.scene;
        group.bench_function(format!("rgb_1280x720_{name}"), |bencher| {
            bencher.iter(|| {
                renderer.draw(
                    &camera,
                    black_box(scene),
                    &ahead,
                    Channels::COLOUR,
                    &mut frame,
                );
            });
        });
        group.bench_function(format!("jpeg_1280x720_{name}"), |bencher| {
            bencher.iter(|| coding::jpeg(black_box(&frame), coding::DEFAULT_JPEG_QUALITY));
        });
        let file = coding::jpeg(&frame, coding::DEFAULT_JPEG_QUALITY).expect("it has colours");
        println!(
            "{name}: {} faces' JPEG has {} kB",
            scene.prisms.len(),
            file.len() / 1000
        );
        group.bench_function(format!("rgb_1280x720_distorted_{name}"), |bencher| {
            bencher.iter(|| {
                renderer.draw(
                    &bent,
                    black_box(scene),
                    &ahead,
                    Channels::COLOUR,
                    &mut frame,
                );
            });
        });
        let noise = NoiseKey::new(0, "kachaka", "detection").at(1);
        let config = DetectionConfig::default();
        group.bench_function(format!("detection_1280x720_{name}"), |bencher| {
            bencher.iter(|| {
                renderer.draw(
                    &camera,
                    black_box(scene),
                    &ahead,
                    Channels::OBJECTS,
                    &mut frame,
                );
                detect(&frame, &camera, &stage.targets, &config, &noise)
            });
        });
    }
    group.finish();
}

fn depth(criterion: &mut Criterion) {
    let camera = Camera::new(CameraSpec::kachaka_tof()).expect("it is a camera");
    let stage = room();
    let mut renderer = Renderer::new();
    let mut frame = Frame::default();
    let up = view(0.042, std::f64::consts::FRAC_PI_4);
    let noise = NoiseKey::new(0, "kachaka", "tof_camera").at(1);
    let mut group = criterion.benchmark_group("camera");
    let mut take = |errors: &DepthNoise| {
        renderer.draw(&camera, &stage.scene, &up, Channels::DEPTH, &mut frame);
        DepthImage::of(&frame, camera.spec(), errors, &noise)
    };
    group.bench_function("depth_160x120", |bencher| {
        bencher.iter(|| take(black_box(&DepthNoise::KACHAKA_TOF)));
    });
    group.bench_function("depth_160x120_without_noise", |bencher| {
        bencher.iter(|| take(black_box(&DepthNoise::default())));
    });
    let image = take(&DepthNoise::KACHAKA_TOF);
    group.bench_function("compressed_depth_160x120", |bencher| {
        bencher.iter(|| coding::compressed_depth(black_box(&image)));
    });
    group.finish();
}

criterion_group!(benches, pictures, depth);
criterion_main!(benches);
