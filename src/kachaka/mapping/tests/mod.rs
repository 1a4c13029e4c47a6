//! Maps against cells that are looked at one by one.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;
use crate::world::{
    BoxSpec, DiscSpec, Dynamics, FloorSpec, Kind, OutlineSpec, Part, PhysicsDt, PlanarShape,
    ThingMotion, ThingSpec, ZExtent,
};

mod mapper;

fn empty_world() -> World {
    World::new(PhysicsDt::from_seconds(0.01).unwrap(), Dynamics::Rigid)
}

fn config(resolution: f64) -> MappingConfig {
    MappingConfig {
        resolution,
        ..MappingConfig::default()
    }
}

fn add_box(world: &mut World, name: &str, size: [f64; 2], pose: Pose2, z: [f64; 2]) {
    let spec = BoxSpec {
        name: name.into(),
        size,
        pose,
        z_min: z[0],
        z_max: z[1],
    };
    world.add_box(&spec).unwrap();
}

fn add_outline(world: &mut World, name: &str, points: &[[f64; 2]]) {
    let spec = OutlineSpec {
        name: name.into(),
        points: points.to_vec(),
        z_min: 0.0,
        z_max: 2.0,
    };
    world.add_outline(&spec).unwrap();
}

fn ground(world: &World) -> Level {
    world.floors().level("").unwrap()
}

fn map(world: &World, robot: Pose2, resolution: f64) -> OccupancyGrid {
    raster(world, ground(world), robot, &config(resolution))
}

/// How far a square of this half side and a convex shape are apart along the axis that
/// separates them best; below 0 when they overlap.
fn gap(centre: [f64; 2], half: f64, shape: &[[f64; 2]]) -> f64 {
    let mut axes = vec![[1.0, 0.0], [0.0, 1.0]];
    for (a, b) in shape.iter().zip(shape.iter().cycle().skip(1)) {
        let (x, y) = (b[0] - a[0], b[1] - a[1]);
        let length = x.hypot(y);
        axes.push([-y / length, x / length]);
    }
    let mut widest = f64::NEG_INFINITY;
    for [x, y] in axes {
        let middle = centre[0] * x + centre[1] * y;
        let reach = half * (x.abs() + y.abs());
        let along: Vec<f64> = shape.iter().map(|p| p[0] * x + p[1] * y - middle).collect();
        let low = along.iter().copied().fold(f64::INFINITY, f64::min);
        let high = along.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        widest = widest.max(low - reach).max(-reach - high);
    }
    widest
}

/// What each cell must be: occupied by geometry, free by a search from cell to neighbour.
fn expected(grid: &OccupancyGrid, shapes: &[Vec<[f64; 2]>], robot: [f64; 2]) -> Vec<i8> {
    let (width, height) = (grid.width as i64, grid.height as i64);
    let mut cells = Vec::new();
    for row in 0..grid.height {
        for column in 0..grid.width {
            let centre = grid.centre(column, row);
            let half = 0.5 * grid.resolution;
            let taken = shapes.iter().any(|shape| gap(centre, half, shape) < 0.0);
            cells.push(if taken { OCCUPIED } else { UNKNOWN });
        }
    }
    let start = [
        ((robot[0] - grid.origin.x) / grid.resolution) as i64,
        ((robot[1] - grid.origin.y) / grid.resolution) as i64,
    ];
    let mut queue = VecDeque::from([start]);
    while let Some([column, row]) = queue.pop_front() {
        let inside = (0..width).contains(&column) && (0..height).contains(&row);
        let index = (row * width + column) as usize;
        if inside && cells[index] == UNKNOWN {
            cells[index] = FREE;
            for [x, y] in [[1, 0], [-1, 0], [0, 1], [0, -1]] {
                queue.push_back([column + x, row + y]);
            }
        }
    }
    cells
}

#[track_caller]
fn assert_cells(grid: &OccupancyGrid, expected: &[i8]) {
    assert_eq!(grid.cells.len(), expected.len(), "number of cells");
    for row in 0..grid.height {
        for column in 0..grid.width {
            let index = (row * grid.width + column) as usize;
            let (found, wanted) = (grid.cells[index], expected[index]);
            let at = grid.centre(column, row);
            assert_eq!(found, wanted, "cell {column} of row {row}, around {at:?}");
        }
    }
}

