//! Rotation of a tenant's and the ring's keys, also when it stops early or other operations run.

use super::*;
use crate::evidence::{RewrapReport, TenantKey};

/// A store with snapshots of two tenants under the old ring's key.
async fn kept(count: usize) -> (MemoryStore, Vec<(Uuid, SnapshotId)>) {
    let store = MemoryStore::new();
    let vault = Vault::new(store.clone(), old_ring()).with_access_log(Log::default());
    let mut ids = Vec::new();
    for tenant in [TENANT, OTHER] {
        for _ in 0..count {
            ids.push((tenant, keep(&vault, tenant).await));
        }
    }
    (store, ids)
}

async fn check_all(vault: &Vault, ids: &[(Uuid, SnapshotId)]) {
    for (tenant, id) in ids {
        check_read(vault, *tenant, *id).await;
    }
}

async fn live(store: &MemoryStore, tenant: Uuid) -> Vec<u32> {
    let mut live = Vec::new();
    for version in 1..10 {
        let key: Option<TenantKey> = store.find_tenant_key(tenant, version).await.expect("a store");
        live.extend(key.filter(|key| key.wrapped.is_some()).map(|key| key.version));
    }
    live
}

#[tokio::test]
async fn a_rotation_brings_all_snapshots_under_a_new_key() {
    let (store, ids) = kept(300).await;
    let vault = vault(store.clone());
    let before = store.find_snapshot(TENANT, ids[0].1).await.expect("a store").expect("kept");
    let rotated = vault.rotate(TENANT, &access()).await.expect("it rotates");
    assert_eq!((rotated.version, rotated.destroyed), (2, 1));
    assert_eq!(rotated.snapshots, RewrapReport { changed: 300, unreadable: 0 });
    assert_eq!((live(&store, TENANT).await, live(&store, OTHER).await), (vec![2], vec![1]));
    let after = store.find_snapshot(TENANT, ids[0].1).await.expect("a store").expect("kept");
    let parts =
        |stored: super::super::StoredSnapshot| stored.sealed.map(|s| (s.arguments, s.output));
    assert_eq!(parts(before), parts(after), "what is sealed stays as it is");
    check_all(&vault, &ids[..3]).await;
    check_all(&vault, &ids[298..302]).await;
    let rotated = vault.finish_rotation(TENANT, &access()).await.expect("nothing is left");
    assert_eq!((rotated.version, rotated.snapshots.changed, rotated.destroyed), (2, 0, 0));
}

#[tokio::test]
async fn a_tenant_without_keys_has_nothing_to_rotate() {
    let store = MemoryStore::new();
    let rotated = vault(store.clone()).rotate(TENANT, &access()).await.expect("it rotates");
    assert_eq!((rotated.version, live(&store, TENANT).await), (0, vec![]));
}

#[tokio::test]
async fn a_rotation_that_ends_anywhere_leaves_everything_readable() {
    for meddle in [StoreFault::FailBefore, StoreFault::FailAfter] {
        for step in 0.. {
            let (store, ids) = kept(3).await;
            let stepped = FaultyStore::new(&store, step, meddle.clone());
            let ended = vault(stepped.clone()).rotate(TENANT, &access()).await;
            if !stepped.has_happened() {
                assert!(step > 8, "a rotation has more steps than {step}");
                ended.expect("it rotates");
                break;
            }
            ended.expect_err("the store failed");
            let vault = vault(store.clone());
            check_all(&vault, &ids).await;
            check_read(&vault, TENANT, keep(&vault, TENANT).await).await;
            vault.finish_rotation(TENANT, &access()).await.expect("it is finished");
            check_all(&vault, &ids).await;
            assert_eq!(live(&store, TENANT).await.len(), 1, "after step {step}");
        }
    }
}

#[tokio::test]
async fn a_new_secret_on_the_ring_wraps_all_tenants_keys() {
    let (store, ids) = kept(2).await;
    let both = vault(store.clone());
    check_all(&both, &ids).await;
    let rewrapped = both.rewrap_tenant_keys(&access()).await.expect("it rewraps");
    assert_eq!(rewrapped, RewrapReport { changed: 2, unreadable: 0 });
    let rewrapped = both.rewrap_tenant_keys(&access()).await.expect("nothing is left");
    assert_eq!(rewrapped, RewrapReport::default());
    let new = KeyRing::new("new", &[7; 32]).expect("a ring");
    check_all(&Vault::new(store.clone(), new).with_access_log(Log::default()), &ids).await;
    let old = Vault::new(store, old_ring()).with_access_log(Log::default());
    check_shut(&old, TENANT, ids[0].1, EvidenceErrorKind::UnknownKey).await;
    let error = old.keep(snapshot_of(TENANT), &contents()).await.expect_err("no key");
    assert_eq!(error.kind(), EvidenceErrorKind::UnknownKey);
}

