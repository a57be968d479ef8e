//! The records of a trace on a timeline, and the verdicts of a replay.

use std::collections::HashMap;
use std::time::Duration;

use askama::Template;
use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::Response;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::SharedState;
use crate::api::{ApiError, RecordedCall, ReplayedCall, TraceRecord, TraceRecords, Verdict};
use crate::pages::{self, Layout, PageMessage, Timestamp};
use crate::person::Person;
use crate::text::{self, DisplayText, visible};
use crate::texts::Texts;

/// The width of a timeline, in the units of its bars.
const TIMELINE_WIDTH: u64 = 1_000;

/// The width of the shortest bar.
const MIN_BAR_WIDTH: u64 = 4;

/// The kind of the record of a call that waits for a decision.
const WAITING: &str = "waiting";

/// The kind of the record of a call that was refused or declined.
const NOT_RUN: &str = "not_run";

/// The records of a trace.
#[derive(Template)]
#[template(path = "trace.html")]
struct TracePage<'p> {
    layout: Layout<'p>,
    /// The trace; empty before a person has named one.
    trace: &'p str,
    rows: Vec<TimelineRow>,
    message: Option<PageMessage>,
    /// True if the verdicts of a replay stand beside the records.
    is_replay: bool,
    /// The reason of the replay that is shown.
    reason: &'p str,
    is_first: bool,
    /// The cursor of the next page, as a query has it.
    next: Option<String>,
    /// The cursor after which this page begins, for the form of a replay.
    after: &'p str,
}

/// A record on a timeline.
struct TimelineRow {
    seq: u64,
    tool: String,
    kind: &'static str,
    /// `None` for a record that cannot be read.
    opened_at: Option<Timestamp>,
    has_failed: bool,
    /// The code of the error.
    code: String,
    attempts: u32,
    waited: TimelineBar,
    ran: TimelineBar,
    evidence: String,
    record: DisplayText,
    verdict: Option<VerdictRow>,
}

/// A part of a timeline, in thousandths of its width.
#[derive(Debug, Default, PartialEq, Eq)]
struct TimelineBar {
    start: u64,
    width: u64,
    /// The length of time in words; empty if there is none.
    length: String,
}

/// The verdict about the repetition of a call.
struct VerdictRow {
    word: String,
    /// The detail behind the word: the reason for which the call was not repeated, or the codes of errors.
    about: String,
    difference: Option<DisplayText>,
}

impl TracePage<'_> {
    /// Returns the trace as a query has it.
    fn trace_query(&self) -> String {
        pages::query_value(self.trace)
    }
}

impl TimelineBar {
    fn percent_start(&self) -> String {
        percent(self.start)
    }

    fn percent_width(&self) -> String {
        percent(self.width)
    }
}

/// Writes thousandths as a percentage.
fn percent(thousandths: u64) -> String {
    format!("{}.{}", thousandths / 10, thousandths % 10)
}

/// Shows the records of a trace, or the form for its id.
pub(crate) async fn show(
    person: Person,
    State(shared): State<SharedState>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = query.unwrap_or_default();
    let fields = pages::form_fields(query.as_bytes());
    let trace = fields.get("id").unwrap_or_default().trim();
    let after = fields.get("after").filter(|after| !after.is_empty());
    if trace.is_empty() {
        return pages::render(StatusCode::OK, &form(&person, trace, None));
    }
    let texts = person.request.texts;
    match shared.api.trace(&person.caller(), trace, after).await {
        Ok(page) => {
            let page = records_page(&person, (trace, after), &page, HashMap::new());
            pages::render(StatusCode::OK, &page)
        }
        Err(ApiError::Refused { status: status @ StatusCode::NOT_FOUND, message }) => {
            let message = PageMessage::new(texts.no_trace, &message);
            pages::render(status, &form(&person, trace, Some(message)))
        }
        Err(error) => pages::refused(&shared, &person, None, &error),
    }
}

