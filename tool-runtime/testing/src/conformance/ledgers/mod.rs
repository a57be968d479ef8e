//! The conformance suite of ledger stores.

mod shared;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use tool_runtime_core::store::{StoreError, StoreErrorKind};
use tool_runtime_record::ledger::{
    ChainEntry, LedgerQuery, LedgerStore, MAX_PAGE_SIZE, Record, RecordStatus, RecordedCallKind,
};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::samples::{done, names};

/// Checks every promise of a [`LedgerStore`].
///
/// A ledger begins at 0 and is never emptied, so each check needs a new one without entries and
/// with room for a few thousand entries and several megabytes.
///
/// ```
/// use tool_runtime::ledger::MemoryLedger;
/// use tool_runtime::testing::conformance;
///
/// conformance::ledgers(|| MemoryLedger::new(10_000));
/// ```
///
/// # Panics
/// Panics at the first broken promise.
pub fn ledgers<S: LedgerStore>(mut new: impl FnMut() -> S) {
    for check in CHECKS {
        check(&mut new());
    }
}

/// Checks every promise of a [`LedgerStore`] that several writers share, and of its
/// [`SharedLedger`](tool_runtime_record::ledger::SharedLedger).
///
/// Each check needs a new ledger that two writers have open. The records of searches have times of the last two
/// hours.
///
/// # Panics
/// Panics at the first broken promise.
pub fn shared_ledgers<S: LedgerStore>(mut new: impl FnMut() -> [S; 2]) {
    for check in CHECKS {
        let [mut first, _second] = new();
        check(&mut first);
    }
    for check in shared::CHECKS {
        let [mut first, mut second] = new();
        check(&mut first, &mut second);
    }
}

const CHECKS: [fn(&mut dyn LedgerStore); 14] = [
    an_empty_ledger_has_nothing,
    entries_are_read_byte_for_byte,
    entries_are_read_in_pages,
    many_entries_are_read_in_their_order,
    an_entry_out_of_order_is_refused,
    a_group_is_appended_whole_or_not_at_all,
    the_last_checkpoint_is_found,
    a_checkpoint_is_found_however_far_back,
    contents_are_given_up_and_hashes_stay,
    an_erased_entry_is_counted_once,
    calls_are_found_by_what_is_asked,
    names_are_told_apart,
    pages_hold_every_call_once,
    an_appended_entry_has_no_fault,
];

fn an_empty_ledger_has_nothing(ledger: &mut dyn LedgerStore) {
    append(ledger, &[]);
    assert_eq!(count(ledger), 0, "a new ledger has no entries");
    assert_eq!(read(ledger, 0, 10), [], "a new ledger has no entries");
    assert_eq!(checkpoint(ledger), None, "a new ledger has no checkpoint");
    assert_eq!(find(ledger, &LedgerQuery::new()), [], "a new ledger has no calls");
    if erases_by_number(ledger) {
        assert_eq!(erase(ledger, 10), 0, "a new ledger has nothing to erase");
    }
}

