//! Three replicas with one truth: a call that is asked for on one, approved on another, executed on a third.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures::future::join_all;
use tool_runtime::canonical::Digest;
use tool_runtime::evidence::{
    EvidenceStore as _, SnapshotId, StoredFacts, StoredSnapshot, TenantKey,
};
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::{
    ClaimOutcome, ClaimRequest, GrantScope, GrantStore as _, IdempotencyStore as _,
    OutputStore as _, PostgresStore, ScopedKey, Settlement, StandingGrant, StoredAnswer,
    StoredOutput, TicketStore as _, UnixMillis, WaitingTicket,
};
use tool_runtime::{ToolOutput, Uuid, serde_json};

use crate::server;

/// The money that all replicas move.
#[derive(Clone, Default)]
struct Bank(Arc<AtomicU32>);

/// The payments of a replica.
struct Payments(Bank);

/// Pays bills.
#[ai_toolkit]
impl Payments {
    /// Pays an amount.
    #[ai_tool(effect = "destructive")]
    fn pay(
        &self,
        /// The amount, in cents.
        cents: u32,
        dry_run: &DryRun,
    ) -> String {
        if dry_run.is_active() {
            return format!("would pay {cents} cents");
        }
        self.0.0.fetch_add(cents, Ordering::SeqCst);
        format!("paid {cents} cents")
    }
}

async fn replicas(url: &str, bank: &Bank) -> Vec<Runtime> {
    let options = server::options();
    let stores = join_all((0..3).map(|_| options.clone().connect(url))).await;
    let replica = |store: Result<PostgresStore, _>| {
        let policy = Policy::new()
            .store(store.expect("a store"))
            .ticket_keys(KeyRing::new("2026-11", &[7; 32]).expect("a ring"));
        Runtime::builder()
            .toolkit(Payments(bank.clone()))
            .policy(policy)
            .build()
            .expect("a runtime")
    };
    stores.into_iter().map(replica).collect()
}