/// Runs the reads of a page of a trace again, and shows the verdicts beside the records.
pub(crate) async fn replay(
    person: Person,
    State(shared): State<SharedState>,
    body: Bytes,
) -> Response {
    let fields = pages::form_fields(&body);
    if !person.sent(&fields) {
        return pages::stale_form(&person);
    }
    let texts = person.request.texts;
    let [trace, reason, after] =
        ["id", "reason", "after"].map(|name| fields.get(name).unwrap_or_default().trim());
    let after = Some(after).filter(|after| !after.is_empty());
    if reason.is_empty() {
        let message = PageMessage::new(texts.no_replay, texts.replay_needs);
        return pages::render(
            StatusCode::UNPROCESSABLE_ENTITY,
            &form(&person, trace, Some(message)),
        );
    }
    let caller = person.caller();
    // The records first: a replay adds its own to them.
    let records = match shared.api.trace(&caller, trace, after).await {
        Ok(page) => page,
        Err(error) => return pages::refused(&shared, &person, None, &error),
    };
    // A replay leaves out previews and replays, and would go on beyond this page.
    let is_call = |record: &&TraceRecord| !matches!(record.kind.as_str(), "preview" | "replay");
    let calls = records.records.iter().filter(is_call).count();
    let replayed = match calls {
        0 => Vec::new(),
        calls => match shared.api.replay(&caller, (trace, after), reason, calls).await {
            Ok(replayed) => replayed,
            Err(error) => return pages::refused(&shared, &person, None, &error),
        },
    };
    let verdicts = replayed.into_iter().map(|call| ((call.chain, call.seq), call)).collect();
    let page = records_page(&person, (trace, after), &records, verdicts);
    pages::render(StatusCode::OK, &TracePage { is_replay: true, reason, ..page })
}

/// Makes the page of a page of records, with the verdicts of a replay if there was one.
fn records_page<'p>(
    person: &'p Person,
    (trace, after): (&'p str, Option<&'p str>),
    records: &TraceRecords,
    verdicts: HashMap<(Option<Uuid>, u64), ReplayedCall>,
) -> TracePage<'p> {
    TracePage {
        rows: timeline(&records.records, verdicts, person.request.texts),
        next: records.next.as_deref().map(pages::query_value),
        is_first: after.is_none(),
        after: after.unwrap_or_default(),
        ..form(person, trace, None)
    }
}

/// Makes the page without records.
fn form<'p>(person: &'p Person, trace: &'p str, message: Option<PageMessage>) -> TracePage<'p> {
    TracePage {
        layout: Layout::new(person, person.request.texts.trace),
        trace,
        rows: Vec::new(),
        message,
        is_replay: false,
        reason: "",
        is_first: true,
        next: None,
        after: "",
    }
}

/// Places the records on one timeline, from when the first call was opened to when the last one ended.
fn timeline(
    records: &[TraceRecord],
    mut verdicts: HashMap<(Option<Uuid>, u64), ReplayedCall>,
    texts: &'static Texts,
) -> Vec<TimelineRow> {
    let calls: Vec<(&TraceRecord, Option<RecordedCall>)> = records
        .iter()
        .map(|record| (record, serde_json::from_str(record.call.get()).ok()))
        .collect();
    let readable = || calls.iter().filter_map(|(_, call)| call.as_ref());
    let start = readable().map(|call| call.opened_at).min().unwrap_or_default();
    let end = readable().map(|call| call.at).max().unwrap_or_default();
    let ticket = |call: &RecordedCall| call.approval.as_ref()?.ticket.clone();
    // The first record of a call that waits has its ticket, and so has the one of when it was decided.
    let waiting = calls.iter().filter(|(record, _)| record.kind == WAITING);
    let requested_at: HashMap<String, DateTime<Utc>> = waiting
        .filter_map(|(_, call)| Some((ticket(call.as_ref()?)?, call.as_ref()?.opened_at)))
        .collect();
    let scale = TimelineScale { start, length: milliseconds(start, end).max(1) };
    let row = |(record, call): &(&TraceRecord, Option<RecordedCall>)| {
        let verdict =
            verdicts.remove(&(record.chain, record.seq)).map(|it| verdict_row(&it.verdict, texts));
        let waits_since =
            call.as_ref().and_then(ticket).and_then(|ticket| requested_at.get(&ticket).copied());
        let (waited, ran) = match call {
            Some(call) if record.kind == WAITING => (
                TimelineBar { length: String::new(), ..scale.bar(call.opened_at, call.at) },
                TimelineBar::default(),
            ),
            // It was refused or declined: it has not run.
            Some(call) if record.kind == NOT_RUN => (
                waits_since.map(|since| scale.bar(since, call.at)).unwrap_or_default(),
                TimelineBar::default(),
            ),
            Some(call) => bars(call, waits_since, &scale),
            None => (TimelineBar::default(), TimelineBar::default()),
        };
        timeline_row(record, call.as_ref(), (waited, ran), verdict, texts)
    };
    calls.iter().map(row).collect()
}

