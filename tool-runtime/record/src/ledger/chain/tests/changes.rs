//! Every single change is found, and reported as the right kind of fault.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::change::{Change, ChangedChain, EntryByte};
use super::*;

/// Built once, since building it takes most of the tests' time.
static LONG: LazyLock<Chain> = LazyLock::new(|| Chain::with_size(10_000));

/// Verifies a chain with one change, starting some entries before the change. A verifier's state
/// at an entry is the head there, so this equals verifying from the first entry.
#[track_caller]
fn check_change(chain: &Chain, change: Change, bit: u8, before: usize) {
    let size = chain.entries.len();
    let (seq, kind) = change.expected(size);
    let first = seq.saturating_sub(before);
    let mut changed = ChangedChain::new(size);
    changed.apply(change, &chain.entries, bit);
    let verifier = Verifier::from_head(chain.keys.clone(), chain.heads[first].clone());
    let verifier = verifier.expecting(chain.checkpoint());
    let fault = verify(verifier, changed.from(&chain.entries, first)).expect_err("not found");
    assert_eq!((fault.seq(), fault.kind()), (seq as u64, kind), "{change:?}: {fault}");
}

#[test]
fn a_chain_as_it_was_written_is_whole() {
    let verified = LONG.verify().expect("a whole chain");
    assert_eq!(verified.size(), 10_000);
    assert_eq!(verified.into_head(), *LONG.head());
    assert_eq!(Chain::with_size(0).verify().expect("nothing is wrong").size(), 0);
}

#[test]
fn any_bit_of_any_byte_of_a_record_counts() {
    let chain = Chain::with_size(6);
    for at in 0..6 {
        for part in EntryByte::all(&chain.entries[at]) {
            for bit in (0..7).map(|shift| 1 << shift) {
                check_change(&chain, Change::Alter(at, part), bit, 1);
            }
        }
    }
}

#[test]
fn each_record_of_a_long_chain_is_guarded() {
    for at in 0..LONG.entries.len() {
        let parts = EntryByte::all(&LONG.entries[at]);
        check_change(&LONG, Change::Alter(at, parts[at % parts.len()]), 1, 0);
    }
}

#[test]
fn any_place_of_a_short_chain_is_guarded_against_any_move() {
    let chain = Chain::with_size(9);
    for one in 0..9 {
        check_change(&chain, Change::Forget(one), 1, one);
        check_change(&chain, Change::Remove(one), 1, one);
        check_change(&chain, Change::Cut(one), 1, one);
        for other in 0..9 {
            check_change(&chain, Change::Repeat(one, other), 1, other);
            check_change(&chain, Change::Forge(one, other as u64), 1, one);
            if one != other {
                check_change(&chain, Change::Swap(one, other), 1, one);
                check_change(&chain, Change::Move(one, other), 1, one);
            }
        }
        check_change(&chain, Change::Repeat(one, 9), 1, 9);
        check_change(&chain, Change::Forge(one, 9), 1, one);
        check_change(&chain, Change::Forge(one, u64::MAX), 1, one);
    }
}

#[test]
fn a_run_written_twice_is_repeated() {
    let Chain { entries, keys, .. } = Chain::with_size(9);
    for (from, to) in [(0, 9), (3, 6), (5, 9), (8, 9)] {
        let twice = entries[..to].iter().chain(&entries[from..]);
        check(verify(Verifier::new(keys.clone()), twice), to as u64, ChainFaultKind::Repeated);
    }
}

#[test]
fn a_record_replaced_by_another_is_altered() {
    let Chain { entries, keys, .. } = Chain::with_size(9);
    for other in (0..9).filter(|other| *other != 4) {
        let mut replaced = entries.clone();
        replaced[4] = entries[other].clone();
        check(verify(Verifier::new(keys.clone()), &replaced), 4, ChainFaultKind::Altered);
    }
}

#[test]
fn a_record_made_up_at_the_end_is_no_record() {
    let Chain { mut entries, keys, .. } = Chain::with_size(3);
    let last = &entries[2];
    let forged = ChainEntry::from_parts(3, last.body(), *last.leaf(), last.key(), *last.mac());
    entries.push(forged);
    check(verify(Verifier::new(keys), &entries), 3, ChainFaultKind::Altered);
}

#[test]
fn a_fault_stays() {
    let Chain { entries, keys, .. } = Chain::with_size(5);
    let mut verifier = Verifier::new(keys);
    let mut altered = entries[0].clone();
    altered.body = Some("{}".into());
    let fault = verifier.push(&altered).expect_err("altered");
    assert_eq!(verifier.push(&entries[0]), Err(fault.clone()));
    assert_eq!(verifier.finish(), Err(fault));
}

fn place() -> impl Strategy<Value = usize> {
    0..10_000_usize
}

fn part() -> impl Strategy<Value = EntryByte> {
    prop_oneof![
        (0..8_usize).prop_map(EntryByte::Seq),
        (0..16_usize).prop_map(EntryByte::Body),
        (0..32_usize).prop_map(EntryByte::Leaf),
        (0..7_usize).prop_map(EntryByte::Key),
        (0..32_usize).prop_map(EntryByte::Mac),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (place(), part()).prop_map(|(at, part)| Change::Alter(at, part)),
        place().prop_map(Change::Forget),
        place().prop_map(Change::Remove),
        (place(), place()).prop_map(|(one, other)| Change::Swap(one, other)),
        (place(), place()).prop_map(|(of, before)| Change::Repeat(of, before)),
        (place(), any::<u64>()).prop_map(|(before, seq)| Change::Forge(before, seq)),
        (place(), 0..10_000_u64).prop_map(|(before, seq)| Change::Forge(before, seq)),
        (place(), place()).prop_map(|(from, to)| Change::Move(from, to)),
        place().prop_map(Change::Cut),
    ]
}

fn is_change(change: &Change) -> bool {
    !matches!(change, Change::Swap(one, other) | Change::Move(one, other) if one == other)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_change_of_a_long_chain_is_found_and_named(change in change().prop_filter("none", is_change)) {
        check_change(&LONG, change, 1, 2);
    }

    #[test]
    fn the_first_wrong_record_is_named_whatever_else_is_wrong(
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let chain = Chain::with_size(12);
        let mut changed = ChangedChain::new(12);
        for change in &changes {
            changed.apply(*change, &chain.entries, 1);
        }
        let left: Vec<&ChainEntry> = changed.from(&chain.entries, 0).collect();
        let whole = chain.entries.iter().zip(&left).take_while(|(one, other)| one == *other).count();
        let erased = left.iter().position(|entry| entry.body().is_none());
        let verifier = Verifier::new(chain.keys.clone()).expecting(chain.checkpoint());
        match verify(verifier, left.iter().copied()) {
            Ok(_) => prop_assert!(left.iter().copied().eq(&chain.entries)),
            // A missing erasure record is reported last.
            Err(fault) if erased == Some(whole) => prop_assert!(fault.seq() >= whole as u64),
            Err(fault) => prop_assert_eq!(fault.seq(), whole as u64),
        }
    }
}
