//! An approver that decides by a script.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tool_runtime_core::policy::{ApprovalRequest, Approver, Decision};

/// Decides about calls by a script, and records the requests.
///
/// This is a handle: its clones share the script. After the script's end it
/// [defers](Decision::defer), so that an unexpected call gets a ticket and does not run.
///
/// ```
/// use tool_runtime::policy::{Decision, Policy};
/// use tool_runtime::prelude::*;
/// use tool_runtime::testing::{ScriptedApprover, context, expect_output};
///
/// /// Deletes an article.
/// #[ai_tool(effect = "destructive")]
/// fn delete_article(
///     dry_run: &DryRun,
///     /// Its id.
///     id: u64,
/// ) -> bool {
///     !dry_run.is_active() && id > 0
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let editor = ScriptedApprover::new([
///     Decision::approve("ada").with_arguments(r#"{"id":8}"#),
///     Decision::decline("ada", "keep it"),
/// ]);
/// let policy = Policy::new().approver(editor.clone());
/// let runtime = Runtime::builder().tool::<DeleteArticleTool>().policy(policy).build()?;
/// let cx = context().build()?;
///
/// let mut call = runtime.call("delete_article", r#"{"id":7}"#, &cx);
/// expect_output(call.execute().await).ok().data(true);
/// let mut call = runtime.call("delete_article", r#"{"id":9}"#, &cx);
/// expect_output(call.execute().await).failed().code("DECLINED");
/// assert_eq!(editor.requests(), [r#"delete_article {"id":7}"#, r#"delete_article {"id":9}"#]);
/// assert!(editor.is_done());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ScriptedApprover(Arc<Mutex<Script>>);

#[derive(Debug, Default)]
struct Script {
    remaining: VecDeque<Decision>,
    requests: Vec<String>,
}

impl ScriptedApprover {
    /// Makes an approver with these decisions, in order.
    #[must_use]
    pub fn new(decisions: impl IntoIterator<Item = Decision>) -> Self {
        let remaining = decisions.into_iter().collect();
        Self(Arc::new(Mutex::new(Script { remaining, requests: Vec::new() })))
    }

    /// Lists the requests: each call's tool and arguments, secrets masked.
    #[must_use]
    pub fn requests(&self) -> Vec<String> {
        self.script().requests.clone()
    }

    /// Returns whether all decisions were used.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.script().remaining.is_empty()
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Approver for ScriptedApprover {
    async fn decide(&self, request: &ApprovalRequest<'_>) -> Decision {
        let preview = request.preview();
        let arguments = preview.arguments().unwrap_or("no JSON");
        let mut script = self.script();
        script.requests.push(format!("{} {arguments}", preview.name()));
        script.remaining.pop_front().unwrap_or_else(Decision::defer)
    }
}