#[test]
fn a_room_is_free_within_walls_of_one_cell_and_unknown_beyond() {
    let mut world = empty_world();
    let room = [[-1.0, -0.5], [2.0, -0.5], [2.0, 1.5], [-1.0, 1.5]];
    add_outline(&mut world, "room", &room);
    let grid = map(&world, Pose2::default(), 0.1);
    // Half a metre of margin around 3 m by 2 m; cells have their middles at 0.1 k.
    assert_eq!((grid.width, grid.height, grid.cropped), (41, 31, false));
    let origin = [grid.origin.x, grid.origin.y, grid.origin.yaw];
    for (found, expected) in origin.into_iter().zip([-1.55, -1.05, 0.0]) {
        assert!((found - expected).abs() < 1e-12, "{origin:?}");
    }
    // By rows and columns: the walls are columns 5 and 35, rows 5 and 25.
    let mut expected = Vec::new();
    for row in 0..31 {
        for column in 0..41 {
            let within = (5..=35).contains(&column) && (5..=25).contains(&row);
            let inside = (6..=34).contains(&column) && (6..=24).contains(&row);
            expected.push(match (inside, within) {
                (true, _) => FREE,
                (false, true) => OCCUPIED,
                (false, false) => UNKNOWN,
            });
        }
    }
    assert_cells(&grid, &expected);
    assert_eq!(grid.value_at([1.9, 1.4]), Some(FREE));
    assert_eq!(grid.value_at([2.04, 1.4]), Some(OCCUPIED));
    assert_eq!(grid.value_at([2.06, 1.4]), Some(UNKNOWN));
    assert_eq!(grid.value_at([-1.56, 0.0]), None);
    assert_eq!(grid.value_at([2.56, 0.0]), None);
}

#[test]
fn a_box_is_solid_and_what_it_closes_off_is_unknown() {
    let mut world = empty_world();
    add_outline(
        &mut world,
        "room",
        &[[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [0.0, 2.0]],
    );
    add_box(
        &mut world,
        "divider",
        [0.04, 2.0],
        Pose2::new(2.03, 1.0, 0.0),
        [0.0, 1.0],
    );
    let grid = map(&world, Pose2::new(1.0, 1.0, 0.0), 0.025);
    assert_eq!(grid.value_at([1.9, 1.0]), Some(FREE));
    // 2.01 to 2.05 m: from the cell of 2.0 to that of 2.05.
    for (x, expected) in [
        (1.975, FREE),
        (2.0, OCCUPIED),
        (2.025, OCCUPIED),
        (2.05, OCCUPIED),
    ] {
        assert_eq!(grid.value_at([x, 1.0]), Some(expected), "at {x}");
    }
    assert_eq!(grid.value_at([2.075, 1.0]), Some(UNKNOWN));
    assert_eq!(grid.value_at([3.0, 1.0]), Some(UNKNOWN));
    let other = map(&world, Pose2::new(3.0, 1.0, 0.0), 0.025);
    assert_eq!(other.value_at([1.9, 1.0]), Some(UNKNOWN));
    assert_eq!(other.value_at([3.0, 1.0]), Some(FREE));
}

#[test]
fn only_what_stands_at_the_height_of_the_lidar_on_this_level_counts() {
    let mut world = empty_world();
    for (name, z) in [("1F", 0.0), ("2F", 3.0)] {
        let name = name.into();
        world.add_floor(&FloorSpec { name, z }).unwrap();
    }
    add_outline(
        &mut world,
        "room",
        &[[-2.0, -2.0], [2.0, -2.0], [2.0, 2.0], [-2.0, 2.0]],
    );
    let small = [0.2, 0.2];
    add_box(
        &mut world,
        "table",
        small,
        Pose2::new(1.0, 1.0, 0.0),
        [0.6, 0.7],
    );
    add_box(
        &mut world,
        "sill",
        small,
        Pose2::new(1.0, 0.0, 0.0),
        [0.0, 0.02],
    );
    add_box(
        &mut world,
        "crate",
        small,
        Pose2::new(1.0, -1.0, 0.0),
        [0.0, 0.3],
    );
    add_box(
        &mut world,
        "upstairs",
        small,
        Pose2::new(-1.0, -1.0, 0.0),
        [3.0, 3.3],
    );
    let disc = DiscSpec {
        name: "person".into(),
        radius: 0.3,
        center: [-1.0, 1.0],
        velocity: [0.0, 0.0],
        z_min: 0.0,
        z_max: 1.8,
    };
    world.add_disc(&disc).unwrap();
    let places = [
        [1.0, 1.0],
        [1.0, 0.0],
        [1.0, -1.0],
        [-1.0, -1.0],
        [-1.0, 1.0],
    ];
    let seen = |floor: &str| {
        let level = world.floors().level(floor).unwrap();
        let grid = raster(&world, level, Pose2::default(), &config(0.05));
        places.map(|place| grid.value_at(place))
    };
    let (free, taken) = (Some(FREE), Some(OCCUPIED));
    assert_eq!(seen("1F"), [free, free, taken, free, free]);
    // Upstairs nothing else stands: the map holds robot and box with a margin.
    assert_eq!(seen("2F"), [None, None, None, taken, None]);
}

#[test]
fn a_robot_inside_something_starts_beside_it() {
    let mut world = empty_world();
    add_outline(
        &mut world,
        "room",
        &[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]],
    );
    add_box(
        &mut world,
        "block",
        [0.5, 0.5],
        Pose2::default(),
        [0.0, 1.0],
    );
    let grid = map(&world, Pose2::new(0.1, 0.0, 0.0), 0.05);
    assert_eq!(grid.value_at([0.1, 0.0]), Some(OCCUPIED));
    assert_eq!(grid.value_at([-0.8, 0.8]), Some(FREE));
    assert_eq!(grid.value_at([1.2, 0.0]), Some(UNKNOWN));
    // Nowhere to be: nothing is free, and nothing fails.
    let mut full = empty_world();
    add_box(&mut full, "block", [9.0, 9.0], Pose2::default(), [0.0, 1.0]);
    let no_margin = MappingConfig {
        margin: 0.0,
        ..config(0.1)
    };
    let grid = raster(&full, ground(&full), Pose2::default(), &no_margin);
    assert!(grid.cells.iter().all(|cell| *cell == OCCUPIED));
}

