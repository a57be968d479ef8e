//! An owner that is suspended while another takes its key over, and then continues.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdout};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tool_tests::faults::{ChildTask, Downstream, Effect, EffectLog, Point, Report, Trap, TrapKind};

use super::program;
use crate::sqlite::Folder;

/// A child process; it is killed when its test ends early.
struct Process {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Process {
    fn start(task: &ChildTask) -> Self {
        let mut child = program().child(task).unwrap().spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// Reads the output until this line.
    fn wait_for(&mut self, word: &str) {
        let said = self.lines.by_ref().map_while(Result::ok).any(|line| line == word);
        assert!(said, "the process ended early");
    }

    /// Continues it to its end.
    fn goes_on(&mut self) {
        kill_process(Pid::from_child(&self.child), Signal::CONT).unwrap();
        self.child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    }

    /// The answer to its one write, once it has ended.
    fn report(mut self) -> Report {
        let mut lines = self.lines.by_ref().map_while(Result::ok);
        let report = lines.find_map(|line| serde_json::from_str(&line).ok()).expect("a report");
        // A late effect comes after the report, so the process must not be killed now.
        lines.for_each(drop);
        report
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The outcome of a write whose first owner was stopped at a point.
struct Ended {
    first: Report,
    second: Report,
    /// The answer to any later repeat.
    stands: Report,
    effects: Vec<Effect>,
}

/// Long enough that the first owner is stopped before it gives a sign of life.
const LEASE: Duration = Duration::from_millis(1_500);

fn freeze(point: Point, downstream: Downstream) -> Ended {
    // A process that is stopped inside a commit keeps the file locked.
    let mut tries = (0..5).map(|_| try_to_freeze(point, downstream));
    tries.find(|ended| !ended.second.is_refused("store_unavailable")).expect("the store answers")
}

fn try_to_freeze(point: Point, downstream: Downstream) -> Ended {
    let folder = Folder::new();
    let task = ChildTask::new(&folder.0, vec!["k".to_owned()]);
    let task = ChildTask { downstream, patient: true, lease: LEASE, ..task };
    let trap = Trap { kind: TrapKind::Stop, point, write: 1, delay_us: 0 };
    let mut frozen = Process::start(&ChildTask { trap: Some(trap), ..task.clone() });
    frozen.wait_for("stopped");
    // It repeats its call until the lease has expired.
    let second = Process::start(&task).report();
    frozen.goes_on();
    let first = frozen.report();
    let stands = Process::start(&task).report();
    let log = EffectLog::open(&folder.0.join("effects.log"), Downstream::Naive).unwrap();
    let effects = log.effects().unwrap().remove("k").unwrap_or_default();
    Ended { first, second, stands, effects }
}

#[track_caller]
fn check_conflict(report: &Report) {
    let refused = report.refused.as_ref().unwrap_or_else(|| panic!("it should fail: {report:?}"));
    assert_eq!(refused.0, "CONFLICT", "{report:?}");
}

#[test]
fn an_owner_that_stood_still_before_its_effect_has_none_where_fences_are_kept() {
    let Ended { first, second, stands, effects } = freeze(Point::BeforeEffect, Downstream::Fences);
    check_conflict(&first);
    assert_eq!(stands, second);
    assert_eq!(effects, Vec::from_iter(second.effect), "the late effect is refused");
}

#[test]
fn an_owner_that_was_stopped_is_answered_that_it_lost_its_lease() {
    let Ended { first, second, stands, effects } = freeze(Point::BeforeEffect, Downstream::Naive);
    assert!(first.is_refused("lease_lost"), "{first:?}");
    assert_eq!(stands, second);
    // A downstream without fences has the late effect, which the runtime cannot prevent.
    // It may also see in time that it was taken over, and then has none.
    assert!(effects.len() <= 2 && effects.first() == second.effect.as_ref(), "{effects:?}");
}

#[test]
fn an_owner_that_stood_still_after_its_effect_leaves_one_effect_and_one_answer() {
    for point in [Point::AfterEffect, Point::Settling] {
        let Ended { first, second, stands, effects } = freeze(point, Downstream::Fences);
        assert!(first.is_refused("lease_lost"), "{point:?}: {first:?}");
        assert!(second.effect.is_some() && stands == second, "{point:?}: {second:?}, {stands:?}");
        assert_eq!(effects, Vec::from_iter(second.effect), "{point:?}: it was found, not repeated");
    }
}

#[test]
fn an_owner_that_stood_still_before_it_ran_does_not_run_beside_another() {
    let Ended { first, second, stands, effects } = freeze(Point::Claimed, Downstream::Fences);
    check_conflict(&first);
    assert!(second.effect.is_some() && stands == second, "{second:?}, {stands:?}");
    assert_eq!(effects, Vec::from_iter(second.effect));
}
