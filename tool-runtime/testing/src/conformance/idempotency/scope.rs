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
        let found = keys.claim(&scope, START).await;
        let ClaimOutcome::Acquired(fence) = found else {
            panic!("scopes are told apart byte by byte; {scope:?} was taken for another: {found:?}")
        };
        let answer = success(&format!("{scope:?}"));
        assert!(keys.settle(&scope, fence, kept(answer)).await, "an owner settles its key");
    }
    for [principal, tool, key] in alike() {
        let scope = ScopedKey::new(keys.tenant, principal, tool, key);
        let answer = success(&format!("{scope:?}"));
        let found = keys.claim(&scope, at(1)).await;
        assert_eq!(found, ClaimOutcome::Settled(answer), "each scope keeps its own answer");
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
    let listed = list(&other, None, 10).await;
    assert_eq!(listed, [], "a tenant does not see another's unknown outcomes");
    assert!(other.settle(&same, theirs, Settlement::Released).await, "an owner settles its key");
    let found = keys.claim(&key, at(1)).await;
    assert_eq!(found, ClaimOutcome::Unknown(fence), "a tenant does not settle another's key");
}

async fn unknown_outcomes_are_listed_page_by_page(keys: &KeyChecks<'_>) {
    let unknown = unknown_keys(keys).await;
    keys.in_every_state().await;
    let elsewhere = KeyChecks::new(keys.store);
    unknown_keys(&elsewhere).await;
    let whole = list(keys, None, 100).await;
    let mut listed = whole.iter().map(|record| record.key.clone()).collect::<Vec<_>>();
    listed.sort();
    let mut expected = [unknown, vec![keys.key("unknown")]].concat();
    expected.sort();
    assert_eq!(listed, expected, "only unknown outcomes are listed");
    assert_eq!(list(keys, None, 0).await, [], "a page of none is empty");
    for limit in 1..=whole.len() + 1 {
        let pages = pages(keys, limit).await;
        assert_eq!(pages, whole, "pages of {limit} hold what one page holds, in the same order");
    }
}

async fn a_page_may_start_after_what_was_resolved(keys: &KeyChecks<'_>) {
    unknown_keys(keys).await;
    let whole = list(keys, None, 100).await;
    let page = list(keys, None, 3).await;
    for record in &page {
        let settled = keys.settle(&record.key, record.fence, Settlement::Released).await;
        assert!(settled, "an unknown outcome is settled with its own fence");
    }
    let rest = list(keys, page.last().map(|record| &record.key), 100).await;
    assert_eq!(rest, whole[page.len()..], "a page may start after an outcome that was resolved");
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
    let listed = keys.store.list_unknown(keys.tenant, after, limit).await;
    let listed = super::done("unknown", listed);
    assert!(listed.len() <= limit, "a page holds at most {limit}; found {}", listed.len());
    listed
}

/// Lists page by page, and stops if that does not end.
async fn pages(keys: &KeyChecks<'_>, limit: usize) -> Vec<KeyRecord> {
    let mut all: Vec<KeyRecord> = Vec::new();
    for _ in 0..100 {
        let page = list(keys, all.last().map(|record| &record.key), limit).await;
        if page.is_empty() {
            break;
        }
        all.extend(page);
    }
    all
}
