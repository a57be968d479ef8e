//! Tools whose answers are withheld if their evidence cannot be stored.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use tool_runtime::evidence::{EvidenceKeeper, Vault};
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::rusqlite::Connection;
use tool_runtime::store::{MemoryStore, SqliteTransaction};
use tool_runtime::{CallScope, DynamicTool};

use super::keeping::{Broken, Woe};
use super::{EvidenceSetup, TENANT, cx_of};
use crate::ledger::{recorded, ring};
use crate::sqlite::Folder;
use crate::support::envelope;

/// Pays, which is counted.
#[ai_tool(effect = "write", evidence = "required")]
async fn pay(paid: &Arc<AtomicU32>, dry_run: &DryRun) -> u32 {
    let _ = dry_run;
    paid.fetch_add(1, Ordering::SeqCst) + 1
}

/// Looks how much was paid.
#[ai_tool(effect = "read", evidence = "required")]
async fn look(paid: &Arc<AtomicU32>) -> u32 {
    paid.load(Ordering::SeqCst)
}

struct Till {
    setup: EvidenceSetup,
    runtime: Runtime,
    paid: Arc<AtomicU32>,
}

impl Till {
    fn new(vault: Vault) -> Self {
        let (setup, paid) = (EvidenceSetup::new(), Arc::new(AtomicU32::new(0)));
        let counted = paid.clone();
        let dynamic = DynamicTool::new("dynamic", Effect::Read)
            .description("Looks how much was paid.")
            .input_schema(json!({ "type": "object" }))
            .evidence_required()
            .sync_handler(move |_| Ok::<_, Failure>(counted.load(Ordering::SeqCst)));
        let builder = Runtime::builder().tool::<PayTool>().tool::<LookTool>().state(paid.clone());
        let builder = builder.dynamic(dynamic).permission("pay", Permission::Allow);
        let builder = builder.policy(Policy::new()).ledger(&setup.ledger);
        let runtime = builder.evidence(EvidenceKeeper::new(vault, &setup.ledger)).build().unwrap();
        Self { setup, runtime, paid }
    }

    async fn answer(&self, tool: &str, key: Option<&str>) -> Value {
        let mut cx = ToolContext::builder(TENANT, "trace-1").run_id("run-1").user_id("jane");
        if let Some(key) = key {
            cx = cx.idempotency_key(key);
        }
        envelope(self.runtime.call(tool, "{}", &cx.build().unwrap()).execute().await)
    }

    fn paid(&self) -> u32 {
        self.paid.load(Ordering::SeqCst)
    }
}

fn facts(answer: &Value) -> (&Value, &Value, &Value) {
    let error = &answer["error"];
    (&error["code"], &error["details"]["reason"], &error["details"]["effect"])
}

/// Returns a store whose keys are wrapped by another key ring.
async fn locked() -> MemoryStore {
    let store = MemoryStore::new();
    let other = Vault::new(store.clone(), KeyRing::new("other", &[9; 32]).unwrap());
    let till = Till::new(other);
    assert_eq!(till.answer("look", None).await["data"], 0);
    store
}

#[tokio::test]
async fn a_write_that_requires_evidence_is_refused_before_its_effect_where_the_vault_cannot_work() {
    let store = locked().await;
    let till = Till::new(Vault::new(store.clone(), ring()));
    for tool in ["pay", "look", "dynamic"] {
        let refused = till.answer(tool, None).await;
        let expected = (&json!("UNAVAILABLE"), &json!("evidence_unavailable"), &json!("none"));
        assert_eq!(facts(&refused), expected, "{refused}");
    }
    let refused = till.answer("pay", Some("key-1")).await;
    assert_eq!((facts(&refused).2, till.paid()), (&json!("none"), 0));
    let records = recorded(&till.setup.ledger).await;
    let error = records[0].error.as_ref().unwrap();
    assert_eq!((records[0].attempts, error.reason.as_deref()), (0, Some("evidence_unavailable")));
}

