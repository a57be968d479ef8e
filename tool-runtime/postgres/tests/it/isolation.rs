//! Tenants see their own rows, also without the store's statements.

use tool_runtime::Uuid;
use tool_runtime::canonical::Digest;
use tool_runtime::store::{GrantScope, GrantStore as _, StandingGrant, UnixMillis};

use crate::server;

/// A role that owns nothing and is subject to row-level security, with the grants that docs/stores.md lists.
async fn runtime_role(url: &str, schema: &str) -> (String, String) {
    let role = format!("{schema}_role");
    server::execute(
        url,
        &format!(
            r#"CREATE ROLE "{role}" LOGIN;
            GRANT USAGE ON SCHEMA "{schema}" TO "{role}";
            GRANT SELECT, INSERT, UPDATE, DELETE ON
                "{schema}".keys, "{schema}".tickets, "{schema}".grants, "{schema}".outputs,
                "{schema}".evidence, "{schema}".evidence_keys TO "{role}";
            GRANT SELECT, UPDATE ON "{schema}".store_clock TO "{role}";
            GRANT SELECT ON "{schema}".migrations TO "{role}";
            GRANT USAGE ON SEQUENCE "{schema}".fences TO "{role}""#
        ),
    )
    .await;
    let url = url.replace("heritage@", &format!("{role}@"));
    (role, url)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_that_owns_nothing_runs_the_store_and_sees_one_tenant() {
    let Some(url) = server::url() else { return };
    let schema = server::schema();
    let options = tool_runtime::store::PostgresStore::options().schema(&schema);
    drop(options.clone().connect(&url).await.expect("the owner migrates"));
    let (_, role_url) = runtime_role(&url, &schema).await;
    let store = options.connect(&role_url).await.expect("the role opens the store");
    tool_runtime::testing::conformance::all(&store).await;
    tool_runtime::testing::conformance::evidence(&store).await;

    let tenants = [Uuid::now_v7(), Uuid::now_v7()];
    for tenant in tenants {
        let scope =
            GrantScope::new(tenant, "user:42", "book_seat", Digest::compute("test", b"schema"));
        let grant = StandingGrant::new(scope, "ada", UnixMillis::new(1));
        store.put_grant(grant).await.expect("stored");
    }
    let mut client = server::client(&role_url).await;
    let rows = format!(r#"SELECT tenant FROM "{schema}".grants"#);
    assert!(client.query(&rows, &[]).await.expect("rows").is_empty(), "without a tenant");
    // On one session, with a statement that is prepared once.
    let statement = client.prepare(&rows).await.expect("a statement");
    for tenant in [tenants[0], tenants[1], tenants[0]] {
        let transaction = client.transaction().await.expect("a transaction");
        let set = format!("SET LOCAL tool_runtime.tenant = '{tenant}'");
        transaction.batch_execute(&set).await.expect("it is set");
        let seen = transaction.query(&statement, &[]).await.expect("rows");
        let seen: Vec<Uuid> = seen.iter().map(|row| row.get(0)).collect();
        assert_eq!(seen, [tenant]);
        let insert = format!(
            r#"INSERT INTO "{schema}".grants SELECT digest || 'x', '{}', principal, tool, schema, arguments,
                granted_by, granted_at, expires_at FROM "{schema}".grants"#,
            Uuid::now_v7()
        );
        let error = transaction.batch_execute(&insert).await.expect_err("another tenant's row");
        assert_eq!(error.code().map(tokio_postgres::error::SqlState::code), Some("42501"));
    }
    let after = client.query(&rows, &[]).await.expect("rows");
    assert!(after.is_empty(), "after a transaction that had a tenant");
}
