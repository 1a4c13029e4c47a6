//! Where things are in a picture.

use super::*;

#[test]
fn a_wall_across_the_view_has_one_depth() {
    let frame = draw(
        small(),
        &scene(vec![wall(5, 2.0, 40.0, [0.0, 30.0])]),
        &looking(0.1, 0.0),
    );
    let mut pixels = 0;
    for row in 0..120 {
        for column in 0..200 {
            if id(&frame, column, row) == 5 {
                let found = depth(&frame, column, row);
                assert!((found - 2.0).abs() < 1e-4, "{found} at {column}, {row}");
                pixels += 1;
            }
        }
    }
    // Its foot is 0.1 m below the axis at 2 m: 5 pixels, so rows up to 59.5 + 5.
    assert_eq!(pixels, 200 * 65);
    assert_eq!(bounds(&frame, 5), Some([0, 199, 0, 64]));
}

#[test]
fn the_floor_has_the_depth_of_its_rows() {
    let mut spec = small();
    spec.far = 10.0;
    let frame = draw(spec, &scene(Vec::new()), &looking(0.1, 0.0));
    for row in 0..120 {
        // A row is (row - 59.5) / 100 below the axis at 1 m; the floor 0.1 m.
        let slope = (row as f64 - 59.5) / 100.0;
        let expected = if slope > 0.01 {
            0.1 / slope
        } else {
            f64::INFINITY
        };
        for column in [0, 77, 199] {
            let found = depth(&frame, column, row);
            let same = found == expected || (found - expected).abs() < 1e-5 * expected;
            assert!(same, "{found} for {expected} in row {row}");
            assert_eq!(id(&frame, column, row), NOTHING);
        }
    }
}

#[test]
fn the_ceiling_is_hit_by_a_camera_that_looks_up() {
    let mut scene = scene(Vec::new());
    let ceiling = Level {
        z: 2.5,
        material: Material::CEILING,
    };
    scene.ceiling = Some(ceiling);
    let mut spec = small();
    // The axis goes through the middle of a pixel.
    (spec.width, spec.height) = (201, 121);
    // Up by 30 degrees from 0.5 m: 2 m up are 4 m along the ray.
    let frame = draw(spec, &scene, &looking(0.5, std::f64::consts::FRAC_PI_6));
    let found = depth(&frame, 100, 60);
    assert!((found - 4.0).abs() < 1e-4, "{found}");
    scene.ceiling = None;
    let open = draw(spec, &scene, &looking(0.5, std::f64::consts::FRAC_PI_6));
    assert_eq!(depth(&open, 100, 60), f64::INFINITY);
}

/// The near face of a box is 1.5 m ahead, from y = -0.3 to 0.5 and z = 0.05 to 0.85; the
/// camera is at z = 0.3. The top is not seen, the sides are hidden behind the face.
fn a_box() -> Prism {
    let shape = PlanarShape::rectangle(0.4, 0.8);
    prism(3, shape, Pose2::new(1.7, 0.1, 0.0), [0.05, 0.85])
}

/// Corners of the near face in ideal coordinates: right is -y, down is -z.
const CORNERS: [[f64; 2]; 4] = [
    [-0.5 / 1.5, -0.55 / 1.5],
    [0.3 / 1.5, -0.55 / 1.5],
    [0.3 / 1.5, 0.25 / 1.5],
    [-0.5 / 1.5, 0.25 / 1.5],
];

#[test]
fn a_box_is_where_its_corners_project_to() {
    let spec = CameraSpec::kachaka_front();
    let frame = draw(spec, &scene(vec![a_box()]), &looking(0.3, 0.0));
    // K of CameraInfo alone.
    let k = spec.info().k;
    let [left, right, top, bottom] = bounds(&frame, 3).unwrap().map(|edge| edge as f64);
    let expected = [
        k[0] * CORNERS[0][0] + k[2],
        k[0] * CORNERS[1][0] + k[2],
        k[4] * CORNERS[0][1] + k[5],
        k[4] * CORNERS[2][1] + k[5],
    ];
    for (found, wanted) in [left, right, top, bottom].iter().zip(expected) {
        assert!((found - wanted).abs() <= 1.0, "{found} for {wanted}");
    }
}

