//! Detection.

use super::*;
use crate::sensors::{NoiseKey, StepNoise};

const PERSON: Target = Target {
    id: 7,
    label: Label::Person,
};

fn person(x: f64, y: f64) -> Prism {
    prism(
        7,
        PlanarShape::Disc(0.25),
        Pose2::new(x, y, 0.0),
        [0.0, 1.7],
    )
}

fn noise(step: u64) -> StepNoise {
    NoiseKey::new(0, "kachaka", "object_detection").at(step)
}

fn found(prisms: Vec<Prism>, config: &DetectionConfig, step: u64) -> Vec<Detection> {
    let camera = Camera::new(CameraSpec::kachaka_front()).unwrap();
    let mut frame = Frame::default();
    let view = looking(0.07, 0.0);
    Renderer::new().draw(
        &camera,
        &scene(prisms),
        &view,
        Channels::OBJECTS,
        &mut frame,
    );
    detect(&frame, &camera, &[PERSON], config, &noise(step))
}

fn exact() -> DetectionConfig {
    DetectionConfig::default().exact()
}

#[test]
fn a_person_two_metres_ahead_is_found_with_its_distance() {
    let all = found(vec![person(2.0, 0.0)], &exact(), 1);
    let [seen] = all[..] else { panic!("{all:?}") };
    assert_eq!((seen.id, seen.label), (7, Label::Person));
    // By sampling: the nearest hit of lines from the camera to the visible part, a column
    // at a time. It ends at the picture's upper edge, 322 / 503.6 above the axis.
    let k = CameraSpec::kachaka_front().info().k;
    let mut ranges = Vec::new();
    for column in 0..1280 {
        for row in 0..720 {
            let (x, y) = ((column as f64 - k[2]) / k[0], (row as f64 - k[5]) / k[4]);
            // Ray (1, -x, -y) against the circle of 0.25 m around (2, 0).
            let (a, b) = (1.0 + x * x, 2.0);
            let c = 4.0 - 0.0625;
            let square = b * b - a * c;
            if square < 0.0 {
                continue;
            }
            let depth = (b - square.sqrt()) / a;
            if (0.0..=1.7).contains(&(0.07 - y * depth)) {
                ranges.push(depth * (1.0 + x * x + y * y).sqrt());
            }
        }
    }
    ranges.sort_by(f64::total_cmp);
    let expected = ranges[ranges.len() / 2];
    let apart = (seen.distance_median - expected).abs();
    assert!(apart < 0.05, "{} for {expected}", seen.distance_median);
    // Tangents at asin(0.125): 0.126 at 1 m, so 63.9 columns to either side of 627.9.
    let roi = seen.roi;
    assert!(
        roi.x.abs_diff(564) <= 1 && roi.width.abs_diff(128) <= 2,
        "{roi:?}"
    );
    assert_eq!(roi.y, 0);
    // The foot is 0.07 m below the axis at 1.75 m: 20.1 rows below 322.
    assert!(roi.height.abs_diff(343) <= 1, "{roi:?}");
    assert!((0.6..0.95).contains(&seen.score), "{seen:?}");
}

#[test]
fn behind_a_wall_nobody_is_found() {
    let all = found(
        vec![person(2.0, 0.0), wall(1, 1.0, 9.0, [0.0, 3.0])],
        &exact(),
        1,
    );
    assert_eq!(all, []);
    let aside = found(vec![person(-2.0, 0.0)], &exact(), 1);
    assert_eq!(aside, [], "behind the camera");
}

#[test]
fn what_is_partly_hidden_is_found_with_a_lower_score_and_a_smaller_box() {
    let whole = found(vec![person(2.0, 0.0)], &exact(), 1)[0];
    // The half of the person right of y = 0.05 is behind the wall.
    let mut half_wall = wall(1, 1.0, 1.0, [0.0, 3.0]);
    half_wall.pose.y = -0.5;
    let half = found(vec![person(2.0, 0.0), half_wall], &exact(), 1)[0];
    assert!(half.score < whole.score, "{half:?} and {whole:?}");
    assert!(
        half.roi.width.abs_diff(whole.roi.width / 2) <= 2,
        "{half:?}"
    );
    // Almost all of it hidden: less than share_min.
    let mut most = wall(1, 1.0, 1.0, [0.0, 3.0]);
    most.pose.y = -0.39;
    assert_eq!(found(vec![person(2.0, 0.0), most], &exact(), 1), []);
}

#[test]
fn far_and_small_things_are_not_found() {
    let score = |x| {
        found(vec![person(x, 0.0)], &exact(), 1)
            .first()
            .map(|d| d.score)
    };
    let (near, far) = (score(1.5), score(5.0));
    assert!(near > far && far > Some(0.5), "{near:?} and {far:?}");
    assert_eq!(score(6.5), None);
    let mut config = exact();
    config.range_max = 100.0;
    config.pixels_min = 1;
    let mut thin = person(4.0, 0.0);
    thin.shape = PlanarShape::Disc(0.02);
    assert_eq!(found(vec![thin.clone()], &config, 1), [], "5 columns");
    config.size_min = 4;
    assert_eq!(found(vec![thin], &config, 1).len(), 1);
}

#[test]
fn misses_come_at_their_rate_and_boxes_wobble_with_the_seed() {
    let camera = Camera::new(CameraSpec::kachaka_front()).unwrap();
    let mut frame = Frame::default();
    let scene = scene(vec![person(2.0, 0.0)]);
    Renderer::new().draw(
        &camera,
        &scene,
        &looking(0.07, 0.0),
        Channels::OBJECTS,
        &mut frame,
    );
    let mut config = DetectionConfig {
        miss_rate: 0.2,
        ..DetectionConfig::default()
    };
    let steps = 400;
    let of =
        |config: &DetectionConfig, step| detect(&frame, &camera, &[PERSON], config, &noise(step));
    let missed = (0..steps)
        .filter(|&step| of(&config, step).is_empty())
        .count();
    // 80 expected, standard deviation 8.
    assert!((48..112).contains(&missed), "{missed} of {steps}");
    assert_eq!(of(&config, 3), of(&config, 3));
    config.miss_rate = 0.0;
    let (one, other) = (of(&config, 3)[0], of(&config, 4)[0]);
    assert_ne!(one.roi, other.roi);
    assert_ne!(one.score, other.score);
    config.miss_rate = 1.0;
    assert_eq!(of(&config, 3), []);
}

#[test]
fn labels_have_the_numbers_of_the_real_interfaces() {
    let all = [Label::Person, Label::Shelf, Label::Charger, Label::Door];
    assert_eq!(all.map(Label::ros_number), [0, 1, 2, 3]);
    assert_eq!(all.map(Label::api_number), [1, 2, 3, 4]);
}

#[test]
fn bad_numbers_are_refused() {
    assert_eq!(DetectionConfig::default().check(), Ok(()));
    let config = DetectionConfig {
        miss_rate: 1.5,
        ..DetectionConfig::default()
    };
    let error = config.check().unwrap_err().to_string();
    assert!(error.contains("miss_rate is 1.5"), "{error}");
    let config = DetectionConfig {
        range_max: f64::NAN,
        ..DetectionConfig::default()
    };
    let error = config.check().unwrap_err().to_string();
    assert!(error.contains("range_max is NaN"), "{error}");
}
