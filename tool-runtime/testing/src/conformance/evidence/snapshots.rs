//! Checks that snapshots are stored byte for byte, and found only by their tenant.

use tool_runtime_core::store::UnixMillis;
use tool_runtime_record::evidence::{
    EvidenceStore, SealedContents, SnapshotId, SnapshotQuery, StoredFacts, StoredSnapshot,
};

use super::super::samples::{START, at, before, bytes, names};
use super::EvidenceChecks;

pub(super) async fn check(store: &dyn EvidenceStore) {
    a_snapshot_is_found_as_it_was_put(&EvidenceChecks::new(store)).await;
    a_snapshot_is_its_tenant_s(&EvidenceChecks::new(store)).await;
    the_first_snapshot_of_an_id_is_kept(&EvidenceChecks::new(store)).await;
    a_snapshot_needs_the_key_that_it_is_sealed_under(&EvidenceChecks::new(store)).await;
    snapshots_are_listed_page_by_page(&EvidenceChecks::new(store)).await;
    snapshots_of_a_trace_are_told_apart(&EvidenceChecks::new(store)).await;
    snapshots_of_a_time_are_listed(&EvidenceChecks::new(store)).await;
    a_snapshot_is_kept_until_it_is_swept(&EvidenceChecks::new(store)).await;
    the_eldest_are_swept_first(&EvidenceChecks::new(store)).await;
    a_checksum_is_kept(&EvidenceChecks::new(store)).await;
    a_list_has_what_the_checksums_cover(&EvidenceChecks::new(store)).await;
}

async fn a_checksum_is_kept(evidence: &EvidenceChecks<'_>) {
    evidence.add_keys(&[1]).await;
    let snapshot = evidence.sealed_by(1).with_checksum(*b"checksum");
    assert!(evidence.put(&snapshot).await, "a snapshot under a key that is there is kept");
    let promise = "a checksum is found as it was put";
    assert_eq!(evidence.find(snapshot.facts.id).await.as_ref(), Some(&snapshot), "{promise}");
}

async fn a_list_has_what_the_checksums_cover(evidence: &EvidenceChecks<'_>) {
    evidence.add_keys(&[1]).await;
    let sealed = evidence.sealed_by(1).with_checksum(*b"checksum");
    let mut half = evidence.sealed_by(1);
    if let Some(sealed) = &mut half.sealed {
        sealed.output = None;
    }
    let mut put = vec![sealed, half, evidence.plain_at(START)];
    for snapshot in &put {
        evidence.put(snapshot).await;
    }
    put.sort_by_key(|snapshot| snapshot.facts.id);
    let tenant_query = SnapshotQuery::new(evidence.tenant);
    for query in [tenant_query.clone(), tenant_query.with_trace("trace-1")] {
        let snapshots = evidence.listed(&query, None, 100).await;
        let expected: Vec<_> = put.iter().map(StoredSnapshot::listed).collect();
        assert_eq!(
            snapshots, expected,
            "a list has the hashes of what is sealed, and the checksums"
        );
    }
}

async fn a_snapshot_is_found_as_it_was_put(evidence: &EvidenceChecks<'_>) {
    evidence.add_keys(&[1]).await;
    for text in bytes() {
        let sealed_snapshot = evidence.sealed_by(1);
        for (arguments, output) in [(None, Some(text.clone())), (Some(text.clone()), None)] {
            let key = sealed_snapshot.sealed.clone().map(|sealed| sealed.key);
            let sealed = key.map(|key| SealedContents::new(key, arguments, output));
            let mut snapshot = StoredSnapshot { sealed, ..evidence.plain_at(START) };
            snapshot.facts.facts.clone_from(&text);
            assert!(evidence.put(&snapshot).await, "a snapshot under a key that is there is kept");
            let same = evidence.find(snapshot.facts.id).await.as_ref() == Some(&snapshot);
            assert!(same, "a snapshot is found byte for byte; of {} bytes", text.len());
        }
    }
    let plain = evidence.plain_at(UnixMillis::new(0));
    assert_eq!(
        evidence.find(plain.facts.id).await,
        None,
        "a snapshot that was not put is not found"
    );
    assert!(evidence.put(&plain).await, "a snapshot with nothing sealed needs no key");
    let stored_snapshot = evidence.find(plain.facts.id).await;
    assert_eq!(stored_snapshot, Some(plain), "a snapshot is found as it was put");
}