#[test]
fn a_box_is_where_its_corners_project_to_with_distortion() {
    let mut spec = CameraSpec::kachaka_front();
    spec.distortion = CameraSpec::KACHAKA_DISTORTION;
    let frame = draw(spec, &scene(vec![a_box()]), &looking(0.3, 0.0));
    let info = spec.info();
    let [k1, k2, p1, p2, k3] = info.d;
    let project = |[x, y]: [f64; 2]| {
        let r2 = x * x + y * y;
        let radial = 1.0 + k1 * r2 + k2 * r2 * r2 + k3 * r2 * r2 * r2;
        let xd = x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x);
        let yd = y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y;
        [info.k[0] * xd + info.k[2], info.k[4] * yd + info.k[5]]
    };
    // Along the upper and the right edge, bent as they are: the last pixel inside shows the
    // box, the first one outside does not, within a pixel.
    let shown = |u: f64, v: f64| id(&frame, u.round() as usize, v.round() as usize) == 3;
    for step in 1..20 {
        let part = f64::from(step) / 20.0;
        let between =
            |a: [f64; 2], b: [f64; 2]| [a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])];
        let [u, v] = project(between(CORNERS[0], CORNERS[1]));
        assert!(
            shown(u, v + 1.0) && !shown(u, v - 1.0),
            "upper edge at {u}, {v}"
        );
        let [u, v] = project(between(CORNERS[1], CORNERS[2]));
        assert!(
            shown(u - 1.0, v) && !shown(u + 1.0, v),
            "right edge at {u}, {v}"
        );
    }
    // The lens does bend: at half of the upper edge the pinhole is farther from the centre.
    let [_, bent] = project([0.0, CORNERS[0][1]]);
    let straight = info.k[4] * CORNERS[0][1] + info.k[5];
    assert!(bent - straight > 3.0, "{bent} and {straight}");
    // Depth is along the axis whatever the lens does.
    let found = depth(&frame, 600, 300);
    assert!((found - 1.5).abs() < 1e-4, "{found}");
}

#[test]
fn what_is_nearer_hides_what_is_farther_in_any_order() {
    // The post covers y = -0.1 to 0.1 at 1 m: columns 89.5 to 109.5.
    let post = prism(
        1,
        PlanarShape::rectangle(0.2, 0.2),
        Pose2::new(1.1, 0.0, 0.0),
        [0.0, 5.0],
    );
    let wall = wall(2, 3.0, 40.0, [0.0, 30.0]);
    for prisms in [vec![post.clone(), wall.clone()], vec![wall, post]] {
        let frame = draw(small(), &scene(prisms), &looking(0.5, 0.0));
        for column in 0..200 {
            let expected = if (90..110).contains(&column) { 1 } else { 2 };
            assert_eq!(id(&frame, column, 30), expected, "column {column}");
        }
        let pixels = frame.ids.iter().filter(|id| **id == 1).count();
        assert_eq!(frame.covered(1) as usize, pixels, "nothing hides the post");
        // The wall's foot is 0.5 m below the axis at 3 m: 16.7 rows.
        assert_eq!(frame.covered(2), 200 * 77, "all of the wall, hidden or not");
    }
}

