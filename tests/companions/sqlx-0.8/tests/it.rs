//! The store on the oldest rusqlite that is supported, whose SQLite has the WAL-reset bug.

#[path = "../../suite.rs"]
mod suite;

use sqlx::Connection;
use tool_runtime::ledger::SqliteLedger;
use tool_runtime::store::{SqliteStore, StoreErrorKind};

#[tokio::test]
async fn a_sqlite_with_the_wal_reset_bug_is_refused_unless_the_host_accepts_it() {
    let folder = suite::Folder::new("refused");
    let file = folder.file("tools.db");
    let refused = [
        SqliteStore::open(&file).expect_err("a SQLite with the bug"),
        SqliteLedger::open(&file).map(drop).expect_err("a SQLite with the bug"),
    ];
    for error in refused {
        assert_eq!(error.kind(), StoreErrorKind::Unavailable);
        for part in
            ["SQLite 3.46.0", "expected 3.51.3 or newer", "libsqlite3-sys", "allow_wal_reset_bug"]
        {
            assert!(error.log().contains(part), "{part} in {error}: {}", error.log());
        }
    }
    assert!(!file.exists(), "a refused file is not created");
    let options = SqliteStore::options().allow_wal_reset_bug(true);
    options.clone().open(&file).expect("an accepted SQLite").close().await;
    SqliteLedger::open_with(&file, &options).expect("an accepted SQLite");
    SqliteLedger::read_only(&file).map(drop).expect("reading is always accepted");
}

#[tokio::test]
async fn every_promise_is_kept_on_the_oldest_rusqlite() {
    suite::run(SqliteStore::options().allow_wal_reset_bug(true)).await;
}

#[tokio::test]
async fn both_libraries_have_a_database_in_one_process() {
    let folder = suite::Folder::new("both");
    let store = SqliteStore::options().allow_wal_reset_bug(true).open(folder.file("tools.db"));
    let url = format!("sqlite://{}?mode=rwc", folder.file("application.db").display());
    let mut connection = sqlx::SqliteConnection::connect(&url).await.expect("a database");
    let version: String = sqlx::query_scalar("SELECT sqlite_version()")
        .fetch_one(&mut connection)
        .await
        .expect("a row");
    assert_eq!(version, "3.46.0");
    store.expect("a store").close().await;
}
