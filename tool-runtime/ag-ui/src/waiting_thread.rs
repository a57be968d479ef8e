//! A thread whose run waits, as it is stored.

use serde::{Deserialize, Serialize};
use tool_runtime_agent::SuspendedRun;

use crate::problem::RunProblem;

/// A run that waits, with what is needed to continue it for its client.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WaitingThread {
    /// The message of the last turn, from which the ids of its calls are made.
    pub(crate) message_id: String,
    /// The user's last message that the run has read.
    pub(crate) last_user_message: Option<String>,
    pub(crate) run: SuspendedRun,
}

impl WaitingThread {
    pub(crate) fn read(text: &str) -> Result<Self, RunProblem> {
        serde_json::from_str(text).map_err(|_| {
            let message = "the stored run of this thread cannot be read; begin a new thread";
            RunProblem::new("store", message)
        })
    }

    pub(crate) fn to_text(&self) -> Result<String, RunProblem> {
        serde_json::to_string(self).map_err(|_| {
            RunProblem::new("store", "the run cannot be stored; the server's log has the cause")
        })
    }

    /// Returns whether a call waits for a person or for the client.
    pub(crate) fn waits(&self) -> bool {
        !self.run.pending().is_empty() || !self.run.client_calls().is_empty()
    }

    /// Returns the client's id of the call at this position of the last turn.
    pub(crate) fn tool_call_id(&self, position: usize) -> String {
        tool_call_id(&self.message_id, position)
    }
}

/// Makes the id of a call that is unique in the conversation: models use ids again, and a client finds a
/// call by its id alone. It fits the 40 characters to which a provider limits ids.
pub(crate) fn tool_call_id(message_id: &str, position: usize) -> String {
    format!("{message_id}_{position}")
}
