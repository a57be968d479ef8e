//! The runbook in `tool-runtime/docs/key-rotation.md`, followed step by step on files that processes pass on.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tool_runtime::evidence::{Access, EvidenceKeeper, SnapshotId, Vault};
use tool_runtime::ledger::{Checkpoint, Ledger, SqliteLedger};
use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::SqliteStore;

use crate::sqlite::Folder;

const TENANT: Uuid = Uuid::from_u128(7);

/// The runbook's steps for the root secret, as its headings name them.
const STEPS: [&str; 6] = [
    "### 1. Add the new secret as a former one",
    "### 2. Make the new secret the current one",
    "### 3. Wrap the tenants' keys anew",
    "### 4. Wait for the last ticket",
    "### 5. Take the old secret off the policy's and the vault's rings",
    "### 6. Keep the old secret on the ledger's ring",
];

/// Quotes a price.
#[ai_tool(effect = "read", evidence)]
async fn quote() -> u32 {
    100
}

/// Pays once, and is asked about first.
#[ai_tool(effect = "write")]
async fn pay(payments: &AtomicU32, dry_run: &DryRun) -> u32 {
    if dry_run.is_active() { 0 } else { payments.fetch_add(1, Ordering::SeqCst) + 1 }
}

/// Books once under its key.
#[ai_tool(effect = "write")]
async fn book(bookings: &AtomicU32, dry_run: &DryRun) -> u32 {
    if dry_run.is_active() { 0 } else { bookings.fetch_add(10, Ordering::SeqCst) + 10 }
}

/// The secrets of a key ring, the current one first.
#[derive(Clone, Copy)]
enum Ring {
    Old,
    OldThenNew,
    NewThenOld,
    New,
}

impl Ring {
    fn keys(self) -> KeyRing {
        let (old, new) = (("2026-11", &[7; 32]), ("2027-02", &[8; 32]));
        let (first, second) = match self {
            Self::Old => (old, None),
            Self::OldThenNew => (old, Some(new)),
            Self::NewThenOld => (new, Some(old)),
            Self::New => (new, None),
        };
        let ring = KeyRing::new(first.0, first.1).unwrap();
        match second {
            Some((id, secret)) => ring.with_former(id, secret).unwrap(),
            None => ring,
        }
    }
}

/// A process of the service: opened on the files, and closed before the next one opens them.
struct Process {
    runtime: Runtime,
    ledger: Ledger,
    vault: Vault,
}

impl Process {
    fn open(folder: &Folder, effects: &Arc<AtomicU32>, ring: Ring, ledger_ring: Ring) -> Self {
        let ledger = SqliteLedger::open(folder.0.join("ledger.db")).unwrap();
        let ledger = Ledger::builder(ledger_ring.keys()).open(ledger).unwrap();
        let vault =
            Vault::new(SqliteStore::open(folder.0.join("evidence.db")).unwrap(), ring.keys());
        let keeper = EvidenceKeeper::new(vault, &ledger);
        let vault = keeper.vault().clone();
        let policy = Policy::new().store(folder.open()).ticket_keys(ring.keys());
        let runtime = Runtime::builder()
            .tool::<QuoteTool>()
            .tool::<PayTool>()
            .tool::<BookTool>()
            .permission("book", Permission::Allow)
            .shared_state(Arc::clone(effects))
            .ledger(&ledger)
            .evidence(keeper)
            .policy(policy);
        Self { runtime: runtime.build().unwrap(), ledger, vault }
    }

    async fn close(self) {
        drop(self.runtime);
        self.ledger.close().await.unwrap();
    }

    async fn quote(&self) -> SnapshotId {
        let output = self.runtime.call("quote", "{}", &cx()).execute().await.clone();
        let meta: serde_json::Value = serde_json::from_str(output.meta_json()).unwrap();
        meta["evidence"]["snapshot_id"].as_str().unwrap().parse().unwrap()
    }

    async fn ticket(&self) -> String {
        let mut call = self.runtime.call("pay", "{}", &cx());
        call.ticket().await.unwrap().to_json()
    }

    async fn pays(&self, ticket: &str) -> ToolOutput {
        let mut call = self.runtime.tickets().resume(ticket, &cx()).await;
        let _ = call.approve("jill");
        call.execute().await.clone()
    }

