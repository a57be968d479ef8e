//! Keyed writes in processes that are killed, suspended, or run concurrently.

mod frozen;
mod full;

use tool_tests::faults::kills::Plan;
use tool_tests::faults::{self, Downstream, Point, Program, Tally, WriteTool};
use tool_tests::faults::{clock_steps, damage, kills, rollbacks, zombies};

const ROLE: &str = "policy::faults::a_child_that_writes";

fn program() -> Program {
    Program::this(&["--exact", ROLE, "--nocapture"]).expect("this program")
}

#[track_caller]
fn check_unbroken(tally: &Tally) {
    assert_eq!((tally.double, tally.lost, tally.unresolved), (0, 0, 0), "{tally:?}");
}

fn kill(plan: Plan) -> Tally {
    let tally = kills::run(&program(), plan).expect("the series");
    check_unbroken(&tally);
    assert_eq!(tally.kills(), plan.runs);
    tally
}

#[test]
fn what_is_killed_at_any_point_runs_once_and_is_answered_in_the_end() {
    let plan = Plan { runs: 500, tool: WriteTool::Reconciling, rivals: true, at_once: 4 };
    let tally = kill(plan);
    for point in Point::ALL {
        assert!(tally.killed.get(&point) >= Some(&50), "{point:?}: {tally:?}");
    }
    assert_eq!((tally.effects, tally.unknown), (tally.keys, 0), "{tally:?}");
}

#[test]
fn what_is_killed_and_cannot_be_found_out_never_runs_twice() {
    let tally = kill(Plan { runs: 100, tool: WriteTool::Plain, rivals: true, at_once: 2 });
    assert!(tally.unknown > 0 && tally.unknown < tally.keys, "{tally:?}");
}

#[test]
fn a_write_that_is_frozen_beyond_its_lease_has_one_effect() {
    let kinds = [
        (WriteTool::Plain, Downstream::Naive),
        (WriteTool::Forwarding, Downstream::Keys),
        (WriteTool::Reconciling, Downstream::Fences),
    ];
    // Side by side, since they wait most of the time.
    std::thread::scope(|scope| {
        for (tool, downstream) in kinds {
            scope.spawn(move || {
                let plan = zombies::Plan { runs: 8, tool, downstream, at_once: 2 };
                let tally = zombies::run(&program(), plan).expect("the series");
                check_unbroken(&tally);
                assert_eq!(tally.zombies, 8, "{tool:?}: {tally:?}");
            });
        }
    });
}

#[test]
fn a_write_is_not_repeated_after_the_wall_clock_was_set() {
    // `left_out` names this test where libfaketime is not installed.
    if clock_steps::library().is_none() {
        return;
    }
    let tally = clock_steps::run(&program(), 48, 4).expect("the series");
    check_unbroken(&tally);
    assert!(tally.clock_steps >= 48, "{tally:?}");
    assert_eq!(tally.superseded, 0, "no healthy write loses its key: {tally:?}");
}

#[test]
fn a_write_is_not_repeated_by_a_damaged_store() {
    let tally = damage::run(&program(), 60, 4).expect("the series");
    check_unbroken(&tally);
    assert!(tally.damages == 60 && tally.not_opened < 60, "{tally:?}");
}

#[test]
fn a_ledger_that_is_rolled_back_is_noticed() {
    let tally = rollbacks::run(40, 4).expect("the rollbacks");
    assert_eq!((tally.rollbacks, tally.unnoticed), (40, 0), "{tally:?}");
}

#[test]
fn a_child_that_writes() {
    faults::play().expect("the child's part");
}