#[test]
fn an_empty_world_is_free_around_the_robot() {
    let grid = map(&empty_world(), Pose2::new(7.0, -3.0, 1.0), 0.1);
    assert_eq!((grid.width, grid.height), (11, 11));
    assert!(grid.cells.iter().all(|cell| *cell == FREE));
    assert_eq!(grid.value_at([7.0, -3.0]), Some(FREE));
}

#[test]
fn a_world_too_large_is_cut_around_the_robot_and_keeps_its_cells() {
    let mut world = empty_world();
    let small = [1.0, 1.0];
    add_box(
        &mut world,
        "near",
        small,
        Pose2::new(2.0, 0.0, 0.0),
        [0.0, 1.0],
    );
    let whole = map(&world, Pose2::default(), 0.025);
    add_box(
        &mut world,
        "far",
        small,
        Pose2::new(1e6, 1e6, 0.0),
        [0.0, 1.0],
    );
    let grid = map(&world, Pose2::default(), 0.025);
    assert!(grid.cropped && !whole.cropped);
    assert_eq!((grid.width, grid.height), (4096, 4096));
    // Its lower left corner is that of the whole world.
    assert_eq!(grid.origin, whole.origin);
    for row in 0..whole.height {
        for column in 0..whole.width {
            let (found, expected) = (grid.value(column, row), whole.value(column, row));
            assert_eq!(found, expected, "cell {column} of row {row}");
        }
    }
    // Long and narrow: all of its width, as much of its length as there may be.
    world.remove("far").unwrap();
    add_box(
        &mut world,
        "down the hall",
        small,
        Pose2::new(1e6, 0.0, 0.0),
        [0.0, 1.0],
    );
    let grid = map(&world, Pose2::new(5e5, 0.0, 0.0), 0.025);
    assert_eq!((grid.height, grid.cropped), (whole.height, true));
    let cells = u64::from(grid.width) * u64::from(grid.height);
    assert!(
        (MAX_CELLS - u64::from(grid.height)..=MAX_CELLS).contains(&cells),
        "{cells}"
    );
    let middle = grid.origin.x + 0.5 * f64::from(grid.width) * grid.resolution;
    assert!((middle - 5e5).abs() < 0.05, "{middle}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Cell by cell: what a separating axis says of square and shape, and a search.
    #[test]
    fn any_room_is_mapped_as_geometry_says(
        boxes in proptest::collection::vec(
            ((-2.0..2.0_f64, -2.0..2.0_f64, -3.2..3.2_f64), (0.01..1.5_f64, 0.01..1.5_f64)),
            0..6,
        ),
        corners in proptest::collection::vec((-2.5..2.5_f64, -2.5..2.5_f64), 3..9),
        robot in (-2.0..2.0_f64, -2.0..2.0_f64),
        resolution in 0.03..0.2_f64,
    ) {
        let mut world = empty_world();
        let points: Vec<[f64; 2]> = corners.iter().map(|(x, y)| [*x, *y]).collect();
        add_outline(&mut world, "ring", &points);
        let closed = points.iter().zip(points.iter().cycle().skip(1));
        let mut shapes: Vec<Vec<[f64; 2]>> = closed.map(|(a, b)| vec![*a, *b]).collect();
        for (i, ((x, y, yaw), (wide, deep))) in boxes.into_iter().enumerate() {
            add_box(&mut world, &format!("box {i}"), [wide, deep], Pose2::new(x, y, yaw), [0.0, 1.0]);
            let (sin, cos) = yaw.sin_cos();
            let corner = |i: f64, j: f64| {
                let (a, b) = (0.5 * i * wide, 0.5 * j * deep);
                [x + cos * a - sin * b, y + sin * a + cos * b]
            };
            shapes.push(vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]);
        }
        let robot = [robot.0, robot.1];
        let grid = map(&world, Pose2::new(robot[0], robot[1], 0.3), resolution);
        let expected = expected(&grid, &shapes, robot);
        // Inside something the search has no place to start from: that is another test.
        prop_assume!(grid.value_at(robot) != Some(OCCUPIED));
        for (index, (found, wanted)) in grid.cells.iter().zip(&expected).enumerate() {
            let (column, row) = (index as u32 % grid.width, index as u32 / grid.width);
            let at = grid.centre(column, row);
            prop_assert!(found == wanted, "{found}, expected {wanted} around {at:?}");
        }
        // Everything lies in it, with the margin.
        let (width, height) = (f64::from(grid.width), f64::from(grid.height));
        for point in shapes.iter().flatten().chain([&robot]) {
            let low = [point[0] - grid.origin.x, point[1] - grid.origin.y];
            let high = [width * resolution - low[0], height * resolution - low[1]];
            let least = low.into_iter().chain(high).fold(f64::INFINITY, f64::min);
            prop_assert!(least >= 0.5 - 1e-9, "{point:?} is {least} m from the edge");
        }
    }
}

