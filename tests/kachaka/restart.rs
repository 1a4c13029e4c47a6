//! Starting again.

use super::sim::{STEPS, Sim, assert_near, forward, lock};

#[test]
fn a_restart_ends_commands_and_takes_30_s() {
    for dt in STEPS {
        let mut sim = Sim::new(dt);
        sim.kachaka().set_manual_control(true, false).unwrap();
        let running = sim.start(forward(5.0)).unwrap();
        let waiting = sim.start(lock(1.0)).unwrap();
        sim.run(1.0);
        let begin = sim.time();
        sim.kachaka().restart();
        for id in [running, waiting] {
            assert_eq!(sim.result(&id).error_code, 10002);
        }
        assert!(!sim.kachaka().state().ready);
        assert!(!sim.kachaka().state().manual_control_enabled);
        sim.run(1.0);
        let place = sim.pose().x;
        for _ in 0..(10.0 / sim.dt) as u64 {
            let kachaka = sim.kachaka();
            assert_eq!(kachaka.start_command_code(), 13208);
            let refusal = kachaka.set_manual_control(true, false).unwrap_err();
            assert_eq!(refusal.code, 13208, "{refusal}");
            assert_eq!(kachaka.set_velocity(0.1, 0.0).unwrap_err().code, 13208);
            assert_eq!(kachaka.start_shortcut("x", true).unwrap_err().code, 13208);
            kachaka.autonomous_velocity(0.5, 0.0).unwrap();
            sim.step();
        }
        assert_near("it stands", sim.pose().x, place, 1e-9);
        sim.until(40.0, |sim| sim.kachaka().state().ready);
        assert_near("ready", sim.time() - begin, 30.0, sim.dt);
        let result = sim.carry_out(forward(0.1), 5.0);
        assert!(result.success, "{result:?}");
    }
}

/// The code with which a command is refused.
trait Refused {
    fn start_command_code(&mut self) -> i32;
}

impl Refused for tatami::kachaka::Kachaka {
    fn start_command_code(&mut self) -> i32 {
        let request = tatami::kachaka::StartCommand::new(lock(1.0));
        self.start_command(request).unwrap_err().code
    }
}

#[test]
fn a_pause_stays() {
    let mut sim = Sim::with(STEPS[0], "restart: {duration: 1}");
    sim.kachaka().emergency_stop();
    sim.kachaka().restart();
    sim.until(2.0, |sim| sim.kachaka().state().ready);
    assert_eq!(sim.kachaka().errors(), [21051]);
}

#[test]
fn a_robot_that_is_taken_away_ends_its_commands() {
    let mut sim = Sim::new(STEPS[0]);
    let id = sim.start(lock(1.0)).unwrap();
    sim.kachaka().shut_down();
    assert_eq!(sim.result(&id).error_code, 90010);
    sim.scene.delete_robot(super::sim::NAME).unwrap();
    assert!(sim.scene.kachaka(super::sim::NAME).is_none());
    sim.step();
}