fn entries_are_read_byte_for_byte(ledger: &mut dyn LedgerStore) {
    let long = format!(r#"{{"kind":"note","text":"{}"}}"#, "x".repeat(1024 * 1024));
    let bodies = [
        "{}",
        r#"{"kind":"call"}"#,
        r#"{"b":1.50,"a":1e2,"a":"\u00e9\/"}"#,
        r#"{"kind":"note","text":"é 🦀 \u0000 \" \\ \n"}"#,
        "{\"kind\" : \"note\",\r\n\t\"text\": \"\u{7f}\u{2028}\u{feff}\"\n}",
        " {\"kind\":\"note\"} ",
        "\n{\"kind\":\"note\"}\n",
        r#"{"kind":"note","record":null,"text":"{\"seq\":0}"}"#,
        &long,
    ];
    let keys = ["2025-07", "", "k\"\\\n\u{e9}'", "null"];
    let entries: Vec<_> = (0..)
        .zip(bodies)
        .map(|(seq, body)| {
            let (leaf, mac) = hashes(seq);
            ChainEntry::from_parts(seq, Some(body), leaf, keys[index(seq) % keys.len()], mac)
        })
        .collect();
    append(ledger, &entries);
    for (found, entry) in read(ledger, 0, 100).iter().zip(&entries) {
        let seq = entry.seq();
        assert!(found == entry, "an entry is read byte for byte; entry {seq} came back changed");
    }
    assert_eq!(count(ledger), entries.len() as u64, "what was appended is counted");
}

fn entries_are_read_in_pages(ledger: &mut dyn LedgerStore) {
    let entries = notes(0..10);
    append(ledger, &entries[..3]);
    append(ledger, &entries[3..4]);
    append(ledger, &entries[4..]);
    for limit in (0..=11).chain([usize::MAX]) {
        // Forwards and backwards: a page does not depend on the previous one.
        for from in (0..=11).chain([u64::MAX]).chain((0..=11).rev()) {
            let expected = entries.iter().filter(|entry| entry.seq() >= from).take(limit);
            let page = read(ledger, from, limit);
            let same = page.iter().eq(expected);
            assert!(same, "a page has entries from a number on: at most {limit} from {from}");
        }
    }
}

fn many_entries_are_read_in_their_order(ledger: &mut dyn LedgerStore) {
    let entries = notes(0..2_500);
    for group in entries.chunks(700) {
        append(ledger, group);
    }
    for from in [0, 1, 1_023, 1_024, 1_025, 2_047, 2_048, 2_499, 2_500] {
        for limit in [1, 2, 1_024, 5_000] {
            let same =
                read(ledger, from, limit).iter().eq(entries[index(from)..].iter().take(limit));
            assert!(same, "many entries are read in their order: at most {limit} from {from}");
        }
    }
}

fn an_entry_out_of_order_is_refused(ledger: &mut dyn LedgerStore) {
    let entries = notes(0..6);
    refused("an entry that would leave a gap is refused", ledger.append(&entries[1..2]));
    append(ledger, &entries[..3]);
    refused("an entry whose number is taken is refused", ledger.append(&entries[2..3]));
    refused("an entry whose number is taken is refused", ledger.append(&entries[..1]));
    refused("an entry that would leave a gap is refused", ledger.append(&entries[4..5]));
    append(ledger, &entries[3..]);
    assert_eq!(read(ledger, 0, 10), entries, "what was refused has changed nothing");
}

fn a_group_is_appended_whole_or_not_at_all(ledger: &mut dyn LedgerStore) {
    let entries = notes(0..6);
    let mut broken = entries.clone();
    broken.remove(4);
    refused("a group with a gap is refused", ledger.append(&broken));
    assert_eq!(count(ledger), 0, "of a group that is refused, nothing is kept");
    let twice = [&entries[..2], &entries[1..]].concat();
    refused("a group with a number twice is refused", ledger.append(&twice));
    assert_eq!(read(ledger, 0, 10), [], "of a group that is refused, nothing is kept");
    append(ledger, &entries);
    assert_eq!(read(ledger, 0, 10), entries, "the same entries are taken later");
}

fn the_last_checkpoint_is_found(ledger: &mut dyn LedgerStore) {
    let checkpoint_of = |seq| entry(seq, &format!(r#"{{"kind":"checkpoint","size":{seq}}}"#));
    let decoy = entry(2, r#"{"kind":"note","text":"\"kind\":\"checkpoint\"","of":"checkpoint"}"#);
    append(ledger, &[note(0), checkpoint_of(1), decoy]);
    let promise = "the last entry whose record is a checkpoint is found";
    assert_eq!(checkpoint(ledger), Some(checkpoint_of(1)), "{promise}");
    let last = entry(4, r#"{"size":4, "kind" : "checkpoint"}"#);
    append(ledger, &[checkpoint_of(3), last.clone(), note(5)]);
    assert_eq!(checkpoint(ledger), Some(last), "{promise}, wherever its kind stands");
    if erases_by_number(ledger) {
        erase(ledger, 5);
        assert_eq!(
            checkpoint(ledger),
            None,
            "a checkpoint whose contents were erased is not found"
        );
    }
}

fn a_checkpoint_is_found_however_far_back(ledger: &mut dyn LedgerStore) {
    let first = entry(0, r#"{"kind":"checkpoint"}"#);
    append(ledger, std::slice::from_ref(&first));
    append(ledger, &notes(1..2_100));
    assert_eq!(checkpoint(ledger), Some(first), "a checkpoint is found however far back it is");
}

fn contents_are_given_up_and_hashes_stay(ledger: &mut dyn LedgerStore) {
    if !erases_by_number(ledger) {
        return;
    }
    let mut entries: Vec<_> = calls(6).into_iter().map(|(entry, _)| entry).collect();
    append(ledger, &entries[..5]);
    erase(ledger, 3);
    entries[..3].iter_mut().for_each(ChainEntry::erase);
    let promise = "contents before a number are erased, and hashes stay";
    assert_eq!(read(ledger, 0, 10), entries[..5], "{promise}");
    assert_eq!(read(ledger, 2, 1), entries[2..3], "{promise}");
    assert_eq!(count(ledger), 5, "entries whose contents were erased are counted");
    append(ledger, &entries[5..]);
    assert_eq!(read(ledger, 0, 10), entries, "a ledger continues after contents were erased");
    let mut call_seqs = seqs(&find(ledger, &LedgerQuery::new()));
    call_seqs.sort_unstable();
    assert_eq!(call_seqs, [3, 4], "a call whose contents were erased is not found");
}

fn an_erased_entry_is_counted_once(ledger: &mut dyn LedgerStore) {
    if !erases_by_number(ledger) {
        return;
    }
    append(ledger, &notes(0..1_500));
    let counts = [0, 3, 3, 2, 1_200, 1_200, 9_000, u64::MAX].map(|before| erase(ledger, before));
    let promise = "erased contents are counted, and only once";
    assert_eq!(counts, [0, 3, 0, 0, 1_197, 0, 300, 0], "{promise}");
    let bare = read(ledger, 0, 2_000).iter().all(|entry| entry.body().is_none());
    assert!(bare, "a number beyond the end erases all contents");
    append(ledger, &[note(1_500)]);
    assert_eq!(read(ledger, 1_500, 1), [note(1_500)], "later contents are kept");
}

fn calls_are_found_by_what_is_asked(ledger: &mut dyn LedgerStore) {
    let calls = calls(60);
    for group in calls.chunks(7) {
        append(ledger, &group.iter().map(|(entry, _)| entry.clone()).collect::<Vec<_>>());
    }
    let mut some = false;
    for query in queries() {
        let matches = |call: &Record| call.as_call().is_some_and(|call| query.matches(call));
        let expected: Vec<_> =
            calls.iter().filter(|(_, call)| matches(call)).map(|(entry, _)| entry.seq()).collect();
        some |= expected.len() > 2;
        assert_eq!(
            seqs(&find(ledger, &query)),
            expected,
            "calls that match are found, in their order, and no others: {query:?}"
        );
    }
    assert!(some, "the suite has queries");
}

fn names_are_told_apart(ledger: &mut dyn LedgerStore) {
    let names = names();
    let call = |(seq, name): (u64, &String)| {
        let mut call = call(seq);
        call["tool"] = json!(name);
        call["trace_id"] = json!(name);
        call["request_id"] = json!(name);
        entry(seq, &call.to_string())
    };
    append(ledger, &(0..).zip(&names).map(call).collect::<Vec<_>>());
    for (seq, name) in (0..).zip(&names) {
        let query = LedgerQuery::new;
        let queries = [query().tool(name), query().trace(name), query().request_id(name)];
        let matching_seqs = queries.map(|query| seqs(&find(ledger, &query)));
        assert_eq!(
            matching_seqs,
            [[seq], [seq], [seq]],
            "names are told apart byte by byte: {name:?}"
        );
    }
}

fn an_appended_entry_has_no_fault(ledger: &mut dyn LedgerStore) {
    done("check", ledger.check(0..0));
    let entries: Vec<_> = calls(20).into_iter().map(|(entry, _)| entry).collect();
    append(ledger, &entries);
    for range in [0..0, 0..7, 7..20, 20..20] {
        done("check", ledger.check(range));
    }
    if erases_by_number(ledger) {
        erase(ledger, 3);
        done("check", ledger.check(0..20));
    }
}

fn pages_hold_every_call_once(ledger: &mut dyn LedgerStore) {
    let calls = calls(1_300);
    let entries = calls.iter().map(|(entry, _)| entry.clone()).collect::<Vec<_>>();
    append(ledger, &entries);
    let promise = "pages hold every call once, in order";
    for limit in [97, 300, MAX_PAGE_SIZE] {
        for query in [LedgerQuery::new(), LedgerQuery::new().tool("b").limit(limit)] {
            let matching_calls = calls
                .iter()
                .filter(|(_, record)| record.as_call().is_some_and(|call| query.matches(call)));
            let expected_seqs: Vec<_> = matching_calls.map(|(entry, _)| entry.seq()).collect();
            assert_eq!(
                paged(ledger, &query.limit(limit), limit),
                expected_seqs,
                "{promise}: {limit}"
            );
        }
    }
    let last = LedgerQuery::new().after(u64::MAX);
    assert_eq!(find(ledger, &last), [], "there is nothing after the last number");
}

/// Reads page by page, each after the last call of the previous one.
fn paged(ledger: &mut dyn LedgerStore, query: &LedgerQuery, limit: usize) -> Vec<u64> {
    let (mut found, mut page) = (Vec::new(), seqs(&find(ledger, query)));
    while let Some(last) = page.last().copied() {
        assert!(page.len() <= limit, "a page has no more calls than were asked for");
        found.append(&mut page);
        assert!(found.len() <= 10_000, "paging ends");
        page = seqs(&find(ledger, &query.clone().after(last)));
    }
    found
}

/// Returns all queries with a few values each, and without.
fn queries() -> Vec<LedgerQuery> {
    queries_from(minute(0))
}

/// Returns queries about calls of the hour from this time on.
fn queries_from(start: DateTime<Utc>) -> Vec<LedgerQuery> {
    let minute = |number: u8| start + TimeDelta::minutes(number.into());
    let mut queries = vec![LedgerQuery::new().limit(MAX_PAGE_SIZE)];
    let mut fork = |with: &dyn Fn(LedgerQuery) -> Vec<LedgerQuery>| {
        let forked: Vec<_> = queries.iter().cloned().flat_map(with).collect();
        queries.extend(forked);
    };
    fork(&|query| vec![query.clone().trace("t1"), query.trace("absent")]);
    fork(&|query| vec![query.clone().request_id("r1"), query.request_id("t1")]);
    fork(&|query| vec![query.clone().tenant(tenant(0)), query.tenant(tenant(2))]);
    fork(&|query| vec![query.tool("b")]);
    fork(&|query| {
        vec![query.clone().status(RecordStatus::Error), query.status(RecordStatus::Success)]
    });
    fork(&|query| {
        vec![query.clone().kind(RecordedCallKind::Run), query.kind(RecordedCallKind::NotRun)]
    });
    fork(&|query| vec![query.clone().since(minute(20)), query.since(minute(7)).until(minute(31))]);
    queries
}

/// Makes calls of a few traces, tenants and tools, with other records in between.
fn calls(number: u64) -> Vec<(ChainEntry, Record)> {
    (0..number)
        .map(|seq| {
            let body = if seq % 11 == 5 { note_text(seq) } else { call(seq).to_string() };
            let record = Record::read(&body).expect("the suite writes valid records");
            (entry(seq, &body), record)
        })
        .collect()
}

fn call(seq: u64) -> serde_json::Value {
    // Calls do not end in the order in which they are written.
    call_at(seq, minute(seq ^ 1))
}

fn call_at(seq: u64, at: DateTime<Utc>) -> serde_json::Value {
    let (failed, tool) = (seq % 4 == 3, ["a", "b", "b "][index(seq / 2) % 3]);
    let at = at.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string();
    let mut call = json!({
        "kind": "call",
        "at": at,
        "opened_at": at,
        "trace_id": format!("t{}", seq % 3),
        "tenant_id": tenant(seq % 2),
        "invocation_id": Uuid::from_u128(seq.into()),
        "tool": tool,
        "status": if failed { "error" } else { "success" },
        "ended": if failed { "failed" } else { "executed" },
        "latency_ms": seq,
        "attempts": 1,
    });
    // Some calls have no id of a request.
    if seq % 5 != 0 {
        call["request_id"] = json!(format!("r{}", seq % 2));
    }
    if failed {
        call["error"] = json!({ "type": "TIMEOUT", "code": "DEADLINE" });
    }
    call
}

fn tenant(number: u64) -> Uuid {
    Uuid::from_u128(0xabcd_0000 + u128::from(number))
}

fn minute(number: u64) -> DateTime<Utc> {
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    DateTime::UNIX_EPOCH + TimeDelta::days(20_000) + TimeDelta::minutes(number)
}

fn notes(seqs: std::ops::Range<u64>) -> Vec<ChainEntry> {
    seqs.map(note).collect()
}

fn note(seq: u64) -> ChainEntry {
    entry(seq, &note_text(seq))
}

/// Makes a record that is not a call, although it has a call's members.
fn note_text(seq: u64) -> String {
    let tenant = tenant(0);
    format!(r#"{{"kind":"note","number":{seq},"tool":"b","trace_id":"t1","tenant_id":"{tenant}"}}"#)
}

fn entry(seq: u64, body: &str) -> ChainEntry {
    let (leaf, mac) = hashes(seq);
    ChainEntry::from_parts(seq, Some(body), leaf, "2025-07", mac)
}

/// Makes unique hashes; a store does not check them.
fn hashes(seq: u64) -> (Digest, [u8; 32]) {
    let of = |domain| Digest::compute(domain, &seq.to_be_bytes());
    (of("leaf"), *of("mac").as_bytes())
}

/// Returns whether the ledger erases the contents of entries by their number. A shared one erases them by their time.
fn erases_by_number(ledger: &mut dyn LedgerStore) -> bool {
    ledger.shared().is_none()
}

fn index(seq: u64) -> usize {
    usize::try_from(seq).unwrap_or(usize::MAX)
}

fn seqs(entries: &[ChainEntry]) -> Vec<u64> {
    entries.iter().map(ChainEntry::seq).collect()
}

#[track_caller]
fn append(ledger: &mut dyn LedgerStore, entries: &[ChainEntry]) {
    done("append", ledger.append(entries));
}

#[track_caller]
fn read(ledger: &mut dyn LedgerStore, from: u64, limit: usize) -> Vec<ChainEntry> {
    done("read", ledger.read(from, limit))
}

#[track_caller]
fn count(ledger: &mut dyn LedgerStore) -> u64 {
    done("count", ledger.count())
}

#[track_caller]
fn checkpoint(ledger: &mut dyn LedgerStore) -> Option<ChainEntry> {
    done("last_checkpoint", ledger.last_checkpoint())
}

#[track_caller]
fn find(ledger: &mut dyn LedgerStore, query: &LedgerQuery) -> Vec<ChainEntry> {
    done("find", ledger.find(query))
}

#[track_caller]
fn erase(ledger: &mut dyn LedgerStore, before: u64) -> u64 {
    done("erase", ledger.erase(before))
}

#[track_caller]
fn refused(promise: &str, result: Result<(), StoreError>) {
    let kind = result.err().map(|error| error.kind());
    assert_eq!(kind, Some(StoreErrorKind::Damaged), "{promise}");
}