fn context(key: &str, user: &str) -> ToolContext {
    let cx = ToolContext::builder(Uuid::from_u128(7), "trace-1").user_id(user).run_id("run-1");
    cx.idempotency_key(key).build().expect("a context")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_is_asked_for_approved_executed_and_repeated_on_different_replicas() {
    for url in server::urls() {
        let bank = Bank::default();
        let replicas = replicas(&url, &bank).await;
        let [asked, approved, executed] = &replicas[..] else { panic!("three replicas") };
        let cx = context("order-1", "ada");

        let mut call = asked.call("payments.pay", r#"{"cents":4200}"#, &cx);
        let output = call.execute().await;
        let error = output.error().expect("it waits for a person");
        let ticket = error.details().and_then(|details| details.get("ticket")).expect("a ticket");
        let ticket = ticket.to_string();

        // It is listed and described on the second replica, and decided with its ticket on the third.
        let waiting = approved.tickets().waiting(cx.tenant_id(), None, 10).await.expect("a list");
        assert_eq!(waiting.calls.len(), 1);
        let mut call = executed.tickets().resume(&ticket, &cx).await;
        call.approve("grace").expect("it can be approved");
        let answer = call.execute().await.data_json().map(str::to_owned).expect("paid");
        assert_eq!(bank.0.load(Ordering::SeqCst), 4200);

        // The same ticket, and the same key, on the others.
        let mut again = approved.tickets().resume(&ticket, &cx).await;
        assert!(again.approve("grace").is_err() || again.execute().await.error().is_some());
        for replica in &replicas {
            let mut repeat = replica.call("payments.pay", r#"{"cents":4200}"#, &cx);
            if repeat.status() == tool_runtime::contracts::CallStatus::Pending {
                let _ = repeat.approve("grace");
            }
            let output = repeat.execute().await;
            assert_eq!(output.data_json(), Some(&*answer), "{}", output.json());
            let meta: serde_json::Value = serde_json::from_str(output.meta_json()).expect("meta");
            assert_eq!(meta["replayed"], true);
        }
        assert_eq!(bank.0.load(Ordering::SeqCst), 4200);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeats_that_reach_all_replicas_at_once_pay_once() {
    for url in server::urls() {
        let bank = Bank::default();
        let replicas = replicas(&url, &bank).await;
        for order in 0..10 {
            let cx = context(&format!("order-{order}"), "ada");
            let calls = replicas.iter().cycle().take(12).map(|replica| {
                let mut call = replica.call("payments.pay", r#"{"cents":1}"#, &cx);
                async move {
                    call.approve("grace").expect("it can be approved");
                    call.execute().await.clone()
                }
            });
            let outputs = join_all(calls).await;
            assert!(outputs.iter().any(ToolOutput::is_ok), "{}", outputs[0].json());
        }
        assert_eq!(bank.0.load(Ordering::SeqCst), 10);
    }
}

/// A replica of a newer release has migrated the tables, while one of this release goes on with its connections.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_goes_on_when_a_newer_one_adds_columns() {
    for url in server::urls() {
        // Directly: an older pooler would give a connection the statements of another client.
        let ways: &[bool] =
            if server::url().as_ref() == Some(&url) { &[false, true] } else { &[false] };
        for prepares in ways.iter().copied() {
            let schema = server::schema();
            let options = PostgresStore::options().schema(&schema).prepared_statements(prepares);
            let store = options.max_connections(2).connect(&url).await.expect("a store");
            use_all_tables(&store, 1).await;
            let tables = ["keys", "tickets", "grants", "outputs", "evidence_keys", "evidence"];
            for table in tables {
                let add =
                    format!("ALTER TABLE {schema}.{table} ADD COLUMN note text DEFAULT 'new'");
                server::execute(&url, &add).await;
            }
            use_all_tables(&store, 2).await;
        }
    }
}

async fn use_all_tables(store: &PostgresStore, number: u128) {
    let (tenant, digest) = (Uuid::from_u128(number), Digest::compute("test", b"{}"));
    let now = UnixMillis::new(1_800_000_000_000);
    let key = ScopedKey::new(tenant, "user:42", "book_seat", "order");
    let request = ClaimRequest::new(key.clone(), digest, now, Duration::from_secs(30));
    let outcome = store.claim(request.clone()).await.expect("a claim");
    let ClaimOutcome::Acquired(fence) = outcome else { panic!("the key is free: {outcome:?}") };
    assert!(store.renew(&key, fence, now.after(Duration::from_secs(60))).await.expect("renewed"));
    let answer = StoredAnswer::succeeded(b"1".to_vec(), Vec::new());
    let answered = Settlement::Answered { answer: answer.clone(), keep_until: now };
    assert!(store.settle(&key, fence, answered).await.expect("settled"));
    let repeat = store.claim(request).await.expect("a claim");
    assert_eq!(repeat, ClaimOutcome::Settled(answer));
    let ticket = WaitingTicket::new(tenant, tenant, "run-1", vec![1], now);
    store.put_ticket(ticket.clone()).await.expect("a ticket");
    assert_eq!(store.find_ticket(tenant).await.expect("a ticket"), Some(ticket));
    let grant = StandingGrant {
        scope: GrantScope::new(tenant, "user:42", "book_seat", digest),
        granted_by: "user:ada".into(),
        granted_at: now,
        expires_at: None,
    };
    store.put_grant(grant.clone()).await.expect("a grant");
    assert_eq!(store.grants(tenant, None, 10).await.expect("grants"), [grant]);
    let (principal, text) = ("user:42".into(), b"long".to_vec());
    let output = StoredOutput { id: tenant, tenant, principal, text, expires_at: now };
    store.put_output(output).await.expect("an output");
    let slice = store.read_output(tenant, tenant, "user:42", 0, 10, UnixMillis::new(0));
    assert_eq!(slice.await.expect("an output").expect("the output").bytes, b"long");
    let tenant_key = TenantKey::new(tenant, 1, "2026-11", vec![1; 81]);
    assert!(store.add_tenant_key(tenant_key.clone()).await.expect("a key"));
    assert_eq!(store.newest_tenant_key(tenant).await.expect("a key"), Some(tenant_key));
    let id = SnapshotId::from_uuid(Uuid::now_v7()).expect("an id");
    let facts = StoredFacts { tenant, id, trace: "trace-1".into(), facts: b"{}".to_vec() };
    let snapshot = StoredSnapshot::new(facts, None).with_checksum(vec![1]);
    assert!(store.put_snapshot(snapshot.clone()).await.expect("a snapshot"));
    assert_eq!(store.find_snapshot(tenant, id).await.expect("a snapshot"), Some(snapshot));
}
