//! Checks that a tenant's keys are added once, and that destroyed keys stay destroyed.

use tool_runtime_core::store::UnixMillis;
use tool_runtime_record::evidence::{EvidenceStore, TenantKey};
use uuid::Uuid;

use super::super::samples::done;
use super::{EvidenceChecks, crowd, wrapping};

pub(super) async fn check(store: &dyn EvidenceStore) {
    a_key_is_found_as_it_was_added(&EvidenceChecks::new(store)).await;
    the_first_key_of_a_version_is_kept(&EvidenceChecks::new(store)).await;
    a_version_is_greater_than_all_before(&EvidenceChecks::new(store)).await;
    one_of_many_adds_a_version(&EvidenceChecks::new(store)).await;
    destroyed_keys_leave_marks(&EvidenceChecks::new(store)).await;
    keys_are_destroyed_once_nothing_needs_them(&EvidenceChecks::new(store)).await;
    a_key_is_wrapped_anew_as_it_was_found(&EvidenceChecks::new(store)).await;
    keys_under_others_are_listed(&EvidenceChecks::new(store)).await;
}

async fn a_key_is_found_as_it_was_added(evidence: &EvidenceChecks<'_>) {
    assert_eq!(evidence.find_key(1).await, None, "a key that was not added is not found");
    assert_eq!(evidence.newest().await, None, "a tenant begins without keys");
    let long = "r".repeat(64);
    for (version, ring_key) in [(1, "a"), (2, "ring-1"), (9, &long), (u32::MAX, "A")] {
        let key = TenantKey::new(evidence.tenant, version, ring_key, wrapping(7));
        assert!(evidence.add(&key).await, "a key of a greater version is added");
        assert_eq!(evidence.find_key(version).await, Some(key.clone()), "a key is found as added");
        assert_eq!(evidence.newest().await, Some(key), "the greatest version is the newest");
    }
    assert_eq!(EvidenceChecks::new(evidence.store).newest().await, None, "a key is its tenant's");
}

async fn the_first_key_of_a_version_is_kept(evidence: &EvidenceChecks<'_>) {
    let first = evidence.key(1);
    assert!(evidence.add(&first).await, "a key of a greater version is added");
    let other = TenantKey::new(evidence.tenant, 1, "ring-2", wrapping(9));
    for again in [&first, &other] {
        assert!(!evidence.add(again).await, "the first key of a version is kept");
    }
    assert_eq!(evidence.find_key(1).await, Some(first), "the first key of a version is kept");
}

async fn a_version_is_greater_than_all_before(evidence: &EvidenceChecks<'_>) {
    evidence.add_keys(&[2, 5]).await;
    for version in [1, 2, 3, 4, 5] {
        let added = evidence.add(&evidence.key(version)).await;
        assert!(!added, "a version is greater than all before: {version} after 2 and 5");
    }
    assert_eq!(evidence.live(&[1, 2, 3, 4, 5]).await, [2, 5], "a rejected key is not found");
}

async fn one_of_many_adds_a_version(evidence: &EvidenceChecks<'_>) {
    let added = crowd(|number| async move {
        let key = TenantKey::new(evidence.tenant, 1, "ring-1", wrapping(number));
        let added = evidence.add(&key).await;
        assert_eq!(
            added,
            evidence.find_key(1).await == Some(key),
            "a successful caller finds its own key"
        );
        added
    });
    assert_eq!(added.await, 1, "one of many adds a version");
}

async fn destroyed_keys_leave_marks(evidence: &EvidenceChecks<'_>) {
    assert_eq!(evidence.destroy().await, 0, "a tenant without keys has none to destroy");
    let other = EvidenceChecks::new(evidence.store);
    other.add_keys(&[1]).await;
    evidence.add_keys(&[1, 2]).await;
    let key = evidence.key(1);
    assert_eq!(evidence.destroy().await, 2, "all keys of a tenant are destroyed, and counted");
    for version in [1, 2] {
        let mark = TenantKey::destroyed(evidence.tenant, version);
        let stored_key = evidence.find_key(version).await;
        assert_eq!(stored_key, Some(mark), "a destroyed key leaves its mark");
    }
    let newest = evidence.newest().await;
    assert_eq!(newest, Some(TenantKey::destroyed(evidence.tenant, 2)), "a mark may be the newest");
    let promise = "a destroyed key stays destroyed";
    assert!(!evidence.add(&evidence.key(2)).await, "{promise}: a version is not reused");
    assert!(!evidence.rewrap_key(&key, &key).await, "{promise}: nothing is rewrapped");
    let mark = TenantKey::destroyed(evidence.tenant, 1);
    assert!(!evidence.rewrap_key(&mark, &key).await, "{promise}: a mark is not a wrapping");
    assert_eq!(evidence.live(&[1, 2]).await, [0; 0], "{promise}");
    assert_eq!(evidence.destroy().await, 0, "{promise}, and is destroyed once");
    assert_eq!(other.live(&[1]).await, [1], "another tenant's keys stay");
    evidence.add_keys(&[3]).await;
    assert_eq!(evidence.live(&[1, 2, 3]).await, [3], "a tenant may get a key again");
}

