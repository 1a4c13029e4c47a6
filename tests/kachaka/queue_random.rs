//! Whatever is asked in whatever order: each accepted command has exactly one result.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::sim::{NAME, STEPS, Sim, forward, lock, speak};
use tatami::kachaka::{Command, StartCommand};

#[derive(Debug, Clone)]
enum Act {
    Start(u8, bool, bool),
    Cancel(bool),
    Proceed,
    EmergencyStop,
    Power,
    Restart,
    Reset(bool),
    WorldReset(bool),
    Manual(bool),
    Steps(u8),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        6 => (0..6_u8, any::<bool>(), any::<bool>()).prop_map(|(k, a, l)| Act::Start(k, a, l)),
        2 => any::<bool>().prop_map(Act::Cancel),
        1 => Just(Act::Proceed),
        1 => Just(Act::EmergencyStop),
        2 => Just(Act::Power),
        1 => Just(Act::Restart),
        1 => any::<bool>().prop_map(Act::Reset),
        1 => any::<bool>().prop_map(Act::WorldReset),
        1 => any::<bool>().prop_map(Act::Manual),
        6 => (0..60_u8).prop_map(Act::Steps),
    ];
    prop::collection::vec(act, 1..60)
}

fn command(kind: u8) -> Command {
    match kind {
        0 => forward(0.1),
        1 => lock(0.3),
        2 => speak("a"),
        3 => Command::RotateInPlace { angle: -0.3 },
        4 => Command::MoveByVelocityWithMutedSensors {
            speed: 0.2,
            duration: 0.2,
        },
        _ => Command::DockShelf,
    }
}

/// Results that came since the last look, by number; the next number that is to come.
fn collect(sim: &mut Sim, results: &mut BTreeMap<u64, String>) {
    for result in sim.kachaka().history() {
        let id = results
            .entry(result.number)
            .or_insert_with(|| result.id.clone());
        assert_eq!(id, &result.id, "two results of number {}", result.number);
    }
}

fn act(sim: &mut Sim, act: &Act, accepted: &mut Vec<String>) {
    let kachaka = sim.kachaka();
    match *act {
        Act::Start(kind, cancel_all, locks) => {
            let request = StartCommand {
                cancel_all,
                lock_on_end: if locks { 0.2 } else { 0.0 },
                ..StartCommand::new(command(kind))
            };
            accepted.extend(kachaka.start_command(request));
        }
        Act::Cancel(queued) => drop(kachaka.cancel_command(queued)),
        Act::Proceed => drop(kachaka.proceed()),
        Act::EmergencyStop => kachaka.emergency_stop(),
        Act::Power => drop(kachaka.power_button()),
        Act::Restart => kachaka.restart(),
        Act::Reset(clear) => sim.scene.reset_kachaka(NAME, clear).unwrap(),
        Act::WorldReset(time) => sim.scene.reset(time, None),
        Act::Manual(on) => drop(kachaka.set_manual_control(on, false)),
        Act::Steps(steps) => (0..steps).for_each(|_| sim.step()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn each_accepted_command_has_exactly_one_result(acts in acts()) {
        let mut sim = Sim::with(STEPS[1], "restart: {duration: 0.5}");
        let (mut accepted, mut results) = (Vec::new(), BTreeMap::new());
        let mut sequence = sim.kachaka().sequence();
        for next in &acts {
            act(&mut sim, next, &mut accepted);
            collect(&mut sim, &mut results);
            let state = sim.kachaka().state();
            prop_assert!(state.sequence >= sequence, "{} after {sequence}", state.sequence);
            sequence = state.sequence;
        }
        drop(sim.kachaka().cancel_command(true));
        collect(&mut sim, &mut results);
        let numbers: Vec<u64> = results.keys().copied().collect();
        prop_assert_eq!(&numbers, &(1..=accepted.len() as u64).collect::<Vec<_>>());
        let mut ended: Vec<&String> = results.values().collect();
        let mut begun: Vec<&String> = accepted.iter().collect();
        ended.sort();
        begun.sort();
        prop_assert_eq!(ended, begun);
    }
}