#[test]
fn tables_are_seen_from_below_and_from_above() {
    // A plate 0.7 m above the floor, 1 to 2 m ahead.
    let plate = prism(
        1,
        PlanarShape::rectangle(1.0, 1.0),
        Pose2::new(1.5, 0.0, 0.0),
        [0.7, 0.75],
    );
    let mut spec = small();
    (spec.width, spec.height) = (201, 121);
    // From 0.2 m, 30 degrees up: 0.5 m up are 0.87 m ahead, before the plate begins.
    let below = draw(
        spec,
        &scene(vec![plate.clone()]),
        &looking(0.2, std::f64::consts::FRAC_PI_6),
    );
    assert_eq!(id(&below, 100, 60), NOTHING, "before the plate");
    let up = libm::atan(0.5 / 1.25);
    let below = draw(spec, &scene(vec![plate.clone()]), &looking(0.2, up));
    let expected = libm::hypot(0.5, 1.25);
    let found = depth(&below, 100, 60);
    assert!((found - expected).abs() < 1e-4, "{found} for {expected}");
    // From 1.25 m down to the top at 1.5 m ahead.
    let down = libm::atan(0.5 / 1.5);
    let above = draw(spec, &scene(vec![plate]), &looking(1.25, -down));
    let expected = libm::hypot(0.5, 1.5);
    let found = depth(&above, 100, 60);
    assert!((found - expected).abs() < 1e-4, "{found} for {expected}");
}

#[test]
fn a_disc_is_as_wide_as_its_tangents() {
    // Radius 0.3 at 2 m: tangents at asin(0.15), at 1 m depth 0.15 / sqrt(1 - 0.15^2).
    let disc = prism(
        1,
        PlanarShape::Disc(0.3),
        Pose2::new(2.0, 0.0, 0.0),
        [0.0, 5.0],
    );
    let frame = draw(small(), &scene(vec![disc]), &looking(0.5, 0.0));
    let half = 100.0 * 0.15 / (1.0_f64 - 0.0225).sqrt();
    let [left, right, _, _] = bounds(&frame, 1).unwrap();
    assert!(
        (left as f64 - (99.5 - half)).abs() <= 1.0,
        "{left} for {}",
        99.5 - half
    );
    assert!(
        (right as f64 - (99.5 + half)).abs() <= 1.0,
        "{right} for {}",
        99.5 + half
    );
    let nearest = depth(&frame, 99, 59);
    assert!((nearest - 1.7).abs() < 0.005, "{nearest}");
}

#[test]
fn what_is_too_near_or_too_far_is_not_seen() {
    let mut spec = small();
    (spec.near, spec.far) = (0.5, 3.0);
    let near = scene(vec![
        wall(1, 0.4, 4.0, [0.0, 3.0]),
        wall(2, 2.9, 40.0, [0.0, 9.0]),
    ]);
    let frame = draw(spec, &near, &looking(0.5, 0.0));
    // Its back is not looked at from inside.
    assert_eq!(id(&frame, 100, 30), 2);
    let far = scene(vec![wall(2, 3.1, 40.0, [0.0, 9.0])]);
    let frame = draw(spec, &far, &looking(0.5, 0.0));
    assert_eq!(id(&frame, 100, 30), NOTHING);
    assert_eq!(depth(&frame, 100, 30), f64::INFINITY);
}

#[test]
fn the_robot_itself_is_left_out() {
    let scene = scene(vec![
        wall(1, 0.3, 4.0, [0.0, 3.0]),
        wall(2, 2.0, 40.0, [0.0, 9.0]),
    ]);
    let mut view = looking(0.5, 0.0);
    assert_eq!(id(&draw(small(), &scene, &view), 100, 30), 1);
    view.without = Some(1);
    let frame = draw(small(), &scene, &view);
    assert_eq!(id(&frame, 100, 30), 2);
    assert_eq!(frame.covered(1), 0);
}

