//! A disk that gets full during keyed writes.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use tool_tests::faults::{ChildTask, Downstream, Effect, EffectLog, Report};

use super::program;
use crate::sqlite::Folder;

/// Runs a program whose files are limited to this many blocks of 512 bytes: a write beyond it
/// fails, as on a full disk.
const BOUNDED: &str = r#"trap "" XFSZ; ulimit -f "$0"; exec "$@""#;

const KEYS: usize = 24;

/// Carries out orders, and gives the reports.
fn carry_out(task: &ChildTask, blocks: Option<u32>) -> BTreeMap<String, Report> {
    let plain = program().child(task).unwrap();
    let mut command = match blocks {
        None => plain,
        Some(blocks) => bounded(&plain, blocks),
    };
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let reports = lines.filter_map(|line| serde_json::from_str::<Report>(&line).ok());
    let reports = reports.map(|report| (report.key.clone(), report)).collect();
    let status = child.wait().unwrap();
    assert!(blocks.is_some() || status.success(), "{status}");
    reports
}

fn bounded(plain: &Command, blocks: u32) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(BOUNDED).arg(blocks.to_string());
    command.arg(plain.get_program()).args(plain.get_args());
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

/// The outcomes of the first calls: successes that were stored, successes that were not, and
/// of none.
fn try_with(blocks: u32) -> [usize; 3] {
    let folder = Folder::new();
    let keys: Vec<_> = (0..KEYS).map(|key| format!("k-{key}")).collect();
    drop(folder.open());
    let task = ChildTask::new(&folder.0, keys.clone());
    let first = carry_out(&task, Some(blocks));
    let last = carry_out(&ChildTask { patient: true, ..task }, None);
    let effects = EffectLog::open(&folder.0.join("effects.log"), Downstream::Naive)
        .unwrap()
        .effects()
        .unwrap();
    for key in &keys {
        let answered: Option<Effect> = last[key].effect;
        assert_eq!(effects[key], Vec::from_iter(answered), "{blocks} blocks, {key}: {last:?}");
        let told = first.get(key).and_then(|report| report.effect);
        assert!(told.is_none() || told == answered, "{blocks} blocks, {key}: a success is lost");
    }
    let told = first.values().filter(|report| report.effect.is_some()).count();
    let warned =
        first.values().filter(|report| report.is_warned && report.effect.is_some()).count();
    [told - warned, warned, first.len() - told]
}

#[test]
fn a_disk_that_fills_up_at_any_moment_costs_no_answer_and_no_second_run() {
    let tries: Vec<_> = (70..=190).step_by(5).map(try_with).collect();
    let of = |kind: usize| tries.iter().map(|counts| counts[kind]).sum::<usize>();
    assert!(of(0) > 0 && of(1) > 0, "some answers find room and some do not: {tries:?}");
}
