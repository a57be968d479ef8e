//! Scopes of keys, and listing by tenant.

use tool_runtime_core::store::{ClaimOutcome, IdempotencyStore, KeyRecord, ScopedKey, Settlement};

use super::super::samples::{START, alike, at};
use super::{KeyChecks, kept, success};

pub(super) async fn all(store: &dyn IdempotencyStore) {
    scopes_are_told_apart(&KeyChecks::new(store)).await;
    tenants_do_not_see_one_another(&KeyChecks::new(store)).await;
    unknown_outcomes_are_listed_page_by_page(&KeyChecks::new(store)).await;
    a_page_may_start_after_what_was_resolved(&KeyChecks::new(store)).await;
}

async fn scopes_are_told_apart(keys: &KeyChecks<'_>) {
    for [principal, tool, key] in alike() {
        let scope = ScopedKey::new(keys.tenant, principal, tool, key);
        let outcome = keys.claim(&scope, START).await;
        let ClaimOutcome::Acquired(fence) = outcome else {
            panic!(
                "scopes are told apart byte by byte; {scope:?} was taken for another: {outcome:?}"
            )
        };
        let answer = success(&format!("{scope:?}"));
        assert!(keys.settle(&scope, fence, kept(answer)).await, "an owner settles its key");
    }
    for [principal, tool, key] in alike() {
        let scope = ScopedKey::new(keys.tenant, principal, tool, key);
        let answer = success(&format!("{scope:?}"));
        let outcome = keys.claim(&scope, at(1)).await;
        assert_eq!(outcome, ClaimOutcome::Settled(answer), "each scope keeps its own answer");
    }
}

async fn tenants_do_not_see_one_another(keys: &KeyChecks<'_>) {
    let other = KeyChecks::new(keys.store);
    let (key, same) = (keys.key("same"), other.key("same"));
    let fence = keys.first(&key, START).await;
    assert_eq!(other.find(&same).await, None, "a tenant does not see another's keys");
    let theirs = other.first(&same, START).await;
    assert!(!keys.renew(&key, theirs, at(3_600)).await, "a tenant does not renew another's key");
    assert!(keys.settle(&key, fence, Settlement::Unknown).await, "an owner settles its key");
    let unknown_records = list(&other, None, 10).await;
    assert_eq!(unknown_records, [], "a tenant does not see another's unknown outcomes");
    assert!(other.settle(&same, theirs, Settlement::Released).await, "an owner settles its key");
    let outcome = keys.claim(&key, at(1)).await;
    assert_eq!(outcome, ClaimOutcome::Unknown(fence), "a tenant does not settle another's key");
}

async fn unknown_outcomes_are_listed_page_by_page(keys: &KeyChecks<'_>) {
    let unknown = unknown_keys(keys).await;
    keys.in_every_state().await;
    let elsewhere = KeyChecks::new(keys.store);
    unknown_keys(&elsewhere).await;
    let all_records = list(keys, None, 100).await;
    let mut record_keys = all_records.iter().map(|record| record.key.clone()).collect::<Vec<_>>();
    record_keys.sort();
    let mut expected = [unknown, vec![keys.key("unknown")]].concat();
    expected.sort();
    assert_eq!(record_keys, expected, "only unknown outcomes are listed");
    assert_eq!(list(keys, None, 0).await, [], "a page of none is empty");
    for limit in 1..=all_records.len() + 1 {
        let pages = pages(keys, limit).await;
        assert_eq!(
            pages, all_records,
            "pages of {limit} hold what one page holds, in the same order"
        );
    }
}

async fn a_page_may_start_after_what_was_resolved(keys: &KeyChecks<'_>) {
    unknown_keys(keys).await;
    let all_records = list(keys, None, 100).await;
    let page = list(keys, None, 3).await;
    for record in &page {
        let settled = keys.settle(&record.key, record.fence, Settlement::Released).await;
        assert!(settled, "an unknown outcome is settled with its own fence");
    }
    let next_page = list(keys, page.last().map(|record| &record.key), 100).await;
    assert_eq!(
        next_page,
        all_records[page.len()..],
        "a page may start after an outcome that was resolved"
    );
}

/// Makes unknown keys whose order differs by each part of their scope.
async fn unknown_keys(keys: &KeyChecks<'_>) -> Vec<ScopedKey> {
    let parts =
        [("b", "x", "2"), ("a", "y", "3"), ("a", "x", "9"), ("b", "y", "1"), ("c", "x", "0")];
    let scopes = parts.map(|(principal, tool, key)| {
        [key.to_owned(), format!("{key}0")]
            .map(|key| ScopedKey::new(keys.tenant, principal, tool, key))
    });
    for scope in scopes.as_flattened() {
        let fence = keys.first(scope, START).await;
        assert!(keys.settle(scope, fence, Settlement::Unknown).await, "an owner settles its key");
    }
    scopes.concat()
}

async fn list(keys: &KeyChecks<'_>, after: Option<&ScopedKey>, limit: usize) -> Vec<KeyRecord> {
    let list_result = keys.store.list_unknown(keys.tenant, after, limit).await;
    let records = super::done("unknown", list_result);
    assert!(records.len() <= limit, "a page holds at most {limit}; found {}", records.len());
    records
}

/// Lists page by page, and stops if that does not end.
async fn pages(keys: &KeyChecks<'_>, limit: usize) -> Vec<KeyRecord> {
    let mut records: Vec<KeyRecord> = Vec::new();
    for _ in 0..100 {
        let page = list(keys, records.last().map(|record| &record.key), limit).await;
        if page.is_empty() {
            break;
        }
        records.extend(page);
    }
    records
}
