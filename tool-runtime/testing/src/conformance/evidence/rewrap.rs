//! Checks that only a caller that knows a key's current wrapping can rewrap it, and only with live
//! keys.

use tool_runtime_record::evidence::{EvidenceStore, SnapshotId, StoredSnapshot, WrappedKey};
use uuid::Uuid;

use super::super::samples::done;
use super::{EvidenceChecks, crowd, wrapping};

pub(super) async fn check(store: &dyn EvidenceStore) {
    keys_of_earlier_versions_are_listed(&EvidenceChecks::new(store)).await;
    a_page_may_start_after_what_was_wrapped_anew(&EvidenceChecks::new(store)).await;
    a_data_key_is_wrapped_anew_as_it_was_found(&EvidenceChecks::new(store)).await;
    nothing_is_wrapped_by_a_key_that_is_not_there(&EvidenceChecks::new(store)).await;
    nothing_that_was_destroyed_is_wrapped_anew(&EvidenceChecks::new(store)).await;
    one_of_many_wraps_a_key_anew(&EvidenceChecks::new(store)).await;
}

async fn list(
    evidence: &EvidenceChecks<'_>,
    version: u32,
    after: Option<SnapshotId>,
    limit: usize,
) -> Vec<(SnapshotId, WrappedKey)> {
    let page = evidence.store.list_data_keys(evidence.tenant, version, after, limit).await;
    let page = done("list_data_keys", page);
    assert!(page.len() <= limit, "a page holds at most {limit}; found {}", page.len());
    page
}

/// Stores snapshots under these versions, and returns them in the order of ids.
async fn keep(evidence: &EvidenceChecks<'_>, versions: &[u32]) -> Vec<(SnapshotId, WrappedKey)> {
    let mut data_keys = Vec::new();
    for version in versions {
        let snapshot = evidence.keep_sealed_by(*version).await;
        data_keys.push((snapshot.facts.id, key_of(&snapshot)));
    }
    data_keys.sort_by_key(|(id, _)| *id);
    data_keys
}

#[track_caller]
fn key_of(snapshot: &StoredSnapshot) -> WrappedKey {
    let sealed = snapshot.sealed.as_ref();
    sealed.map(|sealed| sealed.key.clone()).expect("a sealed snapshot is found sealed")
}

async fn found(evidence: &EvidenceChecks<'_>, id: SnapshotId) -> Option<WrappedKey> {
    evidence.find(id).await.as_ref().map(key_of)
}

async fn keys_of_earlier_versions_are_listed(evidence: &EvidenceChecks<'_>) {
    evidence.add_keys(&[1, 2, 3]).await;
    let data_keys = keep(evidence, &[3, 1, 2, 1, 2]).await;
    evidence.put(&evidence.plain_at(data_keys[0].0.created_at())).await;
    let other = EvidenceChecks::new(evidence.store);
    other.add_keys(&[1]).await;
    keep(&other, &[1]).await;
    for version in 1..=4 {
        let mut earlier = data_keys.clone();
        earlier.retain(|(_, key)| key.version < version);
        let full_page = list(evidence, version, None, 100).await;
        assert_eq!(full_page, earlier, "a tenant's keys of versions before {version} are listed");
        let mut pages: Vec<(SnapshotId, WrappedKey)> = Vec::new();
        for _ in 0..100 {
            let page = list(evidence, version, pages.last().map(|(id, _)| *id), 2).await;
            pages.extend(page);
        }
        assert_eq!(pages, earlier, "pages hold what one page holds");
    }
    assert_eq!(list(evidence, 9, None, 0).await, [], "a page of none is empty");
}

async fn a_page_may_start_after_what_was_wrapped_anew(evidence: &EvidenceChecks<'_>) {
    evidence.add_keys(&[1, 2]).await;
    let data_keys = keep(evidence, &[1, 1, 1, 1]).await;
    let page = list(evidence, 2, None, 2).await;
    for (id, was) in &page {
        assert!(evidence.rewrap(*id, was, &WrappedKey::new(2, wrapping(2))).await);
    }
    let next_page = list(evidence, 2, page.last().map(|(id, _)| *id), 100).await;
    assert_eq!(next_page, data_keys[2..], "a page may start after what was wrapped anew");
    let outdated_keys = list(evidence, 2, None, 100).await;
    assert_eq!(outdated_keys, data_keys[2..], "rewrapped keys are not listed");
}

