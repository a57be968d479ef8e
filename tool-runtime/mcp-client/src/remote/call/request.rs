//! One request of a call: its progress, its cancellation, and the input that a server demands.

use std::collections::BTreeMap;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, InputRequest, InputRequiredResult,
    InputResponses, ServerResult,
};
use rmcp::service::{PeerRequestOptions, RequestHandle, RoleClient, ServiceError};
use serde_json::json;
use tokio::runtime::Handle;
use tool_runtime_core::tool::{CallScope, FromCall as _, Progress};

use super::ActiveConnection;

/// The answer to a server that demands input.
pub(super) enum InputDemand {
    /// All input is declined, and the call goes on without it.
    Declined { responses: InputResponses, state: Option<String> },
    /// The server demands something that cannot be declined.
    Unsupported,
}

/// A request that is cancelled on the server when it is dropped before its answer.
struct PendingRequest {
    handle: Option<RequestHandle<RoleClient>>,
}

/// Sends a call, and waits for its answer. The deadline is the one of the call, which drops this.
pub(super) async fn send(
    connection: &ActiveConnection,
    params: CallToolRequestParams,
    call: &CallScope,
) -> Result<ServerResult, ServiceError> {
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let options = PeerRequestOptions::no_options();
    let handle = connection.peer.send_request_with_option(request, options).await?;
    let progress = Progress::from_call(call).ok();
    let token = handle.progress_token.clone();
    let _listener = progress.map(|progress| connection.state.listen(token, progress));
    let mut pending = PendingRequest { handle: Some(handle) };
    let answer = match pending.handle.as_mut() {
        Some(handle) => (&mut handle.rx).await,
        None => return Err(ServiceError::TransportClosed),
    };
    pending.handle = None;
    answer.map_err(|_| ServiceError::TransportClosed)?
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else { return };
        // A call may be dropped outside of the runtime, at its end; the connection is closed then.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                drop(handle.cancel(Some("the call was cancelled".to_owned())).await);
            });
        }
    }
}

/// Declines what a server demands: elicitations. Samples of a model and roots cannot be declined
/// within a call, so it fails.
pub(super) fn demanded(demand: InputRequiredResult) -> InputDemand {
    let mut responses = BTreeMap::new();
    for (key, request) in demand.input_requests.unwrap_or_default() {
        match request {
            InputRequest::Elicitation(_) => {
                responses.insert(key, json!({"action": "decline"}));
            }
            _ => return InputDemand::Unsupported,
        }
    }
    InputDemand::Declined { responses, state: demand.request_state }
}
