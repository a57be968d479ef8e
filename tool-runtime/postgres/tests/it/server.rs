//! The servers of the tests, and a schema for each.

use std::env;

use tokio_postgres::{Client, NoTls};
use tool_runtime::Uuid;
use tool_runtime::store::{PostgresOptions, PostgresStore};

/// Returns the URL of the server; `None` if there is none here.
pub(crate) fn url() -> Option<String> {
    env::var("TEST_POSTGRES").ok()
}

/// Returns the URLs of the server and of the pooler before it, as far as they are here.
pub(crate) fn urls() -> Vec<String> {
    ["TEST_POSTGRES", "TEST_PGBOUNCER"].into_iter().filter_map(|name| env::var(name).ok()).collect()
}

/// Returns settings with a schema that no other test has.
pub(crate) fn options() -> PostgresOptions {
    PostgresStore::options().schema(schema())
}

pub(crate) fn schema() -> String {
    format!("test_{}", Uuid::now_v7().simple())
}

pub(crate) async fn store(url: &str) -> PostgresStore {
    options().connect(url).await.expect("the store opens")
}

/// Connects without the store.
pub(crate) async fn client(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.expect("a connection");
    tokio::spawn(connection);
    client
}

/// Runs statements without the store.
pub(crate) async fn execute(url: &str, statements: &str) {
    client(url).await.batch_execute(statements).await.expect("the statements run");
}
