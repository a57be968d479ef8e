//! The promises of a ledger that two writers share.

use std::time::Duration;

use chrono::{TimeDelta, Utc};
use tool_runtime_core::key_ring::KeyRing;
use tool_runtime_core::store::UnixMillis;
use tool_runtime_record::ledger::{
    CHECKPOINT_CHAIN, ChainHead, ChainKeys, LedgerQuery, LedgerStore, Record, RecordPosition,
    SharedLedger, WriterChain, WriterState,
};
use uuid::Uuid;

use super::super::samples::done;
use super::{call_at, entry, note, notes, queries_from, refused};

pub(super) const CHECKS: [fn(&mut dyn LedgerStore, &mut dyn LedgerStore); 4] = [
    each_writer_has_a_chain_that_the_other_one_reads,
    a_search_reads_all_chains_in_the_order_of_time,
    a_checkpoint_covers_the_chains_as_they_are,
    one_writer_at_a_time_has_the_turn_to_write_a_checkpoint,
];

fn each_writer_has_a_chain_that_the_other_one_reads(
    first: &mut dyn LedgerStore,
    second: &mut dyn LedgerStore,
) {
    let chains = [id(first), id(second)];
    assert_ne!(chains[0], chains[1], "each writer has a chain of its own");
    done("append", first.append(&notes(0..5)));
    done("append", second.append(&notes(0..3)));
    assert_eq!(done("count", first.count()), 5, "a writer counts its own entries");
    assert_eq!(done("read", second.read(0, 10)), notes(0..3), "a writer reads its own entries");
    let shared = shared(second);
    let read = done("read_chain", shared.read_chain(chains[0], 2, 2));
    assert_eq!(read, notes(2..4), "a writer reads the entries of another one");
    assert_eq!(done("count_chain", shared.count_chain(chains[0])), 5, "and counts them");
    let sizes = |chains: Vec<WriterChain>| -> Vec<_> {
        chains.into_iter().map(|chain| (chain.id, chain.size, chain.state)).collect()
    };
    let mut expected =
        [(chains[0], 5), (chains[1], 3)].map(|(id, size)| (id, size, WriterState::Writing));
    expected.sort_by_key(|(id, ..)| *id);
    let listed = done("chains", shared.chains(None, 10));
    assert_eq!(sizes(listed), expected, "all chains of writers are listed, in the order of ids");
    let after = done("chains", shared.chains(Some(expected[0].0), 10));
    assert_eq!(sizes(after), expected[1..], "a page of chains begins after an id");
    let taken = second.append(&[note(2)]);
    refused("an entry whose number is taken in the chain is refused", taken);
}

fn a_search_reads_all_chains_in_the_order_of_time(
    first: &mut dyn LedgerStore,
    second: &mut dyn LedgerStore,
) {
    const CALLS: u64 = 60;
    let start = Utc::now() - TimeDelta::hours(2);
    let time = |number: u64| start + TimeDelta::minutes(i64::try_from(number).unwrap_or(i64::MAX));
    let mut all = Vec::new();
    for number in 0..CALLS {
        let body = call_at(number, time(number)).to_string();
        let writer: &mut dyn LedgerStore = if number % 3 == 0 { second } else { first };
        let seq = done("count", writer.count());
        done("append", writer.append(&[entry(seq, &body)]));
        all.push(Record::read(&body).expect("the suite writes valid records"));
    }
    let mut some = false;
    for (number, query) in queries_from(start).into_iter().enumerate() {
        let matching = |record: &&Record| record.as_call().is_some_and(|call| query.matches(call));
        let expected: Vec<_> = all.iter().filter(matching).filter_map(Record::as_call).collect();
        let expected: Vec<_> = expected.iter().map(|call| call.invocation_id).collect();
        some |= expected.len() > 2;
        let query = query.limit([1, 7, 1_000][number % 3]);
        let found = searched(shared(first), &query);
        assert_eq!(found, expected, "a search finds the matching calls of all chains: {query:?}");
    }
    assert!(some, "the suite has queries");
}