/// The time that a timeline has.
struct TimelineScale {
    start: DateTime<Utc>,
    /// In milliseconds, at least 1.
    length: u64,
}

impl TimelineScale {
    fn bar(&self, from: DateTime<Utc>, to: DateTime<Utc>) -> TimelineBar {
        let place = |part: u64| part.min(self.length).saturating_mul(TIMELINE_WIDTH) / self.length;
        let length = milliseconds(from, to);
        // A short time is seen too, also at the end.
        let width = place(length).max(MIN_BAR_WIDTH);
        let start = place(milliseconds(self.start, from)).min(TIMELINE_WIDTH - width);
        TimelineBar { start, width, length: length_text(length) }
    }
}

/// Makes the bars of a call that does not wait any more: for a decision, if one was needed, and for its run.
fn bars(
    call: &RecordedCall,
    waits_since: Option<DateTime<Utc>>,
    scale: &TimelineScale,
) -> (TimelineBar, TimelineBar) {
    let length = milliseconds(call.opened_at, call.at);
    let is_decided = call.approval.is_some();
    let running = if is_decided { call.latency_ms.min(length) } else { length };
    let began = call.at - Duration::from_millis(running);
    // With a ticket the call was opened again when it was decided; its first record may be on another page.
    let has_ticket = call.approval.as_ref().is_some_and(|approval| approval.ticket.is_some());
    let opened_at = (is_decided && !has_ticket).then_some(call.opened_at);
    let waited = waits_since.or(opened_at).map(|since| scale.bar(since, began)).unwrap_or_default();
    (waited, scale.bar(began, call.at))
}

fn timeline_row(
    record: &TraceRecord,
    call: Option<&RecordedCall>,
    (waited, ran): (TimelineBar, TimelineBar),
    verdict: Option<VerdictRow>,
    texts: &'static Texts,
) -> TimelineRow {
    // A call that waits is no failure, whatever its caller was answered.
    let failed = call.filter(|call| record.kind != WAITING && call.status != "success");
    let error = failed.and_then(|call| call.error.as_ref());
    let code = error.map(|error| error.code.as_deref().unwrap_or(&error.error_type));
    TimelineRow {
        seq: record.seq,
        tool: call.map(|call| visible(&call.tool).into_owned()).unwrap_or_default(),
        kind: kind(&record.kind, texts),
        opened_at: call.map(|call| Timestamp(call.opened_at)),
        has_failed: failed.is_some(),
        code: code.map(visible).unwrap_or_default().into_owned(),
        attempts: call.map_or(0, |call| call.attempts),
        waited,
        ran,
        evidence: call.and_then(|call| call.evidence.clone()).unwrap_or_default(),
        record: text::display_json(&record.call),
        verdict,
    }
}

/// Names the kind of a record; a kind that a later server has is not named.
fn kind(word: &str, texts: &Texts) -> &'static str {
    match word {
        "run" => texts.kind_run,
        "stored_answer" => texts.kind_stored_answer,
        WAITING => texts.kind_waiting,
        NOT_RUN => texts.kind_not_run,
        "preview" => texts.kind_preview,
        "dry_run" => texts.kind_dry_run,
        "replay" => texts.kind_replay,
        _ => "",
    }
}

fn verdict_row(verdict: &Verdict, texts: &Texts) -> VerdictRow {
    let Verdict { word, reason, diff, earlier_error, error } = verdict;
    let word = match word.as_str() {
        "same" => texts.verdict_same,
        "drifted" => texts.verdict_changed,
        "gone" => texts.verdict_removed,
        "skipped" => texts.verdict_skipped,
        // Of a later server.
        word => word,
    };
    let about = match (reason, earlier_error, error) {
        (Some(reason), _, _) => reason.clone(),
        (None, None, None) => String::new(),
        (None, earlier, now) => {
            let code = |code: &Option<String>| code.clone().unwrap_or_else(|| "–".to_owned());
            format!("{} → {}", code(earlier), code(now))
        }
    };
    VerdictRow {
        word: visible(word).into_owned(),
        about: visible(&about).into_owned(),
        difference: diff.as_deref().map(text::display_json),
    }
}

