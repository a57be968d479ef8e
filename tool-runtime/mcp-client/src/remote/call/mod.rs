//! Sends the calls of remote tools, and reads their answers.

mod answer;
mod attach;
mod audited;
mod failure;
mod request;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{CallToolRequestParams, JsonObject};
use rmcp::service::{Peer, RoleClient};
use tokio::sync::Notify;
use tool_contracts::ErrorCode;

use tool_runtime_core::failure::Failure;
use tool_runtime_core::tool::CallScope;
use tool_runtime_schema::Limits;
use tool_runtime_schema::json::{self, JsonKind, JsonNode};

pub(super) use self::answer::RemoteData;
use self::answer::{CallAnswer, read_answer};
use self::request::{InputDemand, demanded, send};
use super::client::ClientState;
use super::directory::ToolGate;
use super::limits::RemoteLimits;

/// The most times that a server may ask for input in one call.
const MAX_ROUNDS: usize = 8;

/// Sends calls over the current connection.
pub(super) struct RemoteCallSender {
    connection: Mutex<Option<ActiveConnection>>,
    /// Notified when a call failed in a way that suggests a broken connection.
    connection_suspect: Notify,
    limits: RemoteLimits,
}

/// A connection, as calls use it.
#[derive(Debug, Clone)]
pub(super) struct ActiveConnection {
    pub(super) peer: Peer<RoleClient>,
    pub(super) state: Arc<ClientState>,
}

impl RemoteCallSender {
    pub(super) fn new(limits: RemoteLimits) -> Self {
        Self { connection: Mutex::new(None), connection_suspect: Notify::new(), limits }
    }

    /// Sets the connection that calls use; none while there is none.
    pub(super) fn set_connection(&self, connection: Option<ActiveConnection>) {
        *self.lock() = connection;
    }

    /// Waits until a failed call suggests that the connection is broken. Cancel-safe.
    pub(super) async fn connection_suspect(&self) {
        self.connection_suspect.notified().await;
    }

    /// Calls a tool by the server's name of it.
    pub(super) async fn call(
        &self,
        tool: &str,
        gate: &ToolGate,
        call: &CallScope,
    ) -> Result<RemoteData, Failure> {
        if !is_sent_exactly(call.arguments(), call.environment().limits()) {
            return Err(inexact());
        }
        let arguments: JsonObject = call.parse()?;
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        for _ in 0..MAX_ROUNDS {
            if !gate.is_open() {
                return Err(revoked());
            }
            let connection = self.lock().clone().ok_or_else(not_connected)?;
            let answer = match send(&connection, params.clone(), call).await {
                Ok(answer) => answer,
                Err(error) => {
                    let failed = failure::from_service_error(&error, self.limits);
                    if failed.suspects_connection {
                        self.connection_suspect.notify_one();
                    }
                    return Err(failed.failure);
                }
            };
            let demand = match read_answer(answer, call, self.limits)? {
                CallAnswer::Data(data) => return Ok(data),
                CallAnswer::InputRequired(demand) => demand,
            };
            match demanded(*demand) {
                InputDemand::Declined { responses, state } => {
                    params.input_responses = (!responses.is_empty()).then_some(responses);
                    params.request_state = state;
                }
                InputDemand::Unsupported => break,
            }
        }
        Err(Failure::from_code(ErrorCode::UpstreamError)
            .with_message("the server asks for input that this host does not give"))
    }

    fn lock(&self) -> MutexGuard<'_, Option<ActiveConnection>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether the message to the server has every integer as it was approved: beyond 64 bits it
/// would be rounded to a float.
fn is_sent_exactly(arguments: &str, limits: &Limits) -> bool {
    json::read(arguments, limits).is_ok_and(|tree| {
        let view = tree.view(arguments);
        let is_integer = |node: &&JsonNode| node.kind == JsonKind::Number && node.is_digits();
        view.nodes.iter().filter(is_integer).all(|node| json::fits_64_bits(view.raw(node)))
    })
}

fn inexact() -> Failure {
    Failure::from_code(ErrorCode::InvalidArgument)
        .with_message("an integer beyond 64 bits cannot be sent to the server of this tool exactly")
        .with_effect_none()
}

/// The definition of the tool was changed, or the tool disabled, after the call was opened.
fn revoked() -> Failure {
    Failure::from_code(ErrorCode::Forbidden)
        .with_message(
            "this tool was changed or disabled since the call was made; do not call it again, \
             continue without it",
        )
        .with_effect_none()
}

fn not_connected() -> Failure {
    Failure::from_code(ErrorCode::Unavailable)
        .with_message("there is no connection to the tool's server now; try again later")
        .with_retry_after_ms(1_000)
        .with_effect_none()
}

impl fmt::Debug for RemoteCallSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteCallSender").field("limits", &self.limits).finish_non_exhaustive()
    }
}
