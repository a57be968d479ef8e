//! Tenants see their own rows, also without the store's statements.

use tokio_postgres::error::SqlState;
use tool_runtime::Uuid;
use tool_runtime::agent::PostgresSessions;
use tool_runtime::canonical::Digest;
use tool_runtime::ledger::{Ledger, PostgresLedger};
use tool_runtime::policy::KeyRing;
use tool_runtime::store::{
    Fence, GrantScope, GrantStore as _, PostgresStore, RowCounts, StandingGrant, StoreExport,
    UnixMillis,
};
use tool_runtime::testing::conformance;

use crate::server;

/// The tables whose rows belong to tenants.
const TABLES: [&str; 10] = [
    "keys",
    "tickets",
    "grants",
    "outputs",
    "sessions",
    "session_messages",
    "budget_periods",
    "evidence_keys",
    "evidence",
    "ledger_records",
];

/// Creates a role that owns nothing and is subject to row-level security, with the grants that the guide lists; returns
/// the URL of its connections.
async fn runtime_role(url: &str, schema: &str) -> String {
    let role = format!("{schema}_role");
    let guide = include_str!("../../../docs/postgres.md");
    let grants = guide.split("```sql").nth(1).and_then(|text| text.split("```").next());
    let grants = grants.expect("the guide's statements");
    let grants =
        grants.replace("tool_runtime", schema).replace(" TO tools", &format!(" TO {role}"));
    server::execute(url, &format!("CREATE ROLE {role} LOGIN; {grants}")).await;
    url.replace("heritage@", &format!("{role}@"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_that_owns_nothing_runs_the_store_and_sees_one_tenant() {
    let Some(url) = server::url() else { return };
    let schema = server::schema();
    let options = PostgresStore::options().schema(&schema);
    let owners = options.clone().connect(&url).await.expect("the owner migrates");
    let ledger = PostgresLedger::open(&owners, "replica").expect("its chain");
    let ledger = Ledger::builder(ring()).open(ledger).expect("a ledger");
    ledger.close().await.expect("it is closed");
    let role_url = runtime_role(&url, &schema).await;
    // One session for all tenants in turn, with prepared statements.
    let options = options.max_connections(1).prepared_statements(true);
    let store = options.connect(&role_url).await.expect("the role opens the store");
    conformance::all(&store).await;
    conformance::quotas(&store).await;
    conformance::evidence(&store).await;
    conformance::limits(&store).await;
    conformance::sessions(&PostgresSessions::new(store.clone(), &ring())).await;

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
        assert_eq!(error.code(), Some(&SqlState::INSUFFICIENT_PRIVILEGE));
    }
    let after = client.query(&rows, &[]).await.expect("rows");
    assert!(after.is_empty(), "after a transaction that had a tenant");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_table_shows_no_row_without_a_tenant_to_its_owner_and_to_a_role() {
    let Some(url) = server::url() else { return };
    let schema = server::schema();
    let owner = format!("{schema}_owner");
    let create = format!("CREATE ROLE {owner} LOGIN; GRANT CREATE ON DATABASE postgres TO {owner}");
    server::execute(&url, &create).await;
    let owner_url = url.replace("heritage@", &format!("{owner}@"));
    let options = PostgresStore::options().schema(&schema);
    let store = options.connect(&owner_url).await.expect("the owner migrates");
    conformance::all(&store).await;
    let role_url = runtime_role(&url, &schema).await;
    for url in [&owner_url, &role_url] {
        let client = server::client(url).await;
        for table in TABLES {
            let count = format!("SELECT count(*) FROM {schema}.{table}");
            let rows: i64 = client.query_one(&count, &[]).await.expect("rows").get(0);
            assert_eq!(rows, 0, "{table}");
        }
    }
    // A partition is not reached by its own name, whose rows have no policy.
    let partitions = format!(
        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = '{schema}.ledger_records'::regclass"
    );
    let ledger = PostgresLedger::open(&store, "replica").expect("its chain");
    let ledger = Ledger::builder(ring()).open(ledger).expect("a ledger");
    ledger.close().await.expect("it is closed");
    let partitions = server::client(&url).await.query(&partitions, &[]).await.expect("partitions");
    assert!(!partitions.is_empty());
    let role = server::client(&role_url).await;
    for partition in partitions {
        let select = format!("SELECT FROM {}", partition.get::<_, String>(0));
        let error = role.query(&select, &[]).await.expect_err("a partition by its name");
        assert_eq!(error.code(), Some(&SqlState::INSUFFICIENT_PRIVILEGE), "{error:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_that_does_not_own_the_schema_is_told_to_import_as_its_owner() {
    let Some(url) = server::url() else { return };
    let schema = server::schema();
    let options = PostgresStore::options().schema(&schema);
    drop(options.clone().connect(&url).await.expect("the owner migrates"));
    let role_url = runtime_role(&url, &schema).await;
    let store = options.connect(&role_url).await.expect("the role opens the store");
    let (time, next_fence) = (UnixMillis::new(1), Fence::new(2));
    let (counts, rows) = (RowCounts::default(), Box::new(std::iter::empty()));
    let export = StoreExport { time, next_fence, counts, rows };
    let error = store.import(export, |_| ()).await.expect_err("it owns nothing");
    assert!(error.log().contains("connect as the owner of the schema"), "{error}");
}

fn ring() -> KeyRing {
    KeyRing::new("2026-11", &[7; 32]).expect("a ring")
}