#[test]
fn a_hole_shows_its_ground_and_its_far_wall() {
    let mut scene = scene(Vec::new());
    scene.holes.push(Hole {
        shape: PlanarShape::rectangle(1.0, 2.0),
        pose: Pose2::new(1.5, 0.0, 0.0),
        depth: 0.2,
    });
    let mut spec = small();
    (spec.width, spec.height) = (201, 121);
    // From 1 m up, at the floor 1.5 m ahead: the ground of the hole is 1.2 m below.
    let down = libm::atan(1.0 / 1.5);
    let frame = draw(spec, &scene, &looking(1.0, -down));
    let expected = 1.2 / libm::sin(down);
    let found = depth(&frame, 100, 60);
    assert!((found - expected).abs() < 1e-4, "{found} for {expected}");
    // At 1.9 m: the line meets the far wall at x = 2 before the ground at 2.28.
    let down = libm::atan(1.0 / 1.9);
    let frame = draw(spec, &scene, &looking(1.0, -down));
    let expected = 2.0 / libm::cos(down);
    let found = depth(&frame, 100, 60);
    assert!((found - expected).abs() < 1e-4, "{found} for {expected}");
    // Just before the hole there is floor.
    let down = libm::atan(1.0 / 0.9);
    let frame = draw(spec, &scene, &looking(1.0, -down));
    let expected = libm::hypot(1.0, 0.9);
    let found = depth(&frame, 100, 60);
    assert!((found - expected).abs() < 1e-4, "{found} for {expected}");
}

#[test]
fn a_rolled_camera_turns_the_picture() {
    // A positive roll turns the camera's left side up, so what is left of it is below.
    let sensor = Isometry3::from_parts(
        Translation3::new(0.0, 0.0, 0.5),
        UnitQuaternion::from_euler_angles(std::f64::consts::FRAC_PI_2, 0.0, 0.0),
    );
    let post = prism(
        1,
        PlanarShape::rectangle(0.2, 0.2),
        Pose2::new(2.0, 0.7, 0.0),
        [0.0, 5.0],
    );
    let frame = draw(
        small(),
        &scene(vec![post]),
        &View::from_sensor(&sensor, None),
    );
    let [_, _, top, bottom] = bounds(&frame, 1).unwrap();
    let middle = 0.5 * (top + bottom) as f64;
    let expected = 59.5 + 100.0 * 0.7 / 1.95;
    assert!((middle - expected).abs() < 3.0, "{middle} for {expected}");
}

#[test]
fn cameras_that_are_none_are_refused() {
    type Spoil = fn(&mut CameraSpec);
    let cases: [(&str, Spoil); 11] = [
        ("width is 0", |s| (s.width, s.height) = (0, 0)),
        ("height is 0", |s| s.height = 0),
        ("width is 4097", |s| s.width = 4097),
        ("horizontal_fov is 0", |s| {
            s.view = FieldOfView::Horizontal(0.0)
        }),
        ("horizontal_fov is 3.13", |s| {
            s.view = FieldOfView::Horizontal(3.13);
        }),
        ("horizontal_fov is NaN", |s| {
            s.view = FieldOfView::Horizontal(f64::NAN);
        }),
        ("fx is 0", |s| {
            s.view = FieldOfView::Calibrated(Intrinsics {
                fx: 0.0,
                ..s.intrinsics()
            });
        }),
        ("cy is inf", |s| {
            s.view = FieldOfView::Calibrated(Intrinsics {
                cy: f64::INFINITY,
                ..s.intrinsics()
            });
        }),
        ("k2 is NaN", |s| s.distortion.k2 = f64::NAN),
        ("near is -1", |s| s.near = -1.0),
        ("far is 0.01", |s| s.far = 0.01),
    ];
    for (expected, spoil) in cases {
        let mut bad = CameraSpec::kachaka_front();
        spoil(&mut bad);
        let error = Camera::new(bad).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected:?} in {error:?}");
    }
}

#[test]
fn the_field_of_view_is_that_between_the_edges_of_the_picture() {
    // The outer edges of the first and the last pixel of 200: 90 degrees.
    let lens = small().lens();
    let [left, _] = lens.direction(-0.5, 59.5, None);
    let [right, _] = lens.direction(199.5, 59.5, None);
    assert!((left + 1.0).abs() < 1e-12, "{left}");
    assert!((right - 1.0).abs() < 1e-12, "{right}");
}
