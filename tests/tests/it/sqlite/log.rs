//! A write-ahead log that is removed.

use std::fs;
use std::path::Path;

use tool_runtime::store::{ClaimOutcome, IdempotencyStore, SqliteStore, StoreErrorKind};

use super::{Folder, answered, check_refused, fence, key, request};

/// Copies the store's files as they are at this moment, as a crash would leave them.
fn copy(from: &Folder, to: &Folder, suffixes: &[&str]) {
    for suffix in suffixes {
        let name = format!("tools.db{suffix}");
        fs::copy(from.0.join(&name), to.0.join(&name)).unwrap();
    }
}

#[tokio::test]
async fn a_file_whose_log_was_removed_is_refused() {
    let (folder, crashed) = (Folder::new(), Folder::new());
    let store = folder.open();
    fence(&store.claim(request("a")).await.unwrap());
    copy(&folder, &crashed, &["", "-shm"]);
    check_refused(SqliteStore::open(crashed.file()), StoreErrorKind::Damaged, "`-wal` was removed");
    assert!(!crashed.0.join("tools.db-wal").exists(), "what is refused is left as it is");
    // The log is restored.
    copy(&folder, &crashed, &["-wal"]);
    assert!(crashed.open().find(&key("a")).await.unwrap().is_some());
}

#[tokio::test]
async fn a_database_left_by_a_crash_is_opened() {
    for suffixes in [&["", "-wal", "-shm"][..], &["", "-wal"]] {
        let (folder, crashed) = (Folder::new(), Folder::new());
        let store = folder.open();
        let owner = fence(&store.claim(request("a")).await.unwrap());
        assert!(store.settle(&key("a"), owner, answered("1")).await.unwrap());
        copy(&folder, &crashed, suffixes);
        let claimed = crashed.open().claim(request("a")).await.unwrap();
        assert!(matches!(claimed, ClaimOutcome::Settled(_)), "{suffixes:?}: {claimed:?}");
    }
}

#[tokio::test]
async fn a_log_that_is_removed_under_an_open_store_stops_it() {
    let remove: fn(&Path) = |log| fs::remove_file(log).unwrap();
    let replace: fn(&Path) = |log| {
        fs::rename(log, log.with_extension("away")).unwrap();
        fs::write(log, b"").unwrap();
    };
    for harm in [remove, replace] {
        let folder = Folder::new();
        let store = folder.open();
        fence(&store.claim(request("a")).await.unwrap());
        harm(&folder.0.join("tools.db-wal"));
        let says = "removed or replaced";
        check_refused(store.claim(request("b")).await, StoreErrorKind::Damaged, says);
        check_refused(store.find(&key("a")).await, StoreErrorKind::Damaged, says);
    }
}
