//! Three replicas with one truth: a call that is asked for on one, approved on another, executed on a third.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures::future::join_all;
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::PostgresStore;
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
