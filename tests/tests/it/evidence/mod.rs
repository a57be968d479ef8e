//! Evidence through the whole runtime: what an answer proves, and whether it would come again.

mod keeping;
mod permission;
mod recorded;
mod refusals;
mod replay;
mod required;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tool_runtime::evidence::{Access, EvidenceKeeper, Vault};
use tool_runtime::ledger::{Ledger, Record, verify};
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;

use crate::ledger::{TestLedger, ring};

pub(crate) const TENANT: Uuid = Uuid::from_u128(7);

fn access() -> Access {
    Access::new("user:auditor-7", "complaint 4711").unwrap()
}

fn cx_of(tenant: Uuid) -> ToolContext {
    let cx = ToolContext::builder(tenant, "trace-1").run_id("run-1").user_id("jane");
    cx.build().unwrap()
}

/// The current data, and the number of calls. A handle.
#[derive(Clone, Default)]
struct ToolData {
    today: Arc<AtomicU32>,
    runs: Arc<AtomicU32>,
}

impl ToolData {
    fn set(&self, today: u32) {
        self.today.store(today, Ordering::SeqCst);
    }

    fn runs(&self) -> u32 {
        self.runs.load(Ordering::SeqCst)
    }

    fn ask(&self) -> u32 {
        self.runs.fetch_add(1, Ordering::SeqCst);
        self.today.load(Ordering::SeqCst)
    }
}

/// A ledger whose entries can be read, and a keeper that records accesses in it.
struct EvidenceSetup {
    ledger: Ledger,
    kept: TestLedger,
    keeper: EvidenceKeeper,
}

impl EvidenceSetup {
    fn new() -> Self {
        let kept = TestLedger::default();
        let ledger = Ledger::builder(ring()).open(kept.clone()).unwrap();
        let keeper = EvidenceKeeper::new(Vault::new(MemoryStore::new(), ring()), &ledger);
        Self { ledger, kept, keeper }
    }

    /// Returns the recorded accesses of the vault and of traces, with their outcomes.
    fn accesses(&self) -> Vec<(String, String)> {
        let access = |record| match record {
            Record::Access(access) => Some((access.action, access.outcome)),
            _ => None,
        };
        self.kept.records().into_iter().filter_map(access).collect()
    }

    fn check_chain(&self) {
        verify(&mut self.kept.clone(), &ring(), &[]).unwrap();
    }
}
