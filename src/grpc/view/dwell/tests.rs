//! What clients see, and when.

use r2r::builtin_interfaces::msg::Time;

use super::*;

const TIMES: DwellTimes = DwellTimes {
    running: Duration::from_millis(200),
    result: Duration::from_millis(100),
};

fn result(number: u64, id: &str, ran: bool) -> CommandResult {
    CommandResult {
        number,
        id: id.to_owned(),
        success: ran,
        error_code: if ran { 0 } else { code::INTERRUPTED },
        finished: Time {
            sec: i32::from(ran),
            nanosec: 0,
        },
        ..Default::default()
    }
}

fn state(running: Option<&str>, last: Option<CommandResult>) -> OnboardState {
    OnboardState {
        command_state: if running.is_some() { 2 } else { 1 },
        command_id: running.unwrap_or_default().to_owned(),
        last_result: last.into_iter().collect(),
        ..Default::default()
    }
}

fn history(sequence: u64, results: &[CommandResult]) -> CommandHistory {
    CommandHistory {
        sequence,
        results: results.to_vec(),
    }
}

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// What a client sees, as text: `A` runs, `-` nothing, `!A` the result of A.
fn text(changes: &[Change]) -> String {
    let one = |change: &Change| match change {
        Change::State(None) => "-".to_owned(),
        Change::State(Some(running)) => running.id.clone(),
        Change::Result(None) => "!".to_owned(),
        Change::Result(Some(result)) => format!("!{}", result.id),
    };
    changes.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// What is shown from now on, with the time in milliseconds of each.
fn run(dwell: &mut Dwell) -> String {
    let mut seen = Vec::new();
    while let Some(next) = dwell.next() {
        let changes = dwell.advance(next);
        seen.push(format!("{}: {}", next.as_millis(), text(&changes)));
    }
    seen.join(", ")
}

fn idle() -> Dwell {
    let mut dwell = Dwell::new(TIMES);
    assert_eq!(text(&dwell.advance(ms(0))), "", "nothing is known");
    assert_eq!(text(&dwell.state(ms(0), &state(None, None))), "- !");
    dwell
}

#[test]
fn nothing_is_shown_of_a_robot_that_is_met_before_its_state() {
    let mut dwell = Dwell::new(TIMES);
    let ended = result(9, "H", true);
    let told = history(5, std::slice::from_ref(&ended));
    assert_eq!(text(&dwell.history(ms(0), &told)), "");
    let mut present = state(Some("A"), Some(ended));
    present.sequence = 5;
    assert_eq!(text(&dwell.state(ms(0), &present)), "A !H");
    assert_eq!(run(&mut dwell), "");
}

#[test]
fn a_command_of_one_step_runs_for_the_least_time() {
    let mut dwell = idle();
    assert_eq!(text(&dwell.state(ms(1000), &state(Some("A"), None))), "A");
    let ended = result(1, "A", true);
    assert_eq!(
        text(&dwell.history(ms(1010), &history(0, std::slice::from_ref(&ended)))),
        ""
    );
    assert_eq!(text(&dwell.state(ms(1010), &state(None, Some(ended)))), "");
    assert_eq!(text(&dwell.advance(ms(1199))), "");
    assert_eq!(run(&mut dwell), "1200: - !A");
}

#[test]
fn a_command_that_began_and_ended_unseen_is_shown_all_the_same() {
    let mut dwell = idle();
    let ended = result(1, "A", true);
    assert_eq!(text(&dwell.state(ms(1000), &state(None, Some(ended)))), "A");
    assert_eq!(run(&mut dwell), "1200: - !A");
}

#[test]
fn a_command_that_ran_long_ends_at_once() {
    let mut dwell = idle();
    dwell.state(ms(1000), &state(Some("A"), None));
    let ended = state(Some("B"), Some(result(1, "A", true)));
    assert_eq!(text(&dwell.state(ms(5000), &ended)), "B !A");
    assert_eq!(dwell.next(), None);
}

#[test]
fn results_at_once_come_in_order_and_each_stands() {
    let mut dwell = idle();
    dwell.state(ms(1000), &state(Some("A"), None));
    let all = [
        result(3, "V", false),
        result(2, "W", false),
        result(1, "A", false),
    ];
    // A was cancelled, V and W waited and were dropped, B runs.
    assert_eq!(text(&dwell.history(ms(2000), &history(1, &all))), "");
    let mut now = state(Some("B"), Some(all[0].clone()));
    now.sequence = 1;
    assert_eq!(text(&dwell.state(ms(2000), &now)), "B !A");
    let ended = state(None, Some(result(4, "B", true)));
    assert_eq!(text(&dwell.state(ms(2010), &ended)), "");
    assert_eq!(run(&mut dwell), "2100: !W, 2200: !V, 2300: - !B");
}

#[test]
fn two_commands_of_one_step_each_have_their_turn() {
    let mut dwell = idle();
    let both = [result(2, "B", true), result(1, "A", true)];
    dwell.history(ms(1000), &history(0, &both));
    assert_eq!(run(&mut dwell), "1200: B !A, 1400: - !B");
}

#[test]
fn a_state_waits_for_the_history_but_not_for_ever() {
    let mut dwell = idle();
    let ahead = state(None, Some(result(2, "B", true)));
    assert_eq!(text(&dwell.state(ms(1000), &ahead)), "");
    let both = [result(2, "B", true), result(1, "A", true)];
    dwell.history(ms(1100), &history(0, &both));
    assert_eq!(run(&mut dwell), "1300: B !A, 1500: - !B");
    let ahead = state(None, Some(result(4, "D", true)));
    assert_eq!(text(&dwell.state(ms(2000), &ahead)), "");
    assert_eq!(run(&mut dwell), "2500: D, 2700: - !D");
}

#[test]
fn what_ended_before_the_adapter_came_is_not_played_again() {
    let mut dwell = Dwell::new(TIMES);
    let all = [result(8, "H", true), result(7, "G", true)];
    assert_eq!(text(&dwell.history(ms(0), &history(0, &all))), "- !H");
    assert_eq!(
        text(&dwell.state(ms(0), &state(None, Some(all[0].clone())))),
        ""
    );
    assert_eq!(dwell.next(), None);
}

#[test]
fn a_robot_that_counts_from_1_again_is_followed() {
    let mut dwell = Dwell::new(TIMES);
    dwell.state(ms(0), &state(Some("H"), Some(result(8, "G", true))));
    assert_eq!(text(&dwell.begin_anew(ms(500))), "- !H");
    assert_eq!(text(&dwell.state(ms(1000), &state(None, None))), "");
    let ended = state(None, Some(result(1, "A", true)));
    assert_eq!(text(&dwell.state(ms(2000), &ended)), "A");
    assert_eq!(run(&mut dwell), "2200: - !A");
}

#[test]
fn a_command_cancelled_in_the_step_it_began_in_has_run() {
    let mut dwell = idle();
    dwell.state(ms(1000), &state(Some("A"), None));
    let ended = state(None, Some(result(1, "A", false)));
    assert_eq!(text(&dwell.state(ms(1050), &ended)), "");
    assert_eq!(run(&mut dwell), "1200: - !A");
}

#[test]
fn results_wait_for_the_state_that_goes_with_them_but_not_for_ever() {
    let mut dwell = idle();
    dwell.state(ms(1000), &state(Some("A"), None));
    let ended = [result(1, "A", true)];
    assert_eq!(text(&dwell.history(ms(2000), &history(7, &ended))), "");
    // An older state, which still shows it running, has come late.
    assert_eq!(text(&dwell.state(ms(2001), &state(Some("A"), None))), "");
    assert_eq!(run(&mut dwell), "2500: !A");
    let mut now = state(None, Some(ended[0].clone()));
    now.sequence = 7;
    assert_eq!(text(&dwell.state(ms(2600), &now)), "-");
}

#[test]
fn a_newer_command_that_runs_is_shown_at_once() {
    let mut dwell = idle();
    dwell.state(ms(1000), &state(Some("A"), None));
    let next = state(Some("B"), Some(result(1, "A", true)));
    assert_eq!(text(&dwell.state(ms(1001), &next)), "B !A");
    let next = state(Some("C"), Some(result(2, "B", true)));
    assert_eq!(text(&dwell.state(ms(1002), &next)), "C");
    assert_eq!(run(&mut dwell), "1101: !B");
}

#[test]
fn past_the_bound_the_oldest_results_are_shown_at_once() {
    let mut dwell = idle();
    // Far more than the robot takes, ended at once.
    let mut all: Vec<_> = (1..=100)
        .map(|number| result(number, &number.to_string(), false))
        .collect();
    all.reverse();
    let shown = text(&dwell.history(ms(1000), &history(0, &all)));
    let first: Vec<_> = (1..=36).map(|number| format!("!{number}")).collect();
    assert_eq!(shown, first.join(" "));
    let rest: Vec<_> = (0..64)
        .map(|index| format!("{}: !{}", 1100 + 100 * index, 37 + index))
        .collect();
    assert_eq!(run(&mut dwell), rest.join(", "));
}

#[test]
fn a_cleared_history_takes_nothing_away_that_is_to_be_seen() {
    let mut dwell = idle();
    let dropped = [result(2, "B", false), result(1, "A", false)];
    assert_eq!(text(&dwell.history(ms(1000), &history(0, &dropped))), "!A");
    assert_eq!(text(&dwell.history(ms(1001), &history(0, &[]))), "");
    assert_eq!(run(&mut dwell), "1100: !B");
    // Numbers go on, so what comes then is no other robot's.
    let more = history(0, &[result(3, "C", false)]);
    assert!(!dwell.is_history_of_another(&more));
    assert_eq!(text(&dwell.history(ms(2000), &more)), "!C");
}

#[test]
fn another_robot_takes_no_result_away_and_open_commands_get_one() {
    let mut dwell = idle();
    dwell.accept(0, "A", &OnboardCommand::default());
    dwell.accept(0, "X", &OnboardCommand::default());
    dwell.accept(0, "Y", &OnboardCommand::default());
    dwell.state(ms(1000), &state(Some("A"), None));
    let ended = state(Some("X"), Some(result(1, "A", true)));
    dwell.state(ms(2000), &ended);
    let dropped = history(0, &[result(3, "C", false), result(2, "B", false)]);
    assert_eq!(text(&dwell.history(ms(2001), &dropped)), "");
    // X is over with its result.
    assert_eq!(text(&dwell.begin_anew(ms(2002))), "");
    // The new robot has a result of its own, which comes after all.
    let other = state(None, Some(result(1, "Z", true)));
    assert_eq!(text(&dwell.state(ms(2003), &other)), "");
    assert_eq!(
        run(&mut dwell),
        "2100: !B, 2200: !C, 2300: - !X, 2400: !Y, 2500: !Z"
    );
    // They had their one result.
    assert_eq!(text(&dwell.begin_anew(ms(3000))), "");
    assert_eq!(dwell.next(), None);
}

#[test]
fn an_open_command_ends_as_by_a_shutdown() {
    let mut dwell = idle();
    let command = OnboardCommand {
        distance: 2.0,
        ..Default::default()
    };
    dwell.accept(0, "A", &command);
    let changes = dwell.begin_anew(ms(1000));
    let [Change::Result(Some(given))] = changes.as_slice() else {
        panic!("{changes:?}");
    };
    assert_eq!((given.success, given.error_code), (false, 10002));
    assert_eq!((given.id.as_str(), &given.command), ("A", &command));
    // The next robot has ended nothing: clients that come back can still read this.
    assert_eq!(text(&dwell.state(ms(9000), &state(None, None))), "");
    let first = state(None, Some(result(1, "B", true)));
    assert_eq!(text(&dwell.state(ms(9500), &first)), "B");
    assert_eq!(run(&mut dwell), "9700: - !B");
    // What a robot has ended itself goes with it.
    assert_eq!(text(&dwell.begin_anew(ms(10_000))), "");
    assert_eq!(text(&dwell.state(ms(10_500), &state(None, None))), "!");
}

/// The codes of results, by the ids of their commands.
fn codes(changes: &[Change]) -> Vec<(String, i32)> {
    let one = |change: &Change| match change {
        Change::Result(Some(result)) => Some((result.id.clone(), result.error_code)),
        _ => None,
    };
    changes.iter().filter_map(one).collect()
}

#[test]
fn a_command_that_was_seen_to_run_ends_as_by_a_shutdown_too() {
    // One of a shortcut, whose id nobody was told: clients know it from the state.
    let mut dwell = idle();
    dwell.state(ms(1000), &state(Some("S1"), None));
    dwell.state(ms(2000), &state(Some("S2"), Some(result(1, "S1", true))));
    // Both an accepted one and seen, it has one result.
    dwell.accept(0, "S2", &OnboardCommand::default());
    let changes = dwell.begin_anew(ms(5000));
    assert_eq!(text(&changes), "- !S2");
    assert_eq!(codes(&changes), [("S2".to_owned(), 10002)]);
    assert_eq!(dwell.next(), None);
    assert_eq!(text(&dwell.begin_anew(ms(6000))), "");
}

#[test]
fn a_late_state_does_not_open_a_command_again() {
    let mut dwell = idle();
    dwell.state(ms(1000), &state(Some("A"), None));
    dwell.state(ms(2000), &state(None, Some(result(1, "A", true))));
    dwell.state(ms(3000), &state(Some("A"), None));
    assert_eq!(text(&dwell.begin_anew(ms(4000))), "-");
    assert_eq!(dwell.next(), None);
}

#[test]
fn a_reply_of_a_robot_that_is_gone_has_its_result_at_once() {
    let mut dwell = idle();
    let asked = dwell.robot();
    dwell.begin_anew(ms(1000));
    dwell.state(ms(1100), &state(None, None));
    dwell.accept(asked, "A", &OnboardCommand::default());
    let changes = dwell.hurry(ms(1200), Some("A"));
    assert_eq!(codes(&changes), [("A".to_owned(), 10002)]);
    // Asked before the change was noticed, and accepted by the robot that had come: it runs
    // there, or has ended there.
    dwell.state(ms(2000), &state(Some("B"), None));
    dwell.accept(asked, "B", &OnboardCommand::default());
    assert_eq!(text(&dwell.hurry(ms(2100), Some("B"))), "");
    dwell.state(ms(3000), &state(None, Some(result(1, "B", true))));
    dwell.accept(asked, "B", &OnboardCommand::default());
    assert_eq!(text(&dwell.hurry(ms(3100), Some("B"))), "");
    // It was seen to run, and had its result when the robot went.
    dwell.state(ms(3200), &state(Some("C"), None));
    let asked = dwell.robot();
    assert_eq!(text(&dwell.begin_anew(ms(3500))), "- !C");
    dwell.accept(asked, "C", &OnboardCommand::default());
    assert_eq!(text(&dwell.hurry(ms(3600), Some("C"))), "");
    // Its result came before the robot went.
    dwell.state(ms(3700), &state(None, Some(result(1, "D", true))));
    dwell.state(ms(3800), &state(None, Some(result(2, "E", true))));
    let asked = dwell.robot();
    dwell.begin_anew(ms(3900));
    dwell.accept(asked, "E", &OnboardCommand::default());
    assert_eq!(run(&mut dwell), "4000: - !E");
}

#[test]
fn a_reply_of_a_robot_that_was_replaced_is_its_successors_if_that_knows_the_command() {
    let mut dwell = idle();
    let asked = dwell.robot();
    let busy = |running: &str, last: Option<CommandResult>, waiting: u32| OnboardState {
        queue_length: waiting,
        ..state(Some(running), last)
    };
    dwell.begin_anew(ms(1000));
    dwell.state(ms(1100), &busy("B", None, 2));
    // One of the two that wait, perhaps.
    for id in ["C", "X"] {
        dwell.accept(asked, id, &OnboardCommand::default());
        assert_eq!(codes(&dwell.hurry(ms(1200), Some(id))), []);
    }
    dwell.state(ms(2000), &busy("C", Some(result(1, "B", true)), 1));
    dwell.state(ms(3000), &busy("D", Some(result(2, "C", true)), 0));
    let changes = dwell.state(ms(4000), &state(None, Some(result(3, "D", true))));
    assert_eq!(codes(&changes), [("D".to_owned(), 0)]);
    // Nothing is left to do, and X was never heard of: it is of the one that was replaced.
    let changes = dwell.advance(ms(5000));
    assert_eq!(codes(&changes), [("X".to_owned(), 10002)]);
    assert_eq!(dwell.next(), None);
}

#[test]
fn what_became_of_commands_of_a_robot_that_was_replaced_is_told_once() {
    let mut dwell = idle();
    dwell.accept(0, "A", &OnboardCommand::default());
    let asked = dwell.robot();
    assert_eq!(text(&dwell.begin_anew(ms(1000))), "!A");
    dwell.accept(asked, "B", &OnboardCommand::default());
    // The results of both come from the server after all.
    let all = [
        result(3, "B", false),
        result(2, "A", false),
        result(1, "Z", true),
    ];
    assert_eq!(text(&dwell.history(ms(2000), &history(0, &all))), "!B");
    let now = state(None, Some(all[0].clone()));
    assert_eq!(text(&dwell.state(ms(3000), &now)), "");
    assert_eq!(dwell.next(), None);
}

#[test]
fn a_result_that_came_before_the_reply_is_the_only_one() {
    let mut dwell = idle();
    dwell.state(ms(1000), &state(None, Some(result(1, "A", true))));
    dwell.accept(0, "A", &OnboardCommand::default());
    assert_eq!(run(&mut dwell), "1200: - !A");
    assert_eq!(text(&dwell.begin_anew(ms(2000))), "");
}

#[test]
fn numbers_that_go_back_are_of_another_robot() {
    let mut dwell = Dwell::new(TIMES);
    let mut first = state(None, Some(result(8, "G", true)));
    first.sequence = 5;
    dwell.state(ms(0), &first);
    dwell.history(ms(0), &history(5, &[result(9, "H", true)]));
    let mut next = first.clone();
    next.sequence = 6;
    assert!(!dwell.is_state_of_another(&next));
    next.sequence = 4;
    assert!(dwell.is_state_of_another(&next));
    next.sequence = 6;
    next.last_result[0].number = 7;
    assert!(dwell.is_state_of_another(&next));
    assert!(dwell.is_history_of_another(&history(6, &[result(8, "F", true)])));
    assert!(!dwell.is_history_of_another(&history(4, &[result(9, "H", true)])));
}

#[test]
fn a_client_that_does_something_sees_it() {
    let mut dwell = idle();
    dwell.state(ms(1000), &state(Some("A"), None));
    let ended = state(None, Some(result(1, "A", false)));
    assert_eq!(text(&dwell.state(ms(1001), &ended)), "");
    assert!(!dwell.is_behind());
    assert_eq!(text(&dwell.hurry(ms(1002), None)), "- !A");
    assert!(!dwell.is_behind());
    // Results before it still stand; what runs is told at once.
    dwell.state(ms(1003), &state(Some("B"), Some(result(1, "A", false))));
    dwell.state(ms(1004), &state(None, Some(result(2, "B", true))));
    assert_eq!(text(&dwell.hurry(ms(1005), None)), "");
    // B ends with its result, never before: who reads the end reads the result.
    assert!(dwell.is_behind());
    assert_eq!(run(&mut dwell), "1102: - !B");
    assert!(!dwell.is_behind());
}

#[test]
fn a_command_that_ended_in_its_start_is_seen_running_first() {
    let mut dwell = idle();
    dwell.state(ms(1000), &state(Some("A"), None));
    let mut paused = result(2, "B", false);
    paused.error_code = 10107;
    let both = [paused, result(1, "A", false)];
    assert_eq!(text(&dwell.history(ms(1010), &history(0, &both))), "");
    let ended = state(None, Some(both[0].clone()));
    assert_eq!(text(&dwell.state(ms(1010), &ended)), "");
    // The reply of the start comes: A makes room, and B is not cut short.
    assert_eq!(text(&dwell.hurry(ms(1011), Some("B"))), "B !A");
    assert_eq!(run(&mut dwell), "1211: - !B");
}
