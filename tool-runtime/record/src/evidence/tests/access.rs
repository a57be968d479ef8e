//! Each access is recorded with its reader and reason before anything is shown.

use tool_runtime_testing::ManualClock;

use super::*;
use crate::evidence::{AccessAction, AccessOutcome};

fn logged(store: &MemoryStore) -> (Vault, Log) {
    let log = Log::default();
    let vault = Vault::new(store.clone(), ring())
        .with_access_log(log.clone())
        .with_clock(ManualClock::at(START));
    (vault, log)
}

fn said(record: &AccessRecord) -> (AccessAction, Option<SnapshotId>, AccessOutcome) {
    assert_eq!((&record.access, record.at), (&access(), START));
    (record.action, record.snapshot, record.outcome)
}

#[test]
fn an_access_names_a_reader_and_a_reason() {
    let long = "x".repeat(257);
    for (who, why) in [("", "why"), (" \n", "why"), ("who", ""), ("who", "\t "), (&long, "why")] {
        let error = Access::new(who, why).expect_err("a reader or a reason is missing");
        assert_eq!(error.kind(), EvidenceErrorKind::InvalidAccess);
    }
    for turned in ["\u{202e}5 paid", "a\u{2066}b"] {
        Access::new(turned, "why").expect_err("the reader's name changes the direction of text");
        Access::new("who", turned).expect_err("the reason changes the direction of text");
    }
    Access::new("who", "תלונה 4711").expect("letters from right to left are text");
    Access::new("who", "x".repeat(1025)).expect_err("the reason is too long");
    Access::new("x".repeat(256), "x".repeat(1024)).expect("they are just short enough");
}

#[tokio::test]
async fn each_reading_is_told_also_one_that_fails() {
    let (vault, log) = logged(&MemoryStore::new());
    let id = keep(&vault, TENANT).await;
    assert_eq!(log.take(), [], "keeping is no access");
    check_read(&vault, TENANT, id).await;
    check_shut(&vault, OTHER, id, EvidenceErrorKind::NotFound).await;
    let told = log.take();
    let failed = AccessOutcome::Failed(EvidenceErrorKind::NotFound);
    let expected = [
        (AccessAction::Read, Some(id), AccessOutcome::Done),
        (AccessAction::Read, Some(id), failed),
    ];
    assert_eq!(told.iter().map(said).collect::<Vec<_>>(), expected);
    assert_eq!([told[0].tenant, told[1].tenant], [Some(TENANT), Some(OTHER)]);
}

#[tokio::test]
async fn a_change_of_keys_is_logged_before_and_after() {
    let (vault, log) = logged(&MemoryStore::new());
    keep(&vault, TENANT).await;
    vault.rotate(TENANT, &access()).await.expect("it rotates");
    vault.finish_rotation(TENANT, &access()).await.expect("it rotates");
    vault.rewrap_tenant_keys(&access()).await.expect("it rewraps");
    vault.shred(TENANT, &access()).await.expect("it shreds");
    let told = log.take();
    let actions =
        [AccessAction::Rotate, AccessAction::Rotate, AccessAction::Rewrap, AccessAction::Shred];
    for (pair, action) in told.chunks(2).zip(actions) {
        let expected = [(action, None, AccessOutcome::Asked), (action, None, AccessOutcome::Done)];
        assert_eq!([said(&pair[0]), said(&pair[1])], expected);
        let tenant = (action != AccessAction::Rewrap).then_some(TENANT);
        assert_eq!([pair[0].tenant, pair[1].tenant], [tenant, tenant]);
    }
    assert_eq!(told.len(), 8);
}

#[tokio::test]
async fn a_change_that_fails_is_told_as_failed() {
    let store = MemoryStore::new();
    keep(&vault(store.clone()), TENANT).await;
    let log = Log::default();
    let stepped = FaultyStore::new(&store, 0, StoreFault::FailBefore);
    let vault = Vault::new(stepped, ring()).with_access_log(log.clone());
    vault.shred(TENANT, &access()).await.expect_err("the store failed");
    let kind = EvidenceErrorKind::Store(StoreErrorKind::Unavailable);
    assert_eq!(log.take()[1].outcome, AccessOutcome::Failed(kind));
}

#[tokio::test]
async fn without_a_record_nothing_is_shown_and_nothing_changed() {
    let store = MemoryStore::new();
    let (open, log) = logged(&store);
    let id = keep(&open, TENANT).await;
    log.shut.store(true, Ordering::SeqCst);
    let unlogged = Vault::new(store.clone(), ring());
    for vault in [&open, &unlogged] {
        check_shut(vault, TENANT, id, EvidenceErrorKind::Unrecorded).await;
        check_shut(vault, OTHER, id, EvidenceErrorKind::Unrecorded).await;
        let refused = [
            vault.shred(TENANT, &access()).await.map(drop),
            vault.rotate(TENANT, &access()).await.map(drop),
            vault.finish_rotation(TENANT, &access()).await.map(drop),
            vault.rewrap_tenant_keys(&access()).await.map(drop),
        ];
        for refused in refused {
            let error = refused.expect_err("it is not recorded");
            assert_eq!(error.kind(), EvidenceErrorKind::Unrecorded);
        }
    }
    log.shut.store(false, Ordering::SeqCst);
    check_read(&open, TENANT, id).await;
    let key = store.newest_tenant_key(TENANT).await.expect("a store").expect("a key");
    assert_eq!(key.version, 1);
}

#[tokio::test]
async fn an_error_says_what_failed_without_values() {
    let (vault, log) = logged(&MemoryStore::new());
    let id = keep(&vault, TENANT).await;
    log.shut.store(true, Ordering::SeqCst);
    let error = vault.read(TENANT, id, &access()).await.expect_err("it is not recorded");
    let source = std::error::Error::source(&error).map(ToString::to_string);
    assert_eq!(source.as_deref(), Some("the store is full: the log is full"));
    assert_eq!(error.to_string(), "the access could not be recorded, so nothing is shown");
    let shown = format!("{error:?} {error}");
    assert!(!shown.contains("4711") && !shown.contains(&id.to_string()), "{shown}");
}
