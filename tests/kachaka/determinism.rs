//! The same requests at the same steps give the same bytes.

use super::sim::{NAME, STEPS, Sim, forward, lock, speak, spec};
use tatami::kachaka::{Command, StartCommand, TorchSide};
use tatami::robot::Selection;
use tatami::world::Pose2;

/// Everything that two Kachakas tell over a minute with a bit of everything in it.
fn run(dt: f64) -> Vec<String> {
    let mut sim = Sim::with(dt, "lidar: {rest_after: 3}");
    sim.scene
        .spawn_robot(spec("other", Pose2::new(0.0, 2.0, 0.0), ""))
        .unwrap();
    sim.wall("wall", 2.0);
    let mut lines = Vec::new();
    for step in 0..1500_u32 {
        ask(&mut sim, step);
        sim.step();
        for name in [NAME, "other"] {
            let samples = sim.scene.sample(name, Selection::Due);
            let pose = sim.scene.state(name).unwrap();
            let kachaka = sim.scene.kachaka_mut(name).unwrap();
            let events = kachaka.drain_events();
            lines.push(format!(
                "{:?} {:?} {:?} {:?} {:?} {:?} {pose:?} {samples:?}",
                kachaka.state(),
                events,
                kachaka.fused_odometry(),
                kachaka.estimated_pose(),
                kachaka.map_to_odom(),
                kachaka.battery_percentage(),
            ));
        }
    }
    lines
}

fn ask(sim: &mut Sim, step: u32) {
    let other = sim.scene.kachaka_mut("other").unwrap();
    match step {
        100 => drop(other.manual_topic_velocity(0.3, 0.4)),
        101..=300 => other.manual_topic_velocity(0.3, 0.4).unwrap(),
        _ => {}
    }
    let kachaka = sim.scene.kachaka_mut(NAME).unwrap();
    let mut start = |command| drop(kachaka.start_command(StartCommand::new(command)));
    match step {
        10 => start(Command::RotateInPlace { angle: 0.7 }),
        20 => start(speak("on my way")),
        30 => start(forward(5.0)),
        600 => kachaka.emergency_stop(),
        650 => drop(kachaka.power_button()),
        660 => start(Command::MoveToPose {
            pose: Pose2::new(-1.0, -1.0, 1.0),
        }),
        1000 => start(lock(1.0)),
        1100 => kachaka.set_torch(TorchSide::Front, 3.0).unwrap(),
        1200 => sim.scene.reset_kachaka(NAME, false).unwrap(),
        _ => {}
    }
}

#[test]
fn two_runs_are_equal_byte_by_byte() {
    for dt in STEPS {
        let (first, second) = (run(dt), run(dt));
        for (index, (a, b)) in first.iter().zip(&second).enumerate() {
            assert_eq!(a, b, "line {index}");
        }
        let moved = first.iter().filter(|line| line.contains("Running")).count();
        assert!(moved > 500, "the run holds commands: {moved} lines");
    }
}