async fn keys_are_destroyed_once_nothing_needs_them(evidence: &EvidenceChecks<'_>) {
    assert_eq!(evidence.destroy_unused().await, 0, "a tenant without keys has none to destroy");
    evidence.add_keys(&[1, 2, 3, 4]).await;
    let used = evidence.keep_sealed_by(2).await;
    evidence.put(&evidence.plain_at(used.facts.id.created_at())).await;
    let other = EvidenceChecks::new(evidence.store);
    other.add_keys(&[1, 2]).await;
    other.keep_sealed_by(1).await;
    assert_eq!(evidence.destroy_unused().await, 2, "unused keys are destroyed");
    let promise = "unused keys are destroyed, except the newest";
    assert_eq!(evidence.live(&[1, 2, 3, 4]).await, [2, 4], "{promise}");
    assert_eq!(other.live(&[1, 2]).await, [1, 2], "another tenant's keys stay");
    assert_eq!(evidence.destroy_unused().await, 0, "{promise}, once");
    assert!(!evidence.add(&evidence.key(3)).await, "a version is not reused");
    let end = UnixMillis::new(used.facts.id.created_at().get() + 1);
    evidence.sweep_all(end).await;
    assert_eq!(evidence.destroy_unused().await, 1, "swept snapshots need no key");
    assert_eq!(evidence.live(&[1, 2, 3, 4]).await, [4], "{promise}");
}

async fn a_key_is_wrapped_anew_as_it_was_found(evidence: &EvidenceChecks<'_>) {
    evidence.add_keys(&[1]).await;
    let was = evidence.key(1);
    let now = TenantKey::new(evidence.tenant, 1, "ring-number-2", wrapping(9));
    let others = [
        TenantKey { wrapped: Some(wrapping(8)), ..was.clone() },
        TenantKey { ring_key: "ring-2".into(), ..was.clone() },
        TenantKey { version: 2, ..was.clone() },
        TenantKey { tenant: Uuid::now_v7(), ..was.clone() },
    ];
    let promise = "a key is wrapped anew as it was found, and not as anything else";
    for other in &others {
        assert!(!evidence.rewrap_key(other, &now).await, "{promise}: {other:?}");
    }
    assert_eq!(evidence.find_key(1).await.as_ref(), Some(&was), "{promise}");
    assert!(evidence.rewrap_key(&was, &now).await, "{promise}");
    assert_eq!(evidence.find_key(1).await, Some(now), "{promise}");
    assert!(!evidence.rewrap_key(&was, &was).await, "{promise}, once");
}

async fn keys_under_others_are_listed(evidence: &EvidenceChecks<'_>) {
    let others = [(); 3].map(|()| EvidenceChecks::new(evidence.store));
    let destroyed = EvidenceChecks::new(evidence.store);
    let mut tenants: Vec<_> = others.iter().chain([evidence]).collect();
    tenants.sort_by_key(|evidence| evidence.tenant);
    for evidence in tenants.iter().copied().chain([&destroyed]) {
        evidence.add_keys(&[1, 2]).await;
        let now = TenantKey::new(evidence.tenant, 2, "ring-2", wrapping(9));
        assert!(evidence.rewrap_key(&evidence.key(2), &now).await, "a key is wrapped anew");
    }
    destroyed.destroy().await;
    for (not_by, version) in [("ring-1", 2), ("ring-2", 1)] {
        let keys = listed(evidence, not_by, 1_000).await;
        let ours = |key: &&TenantKey| {
            tenants.iter().chain([&&destroyed]).any(|evidence| evidence.tenant == key.tenant)
        };
        let key_ids: Vec<_> =
            keys.iter().filter(ours).map(|key| (key.tenant, key.version)).collect();
        let expected: Vec<_> = tenants.iter().map(|one| (one.tenant, version)).collect();
        assert_eq!(key_ids, expected, "keys under others than {not_by} are listed, in order");
        for limit in [1, 3] {
            let same = listed(evidence, not_by, limit).await == keys;
            assert!(same, "pages of {limit} hold what one page holds");
        }
    }
    let keys = listed(evidence, "ring", 1_000).await;
    let key_count = keys.iter().filter(|key| key.tenant == evidence.tenant).count();
    assert_eq!(key_count, 2, "the ids of keys are told apart byte by byte");
}

/// Lists page by page, and stops if that does not end.
async fn listed(evidence: &EvidenceChecks<'_>, not_by: &str, limit: usize) -> Vec<TenantKey> {
    let mut keys: Vec<TenantKey> = Vec::new();
    for _ in 0..100_000 {
        let after = keys.last().map(|key| (key.tenant, key.version));
        let page = evidence.store.list_tenant_keys(not_by, after, limit).await;
        let page = done("list_tenant_keys", page);
        assert!(page.len() <= limit, "a page holds at most {limit}; found {}", page.len());
        if page.is_empty() {
            break;
        }
        keys.extend(page);
    }
    keys
}
