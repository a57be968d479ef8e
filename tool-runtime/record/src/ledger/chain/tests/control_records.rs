//! Control records, key rotation, and checkpoints from elsewhere.

use super::*;

const CALL: &str = r#"{"kind":"call"}"#;

fn erased(before: u64) -> String {
    format!(r#"{{"at":0,"kind":"forgotten","before":{before}}}"#)
}

fn erase(chain: &mut Chain, seqs: &[usize]) {
    for seq in seqs {
        chain.entries[*seq].erase();
    }
}

#[test]
fn a_body_that_was_erased_rightly_is_not_missed() {
    let mut chain = Chain::with_size(5);
    chain.append(&erased(3));
    chain.append(CALL);
    erase(&mut chain, &[0, 2]);
    assert_eq!(chain.verify().expect("0 and 2 are below 3").size(), 7);
    erase(&mut chain, &[3]);
    let fault = check(chain.verify(), 3, ChainFaultKind::Removed);
    assert!(fault.to_string().contains("the body of record 3 is missing"), "{fault}");
}

#[test]
fn an_entry_cannot_erase_what_comes_after_it() {
    let mut chain = Chain::with_size(2);
    chain.append(&erased(u64::MAX));
    chain.append(CALL);
    erase(&mut chain, &[1]);
    chain.verify().expect("1 came before");
    erase(&mut chain, &[3]);
    check(chain.verify(), 3, ChainFaultKind::Removed);
    erase(&mut chain, &[2]);
    check(chain.verify(), 1, ChainFaultKind::Removed);
}

#[test]
fn a_later_note_may_erase_an_earlier_one() {
    let mut chain = Chain::with_size(2);
    chain.append(&erased(2));
    chain.append(&erased(3));
    erase(&mut chain, &[0, 1, 2]);
    chain.verify().expect("all are below 3");
}

#[test]
fn only_an_entry_of_the_chain_can_erase() {
    let mut chain = Chain::with_size(3);
    chain.append(r#"{"kind":"call","note":{"kind":"forgotten","before":3}}"#);
    chain.append(r#"{"kind":"forgotten"}"#);
    chain.append("no JSON");
    erase(&mut chain, &[1]);
    check(chain.verify(), 1, ChainFaultKind::Removed);

    let last = &chain.entries[5];
    let (body, leaf) = (erased(3), *last.leaf());
    let forged = ChainEntry::from_parts(6, Some(body), leaf, last.key(), *last.mac());
    chain.entries.push(forged);
    check(chain.verify(), 6, ChainFaultKind::Altered);
}

#[test]
fn a_cut_end_is_named_before_what_it_may_have_accounted_for() {
    let mut chain = Chain::with_size(3);
    chain.append(&erased(2));
    erase(&mut chain, &[1]);
    let verifier = Verifier::new(chain.keys.clone()).expecting(chain.checkpoint());
    check(verify(verifier, &chain.entries[..3]), 3, ChainFaultKind::Truncated);
}

/// Returns the body of an entry that holds a checkpoint.
fn holding(checkpoint: &Checkpoint) -> String {
    let text = serde_json::to_string(checkpoint).expect("JSON");
    text.replacen('{', r#"{"kind":"checkpoint","#, 1)
}

#[test]
fn a_checkpoint_in_the_chain_is_held_against_the_entries_before_it() {
    let mut chain = Chain::with_size(5);
    chain.append(&holding(&chain.checkpoint()));
    assert_eq!(chain.verify().expect("it agrees").checkpoints(), 1);

    let right = holding(&Chain::with_size(6).checkpoint());
    let bodies = [
        right.replace("\"at\":1", "\"at\":2"),
        holding(&Chain::with_size(5).checkpoint()),
        holding(&chain.checkpoint()),
        r#"{"kind":"checkpoint"}"#.to_owned(),
    ];
    for body in bodies {
        let mut chain = Chain::with_size(6);
        chain.append(&body);
        check(chain.verify(), 6, ChainFaultKind::BadCheckpoint);
    }
}

#[test]
fn checkpoints_from_elsewhere_are_met_in_any_order() {
    let chain = Chain::with_size(8);
    let at = |size: usize| chain.heads[size].checkpoint(&chain.keys, NOW);
    let sizes = [3, 8, 0, 5, 3];
    let verifier = Verifier::new(chain.keys.clone());
    let verifier = sizes.iter().fold(verifier, |it, size| it.expecting(at(*size)));
    assert_eq!(verify(verifier, &chain.entries).expect("all agree").checkpoints(), 5);

    let verifier = Verifier::from_head(chain.keys.clone(), chain.heads[4].clone());
    let verifier = sizes.iter().fold(verifier, |it, size| it.expecting(at(*size)));
    let suffix = verify(verifier, &chain.entries[4..]).expect("all that can be seen agree");
    assert_eq!((suffix.checkpoints(), suffix.size()), (2, 8));
}

#[test]
fn another_chain_than_the_one_of_the_checkpoint_is_found() {
    let mut other = Chain::new(keys());
    (0..8).for_each(|_| other.append(CALL));
    let chain = Chain::with_size(8);
    let same = chain.heads[0].checkpoint(&chain.keys, NOW);
    let verifier = Verifier::new(keys())
        .expecting(same.clone())
        .expecting(other.heads[6].checkpoint(&other.keys, NOW));
    let fault = check(verify(verifier, &chain.entries), 0, ChainFaultKind::Diverged);
    assert!(fault.to_string().contains("after record 5"), "{fault}");

    // Proven up to the last checkpoint that agrees.
    let agrees = chain.heads[4].checkpoint(&chain.keys, NOW);
    let verifier = Verifier::new(keys()).expecting(other.checkpoint()).expecting(agrees);
    check(verify(verifier, &chain.entries), 4, ChainFaultKind::Diverged);

    // Reported at once where no entry has to be read.
    let verifier = Verifier::from_head(keys(), chain.head().clone()).expecting(other.checkpoint());
    check(verifier.finish(), 8, ChainFaultKind::Diverged);
}

#[test]
fn a_record_out_of_place_is_named_before_a_checkpoint_that_fails_further_on() {
    let mut other = Chain::new(keys());
    (0..5).for_each(|_| other.append(CALL));
    let Chain { mut entries, .. } = Chain::with_size(9);
    let moved = entries.remove(7);
    entries.insert(2, moved);
    let verifier = Verifier::new(keys()).expecting(other.checkpoint());
    assert_eq!(verify(verifier, &entries).expect_err("two faults").seq(), 2);
}

#[test]
fn a_checkpoint_that_was_changed_proves_nothing() {
    let chain = Chain::with_size(3);
    let text = serde_json::to_string(&chain.checkpoint()).expect("JSON");
    let changed = serde_json::from_str(&text.replace("\"size\":3", "\"size\":2"));
    let verifier = Verifier::new(keys()).expecting(changed.expect("a checkpoint"));
    check(verify(verifier, &chain.entries), 2, ChainFaultKind::BadCheckpoint);
}

#[test]
fn a_former_key_verifies_and_a_lost_one_is_named() {
    let mut chain = Chain::with_size(3);
    let rotated = KeyRing::new("2026-01", &[7; 32]).expect("a ring");
    let rotated = rotated.with_former("2025-07", SECRET).expect("two keys");
    chain.keys = ChainKeys::new(&rotated);
    (0..3).for_each(|_| chain.append(CALL));
    assert_eq!(chain.entries[3].key(), "2026-01");
    chain.verify().expect("both keys are known");

    chain.keys = keys();
    let fault = check(chain.verify(), 3, ChainFaultKind::ForeignKey);
    assert!(fault.to_string().ends_with("add the key as a former key, and verify again"));
    chain.entries.truncate(4);
    check(chain.verify(), 3, ChainFaultKind::ForeignKey);
}

#[test]
fn another_secret_under_the_same_id_verifies_nothing() {
    let chain = Chain::with_size(3);
    let other = ChainKeys::new(&KeyRing::new("2025-07", &[7; 32]).expect("a ring"));
    check(verify(Verifier::new(other), &chain.entries), 0, ChainFaultKind::Altered);
}

#[test]
fn every_fault_says_what_was_found_and_what_to_do() {
    let kinds = [
        (ChainFaultKind::Altered, "record 3 was modified: its hash does not match; keep the store"),
        (
            ChainFaultKind::Removed,
            "record 3 is missing; record 5 stands in its place; keep the store",
        ),
        (ChainFaultKind::Reordered, "record 3 is not at its position; record 5 stands there; keep"),
        (ChainFaultKind::Repeated, "record 5 is repeated before record 3; keep the store"),
        (ChainFaultKind::Inserted, "a record that was never written stands before record 3; keep"),
        (
            ChainFaultKind::Truncated,
            "the end was cut off: record 3 is missing, but a checkpoint was",
        ),
        (
            ChainFaultKind::Diverged,
            "this is not the chain of the checkpoint after record 5: it diff",
        ),
        (
            ChainFaultKind::ForeignKey,
            "record 3 was linked with a key that is not in the key ring; add",
        ),
        (
            ChainFaultKind::BadCheckpoint,
            "the checkpoint at record 3 is not as it was signed; take it",
        ),
    ];
    for (kind, text) in kinds {
        let fault = ChainFault::new(kind, 3, Some(5)).to_string();
        assert!(fault.starts_with(text) && !fault.ends_with('.'), "{fault}");
    }
}