#[test]
fn of_things_those_that_are_fixed_are_in_the_map_part_by_part() {
    let mut world = empty_world();
    let leg = |y: f64| {
        let shape = PlanarShape::Disc(0.1);
        Part::solid(shape, ZExtent::new(0.0, 0.15)).at(Pose2::new(0.0, y, 0.0))
    };
    let plate = PlanarShape::rectangle(0.4, 1.2);
    let parts = vec![
        leg(0.5),
        leg(-0.5),
        Part::solid(plate, ZExtent::new(0.15, 0.2)),
    ];
    for (name, x, motion) in [
        ("fixed", 1.0, ThingMotion::Fixed),
        ("driven", 2.0, ThingMotion::Driven),
        ("pushed", 3.0, ThingMotion::Pushed { mass: 6.0 }),
    ] {
        let spec = ThingSpec {
            name: name.into(),
            kind: Kind::Shelf,
            parts: parts.clone(),
            pose: Pose2::new(x, 0.0, 0.0),
            floor: String::new(),
            motion,
        };
        world.add_thing(&spec).unwrap();
    }
    add_outline(
        &mut world,
        "room",
        &[[-2.0, -2.0], [5.0, -2.0], [5.0, 2.0], [-2.0, 2.0]],
    );
    let map = map(&world, Pose2::default(), 0.05);
    for (x, legs) in [(1.0, OCCUPIED), (2.0, FREE), (3.0, FREE)] {
        let found = [-0.5, 0.0, 0.5].map(|y| map.value_at([x, y]));
        let expected = [legs, FREE, legs].map(Some);
        assert_eq!(found, expected, "at x {x}");
    }
    // Round: the cell from 0.075 m on is part of it, the one that far along both axes is not.
    let beside = [[1.1, 0.5], [1.1, 0.6], [1.15, 0.5]].map(|p| map.value_at(p));
    assert_eq!(beside, [Some(OCCUPIED), Some(FREE), Some(FREE)]);
}
