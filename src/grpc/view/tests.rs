//! What a view shows of what it was told.

use std::pin::pin;
use std::time::Duration;

use futures::FutureExt;
use r2r::builtin_interfaces::msg::Time;
use r2r::nav_msgs::msg::OccupancyGrid;
use r2r::tatami_msgs::msg::{CommandResult, Location};

use super::*;

fn view() -> View {
    let times = DwellTimes {
        running: Duration::ZERO,
        result: Duration::from_secs(3600),
    };
    View::new(Stamps::default(), times)
}

fn state(sequence: u64, sec: i32) -> OnboardState {
    OnboardState {
        sequence,
        stamp: Time { sec, nanosec: 0 },
        speaker_volume: 5,
        ..Default::default()
    }
}

fn at(x: f64, sec: i32) -> PoseStamped {
    let mut message = PoseStamped::default();
    message.header.stamp.sec = sec;
    message.pose = convert::spatial(&pose(x));
    message
}

fn pose(x: f64) -> Pose {
    Pose {
        x,
        y: 0.0,
        theta: 3.0,
    }
}

fn grid() -> OccupancyGrid {
    let mut grid = OccupancyGrid::default();
    (grid.info.width, grid.info.height) = (2, 1);
    grid.info.resolution = 0.05;
    grid.data = vec![0, 100];
    grid
}

fn transform(parent: &str, child: &str) -> TransformStamped {
    let mut transform = TransformStamped::default();
    transform.header.frame_id = parent.to_owned();
    transform.child_frame_id = child.to_owned();
    transform
}

#[test]
fn a_robot_that_counts_anew_takes_all_away_that_another_told() {
    let (view, now) = (view(), Instant::now());
    view.take_state(&state(9, 5), now);
    view.take_pose(&at(1.0, 5));
    view.take_imu(&Imu::default());
    view.accept(view.robot_number(), "A", &OnboardCommand::default());
    view.take_state(&state(1, 5), now);
    assert!(view.heard.borrow().is_some_and(|heard| heard.sequence == 1));
    assert_eq!(view.cells.pose.latest(), None);
    assert_eq!(view.cells.imu.latest(), None);
    let last = view.cells.last_result.latest().unwrap();
    assert_eq!(last.command_id, "A");
    assert_eq!(last.result.unwrap().error_code, 10002);
    // Results that count anew tell the same.
    for number in [4, 3] {
        let result = CommandResult {
            number,
            ..Default::default()
        };
        let history = CommandHistory {
            sequence: 1,
            results: vec![result],
        };
        view.take_history(&history, now);
        assert!(view.cells.history.latest().is_some(), "{number}");
    }
    assert!(view.heard.borrow().is_none(), "{:?}", view.heard);
}

#[test]
fn what_is_told_again_is_no_new_sample() {
    let view = view();
    let mut imu = Imu::default();
    view.take_imu(&imu);
    view.take_pose(&at(1.0, 5));
    let cells = &view.cells;
    let before = (cells.imu.latest(), cells.pose.latest());
    view.take_imu(&imu);
    view.take_pose(&at(1.0, 5));
    assert_eq!((cells.imu.latest(), cells.pose.latest()), before);
    imu.header.stamp.nanosec = 1;
    view.take_imu(&imu);
    view.take_pose(&at(1.0, 6));
    assert_ne!(cells.imu.latest(), before.0);
    assert_ne!(cells.pose.latest(), before.1);
}

#[test]
fn a_pose_that_was_set_is_waited_for() {
    let view = view();
    view.take_pose(&at(1.0, 5));
    assert!(view.shows_pose(&pose(1.0)) && !view.shows_pose(&pose(2.0)));
    view.take_state(&state(2, 6), Instant::now());
    let wanted = pose(2.0);
    let mut follows = pin!(view.follows_pose(&wanted));
    assert!(follows.as_mut().now_or_never().is_none());
    // Of before the state, and of its time but from before the change.
    view.take_pose(&at(2.0, 5));
    view.take_pose(&at(1.0, 6));
    assert!(follows.as_mut().now_or_never().is_none());
    view.take_pose(&at(2.0, 6));
    assert!(follows.now_or_never().is_some());
    // A robot that drives has gone on.
    view.take_pose(&at(2.1, 7));
    assert!(view.follows_pose(&wanted).now_or_never().is_some());
}

#[tokio::test]
async fn a_map_is_drawn_elsewhere_and_waited_for() {
    let view = view();
    let begun = Instant::now();
    let later = |seconds| begun + Duration::from_secs(seconds);
    // A robot without maps has none to wait for.
    assert!(view.follows_map(later(0)).now_or_never().is_some());
    let mut drawing = pin!(view.keep_drawing());
    view.take_map(grid(), later(1));
    assert_eq!(view.cells.map.latest(), None, "drawn on the thread of ROS");
    tokio::select! {
        () = view.follows_map(later(1)) => {}
        () = &mut drawing => {}
    }
    let map = view.cells.map.latest().unwrap();
    assert_eq!(map.map.as_ref().unwrap().width, 2);
    view.take_state(&state(3, 7), Instant::now());
    // States with the same map are no new map, and do not copy it.
    assert!(Arc::ptr_eq(&map, &view.cells.map.latest().unwrap()));
    assert!(view.follows_map(later(2)).now_or_never().is_none());
    // Told again, it is read already.
    view.take_map(grid(), later(3));
    assert!(view.follows_map(later(2)).now_or_never().is_some());
}

#[test]
fn moving_transforms_are_only_put_together_for_those_who_follow_them() {
    let view = view();
    view.take_moving_transforms(&[transform("odom", "base_footprint")]);
    assert!(view.cells.dynamic_transforms.borrow().is_none());
    let mut follows = view.follow_moving_transforms();
    let count = |set: &Option<Arc<GetDynamicTransformResponse>>| {
        set.as_ref().map_or(0, |set| set.transforms.len())
    };
    assert_eq!(count(&follows.borrow_and_update()), 1);
    view.take_moving_transforms(&[transform("map", "odom")]);
    assert_eq!(count(&follows.borrow_and_update()), 2);
}

#[test]
fn a_place_that_was_removed_is_no_frame_any_more() {
    let view = view();
    let fixed = [
        transform("map", "L01"),
        transform("base_link", "laser_frame"),
    ];
    view.take_fixed_transforms(&fixed);
    let place = Location {
        id: "L01".to_owned(),
        ..Default::default()
    };
    let mut places = Locations {
        locations: vec![place],
        ..Default::default()
    };
    let children = |view: &View| {
        let told = view.cells.static_transforms.latest().unwrap();
        let all = told.transforms.iter();
        all.map(|one| one.child_frame_id.clone())
            .collect::<Vec<_>>()
    };
    view.take_locations(&places);
    assert_eq!(children(&view), ["L01", "laser_frame"]);
    places.locations.clear();
    view.take_locations(&places);
    assert_eq!(children(&view), ["laser_frame"]);
}
