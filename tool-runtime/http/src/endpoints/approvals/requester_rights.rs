//! Checks at an approval that the requester of the call may still make it.

use tool_runtime_core::ToolCall;
use tool_runtime_core::log::log_event;

use crate::auth::Requester;
use crate::problem::Problem;
use crate::request::time_limit::within_time_limit;
use crate::state::app::App;

/// Returns whether the requester of a waiting call may still call its tool for its tenant.
///
/// A call that the host opened itself has no requester; the host's access policy decides about it when
/// it runs.
pub(super) async fn requester_may_call(app: &App, call: &ToolCall) -> Result<bool, Problem> {
    let (Some(requester), Some(tool)) = (call.approval().requester.as_deref(), call.tool()) else {
        return Ok(true);
    };
    let Ok(requester) = serde_json::from_str::<Requester>(requester) else { return Ok(false) };
    let (auth, lookup) = (&app.config.auth, app.config.requesters.as_ref());
    let standing = async {
        let checked = requester.may_still_call(auth, lookup, tool, call.cx().tenant_id()).await;
        checked.map_err(|error| {
            log(&*error);
            Problem::store_unavailable()
        })
    };
    within_time_limit(app, standing).await
}

fn log(error: &(dyn std::error::Error + Send + Sync)) {
    log_event!(
        warn,
        target: tool_runtime_core::trace::conventions::TARGET,
        event = "requester_lookup_failed",
        %error,
    );
}