    /// Repeats the booking under its key.
    async fn books(&self) -> String {
        let cx = cx().with_idempotency_key("order-1").unwrap();
        let output = self.runtime.call("book", "{}", &cx).execute().await.clone();
        output.data_json().unwrap_or_else(|| panic!("{output}")).to_owned()
    }

    #[track_caller]
    fn reads(&self, snapshot: SnapshotId) -> impl Future<Output = ()> {
        let vault = self.vault.clone();
        async move {
            let found = vault.read(TENANT, snapshot, &access()).await;
            assert!(found.is_ok(), "{found:?}");
        }
    }

    async fn verifies(&self, checkpoint: &Checkpoint) {
        self.ledger.flush().await.unwrap();
        self.ledger.verify(std::slice::from_ref(checkpoint)).await.unwrap();
    }
}

fn cx() -> ToolContext {
    let cx = ToolContext::builder(TENANT, "trace-1").run_id("run-1").user_id("jane");
    cx.build().unwrap()
}

fn access() -> Access {
    Access::new("user:operator", "rotation").unwrap()
}

#[test]
fn the_runbook_has_the_steps_that_are_followed_here() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tool-runtime/docs/key-rotation.md");
    let page = fs::read_to_string(page).unwrap();
    let section = page.split("## The root secret").nth(1).unwrap().split("\n## ").next().unwrap();
    let steps: Vec<_> = section.lines().filter(|line| line.starts_with("### ")).collect();
    assert_eq!(steps, STEPS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_root_secret_is_replaced_and_nothing_that_waits_or_was_kept_is_lost() {
    let (folder, effects) = (Folder::new(), Arc::<AtomicU32>::default());
    let open = |ring, ledger_ring| Process::open(&folder, &effects, ring, ledger_ring);

    let before = open(Ring::Old, Ring::Old);
    let snapshot = before.quote().await;
    let (first, late) = (before.ticket().await, before.ticket().await);
    let booked = before.books().await;
    let checkpoint = before.ledger.checkpoint().await.unwrap();
    before.close().await;

    let step_1 = open(Ring::OldThenNew, Ring::OldThenNew);
    let second = step_1.ticket().await;
    step_1.reads(snapshot).await;
    step_1.close().await;

    let step_2 = open(Ring::NewThenOld, Ring::NewThenOld);
    for ticket in [&first, &second] {
        let paid = step_2.pays(ticket).await;
        assert!(paid.is_ok(), "{paid}");
    }
    assert_eq!(step_2.books().await, booked, "the kept answer is given again");
    step_2.reads(snapshot).await;
    step_2.verifies(&checkpoint).await;
    let third = step_2.ticket().await;

    let rewrapped = step_2.vault.rewrap_tenant_keys(&access()).await.unwrap();
    assert_eq!((rewrapped.changed, rewrapped.unreadable), (1, 0), "step 3");
    let waiting = step_2.runtime.tickets().waiting(TENANT, None, 100).await.unwrap().calls;
    assert_eq!(waiting.len(), 2, "step 4: one ticket of each secret waits");
    step_2.close().await;

    let step_5 = open(Ring::New, Ring::NewThenOld);
    let paid = step_5.pays(&third).await;
    assert!(paid.is_ok(), "{paid}");
    let refused = step_5.pays(&late).await;
    let details = refused.error().and_then(|error| error.details()).expect("it is refused");
    assert_eq!(details["reason"], "ticket_unknown_key", "{refused}");
    assert_eq!(step_5.books().await, booked, "the kept answer is given again");
    step_5.reads(snapshot).await;
    let newer = step_5.quote().await;
    step_5.reads(newer).await;
    step_5.verifies(&checkpoint).await;
    step_5.close().await;

    // Step 6: without the old secret the ledger reports that it cannot verify those records.
    let ledger = SqliteLedger::open(folder.0.join("ledger.db")).unwrap();
    let verified = match Ledger::builder(Ring::New.keys()).open(ledger) {
        Ok(ledger) => {
            ledger.verify(&[checkpoint]).await.map(drop).map_err(|error| error.to_string())
        }
        Err(error) => Err(error.to_string()),
    };
    assert!(verified.is_err(), "{verified:?}");
}
