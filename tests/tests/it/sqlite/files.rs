//! Files that are locked, not the store's, or not writable.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tool_runtime::store::{IdempotencyStore, SqliteStore, StoreErrorKind};

use super::{Folder, check_refused, fence, key, request};

#[tokio::test]
async fn a_locked_file_is_unavailable_and_works_again_later() {
    let folder = Folder::new();
    let options = SqliteStore::options().busy_timeout(Duration::from_millis(50));
    let store = options.open(folder.file()).unwrap();
    let other = Connection::open(folder.file()).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    check_refused(store.claim(request("a")).await, StoreErrorKind::Unavailable, "locked");
    assert_eq!(store.find(&key("a")).await.unwrap(), None, "what only reads needs no lock");
    other.execute_batch("ROLLBACK").unwrap();
    fence(&store.claim(request("a")).await.unwrap());
}

#[test]
fn a_file_that_is_no_database_is_damaged() {
    let folder = Folder::new();
    fs::write(
        folder.file(),
        "a letter to a friend, long enough to be taken for a header".repeat(99),
    )
    .unwrap();
    check_refused(SqliteStore::open(folder.file()), StoreErrorKind::Damaged, "not a database");
}

#[test]
fn another_applications_file_is_refused_and_left_as_it_is() {
    let folder = Folder::new();
    let other = Connection::open(folder.file()).unwrap();
    other.execute_batch("CREATE TABLE friends (name TEXT)").unwrap();
    drop(other);
    let before = fs::read(folder.file()).unwrap();
    check_refused(
        SqliteStore::open(folder.file()),
        StoreErrorKind::Damaged,
        "another application's",
    );
    assert_eq!(fs::read(folder.file()).unwrap(), before);
}

#[tokio::test]
async fn a_file_of_a_newer_format_is_refused() {
    let folder = Folder::new();
    folder.open().close().await;
    let other = Connection::open(folder.file()).unwrap();
    other.pragma_update(None, "user_version", 77).unwrap();
    drop(other);
    check_refused(SqliteStore::open(folder.file()), StoreErrorKind::Damaged, "version 77");
}

#[tokio::test]
async fn a_file_whose_tables_were_changed_is_damaged() {
    let folder = Folder::new();
    let store = folder.open();
    let other = Connection::open(folder.file()).unwrap();
    other.execute_batch("DROP TABLE keys").unwrap();
    check_refused(store.claim(request("a")).await, StoreErrorKind::Damaged, "keys");
}

#[test]
fn a_file_in_a_folder_that_is_not_there_is_unavailable() {
    let folder = Folder::new();
    let file = folder.0.join("absent").join("tools.db");
    check_refused(SqliteStore::open(file), StoreErrorKind::Unavailable, "cannot open");
}

#[tokio::test]
async fn a_closed_store_stands_alone_and_is_unavailable() {
    let folder = Folder::new();
    let store = folder.open();
    let clone = store.clone();
    fence(&store.claim(request("a")).await.unwrap());
    store.close().await;
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1, "the log is merged into the file");
    check_refused(clone.claim(request("b")).await, StoreErrorKind::Unavailable, "closed");
    clone.close().await;
}

#[tokio::test]
async fn the_last_handle_ends_the_thread() {
    let folder = Folder::new();
    let store = folder.open();
    let clone = store.clone();
    drop(store);
    fence(&clone.claim(request("a")).await.unwrap());
    drop(clone);
    // The thread closes the file when it ends, and the last close removes the log.
    let until = Instant::now() + Duration::from_secs(30);
    while fs::read_dir(&folder.0).unwrap().count() > 1 {
        assert!(Instant::now() < until, "the thread did not end");
        thread::yield_now();
    }
}

#[cfg(unix)]
mod permissions {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    use std::path::Path;

    use super::*;
    use crate::sqlite::{child, played};

    const ROLE: &str = "sqlite::files::permissions::a_process_that_may_only_read";

    /// A user without files, for tests that run as root.
    const NOBODY: u32 = 65_534;

    fn allow(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[tokio::test]
    async fn a_new_file_is_its_owners_alone() {
        let folder = Folder::new();
        let store = folder.open();
        fence(&store.claim(request("a")).await.unwrap());
        for entry in fs::read_dir(&folder.0).unwrap() {
            let mode = entry.unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[tokio::test]
    async fn a_database_that_cannot_be_written_is_refused_as_read_only() {
        let folder = Folder::new();
        for name in ["file.db", "folder.db"] {
            SqliteStore::open(folder.0.join(name)).unwrap().close().await;
        }
        let program = folder.0.join("program");
        fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        allow(&folder.0.join("file.db"), 0o444);
        allow(&folder.0.join("folder.db"), 0o666);
        allow(&program, 0o755);
        allow(&folder.0, 0o555);
        let mut process = child(program, ROLE, &folder);
        if fs::File::create(folder.0.join("new")).is_ok() {
            process.uid(NOBODY).gid(NOBODY);
        }
        let output = process.output().unwrap();
        allow(&folder.0, 0o755);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("was refused"), "{text}");
    }

    #[test]
    fn a_process_that_may_only_read() {
        let Some(folder) = played(ROLE) else { return };
        let check = |name: &str, says: &str| {
            check_refused(SqliteStore::open(folder.join(name)), StoreErrorKind::ReadOnly, says);
        };
        check("file.db", "not writable");
        check("folder.db", "folder.db");
        check("absent.db", "ermission denied");
        println!("was refused");
    }
}