#[tokio::test]
async fn a_call_that_was_refused_for_its_evidence_holds_no_key() {
    let policy_keys = MemoryStore::new();
    let runtime = |vault: Vault, setup: &EvidenceSetup, paid: &Arc<AtomicU32>| {
        let builder = Runtime::builder().tool::<PayTool>().state(paid.clone());
        let builder = builder.permission("pay", Permission::Allow).ledger(&setup.ledger);
        let policy = Policy::new().idempotency_store(policy_keys.clone());
        builder.policy(policy).evidence(EvidenceKeeper::new(vault, &setup.ledger)).build().unwrap()
    };
    let (setup, paid) = (EvidenceSetup::new(), Arc::new(AtomicU32::new(0)));
    let cx = ToolContext::builder(TENANT, "trace-1").run_id("run-1").user_id("jane");
    let cx = cx.idempotency_key("key-1").build().unwrap();
    let shut = runtime(Vault::new(locked().await, ring()), &setup, &paid);
    assert!(!shut.call("pay", "{}", &cx).execute().await.is_ok());
    let open = runtime(Vault::new(MemoryStore::new(), ring()), &setup, &paid);
    assert!(open.call("pay", "{}", &cx).execute().await.is_ok());
    assert!(open.call("pay", "{}", &cx).execute().await.is_ok());
    assert_eq!(paid.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_write_whose_required_evidence_is_lost_says_that_its_effect_is_done_and_runs_once() {
    let till = Till::new(Vault::new(Broken(MemoryStore::new(), Woe::Fails), ring()));
    let expected = (&json!("INTERNAL"), &json!("evidence_not_kept"), &json!("done"));
    for _ in 0..3 {
        let failed = till.answer("pay", Some("key-1")).await;
        assert_eq!((facts(&failed), failed.get("data")), (expected, None), "{failed}");
        assert_eq!((&failed["error"]["type"], till.paid()), (&json!("FATAL"), 1));
        assert!(!failed.to_string().contains("disk"), "{failed}");
    }
    let records = recorded(&till.setup.ledger).await;
    let error = records[0].error.as_ref().unwrap();
    assert_eq!((error.effect.as_deref(), &records[0].evidence), (Some("done"), &None));
}

#[tokio::test]
async fn a_read_whose_required_evidence_is_lost_may_be_called_again() {
    let till = Till::new(Vault::new(Broken(MemoryStore::new(), Woe::Panics), ring()));
    for tool in ["look", "dynamic"] {
        let failed = till.answer(tool, None).await;
        let expected = (&json!("UNAVAILABLE"), &json!("evidence_not_kept"), &json!("none"));
        assert_eq!((facts(&failed), failed.get("data")), (expected, None), "{failed}");
    }
}

#[tokio::test]
async fn required_evidence_that_is_kept_is_named_in_the_answer() {
    let till = Till::new(Vault::new(MemoryStore::new(), ring()));
    for tool in ["pay", "look", "dynamic"] {
        let answer = till.answer(tool, None).await;
        assert!(answer["meta"]["evidence"]["snapshot_id"].is_string(), "{answer}");
    }
    let mut dry = till.runtime.call("pay", "{}", &cx_of(TENANT).with_dry_run(true));
    assert!(dry.execute().await.is_ok(), "a dry run leaves no evidence");
}

/// Pays in the store's file, by a tool that is defined at run time.
fn pay_in_transaction() -> DynamicTool {
    DynamicTool::new("pay_in_file", Effect::Write)
        .description("Pays.")
        .input_schema(json!({ "type": "object" }))
        .handles_dry_run()
        .takes_transaction()
        .evidence_required()
        .handler(|call: CallScope| async move {
            let tx = SqliteTransaction::from_call(&call)?;
            let pay = |file: &Connection| file.execute("INSERT INTO payments VALUES (1)", []);
            tx.run(pay).await.map_err(|error| error.failure())
        })
}

#[tokio::test]
async fn a_write_in_a_transaction_whose_required_evidence_is_lost_has_no_effect() {
    let folder = Folder::new();
    let store = folder.open();
    let payments = |sql: &str| {
        let file = Connection::open(folder.file()).unwrap();
        file.query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap_or(0)
    };
    payments("CREATE TABLE payments (cents INTEGER)");
    let runtime = |vault: Vault| {
        let setup = EvidenceSetup::new();
        let builder = Runtime::builder().dynamic(pay_in_transaction()).ledger(&setup.ledger);
        let builder = builder.permission("pay_in_file", Permission::Allow).store(store.clone());
        builder.evidence(EvidenceKeeper::new(vault, &setup.ledger)).build().unwrap()
    };
    let cx = ToolContext::builder(TENANT, "trace-1").run_id("run-1").user_id("jane");
    let cx = cx.idempotency_key("key-1").build().unwrap();
    let without_evidence = runtime(Vault::new(Broken(MemoryStore::new(), Woe::Fails), ring()));
    let failed = envelope(without_evidence.call("pay_in_file", "{}", &cx).execute().await);
    let expected = (&json!("UNAVAILABLE"), &json!("evidence_not_kept"), &json!("none"));
    assert_eq!(facts(&failed), expected, "{failed}");
    assert_eq!(payments("SELECT count(*) FROM payments"), 0);

    let with_evidence = runtime(Vault::new(MemoryStore::new(), ring()));
    for _ in 0..2 {
        let paid = envelope(with_evidence.call("pay_in_file", "{}", &cx).execute().await);
        assert_eq!(paid["data"], 1, "{paid}");
        assert_eq!(payments("SELECT count(*) FROM payments"), 1);
    }
}
