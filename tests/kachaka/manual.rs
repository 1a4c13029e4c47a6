//! Manual control.

use super::sim::{STEPS, Sim, assert_near, forward};

/// The acceptance of the specification: 0.3 m/s for 2 s, then 0.
#[test]
fn two_seconds_at_full_speed_are_0_6_m() {
    for dt in STEPS {
        let mut sim = Sim::new(dt);
        sim.kachaka().set_manual_control(true, false).unwrap();
        let mut sent = 0;
        while sim.time() < 2.0 {
            // Every 0.1 s of sim time.
            if sim.time() >= 0.1 * f64::from(sent) {
                sim.kachaka().set_velocity(0.3, 0.0).unwrap();
                sent += 1;
            }
            sim.step();
        }
        assert_eq!(sent, 20, "velocities sent at dt {dt}");
        sim.kachaka().set_velocity(0.0, 0.0).unwrap();
        sim.until(1.0, |sim| sim.is_still());
        // The loop above takes whole steps, up to one more than 2 s.
        let beyond = 0.3 * (sim.dt * (2.0 / sim.dt).ceil() - 2.0);
        assert_near("way", sim.pose().x, 0.6 + beyond, 1e-3);
        assert_near("way", sim.pose().x, 0.6, 0.005 + beyond);
    }
}

#[test]
fn a_velocity_holds_for_0_3_s() {
    for dt in STEPS {
        let mut sim = Sim::new(dt);
        sim.kachaka().set_manual_control(true, false).unwrap();
        sim.kachaka().set_velocity(0.3, 0.0).unwrap();
        sim.run(2.0);
        assert!(sim.is_still(), "{:?}", sim.twist());
        // The ramps up and down take as long: 0.3 m/s for 0.3 s, in whole steps.
        assert_near("way", sim.pose().x, 0.09, 0.3 * 0.5 * sim.dt + 1e-9);
    }
}

#[test]
fn manual_control_ends_60_s_after_it_was_enabled_last() {
    for dt in STEPS {
        let mut sim = Sim::new(dt);
        sim.kachaka().set_manual_control(true, false).unwrap();
        sim.run(30.0);
        let again = sim.time();
        sim.kachaka().set_manual_control(true, false).unwrap();
        sim.until(70.0, |sim| !sim.kachaka().state().manual_control_enabled);
        assert_near("end", sim.time() - again, 60.0, sim.dt);
        assert!(sim.time() - again >= 60.0 - 1e-9, "not before its time");
    }
}

#[test]
fn velocities_do_not_keep_manual_control_alive() {
    let mut sim = Sim::with(STEPS[0], "manual: {expiry: 1}");
    sim.kachaka().set_manual_control(true, false).unwrap();
    let took = sim.until(2.0, |sim| sim.kachaka().set_velocity(0.1, 0.0).is_err());
    assert_near("end", took, 1.0, sim.dt);
    let refusal = sim.kachaka().set_velocity(0.1, 0.0).unwrap_err();
    assert_eq!(refusal.code, 13151, "{refusal}");
    sim.run(0.5);
    assert!(sim.is_still(), "{:?}", sim.twist());
}

#[test]
fn a_velocity_without_manual_control_is_13151() {
    let mut sim = Sim::new(STEPS[0]);
    let refusal = sim.kachaka().set_velocity(0.1, 0.0).unwrap_err();
    assert_eq!(refusal.code, 13151, "{refusal}");
    sim.run(0.5);
    assert_eq!(sim.pose().x, 0.0);
}

#[test]
fn the_topic_turns_manual_control_on_and_loses_its_first_sample() {
    let mut sim = Sim::new(STEPS[0]);
    sim.kachaka().manual_topic_velocity(0.3, 0.0).unwrap();
    assert!(sim.kachaka().state().manual_control_enabled);
    sim.run(0.5);
    assert_eq!(sim.pose().x, 0.0, "the first sample is lost");
    sim.kachaka().manual_topic_velocity(0.3, 0.0).unwrap();
    sim.run(1.0);
    assert_near("way", sim.pose().x, 0.09, 0.002);
}

#[test]
fn numbers_that_are_not_finite_are_refused_and_the_last_velocity_holds() {
    let mut sim = Sim::new(STEPS[0]);
    sim.kachaka().set_manual_control(true, false).unwrap();
    sim.kachaka().set_velocity(0.3, 0.0).unwrap();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let kachaka = sim.kachaka();
        for refused in [
            kachaka.set_velocity(bad, 0.0),
            kachaka.manual_topic_velocity(0.0, bad),
            kachaka.autonomous_velocity(bad, 0.0),
        ] {
            let refusal = refused.unwrap_err();
            assert_eq!(refusal.code, 90001, "{refusal}");
        }
    }
    sim.run(1.0);
    assert_near("way", sim.pose().x, 0.09, 0.002);
}

#[test]
fn velocities_are_clamped_each_by_itself_and_not_scaled() {
    for (linear, angular, expected) in [
        (5.0, 0.5, (0.3, 0.5)),
        (0.2, 1e308, (0.2, 1.57)),
        (-1e308, -9.0, (-0.3, -1.57)),
    ] {
        let mut sim = Sim::new(STEPS[0]);
        sim.kachaka().set_manual_control(true, false).unwrap();
        for _ in 0..120 {
            sim.kachaka().set_velocity(linear, angular).unwrap();
            sim.step();
        }
        let twist = sim.twist();
        assert_near("linear", twist.x, expected.0, 1e-9);
        assert_near("angular", twist.angular, expected.1, 1e-9);
    }
}

#[test]
fn turning_it_off_zeroes_the_velocity() {
    let mut sim = Sim::new(STEPS[0]);
    sim.kachaka().set_manual_control(true, false).unwrap();
    sim.kachaka().set_velocity(0.3, 0.0).unwrap();
    sim.kachaka().set_manual_control(false, false).unwrap();
    sim.kachaka().set_manual_control(true, false).unwrap();
    sim.run(0.5);
    assert_eq!(sim.pose().x, 0.0);
}

#[test]
fn turning_it_off_does_not_stop_a_command() {
    let mut sim = Sim::new(STEPS[0]);
    sim.kachaka().set_manual_control(true, false).unwrap();
    let id = sim.start(forward(0.5)).unwrap();
    sim.run(0.5);
    sim.kachaka().set_manual_control(false, false).unwrap();
    sim.until_idle(5.0);
    let result = sim.result(&id);
    assert!(result.success, "{result:?}");
    assert_near("way", sim.pose().x, 0.5, 0.001);
}
