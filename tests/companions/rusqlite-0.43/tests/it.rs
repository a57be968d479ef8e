//! The store on the newest rusqlite that is supported.

#[path = "../../suite.rs"]
mod suite;

use tool_runtime::store::SqliteStore;

#[tokio::test]
async fn every_promise_is_kept_on_the_newest_rusqlite() {
    suite::run(SqliteStore::options()).await;
}

#[tokio::test]
async fn a_database_of_the_application_is_open_in_the_same_process() {
    let folder = suite::Folder::new("both");
    let store = SqliteStore::open(folder.file("tools.db")).expect("a store");
    let connection = rusqlite::Connection::open(folder.file("application.db")).expect("a database");
    connection.execute_batch("CREATE TABLE teas (name TEXT)").expect("a table");
    store.close().await;
}
