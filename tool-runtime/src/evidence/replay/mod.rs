//! Running a trace's reads again, to see whether they would answer the same today.

mod report;
mod running;

use std::fmt;
use std::sync::Arc;

use tool_contracts::{ToolContext, ToolSpec};
use uuid::Uuid;

pub use self::report::{ReplayReport, Replayed, SkipReason, Verdict};
use super::{Access, EvidenceError, Vault};
use crate::dispatch::Runtime;
use crate::ledger::Ledger;

/// Runs the reads of a trace again, from what was kept of them, and says which answers are still
/// the same.
///
/// A write is never run. A read is subject to all that a call is subject to: its tool's permission,
/// the host's access policy as it is today, and approval: a read that needs approval is skipped,
/// unless [`approving`](Self::approving) says otherwise; nobody is asked, and no standing grant of
/// the recorded user is used. Nothing is answered from a cache, and no evidence is left; each call that
/// is run is on the ledger, with the id of the one that it repeats. That somebody replays a trace,
/// and why, is recorded before anything is read.
///
/// Where the arguments come from: the vault, if they were sealed ([`vault`](Self::vault)); else the
/// ledger, if nothing in them was redacted. The context is made from the record: its tenant, user,
/// actor, session, site and run. Whatever else a tool depends on, such as credentials or a locale,
/// [`context`](Self::context) adds.
///
/// ```
/// # use tool_runtime::evidence::{EvidenceKeeper, Vault};
/// # use tool_runtime::ledger::{Ledger, MemoryLedger};
/// # use tool_runtime::policy::KeyRing;
/// # use tool_runtime::prelude::*;
/// # use tool_runtime::store::Memory;
/// use tool_runtime::evidence::{Access, Replay, Verdict};
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
/// # let runtime = Runtime::builder().tool::<Add>().ledger(&ledger).build()?;
/// # let cx = ToolContext::builder(Uuid::now_v7(), "trace-1").run_id("run-1").build()?;
/// runtime.call("add", r#"{"a":2,"b":40}"#, &cx).execute().await;
///
/// let access = Access::new("user:auditor-7", "complaint 4711")?;
/// let report = Replay::new(&runtime, &ledger, access).run("trace-1").await?;
/// assert!(matches!(report.calls()[0].verdict(), Verdict::Same));
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
    after: Option<u64>,
    most: usize,
    context: Option<Context>,
    tools: Option<Tools>,
    approves: Option<Tools>,
    listen: Option<Listen>,
}

type Context = Arc<dyn Fn(ToolContext) -> ToolContext + Send + Sync>;
type Tools = Arc<dyn Fn(&ToolSpec) -> bool + Send + Sync>;
type Listen = Arc<dyn Fn(&Replayed) + Send + Sync>;

impl Replay {
    /// Prepares to run calls of this ledger again in this runtime, for somebody, for a reason.
    pub fn new(runtime: &Runtime, ledger: &Ledger, access: Access) -> Self {
        let (runtime, ledger) = (runtime.clone(), ledger.clone());
        Self {
            runtime,
            ledger,
            access,
            vault: None,
            tenant: None,
            after: None,
            most: usize::MAX,
            context: None,
            tools: None,
            approves: None,
            listen: None,
        }
    }

    /// Takes arguments and earlier answers from this vault, where they were sealed.
    pub fn vault(mut self, vault: &Vault) -> Self {
        self.vault =
            Some(vault.clone().with_access_log(self.ledger.clone()).with_ledger(&self.ledger));
        self
    }

    /// Only calls of this tenant.
    pub fn tenant(mut self, tenant_id: Uuid) -> Self {
        self.tenant = Some(tenant_id);
        self
    }

    /// Only calls behind this record: the [`next`](ReplayReport::next) of the report before.
    pub fn after(mut self, seq: u64) -> Self {
        self.after = Some(seq);
        self
    }

    /// Ends after so many of the trace's calls, and [says](ReplayReport::next) that there are more;
    /// all of them are run again if it is not set.
    ///
    /// Calls that are skipped count too: a trace may have any number of either.
    pub fn at_most(mut self, calls: usize) -> Self {
        self.most = calls.max(1);
        self
    }

    /// Adds to the context in which a call is run again what no record holds, such as credentials.
    pub fn context(
        mut self,
        change: impl Fn(ToolContext) -> ToolContext + Send + Sync + 'static,
    ) -> Self {
        self.context = Some(Arc::new(change));
        self
    }

    /// Runs only tools that the reader may call; other calls are
    /// [skipped](SkipReason::NotAllowed). All tools unless this is set.
    pub fn only_tools(
        mut self,
        may_call: impl Fn(&ToolSpec) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.tools = Some(Arc::new(may_call));
        self
    }

    /// Approves reads of these tools where they need approval, in the name of the reader
    /// ([`Access::who`]), which their records then name; other reads that need approval are
    /// [skipped](SkipReason::NeedsApproval). None unless this is set.
    ///
    /// Set it only where the reader may decide about such calls. An access policy that denies a call
    /// is not overruled by it.
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

    /// Hears of each call as soon as it is known what became of it.
    pub fn on_call(mut self, listen: impl Fn(&Replayed) + Send + Sync + 'static) -> Self {
        self.listen = Some(Arc::new(listen));
        self
    }

    /// Runs the reads of a trace again, in their order, one after another.
    ///
    /// # Errors
    /// The ledger cannot be read, or cannot record that the trace is replayed.
    ///
    /// # Cancellation
    /// Dropping it interrupts the call that is under way, which is recorded.
    pub async fn run(&self, trace_id: &str) -> Result<ReplayReport, EvidenceError> {
        running::run(self, trace_id).await
    }
}

impl fmt::Debug for Replay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").field("access", &self.access).finish_non_exhaustive()
    }
}
