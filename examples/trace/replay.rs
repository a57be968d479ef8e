//! Replays a trace, and shows the differences.

use std::error::Error;

use storefront::{Files, Host};
use tool_runtime::evidence::{
    Access, Replay, ReplayReport, ReplayVerdict, ReplayedCall, SkipReason,
};
use tool_runtime::policy::Policy;
use tool_runtime::serde_json::Value;

use crate::calls::Trace;
use crate::options::Options;
use crate::table::{Align, WIDTH, cut, lines};
use crate::timeline::counted;

/// Runs the reads of traces again in the current shop; returns whether all answers are the same.
pub(crate) async fn replay(
    files: Files,
    traces: &[Trace],
    options: &Options,
) -> Result<bool, Box<dyn Error>> {
    let by = options.by.as_deref().unwrap_or("terminal");
    let access = Access::new(by, options.reason.as_deref().unwrap_or("looked back by hand"))?;
    let host = Host::start(files, Policy::new(), false).await?;
    let mut holds = true;
    for trace in traces {
        let replay = Replay::new(host.runtime(), host.ledger(), access.clone());
        let report = replay.vault(host.vault()).tenant(trace.tenant).run(&trace.id).await?;
        for line in render(&report) {
            println!("{line}");
        }
        holds &= report.is_unchanged();
    }
    host.close().await?;
    Ok(holds)
}

fn render(report: &ReplayReport) -> Vec<String> {
    let mut rendered = vec![String::new(), format!("replay of {}", report.trace_id())];
    let rows: Vec<_> = report.calls().iter().map(row).collect();
    let lines = lines([Align::Left; 3], &rows);
    for (line, call) in lines.into_iter().zip(report.calls()) {
        rendered.push(format!("  {line}"));
        rendered.extend(differences(call.verdict()));
    }
    rendered.push(format!("  {}", sum(report)));
    rendered
}

fn row(call: &ReplayedCall) -> [String; 3] {
    let (verdict, what) = match call.verdict() {
        ReplayVerdict::Same => ("same", String::new()),
        ReplayVerdict::Changed { diff, earlier_error, error } => {
            ("drifted", drift(diff.is_some(), earlier_error.as_deref(), error.as_deref()))
        }
        ReplayVerdict::ToolRemoved => ("gone", "no tool has this name any more".to_owned()),
        ReplayVerdict::Skipped { reason } => ("skipped", reason_text(*reason).to_owned()),
        _ => ("?", "something that this program does not know".to_owned()),
    };
    let versions = call.recorded_version().zip(call.version()).filter(|_| call.version_changed());
    let changed = versions.map(|(then, now)| format!("version {then}, now {now}"));
    let what = [Some(what).filter(|what| !what.is_empty()), changed];
    [
        call.tool().to_owned(),
        verdict.to_owned(),
        what.into_iter().flatten().collect::<Vec<_>>().join("; "),
    ]
}

fn drift(differs: bool, then: Option<&str>, now: Option<&str>) -> String {
    match (then, now) {
        (Some(then), Some(now)) => format!("{then} then, {now} now"),
        (Some(then), None) => format!("{then} then, an output now"),
        (None, Some(now)) => format!("an output then, {now} now"),
        (None, None) if differs => "the current output differs:".to_owned(),
        (None, None) => "the current output differs; the recorded one was not kept".to_owned(),
    }
}

fn reason_text(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::Write => "it has an effect",
        SkipReason::NotRun => "it did not run when it was recorded",
        SkipReason::InputNotKept => "its arguments were not kept, or only redacted",
        SkipReason::InputSealed => "its arguments are sealed, and cannot be opened here",
        SkipReason::InputAltered => "the stored arguments do not match their hash",
        SkipReason::EvidenceAltered => "its evidence does not match its checksum or the ledger",
        SkipReason::EvidenceMissing => "its evidence is missing",
        SkipReason::Refused => "it may not run here",
        SkipReason::OutputNotKept => "its answer was not recorded",
        _ => "for a reason that this program does not know",
    }
}

/// Formats a JSON Patch, one line per operation.
fn differences(verdict: &ReplayVerdict) -> Vec<String> {
    let ReplayVerdict::Changed { diff: Some(Value::Array(operations)), .. } = verdict else {
        return Vec::new();
    };
    operations.iter().map(difference).collect()
}

fn difference(operation: &Value) -> String {
    let text = |name: &str| operation[name].as_str().unwrap_or_default();
    let (what, path) = (text("op"), text("path"));
    let value = match operation.get("value") {
        Some(value) => format!(": {value}"),
        None => String::new(),
    };
    cut(&format!("      {what} {path}{value}"), WIDTH)
}

fn sum(report: &ReplayReport) -> String {
    let count = |is: fn(&ReplayVerdict) -> bool| {
        report.calls().iter().filter(|it| is(it.verdict())).count()
    };
    let counts = [
        (count(|it| matches!(it, ReplayVerdict::Same)), "same"),
        (count(|it| matches!(it, ReplayVerdict::Changed { .. })), "drifted"),
        (count(|it| matches!(it, ReplayVerdict::ToolRemoved)), "gone"),
        (count(|it| matches!(it, ReplayVerdict::Skipped { .. })), "skipped"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<_> = counts.map(|(count, what)| format!("{count} {what}")).collect();
    format!("{}: {}", counted(report.calls().len(), "call"), counts.join(", "))
}
