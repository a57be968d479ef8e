//! A conversation in which the model calls tools, until a call waits for a person.

use std::error::Error;

use serde::{Deserialize, Serialize};
use tool_runtime::agent::{AgentError, LoopEnd, LoopReport, SuspendedRun, ToolLoop};
use tool_runtime::prelude::*;

use crate::models::Models;
use crate::{Host, context, new_trace, script};

/// The task of the conversation.
pub const TASK: &str = "Plan our reading day on 6 February 2027: follow checklist.md, choose poems, \
    convert the 140 euros for 40 booklets, and save the plan.";

const INSTRUCTIONS: &str = "You help the editors of a village's guide. Use the tools; mend a call that \
    was refused, and say in one sentence what you did.";

/// A run that waits for a person, as a file keeps it.
///
/// It contains the conversation, so keep it as secret as that. It approves nothing by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedRun {
    /// The trace of the conversation's calls.
    pub trace_id: String,
    /// The run.
    pub run: SuspendedRun,
}

/// The conversation so far.
#[derive(Debug)]
pub struct Conversation {
    /// The trace of its calls.
    pub trace_id: String,
    /// The messages, and the end of the run.
    pub report: LoopReport,
}

/// The decision of a person about the calls that wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict<'v> {
    /// They may run, says the person of this name.
    ApprovedBy(&'v str),
    /// They must not run, says the person of this name, for this reason.
    DeclinedBy(&'v str, &'v str),
}

impl Conversation {
    /// Begins the conversation.
    ///
    /// # Errors
    /// The model does not answer.
    pub async fn begin(host: &Host, models: &Models) -> Result<Self, Box<dyn Error>> {
        let trace_id = new_trace();
        let report = agent(host, models)?.run(TASK, &context(&trace_id)?).await?;
        Ok(Self { trace_id, report })
    }

    /// Returns the run, if it waits for a person.
    #[must_use]
    pub fn saved(&self) -> Option<SavedRun> {
        let LoopEnd::Suspended(run) = self.report.end() else { return None };
        Some(SavedRun { trace_id: self.trace_id.clone(), run: run.clone() })
    }
}

impl SavedRun {
    /// Takes up the calls that wait, each as its approver sees it.
    ///
    /// A ticket that was used before, or has expired, gives a call that is refused already.
    ///
    /// # Errors
    /// The trace's id is not valid.
    pub async fn waiting(&self, host: &Host) -> Result<Vec<ToolCall>, Box<dyn Error>> {
        let cx = context(&self.trace_id)?;
        let mut calls = Vec::new();
        for pending in self.run.pending() {
            let mut call = host.runtime().tickets().resume(pending.ticket(), &cx).await;
            call.load_preview().await;
            calls.push(call);
        }
        Ok(calls)
    }

    /// Carries out the decision about the calls that wait, and continues the conversation.
    ///
    /// # Errors
    /// A call no longer waits, or the model does not answer.
    pub async fn decide(
        mut self,
        verdict: Verdict<'_>,
        host: &Host,
        models: &Models,
    ) -> Result<Conversation, Box<dyn Error>> {
        let calls = self.waiting(host).await?;
        let ids: Vec<String> =
            self.run.pending().iter().map(|pending| pending.call_id().to_owned()).collect();
        for (mut call, id) in calls.into_iter().zip(ids) {
            match verdict {
                Verdict::ApprovedBy(name) => call.approve(name)?,
                Verdict::DeclinedBy(name, reason) => call.decline(name, reason)?,
            }
            call.execute().await;
            self.run.answer(&id, &call).await?;
        }
        let report = agent(host, models)?.resume(self.run, &context(&self.trace_id)?).await?;
        Ok(Conversation { trace_id: self.trace_id, report })
    }
}

fn agent(host: &Host, models: &Models) -> Result<ToolLoop, AgentError> {
    let model = models.client(script::EDITOR).build()?;
    Ok(ToolLoop::new(host.runtime().clone(), model).instructions(INSTRUCTIONS).max_turns(12))
}