fn milliseconds(from: DateTime<Utc>, to: DateTime<Utc>) -> u64 {
    u64::try_from((to - from).num_milliseconds()).unwrap_or_default()
}

/// Writes a length of time in a unit of its size.
fn length_text(milliseconds: u64) -> String {
    match milliseconds {
        0..1_000 => format!("{milliseconds} ms"),
        1_000..60_000 => format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100),
        _ => format!("{} min {} s", milliseconds / 60_000, milliseconds % 60_000 / 1_000),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;
    use crate::texts;

    fn record(seq: u64, kind: &str, call: &serde_json::Value) -> TraceRecord {
        TraceRecord {
            seq,
            chain: None,
            kind: kind.to_owned(),
            call: to_raw_value(call).expect("JSON"),
        }
    }

    #[test]
    fn a_call_is_placed_by_when_it_was_opened_decided_and_ended() {
        let texts = texts::choose(None, None);
        let ticket = json!({"ticket": "t-1"});
        let records = [
            record(
                1,
                "waiting",
                &json!({"opened_at": "2026-01-15T08:00:00Z", "at": "2026-01-15T08:00:00.010Z",
                    "tool": "pay", "status": "error", "error": {"type": "POLICY"}, "approval": ticket}),
            ),
            record(
                2,
                "run",
                &json!({"opened_at": "2026-01-15T08:00:07Z", "at": "2026-01-15T08:00:10Z",
                    "tool": "pay", "status": "success", "latency_ms": 2_500, "attempts": 1,
                    "approval": ticket}),
            ),
            record(
                3,
                "run",
                &json!({"opened_at": "2026-01-15T08:00:05Z", "at": "2026-01-15T08:00:06Z",
                    "tool": "read", "status": "error", "error": {"type": "TIMEOUT", "code": "SLOW"}}),
            ),
        ];
        let rows = timeline(&records, HashMap::new(), texts);
        let places = |bar: &TimelineBar| (bar.start, bar.width, bar.length.clone());
        assert_eq!(places(&rows[0].waited), (0, MIN_BAR_WIDTH, String::new()));
        assert!(
            rows[0].ran == TimelineBar::default() && !rows[0].has_failed && rows[0].code.is_empty()
        );
        assert_eq!(places(&rows[1].waited), (0, 750, "7.5 s".to_owned()));
        assert_eq!(places(&rows[1].ran), (750, 250, "2.5 s".to_owned()));
        assert_eq!(rows[2].waited, TimelineBar::default());
        assert_eq!(places(&rows[2].ran), (500, 100, "1.0 s".to_owned()));
        assert!(rows[2].has_failed && rows[2].code == "SLOW");
        let kinds = rows.iter().map(|row| row.kind).collect::<Vec<_>>();
        assert_eq!(kinds, [texts.kind_waiting, texts.kind_run, texts.kind_run]);
    }

    #[test]
    fn a_record_that_cannot_be_placed_is_listed_all_the_same() {
        let records = [record(7, "of a later server", &json!({"at": "yesterday"}))];
        let rows = timeline(&records, HashMap::new(), texts::choose(None, None));
        assert_eq!((rows[0].seq, rows[0].kind, &*rows[0].tool), (7, "", ""));
        assert!(rows[0].record.text.contains("yesterday"));
    }

    #[test]
    fn a_verdict_has_the_reason_or_the_errors_behind_its_word() {
        let row = |verdict: serde_json::Value| {
            let verdict: Verdict = serde_json::from_value(verdict).expect("a verdict");
            let row = verdict_row(&verdict, texts::choose(None, None));
            (row.word, row.about, row.difference.is_some())
        };
        let texts = texts::choose(None, None);
        let word = |word: &str| word.to_owned();
        assert_eq!(
            row(json!({"verdict": "same"})),
            (word(texts.verdict_same), String::new(), false)
        );
        assert_eq!(
            row(json!({"verdict": "skipped", "reason": "write"})),
            (word(texts.verdict_skipped), word("write"), false)
        );
        assert_eq!(
            row(json!({"verdict": "drifted", "error": "TIMEOUT"})),
            (word(texts.verdict_changed), word("– → TIMEOUT"), false)
        );
        assert!(row(json!({"verdict": "drifted", "diff": []})).2);
        assert_eq!(row(json!({"verdict": "gone"})).0, texts.verdict_removed);
        assert_eq!(row(json!({"verdict": "better"})).0, "better");
    }
}
