//! Colours.

use nalgebra::{Point3, Vector3};

use super::*;

fn torch(level: u8) -> Option<Torch> {
    let position = Point3::new(0.0, 0.0, 0.5);
    Torch::of_level(position, Vector3::x_axis(), level)
}

#[test]
fn torches_brighten_what_they_shine_on() {
    let mut scene = scene(vec![wall(1, 2.0, 40.0, [0.0, 9.0])]);
    scene.ambient = 0.2;
    let view = looking(0.5, 0.0);
    let mut before = draw(small(), &scene, &view);
    let dark = before.clone();
    for level in [1, 100, 255] {
        scene.torches = torch(level).into_iter().collect();
        let now = draw(small(), &scene, &view);
        let (now_is, was) = (brightness(&now), brightness(&before));
        assert!(now_is > was, "level {level}: {now_is} after {was}");
        before = now;
    }
    // On the axis at 2 m 1.25 / 4.25 of the light at 1 m comes on top of the ambient light.
    let pixel = 3 * (59 * 200 + 100);
    let ratio = f64::from(before.colour[pixel]) / f64::from(dark.colour[pixel]);
    let expected = (0.2 + f64::from(Torch::FULL_STRENGTH) * 1.25 / 4.25) / 0.2;
    // The wall does not get all of the ambient light: 0.7 to 1 of it.
    assert!(
        ratio > expected && ratio < 1.5 * expected,
        "{ratio} for {expected}"
    );
    // Out of the cone nothing changes: 0.7 rad are 84 columns from the axis.
    assert_eq!(before.colour[3 * 59 * 200], dark.colour[3 * 59 * 200]);
    assert_eq!(torch(0), None);
}

#[test]
fn without_light_all_is_black() {
    let mut scene = scene(vec![wall(1, 2.0, 1.0, [0.0, 1.0])]);
    scene.ambient = 0.0;
    let frame = draw(small(), &scene, &looking(0.5, 0.0));
    assert!(
        frame.colour.iter().all(|&c| c == 0),
        "{}",
        brightness(&frame)
    );
}

#[test]
fn the_same_scene_gives_the_same_bytes() {
    let mut scene = scene(vec![
        wall(1, 2.0, 3.0, [0.0, 1.0]),
        prism(
            2,
            PlanarShape::Disc(0.2),
            Pose2::new(1.2, 0.3, 0.4),
            [0.0, 1.7],
        ),
    ]);
    scene.torches.extend(torch(200));
    for distortion in [Distortion::default(), CameraSpec::KACHAKA_DISTORTION] {
        let spec = CameraSpec {
            distortion,
            ..small()
        };
        let camera = Camera::new(spec).unwrap();
        let mut renderer = Renderer::new();
        let mut frame = Frame::default();
        renderer.draw(
            &camera,
            &scene,
            &looking(0.1, 0.2),
            Channels::ALL,
            &mut frame,
        );
        let first = frame.clone();
        // Something else in between, as other cameras of a robot do.
        renderer.draw(
            &camera,
            &scene,
            &looking(0.5, 0.7),
            Channels::DEPTH,
            &mut frame,
        );
        renderer.draw(
            &camera,
            &scene,
            &looking(0.1, 0.2),
            Channels::ALL,
            &mut frame,
        );
        assert!(frame == first, "a second drawing differs");
        assert!(
            frame == draw(spec, &scene, &looking(0.1, 0.2)),
            "a new renderer differs"
        );
    }
}

#[test]
fn surfaces_have_features() {
    // A wall that fills the picture: neighbours differ, by little.
    let mut wall = wall(1, 1.0, 40.0, [-9.0, 9.0]);
    wall.material = Material::WALL;
    let frame = draw(small(), &scene(vec![wall]), &looking(0.5, 0.0));
    let reds: Vec<f64> = frame
        .colour
        .iter()
        .step_by(3)
        .map(|&c| f64::from(c))
        .collect();
    let mean = reds.iter().sum::<f64>() / reds.len() as f64;
    let spread = reds.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>() / reds.len() as f64;
    let spread = spread.sqrt();
    assert!((3.0..30.0).contains(&spread), "{spread} around {mean}");
}

#[test]
fn only_what_is_asked_for_is_drawn() {
    let camera = Camera::new(small()).unwrap();
    let (mut renderer, mut frame) = (Renderer::new(), Frame::default());
    let scene = scene(vec![wall(1, 2.0, 3.0, [0.0, 1.0])]);
    let mut sizes = |channels| {
        renderer.draw(&camera, &scene, &looking(0.1, 0.0), channels, &mut frame);
        (
            frame.colour.len(),
            frame.depth.len(),
            frame.ids.len(),
            frame.covered.len(),
        )
    };
    assert_eq!(sizes(Channels::ALL), (72_000, 24_000, 24_000, 1));
    assert_eq!(sizes(Channels::COLOUR), (72_000, 0, 0, 0));
    assert_eq!(sizes(Channels::DEPTH), (0, 24_000, 0, 0));
}
