//! Keyed writes in processes that are killed, stopped, or beside others.

mod frozen;
mod full;

use tool_tests::faults::{self, Plan, Point, Program, Tally};

const ROLE: &str = "policy::faults::a_child_that_writes";

fn program() -> Program {
    Program::this(&["--exact", ROLE, "--nocapture"]).expect("this program")
}

fn check(plan: Plan) -> Tally {
    let tally = faults::run(&program(), plan).expect("the series");
    let text = format!("runs={} double=0 lost=0 unresolved=0", plan.runs);
    assert_eq!(tally.to_string(), text, "{tally:?}");
    tally
}

#[test]
fn what_is_killed_at_any_point_runs_once_and_is_answered_in_the_end() {
    let tally = check(Plan { runs: 500, reconciles: true, rivals: true, at_once: 4 });
    for point in Point::ALL {
        assert!(tally.killed.get(&point) >= Some(&50), "{point:?}: {tally:?}");
    }
    assert_eq!((tally.effects, tally.unknown), (tally.keys, 0), "{tally:?}");
}

#[test]
fn what_is_killed_and_cannot_be_found_out_never_runs_twice() {
    let tally = check(Plan { runs: 100, reconciles: false, rivals: true, at_once: 2 });
    assert!(tally.unknown > 0 && tally.unknown < tally.keys, "{tally:?}");
}

#[test]
fn a_child_that_writes() {
    faults::play().expect("the child's part");
}