/// Searches part by part, as a ledger does.
fn searched(shared: &mut dyn SharedLedger, query: &LedgerQuery) -> Vec<Uuid> {
    let Some(end) = done("last_position", shared.last_position()) else { return Vec::new() };
    let (mut found, mut last, mut query) = (Vec::new(), None, query.clone());
    loop {
        let part = done("search", shared.search(&query, end));
        assert!(part.records.len() <= query.limit, "a part has at most the query's limit");
        for (position, body) in part.records {
            assert!(last < Some(position), "positions rise");
            last = Some::<RecordPosition>(position);
            let record = Record::read(&body).expect("a record is read as it was written");
            found.extend(record.as_call().map(|call| call.invocation_id));
        }
        match part.next {
            Some(next) => query = query.after(next),
            None => return found,
        }
    }
}

fn a_checkpoint_covers_the_chains_as_they_are(
    first: &mut dyn LedgerStore,
    second: &mut dyn LedgerStore,
) {
    let keys = ChainKeys::new(&KeyRing::new("2025-07", &[7; 32]).expect("a ring"));
    let now = UnixMillis::new(1_750_000_000_000);
    let mut head = ChainHead::empty();
    let entries = ["{}", "{}"].map(|body| head.append(&keys, body.into()));
    let signed = head.checkpoint(&keys, now);
    done("append_signed", shared(first).append_signed(&entries, &signed, false));
    let uncovered = done("uncovered_chains", shared(second).uncovered_chains(10));
    assert_eq!(uncovered.len(), 1, "a chain with records that no checkpoint covers is listed");
    assert_eq!(uncovered[0].head, Some(signed), "a chain has its signed head");
    let covered = uncovered;
    let mut head = ChainHead::empty();
    let entry = head.append(&keys, r#"{"kind":"heads"}"#.into());
    let signed = head.checkpoint(&keys, now);
    let appended = shared(second).append_checkpoint(&entry, &signed, &covered);
    assert!(done("append_checkpoint", appended), "any writer appends a checkpoint");
    let appended = shared(first).append_checkpoint(&entry, &signed, &covered);
    assert!(!done("append_checkpoint", appended), "one writer at a time appends a checkpoint");
    let read = done("read_chain", shared(first).read_chain(CHECKPOINT_CHAIN, 0, 10));
    assert_eq!(read, [entry], "a checkpoint is read byte for byte");
    let uncovered = done("uncovered_chains", shared(first).uncovered_chains(10));
    assert_eq!(uncovered, [], "a chain that a checkpoint covers is not listed");
    done("append", first.append(&[note(2)]));
    let uncovered = done("uncovered_chains", shared(second).uncovered_chains(10));
    assert_eq!(uncovered.len(), 1, "a chain that has grown is listed again");
    done("append", first.append(&[note(3)]));
    let head = uncovered[0].head.clone().expect("a chain keeps its last signed head");
    done("append_signed", shared(first).append_signed(&[note(4)], &head, true));
    let listed = done("chains", shared(second).chains(None, 10));
    let state = listed.iter().find(|chain| chain.size == 5).map(|chain| chain.state);
    assert_eq!(state, Some(WriterState::Closed), "a chain that was closed is listed as closed");
}

fn one_writer_at_a_time_has_the_turn_to_write_a_checkpoint(
    first: &mut dyn LedgerStore,
    second: &mut dyn LedgerStore,
) {
    const HOUR: Duration = Duration::from_secs(60 * 60);
    assert!(done("beat", shared(first).beat(HOUR)), "the first checkpoint is due at once");
    for store in [second, first] {
        assert!(!done("beat", shared(store).beat(HOUR)), "the next one is due an hour later");
        assert!(done("beat", shared(store).beat(Duration::ZERO)), "it may be asked for at once");
    }
}

fn shared(store: &mut dyn LedgerStore) -> &mut dyn SharedLedger {
    store.shared().expect("a ledger that several writers share")
}

fn id(store: &mut dyn LedgerStore) -> Uuid {
    shared(store).writer().0
}
