//! Keyed writes in processes that are killed, suspended, or run concurrently.

mod frozen;
mod full;

use tool_tests::faults::clock_steps::ClockPlan;
use tool_tests::faults::kills::KillPlan;
use tool_tests::faults::{self, Downstream, FaultCounts, Point, Program, WriteTool};
use tool_tests::faults::{budgets, clock_steps, damage, kills, rollbacks, zombies};

const ROLE: &str = "policy::faults::a_child_that_writes";

fn program() -> Program {
    Program::this(&["--exact", ROLE, "--nocapture"]).expect("this program")
}

#[track_caller]
fn check_unbroken(counts: &FaultCounts) {
    assert_eq!((counts.double, counts.lost, counts.unresolved), (0, 0, 0), "{counts:?}");
}

fn kill(plan: KillPlan) -> FaultCounts {
    let counts = kills::run(&program(), plan).expect("the series");
    check_unbroken(&counts);
    assert_eq!(counts.kills(), plan.runs);
    counts
}

#[test]
fn a_write_killed_at_any_point_runs_once_and_is_answered() {
    let plan = KillPlan { runs: 500, tool: WriteTool::Reconciling, rivals: 1, at_once: 4 };
    let counts = kill(plan);
    for point in Point::ALL {
        assert!(counts.killed.get(&point) >= Some(&50), "{point:?}: {counts:?}");
    }
    assert_eq!((counts.effects, counts.unknown), (counts.keys, 0), "{counts:?}");
}

#[test]
fn a_killed_write_without_reconcile_never_runs_twice() {
    let counts = kill(KillPlan { runs: 100, tool: WriteTool::Plain, rivals: 1, at_once: 2 });
    assert!(counts.unknown > 0 && counts.unknown < counts.keys, "{counts:?}");
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
                let plan = zombies::FreezePlan { runs: 8, tool, downstream, at_once: 2 };
                let counts = zombies::run(&program(), plan).expect("the series");
                check_unbroken(&counts);
                assert_eq!(counts.zombies, 8, "{tool:?}: {counts:?}");
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
    let counts = clock_steps::run(&program(), &ClockPlan::new(48, 4)).expect("the series");
    check_unbroken(&counts);
    assert!(counts.clock_steps >= 48, "{counts:?}");
    assert_eq!(counts.lease_lost, 0, "no healthy write loses its key: {counts:?}");
}

#[test]
fn a_write_is_not_repeated_by_a_damaged_store() {
    let counts = damage::run(&program(), 60, 4).expect("the series");
    check_unbroken(&counts);
    assert!(counts.damages == 60 && counts.not_opened < 60, "{counts:?}");
}

#[test]
fn a_ledger_that_is_rolled_back_is_noticed() {
    let counts = rollbacks::run(40, 4).expect("the rollbacks");
    assert_eq!((counts.rollbacks, counts.unnoticed), (40, 0), "{counts:?}");
}

#[test]
fn a_child_that_writes() {
    faults::play().expect("the child's part");
}

/// The children's stores are on a server, whose `benches/faults-postgres` has the whole campaign.
#[test]
fn writes_on_a_server_that_are_killed_or_frozen_run_once() {
    let Ok(url) = std::env::var("TEST_POSTGRES") else { return };
    let program = program().with_postgres(&url);
    let plan = KillPlan { runs: 60, tool: WriteTool::Reconciling, rivals: 2, at_once: 2 };
    let counts = kills::run(&program, plan).expect("the series");
    check_unbroken(&counts);
    assert_eq!(counts.kills(), 60, "{counts:?}");
    let (tool, downstream) = (WriteTool::Forwarding, Downstream::Keys);
    let plan = zombies::FreezePlan { runs: 4, tool, downstream, at_once: 2 };
    let counts = zombies::run(&program, plan).expect("the series");
    check_unbroken(&counts);
    assert_eq!(counts.zombies, 4, "{counts:?}");
}

#[track_caller]
fn check_paid(counts: &FaultCounts) {
    check_unbroken(counts);
    assert_eq!((counts.overspent, counts.stuck, counts.misrecorded), (0, 0, 0), "{counts:?}");
    assert_eq!(counts.recorded_cents, counts.paid_cents, "{counts:?}");
}

#[test]
fn payments_of_killed_processes_are_counted_once_and_exceed_no_budget() {
    let counts = budgets::kill(&program(), 40, 2).expect("the series");
    check_paid(&counts);
    assert!(counts.kills() >= 40 && counts.refused > 0, "{counts:?}");
}

#[test]
fn payments_of_frozen_processes_are_counted_once_and_unknown_ones_hold_their_amount() {
    let kinds =
        [(WriteTool::Paying, Downstream::Fences), (WriteTool::PayingBlindly, Downstream::Naive)];
    std::thread::scope(|scope| {
        for (tool, downstream) in kinds {
            scope.spawn(move || {
                let plan = zombies::FreezePlan { runs: 8, tool, downstream, at_once: 2 };
                let counts = zombies::run(&program(), plan).expect("the series");
                check_paid(&counts);
                assert!(counts.refused > 0, "the limits are reached: {counts:?}");
                assert_eq!(counts.unknown > 0, tool == WriteTool::PayingBlindly, "{counts:?}");
            });
        }
    });
}

#[test]
fn payments_around_midnight_and_a_change_of_the_clocks_exceed_no_budget() {
    if clock_steps::library().is_none() {
        return;
    }
    let plan = ClockPlan {
        tool: WriteTool::Paying,
        offsets: budgets::clock_offsets(),
        ..ClockPlan::new(36, 4)
    };
    let counts = clock_steps::run(&program(), &plan).expect("the series");
    check_paid(&counts);
    assert!(counts.refused > 0, "the limits are reached: {counts:?}");
}

/// The sums of budgets are on a server, whose `figures budgets URL` has the whole campaign.
#[test]
fn payments_on_a_server_are_counted_once_and_exceed_no_budget() {
    let Ok(url) = std::env::var("TEST_POSTGRES") else { return };
    let program = program().with_postgres(&url);
    let counts = budgets::kill(&program, 12, 1).expect("the series");
    check_paid(&counts);
    assert!(counts.kills() >= 12, "{counts:?}");
    let (tool, downstream) = (WriteTool::PayingBlindly, Downstream::Naive);
    let plan = zombies::FreezePlan { runs: 4, tool, downstream, at_once: 2 };
    check_paid(&zombies::run(&program, plan).expect("the series"));
}