async fn a_data_key_is_wrapped_anew_as_it_was_found(evidence: &EvidenceChecks<'_>) {
    evidence.add_keys(&[1, 2]).await;
    let snapshot = evidence.keep_sealed_by(1).await;
    let (id, was) = (snapshot.facts.id, key_of(&snapshot));
    let now = WrappedKey::new(2, wrapping(9));
    let others = [WrappedKey::new(1, wrapping(8)), WrappedKey::new(2, was.wrapped.clone())];
    let promise = "a snapshot's key is wrapped anew as it was found, and not as anything else";
    for other in &others {
        assert!(!evidence.rewrap(id, other, &now).await, "{promise}");
    }
    let plain = evidence.plain_at(id.created_at());
    evidence.put(&plain).await;
    assert!(!evidence.rewrap(plain.facts.id, &was, &now).await, "an unsealed snapshot has no key");
    assert!(!evidence.rewrap(SnapshotId::at(id.created_at()), &was, &now).await, "{promise}");
    let other = EvidenceChecks { store: evidence.store, tenant: Uuid::now_v7() };
    other.add_keys(&[1, 2]).await;
    assert!(!other.rewrap(id, &was, &now).await, "a snapshot is its tenant's");
    assert_eq!(found(evidence, id).await.as_ref(), Some(&was), "{promise}");

    assert!(evidence.rewrap(id, &was, &now).await, "{promise}");
    let mut expected = snapshot;
    if let Some(sealed) = &mut expected.sealed {
        sealed.key = now.clone();
    }
    expected.checksum = now.wrapped;
    let promise_of_both = "the key and the checksum are replaced, and nothing else is";
    assert_eq!(evidence.find(id).await, Some(expected), "{promise_of_both}");
    let again = evidence.rewrap(id, &was, &WrappedKey::new(2, wrapping(7))).await;
    assert!(!again, "{promise}, once");
}

async fn nothing_is_wrapped_by_a_key_that_is_not_there(evidence: &EvidenceChecks<'_>) {
    evidence.add_keys(&[1]).await;
    let snapshot = evidence.keep_sealed_by(1).await;
    let (id, was) = (snapshot.facts.id, key_of(&snapshot));
    let rewrapped = evidence.rewrap(id, &was, &WrappedKey::new(2, wrapping(2))).await;
    assert!(!rewrapped, "nothing is wrapped by a key that is not there");
    assert_eq!(found(evidence, id).await, Some(was), "a key that is not rewrapped is unchanged");
}

async fn nothing_that_was_destroyed_is_wrapped_anew(evidence: &EvidenceChecks<'_>) {
    evidence.add_keys(&[1]).await;
    let snapshot = evidence.keep_sealed_by(1).await;
    let (id, was) = (snapshot.facts.id, key_of(&snapshot));
    evidence.destroy().await;
    evidence.add_keys(&[2]).await;
    let rewrapped = evidence.rewrap(id, &was, &WrappedKey::new(2, wrapping(2))).await;
    assert!(!rewrapped, "what was wrapped by a destroyed key is not wrapped anew");
    let later = evidence.keep_sealed_by(2).await;
    let rewrapped = evidence.rewrap(later.facts.id, &key_of(&later), &was).await;
    assert!(!rewrapped, "nothing is wrapped by a destroyed key");
    assert_eq!(found(evidence, id).await, Some(was), "a key that is not rewrapped is unchanged");
}

async fn one_of_many_wraps_a_key_anew(evidence: &EvidenceChecks<'_>) {
    evidence.add_keys(&[1, 2]).await;
    let snapshot = evidence.keep_sealed_by(1).await;
    let (id, was) = (snapshot.facts.id, &key_of(&snapshot));
    let rewrapped = crowd(|number| async move {
        let now = WrappedKey::new(2, wrapping(number));
        let done = evidence.rewrap(id, was, &now).await;
        assert_eq!(
            done,
            found(evidence, id).await == Some(now),
            "a successful caller finds its own wrapping"
        );
        done
    });
    assert_eq!(rewrapped.await, 1, "one of many wraps a key anew");
}