async fn a_snapshot_is_its_tenant_s(evidence: &EvidenceChecks<'_>) {
    let snapshot = evidence.plain_at(START);
    evidence.put(&snapshot).await;
    let other = EvidenceChecks::new(evidence.store);
    let foreign_snapshot = other.find(snapshot.facts.id).await;
    assert_eq!(foreign_snapshot, None, "a snapshot is found only by its tenant");
    let mut theirs = snapshot.clone();
    theirs.facts.tenant = other.tenant;
    theirs.facts.facts = b"theirs".to_vec();
    // The store may accept or reject another tenant's id, but must not change the snapshot behind
    // it.
    let _ = other.store.put_snapshot(theirs).await;
    let stored_snapshot = evidence.find(snapshot.facts.id).await;
    assert_eq!(stored_snapshot, Some(snapshot), "another tenant's snapshot changes nothing");
}

async fn the_first_snapshot_of_an_id_is_kept(evidence: &EvidenceChecks<'_>) {
    evidence.add_keys(&[1]).await;
    let first = evidence.keep_sealed_by(1).await;
    let mut other = first.clone();
    other.facts.facts = b"other".to_vec();
    let bare = StoredSnapshot { sealed: None, ..other.clone() };
    let promise = "the first snapshot of an id is kept, and putting it again returns true";
    for again in [&first, &other, &bare] {
        assert!(evidence.put(again).await, "{promise}");
        assert_eq!(evidence.find(first.facts.id).await.as_ref(), Some(&first), "{promise}");
    }
    evidence.destroy().await;
    assert!(evidence.put(&first).await, "{promise}, also once its key is destroyed");
}

async fn a_snapshot_needs_the_key_that_it_is_sealed_under(evidence: &EvidenceChecks<'_>) {
    EvidenceChecks::new(evidence.store).add_keys(&[1]).await;
    let promise = "a snapshot is not kept under a key that is not there";
    let early = evidence.sealed_by(1);
    assert!(!evidence.put(&early).await, "{promise}");
    assert_eq!(evidence.find(early.facts.id).await, None, "{promise}");
    evidence.add_keys(&[1]).await;
    assert!(!evidence.put(&evidence.sealed_by(2)).await, "{promise}");
    assert!(evidence.put(&early).await, "a snapshot under a key that is there is kept");
    evidence.destroy().await;
    let late = evidence.sealed_by(1);
    assert!(!evidence.put(&late).await, "a snapshot is not kept under a destroyed key");
    assert_eq!(evidence.find(late.facts.id).await, None, "{promise}");
}

async fn snapshots_are_listed_page_by_page(evidence: &EvidenceChecks<'_>) {
    evidence.add_keys(&[1]).await;
    let mut put = Vec::new();
    for seconds in [5, 3, 9, 3, 1] {
        let mut snapshot = evidence.sealed_by(1);
        snapshot.facts = evidence.plain_at(at(seconds)).facts;
        evidence.put(&snapshot).await;
        put.push(snapshot.facts);
    }
    EvidenceChecks::new(evidence.store).put(&evidence.plain_at(START)).await;
    evidence.put(&EvidenceChecks::new(evidence.store).plain_at(START)).await;
    put.push(evidence.plain_at(at(7)).facts);
    evidence.put(&StoredSnapshot::new(put[5].clone(), None)).await;
    let query = SnapshotQuery::new(evidence.tenant);
    let all_facts = evidence.list(&query, None, 100).await;
    put.push(all_facts[0].clone());
    put.sort_by_key(|facts| facts.id);
    put.dedup();
    assert_eq!(all_facts, put, "a tenant's snapshots are listed in the order of ids");
    assert_eq!(evidence.list(&query, None, 0).await, [], "a page of none is empty");
    for limit in 1..=all_facts.len() + 1 {
        let paged_facts = pages(evidence, &query, limit).await;
        assert_eq!(paged_facts, all_facts, "pages of {limit} hold what one page holds");
    }
}

async fn snapshots_of_a_trace_are_told_apart(evidence: &EvidenceChecks<'_>) {
    let mut put = Vec::new();
    for trace in names().into_iter().chain([String::new()]) {
        for seconds in [2, 1] {
            let mut snapshot = evidence.plain_at(at(seconds));
            snapshot.facts.trace = trace.as_str().into();
            evidence.put(&snapshot).await;
            put.push(snapshot.facts);
        }
    }
    for pair in put.chunks(2) {
        let trace = &pair[0].trace;
        let query = SnapshotQuery::new(evidence.tenant).with_trace(trace.clone());
        let expected = [pair[1].clone(), pair[0].clone()];
        let trace_facts = evidence.list(&query, None, 100).await;
        assert_eq!(trace_facts, expected, "the snapshots of a trace are told apart byte by byte");
        let paged_facts = pages(evidence, &query, 1).await;
        assert_eq!(paged_facts, expected, "a trace's snapshots are listed page by page");
    }
    let query = SnapshotQuery::new(evidence.tenant).with_trace("trace without calls");
    assert_eq!(evidence.list(&query, None, 9).await, [], "a trace without snapshots has none");
}

