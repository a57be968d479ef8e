//! The store beside sqlx 0.9, as an application has both.

#[path = "../../suite.rs"]
mod suite;

use sqlx::Connection;
use tool_runtime::store::SqliteStore;

#[tokio::test]
async fn both_libraries_have_a_database_in_one_process() {
    let folder = suite::Folder::new("both");
    let store = SqliteStore::open(folder.file("tools.db")).expect("a store");
    let url = format!("sqlite://{}?mode=rwc", folder.file("application.db").display());
    let mut connection = sqlx::SqliteConnection::connect(&url).await.expect("a database");
    let version: String = sqlx::query_scalar("SELECT sqlite_version()")
        .fetch_one(&mut connection)
        .await
        .expect("a row");
    assert_eq!(version, "3.51.3");
    store.close().await;
}
