//! Shredded contents cannot be opened in any process, whichever operations run meanwhile.

use super::*;

fn shreds() -> StoreFault {
    StoreFault::First(Arc::new(|store| {
        Box::pin(async move {
            vault(store).shred(TENANT, &access()).await.expect("it shreds");
        })
    }))
}

async fn kept() -> (MemoryStore, Vec<SnapshotId>) {
    let store = MemoryStore::new();
    let vault = vault(store.clone());
    let ids = [keep(&vault, TENANT).await, keep(&vault, TENANT).await];
    (store, ids.to_vec())
}

#[tokio::test]
async fn a_shredded_snapshot_opens_in_no_process() {
    let (store, ids) = kept().await;
    let (here, there) = (vault(store.clone()), vault(store.clone()));
    let other = keep(&here, OTHER).await;
    check_read(&there, TENANT, ids[0]).await;
    assert_eq!(here.shred(TENANT, &access()).await.expect("it shreds"), 1);
    for vault in [&here, &there] {
        for id in &ids {
            check_shut(vault, TENANT, *id, EvidenceErrorKind::Shredded).await;
        }
        check_read(vault, OTHER, other).await;
    }
    let found =
        here.find(TENANT, ids[0], &access()).await.expect("a store").expect("the snapshot stays");
    assert_eq!(found.tool(), "pricing.quote");
}

#[tokio::test]
async fn a_snapshot_kept_after_shredding_opens_and_an_earlier_one_does_not() {
    let (store, ids) = kept().await;
    let vault = vault(store);
    vault.shred(TENANT, &access()).await.expect("it shreds");
    let later = keep(&vault, TENANT).await;
    vault.rotate(TENANT, &access()).await.expect("it rotates");
    check_read(&vault, TENANT, later).await;
    check_shut(&vault, TENANT, ids[0], EvidenceErrorKind::Shredded).await;
    assert_eq!(vault.shred(TENANT, &access()).await.expect("it shreds"), 1);
    check_shut(&vault, TENANT, later, EvidenceErrorKind::Shredded).await;
}

#[tokio::test]
async fn shredding_at_any_step_of_a_rotation_is_final() {
    for step in 0.. {
        let (store, ids) = kept().await;
        let stepped = FaultyStore::new(&store, step, shreds());
        let rotated = vault(stepped.clone()).rotate(TENANT, &access()).await;
        let rotated = rotated.expect("shredding is no error of the rotation");
        assert_eq!(rotated.snapshots.unreadable, 0, "at step {step}");
        if !stepped.has_happened() {
            assert!(step > 6, "a rotation has more steps than {step}");
            break;
        }
        for id in &ids {
            check_shut(&vault(store.clone()), TENANT, *id, EvidenceErrorKind::Shredded).await;
        }
    }
}

#[tokio::test]
async fn shredding_at_any_step_of_rewrapping_is_final() {
    for step in 0.. {
        let store = MemoryStore::new();
        let old = Vault::new(store.clone(), old_ring()).with_access_log(Log::default());
        let id = keep(&old, TENANT).await;
        let stepped = FaultyStore::new(&store, step, shreds());
        let rewrapped = vault(stepped.clone()).rewrap_tenant_keys(&access()).await;
        assert_eq!(rewrapped.expect("shredding is no error").unreadable, 0);
        if !stepped.has_happened() {
            break;
        }
        check_shut(&vault(store), TENANT, id, EvidenceErrorKind::Shredded).await;
    }
}

#[tokio::test]
async fn a_snapshot_kept_while_a_tenant_is_shredded_is_readable() {
    for step in 0.. {
        let (store, ids) = kept().await;
        let stepped = FaultyStore::new(&store, step, shreds());
        let id = keep(&vault(stepped.clone()), TENANT).await;
        if !stepped.has_happened() {
            break;
        }
        let vault = vault(store);
        check_read(&vault, TENANT, id).await;
        check_shut(&vault, TENANT, ids[0], EvidenceErrorKind::Shredded).await;
    }
}

#[tokio::test]
async fn shredding_that_fails_may_be_repeated() {
    for meddle in [StoreFault::FailBefore, StoreFault::FailAfter] {
        let (store, ids) = kept().await;
        let vault = vault(FaultyStore::new(&store, 0, meddle));
        let error = vault.shred(TENANT, &access()).await.expect_err("the store failed");
        assert_eq!(error.kind(), EvidenceErrorKind::Store(StoreErrorKind::Unavailable));
        vault.shred(TENANT, &access()).await.expect("it shreds");
        check_shut(&vault, TENANT, ids[0], EvidenceErrorKind::Shredded).await;
    }
}