#[tokio::test]
async fn a_key_that_does_not_open_is_counted_and_left() {
    let (store, ids) = kept(2).await;
    let other = KeyRing::new("other", &[9; 32]).expect("a ring");
    let other = Vault::new(store.clone(), other).with_access_log(Log::default());
    let rewrapped = other.rewrap_tenant_keys(&access()).await.expect("it goes through all");
    // The keys of two tenants, and the key of the checksums.
    assert_eq!(rewrapped, RewrapReport { changed: 0, unreadable: 3 });

    let kept = store.find_snapshot(TENANT, ids[0].1).await.expect("a store").expect("kept");
    let was = kept.sealed.expect("sealed").key;
    let mut altered = was.clone();
    altered.wrapped[40] ^= 1;
    let replaced = store.rewrap_data_key(TENANT, ids[0].1, &was, altered, kept.checksum).await;
    assert!(replaced.expect("a store"));
    let vault = vault(store.clone());
    let rotated = vault.rotate(TENANT, &access()).await.expect("it goes through all");
    assert_eq!(rotated.snapshots, RewrapReport { changed: 1, unreadable: 1 });
    assert_eq!(live(&store, TENANT).await, [1, 2], "a key that something needs is not destroyed");
    check_shut(&vault, TENANT, ids[0].1, EvidenceErrorKind::Altered).await;
    check_all(&vault, &ids[1..]).await;
}

#[tokio::test]
async fn rewrapping_that_ends_anywhere_leaves_everything_readable() {
    for meddle in [StoreFault::FailBefore, StoreFault::FailAfter] {
        for step in 0.. {
            let (store, ids) = kept(1).await;
            let stepped = FaultyStore::new(&store, step, meddle.clone());
            let ended = vault(stepped.clone()).rewrap_tenant_keys(&access()).await;
            if !stepped.has_happened() {
                assert!(step > 3, "rewrapping has more steps than {step}");
                break;
            }
            ended.expect_err("the store failed");
            let vault = vault(store);
            check_all(&vault, &ids).await;
            vault.rewrap_tenant_keys(&access()).await.expect("it is finished");
            check_all(&vault, &ids).await;
        }
    }
}

/// Another process that rotates twice, and rewraps.
fn rotates() -> StoreFault {
    StoreFault::First(Arc::new(|store| {
        Box::pin(async move {
            let vault = vault(store);
            vault.rotate(TENANT, &access()).await.expect("it rotates");
            vault.rotate(TENANT, &access()).await.expect("it rotates");
            vault.rewrap_tenant_keys(&access()).await.expect("it rewraps");
        })
    }))
}

#[tokio::test]
async fn a_reader_succeeds_while_another_process_rotates() {
    for step in 0.. {
        let (store, ids) = kept(2).await;
        let stepped = FaultyStore::new(&store, step, rotates());
        check_all(&vault(stepped.clone()), &ids).await;
        if !stepped.has_happened() {
            assert!(step > 4, "reading has more steps than {step}");
            break;
        }
    }
}

#[tokio::test]
async fn a_writer_loses_nothing_while_another_process_rotates() {
    for step in 0.. {
        let (store, ids) = kept(1).await;
        let stepped = FaultyStore::new(&store, step, rotates());
        let id = keep(&vault(stepped.clone()), TENANT).await;
        if !stepped.has_happened() {
            assert!(step > 1, "keeping has more steps than {step}");
            break;
        }
        let vault = vault(store);
        check_read(&vault, TENANT, id).await;
        check_all(&vault, &ids).await;
    }
}

#[tokio::test]
async fn a_rotation_loses_nothing_while_another_process_rotates() {
    for step in 0.. {
        let (store, ids) = kept(3).await;
        let stepped = FaultyStore::new(&store, step, rotates());
        let rotated = vault(stepped.clone()).rotate(TENANT, &access()).await;
        let rotated = rotated.expect("another rotation is no error");
        assert_eq!(rotated.snapshots.unreadable, 0, "at step {step}");
        if !stepped.has_happened() {
            break;
        }
        let vault = vault(store.clone());
        check_all(&vault, &ids).await;
        vault.finish_rotation(TENANT, &access()).await.expect("it is finished");
        check_all(&vault, &ids).await;
        assert_eq!(live(&store, TENANT).await.len(), 1, "at step {step}");
    }
}

#[tokio::test]
async fn a_failed_keep_may_be_repeated() {
    for meddle in [StoreFault::FailBefore, StoreFault::FailAfter] {
        for step in 0.. {
            let store = MemoryStore::new();
            let stepped = FaultyStore::new(&store, step, meddle.clone());
            let (vault, snapshot) = (vault(stepped.clone()), snapshot_of(TENANT));
            let ended = vault.keep(snapshot.clone(), &contents()).await;
            if !stepped.has_happened() {
                break;
            }
            ended.expect_err("the store failed");
            let kept = vault.keep(snapshot, &contents()).await.expect("it is kept");
            check_read(&vault, TENANT, kept.id()).await;
        }
    }
}