async fn snapshots_of_a_time_are_listed(evidence: &EvidenceChecks<'_>) {
    for seconds in 1..=4 {
        evidence.put(&evidence.plain_at(at(seconds))).await;
        evidence.put(&evidence.plain_at(before(at(seconds)))).await;
    }
    let tenant_query = SnapshotQuery::new(evidence.tenant);
    let of_trace = tenant_query.clone().with_trace("trace-1");
    for query in [tenant_query, of_trace] {
        let later_facts = evidence.list(&query.clone().with_from(at(2)), None, 100).await;
        assert_eq!(later_facts.len(), 5, "a time begins with its first moment");
        let earlier_facts = evidence.list(&query.clone().with_until(at(2)), None, 100).await;
        assert_eq!(earlier_facts.len(), 3, "a time ends before its last moment");
        let between = query.clone().with_from(at(2)).with_until(at(3));
        let facts_between = evidence.list(&between, None, 100).await;
        assert_eq!(facts_between.len(), 2, "a time has both its ends");
        let next_page = evidence.list(&between, Some(facts_between[0].id), 100).await;
        assert_eq!(next_page, facts_between[1..], "a time is listed page by page");
        let late = evidence.list(&between, Some(SnapshotId::at(at(9))), 100).await;
        assert_eq!(late, [], "there is nothing after the end of a time");
        let never = query.with_from(at(3)).with_until(at(2));
        assert_eq!(evidence.list(&never, None, 100).await, [], "a time may be empty");
    }
}

async fn a_snapshot_is_kept_until_it_is_swept(evidence: &EvidenceChecks<'_>) {
    evidence.add_keys(&[1]).await;
    let sealed = evidence.keep_sealed_by(1).await;
    evidence.sweep_all(START).await;
    let stored_snapshot = evidence.find(sealed.facts.id).await;
    assert_eq!(
        stored_snapshot.as_ref(),
        Some(&sealed),
        "a snapshot of a moment is not made before it"
    );
    evidence.sweep_all(after(START)).await;
    assert_eq!(evidence.find(sealed.facts.id).await, None, "a snapshot made before is swept");
    let query = SnapshotQuery::new(evidence.tenant).with_trace("trace-1");
    assert_eq!(evidence.list(&query, None, 10).await, [], "a swept snapshot is not listed");
    assert_eq!(evidence.live(&[1]).await, [1], "a sweep destroys no key");
}

async fn the_eldest_are_swept_first(evidence: &EvidenceChecks<'_>) {
    evidence.sweep_all(at(100)).await;
    let other = EvidenceChecks::new(evidence.store);
    for (seconds, evidence) in [(4, evidence), (2, &other), (1, evidence), (3, &other)] {
        evidence.put(&evidence.plain_at(at(seconds))).await;
    }
    let mut swept = Vec::new();
    for limit in [0, 1, 2] {
        swept.push(evidence.sweep(at(100), limit).await);
    }
    let left = evidence.list(&SnapshotQuery::new(evidence.tenant), None, 10).await;
    let moments: Vec<_> = left.iter().map(|facts| facts.id.created_at()).collect();
    assert_eq!(moments, [at(4)], "the oldest of all tenants are swept first");
    swept.extend([evidence.sweep(at(4), 9).await, evidence.sweep(at(100), 9).await]);
    assert_eq!(
        swept,
        [0, 1, 2, 0, 1],
        "a sweep removes at most the given number, and returns how many"
    );
}

/// Lists page by page, and stops if that does not end.
async fn pages(
    evidence: &EvidenceChecks<'_>,
    query: &SnapshotQuery,
    limit: usize,
) -> Vec<StoredFacts> {
    let mut all_facts: Vec<StoredFacts> = Vec::new();
    for _ in 0..100 {
        let page = evidence.list(query, all_facts.last().map(|facts| facts.id), limit).await;
        if page.is_empty() {
            break;
        }
        all_facts.extend(page);
    }
    all_facts
}

fn after(moment: UnixMillis) -> UnixMillis {
    UnixMillis::new(moment.get() + 1)
}
