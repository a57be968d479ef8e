//! Opening the store: migrations, privileges, durability and TLS.

use std::{env, fs};

use futures::future::join_all;
use tool_runtime::store::{PostgresStore, StoreErrorKind};
use tool_runtime::testing::conformance;

use crate::server;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_processes_may_migrate_at_once() {
    for url in server::urls() {
        let options = server::options();
        let stores = join_all((0..8).map(|_| options.clone().connect(&url))).await;
        for store in stores {
            store.expect("the store opens");
        }
    }
}

#[tokio::test]
async fn a_migration_that_was_interrupted_begins_again() {
    let Some(url) = server::url() else { return };
    let schema = server::schema();
    let interrupted = server::client(&url).await;
    let half = format!(
        r#"BEGIN; CREATE SCHEMA "{schema}"; CREATE TABLE "{schema}".migrations (version int)"#
    );
    interrupted.batch_execute(&half).await.expect("half a migration");
    drop(interrupted);
    let store = PostgresStore::options().schema(schema).connect(&url).await.expect("it opens");
    conformance::outputs(&store).await;
}

#[tokio::test]
async fn a_schema_that_is_not_the_stores_is_refused() {
    let Some(url) = server::url() else { return };
    let schema = server::schema();
    let options = PostgresStore::options().schema(&schema);
    let error = options.clone().migrate(false).connect(&url).await.expect_err("no tables");
    assert_eq!(error.kind(), StoreErrorKind::Damaged);
    assert!(error.log().contains("version 0 and this release needs 5"), "{error}");
    drop(options.clone().connect(&url).await.expect("it opens"));
    drop(options.clone().migrate(false).connect(&url).await.expect("it opens again"));
    let cases = [
        (r"UPDATE migrations SET digest = '\x00'", "not a digest"),
        (r"UPDATE migrations SET digest = sha256('other')", "another program"),
        (r"INSERT INTO migrations VALUES (6, '\x00')", "supports up to 5"),
    ];
    for (change, expected) in cases {
        let reset = format!(r#"SET search_path = "{schema}"; BEGIN; {change}; COMMIT"#);
        server::execute(&url, &reset).await;
        let error = options.clone().connect(&url).await.expect_err("another schema");
        let is_expected = error.log().contains(expected) || error.log().contains("another program");
        assert!(is_expected && error.kind() == StoreErrorKind::Damaged, "{error}");
    }
}

#[tokio::test]
async fn invalid_settings_name_what_is_expected() {
    let cases = [
        ("Tools", "lower-case letters"),
        ("1tool", "no digit"),
        ("a\"; DROP SCHEMA public", "lower-case letters"),
        ("", "lower-case letters"),
    ];
    let Some(url) = server::url() else { return };
    for (schema, expected) in cases {
        let error = PostgresStore::options().schema(schema).connect(&url).await;
        assert!(error.as_ref().expect_err("a name").log().contains(expected), "{error:?}");
    }
    let error = PostgresStore::connect("mysql://ada@localhost").await.expect_err("a URL");
    assert!(error.log().starts_with("expected a URL as postgres://"), "{error}");
}

/// Returns the URL of a role with a setting of its own.
async fn url_of_role_with(url: &str, setting: &str) -> String {
    let role = format!("{}_role", server::schema());
    let create =
        format!(r#"CREATE ROLE "{role}" LOGIN SUPERUSER; ALTER ROLE "{role}" SET {setting}"#);
    server::execute(url, &create).await;
    url.replace("heritage@", &format!("{role}@"))
}

#[tokio::test]
async fn a_server_that_may_lose_commits_is_refused() {
    let Some(url) = server::url() else { return };
    for commit in ["off", "local", "remote_write"] {
        let setting = format!("synchronous_commit = {commit}");
        let url = url_of_role_with(&url, &setting).await;
        let error = server::options().connect(&url).await.expect_err("asynchronous commits");
        assert!(error.log().contains(&setting), "{error}");
        assert!(error.log().contains("require_durable_commits(false)"), "{error}");
        server::options().require_durable_commits(false).connect(&url).await.expect("for tests");
    }
    let url = url_of_role_with(&url, "synchronous_commit = remote_apply").await;
    server::options().connect(&url).await.expect("commits that a standby has applied");
}

#[tokio::test]
async fn a_role_with_another_isolation_of_transactions_is_refused() {
    let Some(url) = server::url() else { return };
    for isolation in ["repeatable read", "serializable"] {
        let setting = format!("default_transaction_isolation = '{isolation}'");
        let url = url_of_role_with(&url, &setting).await;
        let error = server::options().connect(&url).await.expect_err("another isolation");
        assert!(error.log().contains(isolation), "{error}");
        assert!(error.log().contains("ALTER ROLE"), "{error}");
    }
}

#[tokio::test]
async fn a_servers_certificate_is_verified() {
    let (Some(url), Ok(roots)) = (server::url(), env::var("TEST_POSTGRES_ROOTS")) else { return };
    let url = format!("{}?sslmode=require", url.replace("127.0.0.1", "localhost"));
    let error = server::options().connect(&url).await.expect_err("an unknown issuer");
    assert!(error.log().to_lowercase().contains("certificate"), "{error}");
    let roots = fs::read(roots).expect("the certificate");
    let store = server::options().root_certificates(roots.clone()).connect(&url).await;
    conformance::outputs(&store.expect("a certificate that is trusted")).await;
    // The name that is verified, and the address that is connected to.
    let other_name = format!("{}&hostaddr=127.0.0.1", url.replace("localhost", "db.example"));
    let options = server::options().root_certificates(roots);
    let error = options.connect(&other_name).await.expect_err("another name");
    assert!(error.log().contains("not valid for name"), "{}", error.log());
}

#[tokio::test]
async fn a_server_that_is_away_is_named_as_unavailable() {
    // Nothing listens on this port.
    let error = PostgresStore::connect("postgres://ada@127.0.0.1:1/tools").await;
    assert_eq!(error.expect_err("no server").kind(), StoreErrorKind::Unavailable);
}
