//! Checksums of rows: the keys that seal them, and the check of a file when it is opened.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use tool_runtime::policy::KeyRing;
use tool_runtime::store::{
    ClaimOutcome, FileCheck, IdempotencyStore, KeyState, SqliteStore, StoreErrorKind,
};

use super::{Folder, START, answered, check_refused, fence, key, request};

fn ring(id: &str) -> KeyRing {
    KeyRing::new(id, &[7; 32]).unwrap()
}

/// Claims and answers a key.
async fn answer(store: &SqliteStore, name: &str) {
    let fence = fence(&store.claim(request(name)).await.unwrap());
    assert!(store.settle(&key(name), fence, answered("\"12A\"")).await.unwrap());
}

fn change(file: &Path, sql: &str) {
    Connection::open(file).unwrap().execute_batch(sql).unwrap();
}

#[tokio::test]
async fn a_damaged_row_is_reported_at_opening_and_listed_as_unknown() {
    let folder = Folder::new();
    let store = folder.open();
    assert_eq!(store.check(), FileCheck::default());
    for name in ["a", "b", "c"] {
        answer(&store, name).await;
    }
    store.close().await;
    change(&folder.file(), "UPDATE keys SET body = CAST('\"12B\"' AS BLOB) WHERE key = 'b'");

    let store = folder.open();
    let check = store.check();
    assert_eq!((check.rows, check.damaged), (3, 1));
    let record = store.find(&key("b")).await.unwrap().unwrap();
    assert!(record.damaged && record.state == KeyState::Unknown, "{record:?}");
    let listed = store.list_unknown(key("b").tenant, None, 10).await.unwrap();
    assert_eq!(listed, std::slice::from_ref(&record));
    assert_eq!(store.damaged_keys(10).await.unwrap(), listed);
    assert_eq!(store.sweep_keys(START.after(super::LEASE * 100), 10).await.unwrap(), 2);
    assert_eq!(store.claim(request("b")).await.unwrap(), ClaimOutcome::Damaged(record.fence));

    assert!(store.settle(&key("b"), record.fence, answered("\"12A\"")).await.unwrap());
    let found = store.claim(request("b")).await.unwrap();
    assert!(matches!(found, ClaimOutcome::Settled(_)), "a person has resolved it: {found:?}");
    assert_eq!(store.damaged_keys(10).await.unwrap(), []);
}

#[tokio::test]
async fn a_time_in_a_damaged_row_is_not_trusted() {
    let folder = Folder::new();
    let store = folder.open();
    answer(&store, "answered").await;
    fence(&store.claim(request("running")).await.unwrap());
    change(&folder.file(), "UPDATE keys SET until = 1");
    let later = START.after(super::LEASE / 2);
    assert_eq!(store.sweep_keys(later, 10).await.unwrap(), 0, "nothing of it is forgotten");
    for name in ["answered", "running"] {
        let found = store.claim(request(name)).await.unwrap();
        assert!(matches!(found, ClaimOutcome::Damaged(_)), "{name}: {found:?}");
    }
}

#[tokio::test]
async fn a_file_whose_structure_is_damaged_does_not_open() {
    let folder = Folder::new();
    let store = folder.open();
    for number in 0..200 {
        answer(&store, &format!("order-{number}")).await;
    }
    store.close().await;
    let mut bytes = fs::read(folder.file()).unwrap();
    let (last, page) = (bytes.len() - 4096, 4096);
    bytes[last..last + page / 2].fill(0xA5);
    fs::write(folder.file(), bytes).unwrap();
    check_refused(SqliteStore::open(folder.file()), StoreErrorKind::Damaged, "cannot open");
}

#[tokio::test]
async fn a_row_that_is_sealed_without_the_hosts_keys_is_damaged() {
    let folder = Folder::new();
    let hosted = || SqliteStore::options().checksum_keys(&ring("now"));
    let store = hosted().open(folder.file()).unwrap();
    answer(&store, "a").await;
    store.close().await;
    check_refused(SqliteStore::open(folder.file()), StoreErrorKind::Damaged, "checksum_keys");

    // A program that can write the file makes a checksum with its own key.
    let other = Folder::new();
    let forger = other.open();
    answer(&forger, "b").await;
    forger.close().await;
    let attach = format!(
        "ATTACH '{}' AS other;
         INSERT INTO keys (fence, tenant, principal, tool, key, digest, asker, fingerprint, since,
             state, until, succeeded, body, meta, sealed_by, seal, damaged)
         SELECT 99, tenant, principal, tool, key, digest, asker, fingerprint, since,
             state, until, succeeded, body, meta, sealed_by, seal, damaged FROM other.keys",
        other.file().display()
    );
    change(&folder.file(), &attach);
    let store = hosted().open(folder.file()).unwrap();
    assert_eq!(store.check().damaged, 1);
    assert!(matches!(store.claim(request("a")).await.unwrap(), ClaimOutcome::Settled(_)));
    assert!(matches!(store.claim(request("b")).await.unwrap(), ClaimOutcome::Damaged(_)));
}

#[tokio::test]
async fn rows_in_use_are_adopted_under_the_hosts_keys_once_it_says_so() {
    let folder = Folder::new();
    let store = folder.open();
    answer(&store, "a").await;
    store.close().await;
    let hosted = || SqliteStore::options().checksum_keys(&ring("now"));
    check_refused(hosted().open(folder.file()), StoreErrorKind::Damaged, "adopt_rows");
    hosted().adopt_rows(true).open(folder.file()).unwrap().close().await;
    let store = hosted().open(folder.file()).unwrap();
    assert!(matches!(store.claim(request("a")).await.unwrap(), ClaimOutcome::Settled(_)));
    store.close().await;

    let next = KeyRing::new("next", &[8; 32]).unwrap().with_former("now", &[7; 32]).unwrap();
    let store = SqliteStore::options().checksum_keys(&next).open(folder.file()).unwrap();
    assert_eq!(store.check().damaged, 0, "a former key verifies");
    answer(&store, "b").await;
    store.close().await;
    let without = KeyRing::new("next", &[8; 32]).unwrap();
    let store = SqliteStore::options().checksum_keys(&without).open(folder.file()).unwrap();
    assert_eq!(store.check().damaged, 1, "and does not once it has left the ring");
}
