//! The stop in front of obstacles, as it acts on the drive.

use super::sim::{NAME, STEPS, Sim, assert_near, forward};
use tatami::drive::DriveModel;
use tatami::drive::wheels::{WheelFields, WheelModel};
use tatami::kachaka::Command;
use tatami::robot::RobotSpec;
use tatami::world::Pose2;

/// Front of the lane, margin, period and hysteresis of the default configuration, and the
/// deceleration of the drive.
const FRONT: f64 = 0.23;
const MARGIN: f64 = 0.1;
const PERIOD: f64 = 0.1;
const DECEL: f64 = 2.0;

/// Drives by the autonomous topic until it stands, and gives the clearance it keeps.
fn drive_at(sim: &mut Sim, wall: f64, speed: f64) -> f64 {
    sim.speed_up(speed);
    sim.until(20.0, |sim| {
        sim.kachaka().autonomous_velocity(speed, 0.0).unwrap();
        sim.is_still()
    });
    // It stays there while the velocity goes on.
    let place = sim.pose().x;
    for _ in 0..(3.0 / sim.dt) as u64 {
        sim.kachaka().autonomous_velocity(speed, 0.0).unwrap();
        sim.step();
    }
    assert_near("place", sim.pose().x, place, 1e-9);
    wall - place - FRONT
}

#[test]
fn it_stops_in_front_of_a_wall_with_the_margin() {
    for dt in STEPS {
        for speed in [0.3, 0.8] {
            for wall in [2.0, 2.013, 2.04, 2.071] {
                let mut sim = Sim::new(dt);
                sim.wall("wall", wall);
                let kept = drive_at(&mut sim, wall, speed);
                // The last look before it blocked was farther than margin + v T + v^2 / 2a,
                // the one that blocks at most v T nearer, where T is up to a step longer.
                let slack = 2.0 * speed * sim.dt;
                assert!(kept >= MARGIN - 1e-6, "{speed} m/s: {kept}");
                assert!(
                    kept <= MARGIN + speed * PERIOD + slack,
                    "{speed} m/s: {kept}"
                );
                assert_eq!(sim.kachaka().state().collisions, 0);
            }
        }
    }
}

