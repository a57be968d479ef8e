//! The store beside diesel, and beside three pools over rusqlite.

#[path = "../../suite.rs"]
mod suite;

use deadpool_sqlite::{Config, Runtime};
use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use r2d2_sqlite::SqliteConnectionManager;
use tool_runtime::store::SqliteStore;

#[tokio::test]
async fn all_libraries_have_a_database_in_one_process() {
    let folder = suite::Folder::new("all");
    let store = SqliteStore::open(folder.file("tools.db")).expect("a store");

    let file = folder.file("diesel.db").display().to_string();
    let mut connection = SqliteConnection::establish(&file).expect("a database");
    connection.batch_execute("CREATE TABLE teas (name TEXT)").expect("a table");

    let pool =
        Config::new(folder.file("deadpool.db")).create_pool(Runtime::Tokio1).expect("a pool");
    let connection = pool.get().await.expect("a connection");
    let created = connection.interact(|it| it.execute_batch("CREATE TABLE teas (name TEXT)")).await;
    created.expect("no panic").expect("a table");

    let connection = SqliteConnectionManager::file(folder.file("r2d2.db"));
    let connection = r2d2::ManageConnection::connect(&connection).expect("a connection");
    connection.execute_batch("CREATE TABLE teas (name TEXT)").expect("a table");

    let connection =
        tokio_rusqlite::Connection::open(folder.file("tokio.db")).await.expect("a database");
    let created = connection.call(|it| it.execute_batch("CREATE TABLE teas (name TEXT)")).await;
    created.expect("a table");

    store.close().await;
}
