//! Sends the calls of remote tools, and reads their answers.

mod answer;
mod attach;
mod audited;
mod failure;
mod request;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{CallToolRequestParams, JsonObject, ServerResult};
use rmcp::service::{Peer, RoleClient};
use serde_json::Value;
use tokio::sync::Notify;
use tool_contracts::ErrorCode;

use self::answer::read_answer;
use self::request::{InputDemand, demanded, send};
use super::client::ClientState;
use super::directory::ToolGate;
use super::limits::RemoteLimits;
use crate::failure::Failure;
use crate::tool::CallScope;

/// The most times that a server may ask for input in one call.
const MAX_ROUNDS: usize = 8;

/// Sends calls over the connection of the moment.
pub(super) struct Caller {
    link: Mutex<Option<Link>>,
    /// Notified when a call has seen that the connection does not work.
    doubted: Notify,
    limits: RemoteLimits,
}

/// A connection, as calls use it.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) peer: Peer<RoleClient>,
    pub(super) state: Arc<ClientState>,
}

impl Caller {
    pub(super) fn new(limits: RemoteLimits) -> Self {
        Self { link: Mutex::new(None), doubted: Notify::new(), limits }
    }

    /// Uses this connection from now on; none while there is none.
    pub(super) fn use_link(&self, link: Option<Link>) {
        *self.lock() = link;
    }

    /// Waits until a call doubts that the connection works. Cancel-safe.
    pub(super) async fn doubted(&self) {
        self.doubted.notified().await;
    }

    /// Calls a tool by the server's name of it.
    pub(super) async fn call(
        &self,
        tool: &str,
        gate: &ToolGate,
        call: &CallScope,
    ) -> Result<Value, Failure> {
        let arguments: JsonObject = call.parse()?;
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        for _ in 0..MAX_ROUNDS {
            if !gate.is_open() {
                return Err(revoked());
            }
            let link = self.lock().clone().ok_or_else(not_connected)?;
            let answer = match send(&link, params.clone(), call).await {
                Ok(answer) => answer,
                Err(error) => {
                    let failed = failure::of_request(&error, self.limits);
                    if failed.doubts_connection {
                        self.doubted.notify_one();
                    }
                    return Err(failed.failure);
                }
            };
            let ServerResult::InputRequiredResult(demand) = answer else {
                return read_answer(answer, call, self.limits);
            };
            match demanded(demand) {
                InputDemand::Declined { responses, state } => {
                    params.input_responses = (!responses.is_empty()).then_some(responses);
                    params.request_state = state;
                }
                InputDemand::Unsupported => break,
            }
        }
        Err(Failure::of(ErrorCode::UpstreamError)
            .with_message("the server asks for input that this host does not give"))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Link>> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The definition of the tool was changed, or the tool disabled, after the call was opened.
fn revoked() -> Failure {
    Failure::of(ErrorCode::Forbidden)
        .with_message(
            "this tool was changed or disabled since the call was made; do not call it again, \
             continue without it",
        )
        .with_effect_none()
}

fn not_connected() -> Failure {
    Failure::of(ErrorCode::Unavailable)
        .with_message("there is no connection to the tool's server now; try again later")
        .with_retry_after_ms(1_000)
        .with_effect_none()
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").field("limits", &self.limits).finish_non_exhaustive()
    }
}
