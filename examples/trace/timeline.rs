//! A trace as a timeline: one line per call, with further facts below it.

use chrono::{DateTime, Utc};
use tool_runtime::contracts::CallStatus;
use tool_runtime::ledger::{RecordedApproval, RecordedCall, RecordedCallKind, RecordedOrigin};

use crate::calls::Trace;
use crate::table::{Align, WIDTH, lines, wrapped};

/// The indentation of a line in the table.
const INDENT: usize = 2;

const ALIGN: [Align; 7] = {
    use Align::{Left, Right};
    [Left, Right, Left, Left, Left, Left, Right]
};

/// Prints a trace.
pub(crate) fn print(trace: &Trace) {
    for line in picture(trace) {
        println!("{line}");
    }
}

fn picture(trace: &Trace) -> Vec<String> {
    let start = trace.calls.first().and_then(|call| moment(&call.opened_at)).unwrap_or_default();
    let heads = ["kind", "offset", "tool", "version", "effect", "ended", "took"].map(str::to_owned);
    let calls = trace.calls.iter().map(|call| row(call, start));
    let rows: Vec<_> = [heads].into_iter().chain(calls).collect();
    // Below the tools' names.
    let width = |[kind, offset, ..]: &[String; 7]| [kind, offset].map(|it| it.chars().count());
    let widths = rows
        .iter()
        .map(width)
        .fold([0, 0], |[kinds, offsets], [kind, offset]| [kinds.max(kind), offsets.max(offset)]);
    let indent = INDENT + widths.iter().sum::<usize>() + 6;
    let mut table = lines(ALIGN, &rows).into_iter().map(|line| format!("{:INDENT$}{line}", ""));
    let mut picture = vec![String::new(), format!("trace {}", trace.id)];
    picture.extend(wrapped(&head(trace, start), INDENT));
    picture.extend(table.next());
    for (line, call) in table.zip(&trace.calls) {
        picture.extend(entry(line, call, start, indent));
    }
    picture
}

/// Formats a call: its error's code after its line if it fits, and the rest below.
fn entry(line: String, call: &RecordedCall, start: DateTime<Utc>, indent: usize) -> Vec<String> {
    let code = call.error.as_ref().map(|error| error.code.as_ref().unwrap_or(&error.error_type));
    let (line, over) = match code {
        Some(code) if line.chars().count() + 2 + code.len() <= WIDTH => {
            (format!("{line}  {code}"), None)
        }
        over => (line, over.cloned()),
    };
    let beneath: Vec<_> = over.into_iter().chain(beneath(call, start)).collect();
    [line].into_iter().chain(wrapped(&beneath, indent)).collect()
}

fn head(trace: &Trace, start: DateTime<Utc>) -> Vec<String> {
    let ends = trace.calls.iter().filter_map(|call| moment(&call.at));
    let whole = ends.max().map_or(0, |end| (end - start).num_milliseconds());
    let mut head = vec![
        start.format("%Y-%m-%d %H:%M:%S%.3f UTC").to_string(),
        format!("{} in {}", counted(trace.calls.len(), "call"), time(whole)),
    ];
    if let Some(call) = trace.calls.first() {
        head.extend(who(call));
    }
    if trace.replays > 0 {
        head.push(format!("{} of replays not shown", counted(trace.replays, "call")));
    }
    head
}

fn who(call: &RecordedCall) -> Option<String> {
    let principal = &call.principal;
    let actor = principal.actor_id.as_ref().zip(principal.actor_type);
    let actor = actor.map(|(id, kind)| format!("{kind} {id}"));
    match (&principal.user_id, actor) {
        (Some(user), Some(actor)) => Some(format!("for {user} by {actor}")),
        (Some(user), None) => Some(format!("for {user}")),
        (None, actor) => actor.map(|actor| format!("by {actor}")),
    }
}

fn row(call: &RecordedCall, start: DateTime<Utc>) -> [String; 7] {
    [
        call.kind().to_string(),
        format!("+{}", time(since(start, &call.opened_at))),
        call.tool.clone(),
        call.version.clone().unwrap_or_default(),
        call.effect.map(|effect| effect.to_string()).unwrap_or_default(),
        ended(call),
        if call.attempts == 0 { "-".to_owned() } else { time(took(call)) },
    ]
}

fn ended(call: &RecordedCall) -> String {
    match call.final_status {
        CallStatus::NotExecuted => "not run".to_owned(),
        ended => ended.to_string(),
    }
}

/// Returns the further facts of a call.
fn beneath(call: &RecordedCall, start: DateTime<Utc>) -> Vec<String> {
    let origin = match call.origin {
        RecordedOrigin::Cache => Some("from the cache"),
        RecordedOrigin::Replay => Some("given before, under the same key"),
        _ => None,
    };
    let error = call.error.as_ref();
    let parts = [
        origin.map(str::to_owned),
        error.and_then(|error| error.reason.as_ref()).map(|reason| format!("reason {reason}")),
        error.and_then(|error| error.effect.as_ref()).map(|effect| format!("effect {effect}")),
        (call.attempts > 1).then(|| format!("{} attempts", call.attempts)),
    ];
    let waits = (call.kind() == RecordedCallKind::Waiting).then(|| "waits for approval".to_owned());
    let decision = call.approval.iter().flat_map(|approval| decided(approval, start));
    let approval = waits.into_iter().chain(decision);
    let evidence = call.evidence.iter().map(|id| format!("evidence {id}"));
    parts.into_iter().flatten().chain(approval).chain(evidence).collect()
}

fn decided(approval: &RecordedApproval, start: DateTime<Utc>) -> Vec<String> {
    let allowed = approval.by.as_ref().map(|by| format!("allowed by {by}"));
    let declined = approval.declined_by.as_ref().map(|by| format!("declined by {by}"));
    let by = allowed.or(declined).map(|decision| match &approval.at {
        Some(at) => format!("{decision} at +{}", time(since(start, at))),
        None => decision,
    });
    let ticket = approval.ticket.map(|ticket| format!("ticket {ticket}"));
    by.into_iter().chain(ticket).collect()
}

fn took(call: &RecordedCall) -> i64 {
    i64::try_from(call.latency_ms).unwrap_or(i64::MAX)
}

fn since(start: DateTime<Utc>, text: &str) -> i64 {
    moment(text).map_or(0, |moment| (moment - start).num_milliseconds())
}

fn moment(text: &str) -> Option<DateTime<Utc>> {
    text.parse().ok()
}

/// Formats milliseconds for people.
fn time(milliseconds: i64) -> String {
    let seconds = milliseconds / 1_000;
    match seconds {
        0 => format!("{milliseconds} ms"),
        1..=59 => format!("{seconds}.{} s", milliseconds % 1_000 / 100),
        60..=3_599 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_as_a_person_says_them() {
        let times = [
            (0, "0 ms"),
            (999, "999 ms"),
            (1_050, "1.0 s"),
            (61_000, "1 min 1 s"),
            (7_260_000, "2 h 1 min"),
        ];
        for (milliseconds, expected) in times {
            assert_eq!(time(milliseconds), expected);
        }
    }
}
