//! Replay: runs the reads of a trace again and compares the answers.

mod report;
mod run;

use std::fmt;
use std::sync::Arc;

use tool_contracts::{ToolContext, ToolSpec};
use uuid::Uuid;

use tool_runtime_core::runtime::Runtime;

pub use self::report::{ReplayReport, ReplayVerdict, ReplayedCall, SkipReason};
use super::{Access, EvidenceError, Vault};
use crate::ledger::{Ledger, RecordPosition};

/// Runs the reads of a trace again with their recorded arguments, and compares the answers.
///
/// A write is never run. The same checks apply as to any call: the tool's permission, the host's
/// current access policy, and approval. A read that needs approval is skipped unless
/// [`approving`](Self::approving) covers its tool; no person is asked, and no standing grant of the
/// recorded user is used. No answer comes from a cache, and no evidence is kept. Each call that is
/// run is on the ledger, with the id of the call that it repeats. The reader and the reason are
/// recorded before anything is read.
///
/// The arguments come from the vault if they were sealed ([`vault`](Self::vault)), else from the
/// ledger if nothing in them was redacted. The context has the record's tenant, user, actor,
/// session, site and run. [`context`](Self::context) adds what else a tool needs, such as
/// credentials or a locale.
///
/// ```
/// # use tool_runtime::evidence::{EvidenceKeeper, Vault};
/// # use tool_runtime::ledger::{Ledger, MemoryLedger};
/// # use tool_runtime::policy::KeyRing;
/// # use tool_runtime::prelude::*;
/// # use tool_runtime::store::MemoryStore;
/// use tool_runtime::evidence::{Access, Replay, ReplayVerdict};
///
/// # /// Adds two numbers.
/// # #[ai_tool(effect = "read")]
/// # async fn add(
/// #     /// The first.
/// #     a: i64,
/// #     /// The second.
/// #     b: i64,
/// # ) -> i64 { a + b }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let ledger = Ledger::builder(KeyRing::ephemeral()?).open(MemoryLedger::new(1_000))?;
/// # let runtime = Runtime::builder().tool::<AddTool>().ledger(&ledger).build()?;
/// # let cx = ToolContext::builder(Uuid::now_v7(), "trace-1").run_id("run-1").build()?;
/// runtime.call("add", r#"{"a":2,"b":40}"#, &cx).execute().await;
///
/// let access = Access::new("user:auditor-7", "complaint 4711")?;
/// let report = Replay::new(&runtime, &ledger, access).run("trace-1").await?;
/// assert!(matches!(report.calls()[0].verdict(), ReplayVerdict::Same));
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct Replay {
    runtime: Runtime,
    ledger: Ledger,
    access: Access,
    vault: Option<Vault>,
    tenant: Option<Uuid>,
    after: Option<RecordPosition>,
    max_calls: usize,
    context: Option<ContextChange>,
    tools: Option<ToolFilter>,
    approves: Option<ToolFilter>,
    on_call: Option<CallListener>,
}

type ContextChange = Arc<dyn Fn(ToolContext) -> ToolContext + Send + Sync>;
type ToolFilter = Arc<dyn Fn(&ToolSpec) -> bool + Send + Sync>;
type CallListener = Arc<dyn Fn(&ReplayedCall) + Send + Sync>;

impl Replay {
    /// Makes a replay of this ledger's calls in this runtime, for this reader and reason.
    pub fn new(runtime: &Runtime, ledger: &Ledger, access: Access) -> Self {
        let (runtime, ledger) = (runtime.clone(), ledger.clone());
        Self {
            runtime,
            ledger,
            access,
            vault: None,
            tenant: None,
            after: None,
            max_calls: usize::MAX,
            context: None,
            tools: None,
            approves: None,
            on_call: None,
        }
    }

    /// Takes sealed arguments and earlier answers from this vault.
    pub fn vault(mut self, vault: &Vault) -> Self {
        self.vault =
            Some(vault.clone().with_access_log(self.ledger.clone()).with_ledger(&self.ledger));
        self
    }

    /// Replays calls of this tenant only.
    pub fn tenant(mut self, tenant_id: Uuid) -> Self {
        self.tenant = Some(tenant_id);
        self
    }

    /// Replays calls after this record only: the [`next`](ReplayReport::next) of an earlier report.
    pub fn after(mut self, position: impl Into<RecordPosition>) -> Self {
        self.after = Some(position.into());
        self
    }

    /// Sets the most calls of the trace that one run covers, skipped ones included; all of them if
    /// it is not set. The report's [`next`](ReplayReport::next) says where the next run goes on.
    pub fn at_most(mut self, calls: usize) -> Self {
        self.max_calls = calls.max(1);
        self
    }

    /// Changes the context in which a call is run again, such as to add credentials.
    pub fn context(
        mut self,
        change: impl Fn(ToolContext) -> ToolContext + Send + Sync + 'static,
    ) -> Self {
        self.context = Some(Arc::new(change));
        self
    }

    /// Sets the tools that the reader may call; calls of others are
    /// [skipped](SkipReason::NotAllowed). All tools are allowed if it is not set.
    pub fn only_tools(
        mut self,
        may_call: impl Fn(&ToolSpec) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.tools = Some(Arc::new(may_call));
        self
    }

    /// Approves reads of these tools in the name of the reader ([`Access::reader`]), which is
    /// recorded; other reads that need approval are [skipped](SkipReason::NeedsApproval). No tool
    /// is covered if it is not set.
    ///
    /// Set it only if the reader may decide about such calls. It does not overrule an access policy
    /// that denies a call.
    ///
    /// ```
    /// # use tool_runtime::evidence::{Access, Replay};
    /// # use tool_runtime::ledger::Ledger;
    /// # use tool_runtime::Runtime;
    /// # fn doc(runtime: &Runtime, ledger: &Ledger, access: Access) -> Replay {
    /// Replay::new(runtime, ledger, access).approving(|tool| tool.category() == Some("wages"))
    /// # }
    /// ```
    pub fn approving(
        mut self,
        approves: impl Fn(&ToolSpec) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.approves = Some(Arc::new(approves));
        self
    }

    /// Sets a function that is called with each call's result.
    pub fn on_call(mut self, on_call: impl Fn(&ReplayedCall) + Send + Sync + 'static) -> Self {
        self.on_call = Some(Arc::new(on_call));
        self
    }

    /// Runs the reads of a trace again, one after another, in their order.
    ///
    /// # Errors
    /// The ledger cannot be read, or cannot record the replay.
    ///
    /// # Cancellation
    /// Dropping the future interrupts the running call, which is recorded.
    pub async fn run(&self, trace_id: &str) -> Result<ReplayReport, EvidenceError> {
        run::run(self, trace_id).await
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").field("access", &self.access).finish_non_exhaustive()
    }
}