/// Bodies that brake worse than the software's 2 m/s2, and what makes them so.
fn slow_to_brake() -> [(&'static str, RobotSpec); 7] {
    let of = |config: &str, change: fn(&mut DriveModel)| {
        let mut spec = super::sim::spec(NAME, Pose2::default(), config);
        change(&mut spec.drive);
        spec
    };
    [
        ("mass 200", of("drive: {mass: 200.0}", |_| {})),
        ("torque 0.2", of("drive: {wheel_torque: 0.2}", |_| {})),
        ("traction 0.5", of("", |drive| drive.traction = 0.5)),
        ("lag 0.3", of("", |drive| drive.lag = [0.3, 0.0, 0.3])),
        (
            "traction 0.5 and lag 0.3",
            of("", |drive| {
                drive.traction = 0.5;
                drive.lag[0] = 0.3;
            }),
        ),
        ("decel 0.4", of("", |drive| drive.linear.decel = 0.4)),
        ("gain 1.2", of("", |drive| drive.gain[0] = 1.2)),
    ]
}

#[test]
fn it_keeps_the_margin_with_a_body_that_brakes_worse() {
    for dt in STEPS {
        for speed in [0.3, 0.8] {
            // Near enough that it still speeds up, and farther.
            for wall in [0.7, 1.0, 3.0] {
                for (label, robot) in slow_to_brake() {
                    let mut sim = Sim::of(dt, robot);
                    sim.wall("wall", wall);
                    sim.run(0.2);
                    for _ in 0..((wall / speed + 12.0) / sim.dt) as u64 {
                        sim.kachaka().autonomous_velocity(speed, 0.0).unwrap();
                        sim.step();
                    }
                    let kept = wall - sim.pose().x - FRONT;
                    let at = format!("{label}, {speed} m/s, wall at {wall} m: {kept} m");
                    assert!(kept >= MARGIN - 1e-6, "{at}");
                    // No earlier than the look before, at the body's speed, and a step.
                    let most = MARGIN + 1.2 * speed * (PERIOD + 2.0 * sim.dt);
                    assert!(kept <= most || wall < 3.0, "{at}");
                    assert!(sim.is_still(), "{at}: {:?}", sim.twist());
                    assert_eq!(sim.kachaka().state().collisions, 0, "{at}");
                }
            }
        }
    }
}

#[test]
fn it_looks_as_far_as_a_body_takes_to_stop() {
    let mut robot = super::sim::spec(NAME, Pose2::default(), "");
    // 0.64 / 0.1 = 6.4 m, of which the default range sees 3 m.
    robot.drive.traction = 0.05;
    let mut sim = Sim::of(STEPS[1], robot);
    let wall = 15.0;
    sim.wall("wall", wall);
    for _ in 0..(60.0 / sim.dt) as u64 {
        sim.kachaka().autonomous_velocity(0.8, 0.0).unwrap();
        sim.step();
    }
    let kept = wall - sim.pose().x - FRONT;
    assert!(kept >= MARGIN - 1e-6, "{kept} m");
    assert!(sim.is_still() && kept <= MARGIN + 0.8 * 0.2, "{kept} m");
}

#[test]
fn the_clearance_is_that_of_the_look_that_blocks() {
    // Steps of 0.01 s, so that a look comes at every tenth and 0.8 m/s are reached after 0.4 s.
    let mut sim = Sim::new(0.01);
    let wall = 2.0;
    sim.wall("wall", wall);
    let speed = 0.8;
    let kept = drive_at(&mut sim, wall, speed);
    let stopping = MARGIN + speed * PERIOD + speed * speed / (2.0 * DECEL);
    // Independent of the robot: a point that has sped up and looks each 0.1 s.
    let (mut x, mut v, mut step) = (0.0_f64, 0.0_f64, 0_u32);
    let seen = loop {
        if step > 0 && step % 10 == 0 {
            let clearance = wall - x - FRONT;
            let now = MARGIN + v * PERIOD + v * v / (2.0 * DECEL);
            if clearance <= now {
                break clearance;
            }
        }
        v = (v + DECEL * 0.01).min(speed);
        x += v * 0.01;
        step += 1;
    };
    assert!(seen <= stopping, "{seen}");
    // Braking by 0.02 m/s a step: v^2 / 2a less half a step.
    let braking = speed * speed / (2.0 * DECEL) - 0.5 * speed * 0.01;
    assert_near("kept", kept, seen - braking, 1e-6);
}

#[test]
fn it_keeps_the_margin_also_with_steps_longer_than_its_period() {
    for dt in [0.08, 0.25, 0.5] {
        // Near enough that it has not reached its speed yet, and farther.
        for wall in [0.35, 0.5, 0.7, 0.9, 1.5, 2.2] {
            let mut sim = Sim::new(dt);
            sim.wall("wall", wall);
            // It looks with the first steps.
            sim.run(2.0 * dt);
            for _ in 0..(10.0 / dt) as u64 {
                sim.kachaka().autonomous_velocity(0.8, 0.0).unwrap();
                sim.step();
            }
            let kept = wall - sim.pose().x - FRONT;
            let least = MARGIN.min(wall - FRONT) - 1e-6;
            assert!(kept >= least, "{dt} s, wall at {wall} m: {kept} m");
            assert_eq!(sim.kachaka().state().collisions, 0, "{dt} s, {wall} m");
            assert!(sim.is_still(), "{:?}", sim.twist());
        }
    }
}

/// Bodies that can't go as fast as the software lets them, with how fast they can.
fn slow() -> [(&'static str, f64, RobotSpec); 4] {
    let of = |change: fn(&mut DriveModel)| {
        let mut spec = super::sim::spec(NAME, Pose2::default(), "");
        change(&mut spec.drive);
        spec
    };
    // Wheels of 0.045 m.
    let by_wheel = of(|drive| drive.wheels = limited(drive, |w| w.max_wheel_speed = 1.0));
    let by_speed = of(|drive| drive.wheels = limited(drive, |w| w.max_linear_speed = 0.3));
    let lags = of(|drive| {
        drive.wheels = limited(drive, |w| w.max_wheel_speed = 8.0);
        drive.lag[0] = 0.3;
    });
    [
        ("wheels", 0.045, by_wheel),
        ("wheels' speed", 0.3, by_speed),
        ("body", 0.05, of(|drive| drive.linear.high = 0.05)),
        ("wheels and a lag", 0.36, lags),
    ]
}

fn limited(drive: &DriveModel, change: fn(&mut WheelFields)) -> WheelModel {
    let mut fields = WheelFields::from(&drive.wheels);
    change(&mut fields);
    fields.model().unwrap()
}

#[test]
fn it_reckons_with_the_speed_that_the_drive_can_reach() {
    for dt in [1.0 / 30.0, 0.25, 0.5] {
        for wall in [1.0, 1.0171, 1.043] {
            for (label, speed, robot) in slow() {
                let lag = robot.drive.lag[0];
                let mut sim = Sim::of(dt, robot);
                sim.wall("wall", wall);
                for _ in 0..(25.0 / dt) as u64 {
                    sim.kachaka().autonomous_velocity(0.8, 0.0).unwrap();
                    sim.step();
                }
                let kept = wall - sim.pose().x - FRONT;
                let at = format!("{label}, {dt} s, wall at {wall} m: {kept} m");
                assert!(sim.is_still(), "{at}: {:?}", sim.twist());
                assert!(kept >= MARGIN - 1e-6, "{at}");
                // Where it blocks; braking takes it nearer from there.
                let period = (PERIOD / dt).ceil() * dt;
                let blocks = speed * (period + lag) + speed * speed / (2.0 * DECEL);
                assert!(kept <= MARGIN + blocks + 1e-6, "{at}, blocks {blocks}");
            }
        }
    }
}

#[test]
fn two_that_meet_keep_apart_as_long_as_the_margin_holds_the_way_of_the_other() {
    // Each stops in time for a thing that stands. The other one takes v T + v^2 / 2a of its
    // margin: 0.0525 m of 0.1 m at 0.3 m/s.
    for dt in STEPS {
        let mut sim = Sim::new(dt);
        let facing = Pose2::new(3.0, 0.0, std::f64::consts::PI);
        sim.scene
            .spawn_robot(super::sim::spec("other", facing, ""))
            .unwrap();
        for _ in 0..(10.0 / sim.dt) as u64 {
            for name in [NAME, "other"] {
                let kachaka = sim.scene.kachaka_mut(name).unwrap();
                kachaka.autonomous_velocity(0.3, 0.0).unwrap();
            }
            sim.step();
        }
        let other = sim.scene.state("other").unwrap().pose.x;
        // Their fronts are 0.237 m ahead, the lanes begin at 0.23 m.
        let kept = other - 0.237 - sim.pose().x - FRONT;
        let slack = 2.0 * 0.3 * sim.dt;
        assert!(kept >= MARGIN - 0.0525 - slack, "{kept} m");
        assert!(kept <= MARGIN + 0.3 * PERIOD + slack, "{kept} m");
        assert_eq!(sim.kachaka().state().collisions, 0);
    }
}

#[test]
fn it_drives_on_when_the_way_clears() {
    let mut sim = Sim::new(STEPS[0]);
    sim.wall("wall", 1.0);
    drive_at(&mut sim, 1.0, 0.3);
    sim.scene.delete_entities(&["wall".into()]).unwrap();
    sim.speed_up(0.3);
}

#[test]
fn backing_up_and_turning_are_not_blocked() {
    let mut sim = Sim::new(STEPS[0]);
    sim.wall("wall", 0.28);
    // Until it has looked.
    sim.run(0.2);
    for _ in 0..60 {
        sim.kachaka().autonomous_velocity(0.3, 1.0).unwrap();
        sim.step();
    }
    assert_near("rate", sim.twist().angular, 1.0, 1e-9);
    let mut sim = Sim::new(STEPS[0]);
    sim.wall("wall", 0.28);
    for _ in 0..60 {
        sim.kachaka().autonomous_velocity(-0.3, 0.0).unwrap();
        sim.step();
    }
    assert_near("speed", sim.twist().x, -0.3, 1e-9);
}

#[test]
fn a_command_that_it_holds_for_1_s_fails_with_19001() {
    for dt in STEPS {
        let mut sim = Sim::new(dt);
        sim.wall("wall", 1.5);
        let id = sim.start(forward(2.0)).unwrap();
        sim.until(10.0, |sim| sim.pose().x > 0.3);
        // It brakes from 0.3 m/s in 0.15 s, within the second.
        sim.until(10.0, |sim| sim.twist().x < 0.299);
        let braking = sim.time();
        sim.until_idle(3.0);
        let result = sim.result(&id);
        assert_eq!((result.success, result.error_code), (false, 19001));
        let held = sim.time() - braking;
        // The first step of braking is the first that it was held for.
        assert_near("held", held, 1.0, 1.5 * sim.dt);
        assert!(sim.is_still() && sim.pose().x < 1.5 - FRONT - MARGIN + sim.dt);
    }
}

#[test]
fn a_command_goes_on_when_the_way_clears_in_time() {
    let mut sim = Sim::new(STEPS[0]);
    sim.wall("wall", 1.0);
    let id = sim.start(forward(2.0)).unwrap();
    sim.until(10.0, |sim| sim.pose().x > 0.3 && sim.is_still());
    sim.scene.delete_entities(&["wall".into()]).unwrap();
    sim.until_idle(20.0);
    assert!(sim.result(&id).success, "{:?}", sim.result(&id));
    assert_near("way", sim.pose().x, 2.0, 1e-3);
}

#[test]
fn muted_it_drives_into_the_wall_and_counts_one_collision() {
    for dt in STEPS {
        let mut sim = Sim::new(dt);
        sim.wall("wall", 0.6);
        sim.kachaka().mute_front_stop(true);
        assert!(sim.kachaka().state().front_stop_muted);
        for _ in 0..(5.0 / sim.dt) as u64 {
            sim.kachaka().autonomous_velocity(0.3, 0.0).unwrap();
            sim.step();
        }
        // The body reaches 0.237 m ahead.
        assert_near("place", sim.pose().x, 0.6 - 0.237, 2e-3);
        assert_eq!(sim.kachaka().state().collisions, 1);
    }
}

#[test]
fn commands_with_muted_sensors_mute_it_while_they_run() {
    let mut sim = Sim::new(STEPS[0]);
    sim.wall("wall", 0.6);
    let id = sim
        .start(Command::MoveForward {
            distance: 0.3,
            speed: 0.2,
            mute_sensors: true,
        })
        .unwrap();
    assert!(sim.kachaka().state().front_stop_muted);
    sim.until_idle(10.0);
    // Nearer than the margin, without a contact.
    assert!(sim.result(&id).success, "{:?}", sim.result(&id));
    assert_near("way", sim.pose().x, 0.3, 1e-3);
    assert!(!sim.kachaka().state().front_stop_muted);
    let result = sim.carry_out(
        Command::MoveByVelocityWithMutedSensors {
            speed: 0.3,
            duration: 1.0,
        },
        10.0,
    );
    assert!(result.success, "{result:?}");
    assert_eq!(sim.kachaka().state().collisions, 1);
}

#[test]
fn a_muted_way_into_a_wall_ends_with_19001() {
    let mut sim = Sim::new(STEPS[0]);
    sim.wall("wall", 0.4);
    let result = sim.carry_out(
        Command::MoveForward {
            distance: 1.0,
            speed: 0.0,
            mute_sensors: true,
        },
        10.0,
    );
    assert_eq!((result.success, result.error_code), (false, 19001));
}

#[test]
fn a_move_by_velocity_into_a_wall_ends_with_19001_after_1_s() {
    for dt in STEPS {
        for speed in [0.3, -0.3] {
            let mut sim = Sim::new(dt);
            // 0.1 m from the front, or 0.15 m from the back, that ends 0.15 m behind.
            sim.wall("ahead", 0.337);
            sim.wall("behind", -0.5);
            let id = sim
                .start(Command::MoveByVelocityWithMutedSensors {
                    speed,
                    duration: 10.0,
                })
                .unwrap();
            sim.until(5.0, |sim| sim.kachaka().state().collisions == 1);
            let held = sim.until_idle(5.0);
            let result = sim.result(&id);
            assert_eq!((result.success, result.error_code), (false, 19001));
            // The step of the contact may still have moved it.
            assert_near("held", held, 1.0, 2.5 * sim.dt);
        }
    }
}

#[test]
fn a_move_by_velocity_that_asks_for_none_stands_for_its_time() {
    let mut sim = Sim::new(STEPS[0]);
    sim.wall("wall", 0.3);
    let by_velocity = Command::MoveByVelocityWithMutedSensors {
        speed: 0.0,
        duration: 3.0,
    };
    let result = sim.carry_out(by_velocity, 5.0);
    assert!(result.success, "{result:?}");
    let took = result.finished.seconds() - result.started.seconds();
    assert_near("took", took, 3.0, sim.dt);
}

#[test]
fn a_collision_pauses_it_when_the_configuration_says_so() {
    let mut sim = Sim::with(STEPS[0], "collisions: {stop: true}");
    sim.wall("wall", 0.4);
    sim.kachaka().mute_front_stop(true);
    let id = sim.start(forward(1.0)).unwrap();
    sim.until_idle(5.0);
    assert_eq!(sim.result(&id).error_code, 10105);
    assert_eq!(sim.kachaka().errors(), [21051]);
}

#[test]
fn it_does_not_see_the_robot_itself_but_others() {
    let mut sim = Sim::new(STEPS[0]);
    let other = super::sim::spec("other", Pose2::new(2.0, 0.0, std::f64::consts::PI), "");
    sim.scene.spawn_robot(other).unwrap();
    // The other one's front is 0.237 m ahead of its base.
    let kept = drive_at(&mut sim, 2.0 - 0.237, 0.3);
    assert!(
        (MARGIN - 0.01..=MARGIN + 0.3 * PERIOD + 0.01).contains(&kept),
        "{kept}"
    );
    assert_eq!(sim.scene.kachaka(NAME).unwrap().state().collisions, 0);
}
