//! `log_user_event`: what a visitor did.

use tool_runtime::prelude::*;
use tool_runtime::serde_json::{Map, Value};

use super::failure::WriteError;
use super::now;
use crate::guide::{Guide, NewEvent, Place};

/// An event that was written.
#[ai_type]
#[derive(Debug)]
pub(crate) struct LoggedEvent {
    /// The event.
    event_id: String,
    /// When it was written, in RFC 3339.
    logged_at: String,
}

/// What would be written.
#[ai_type]
#[derive(Debug)]
pub(crate) struct EventPlan {
    /// Its site.
    site_id: String,
    /// Its type.
    event_type: String,
    /// Whose event it would be.
    user_id: Option<String>,
    /// In which session.
    session_id: Option<String>,
}

/// Whose event it is.
#[derive(Debug)]
struct Visitor {
    user_id: Option<String>,
    session_id: Option<String>,
}

/// Logs something that a visitor did.
///
/// User and session are the call's own where they are left out. They may be named where the call has
/// none; others than the call's are refused, so that nobody's events are written in another's name.
#[ai_tool(
    effect = "write",
    version = "1.0.0",
    category = "event",
    timeout = "10s",
    preview = plan_user_event,
    forwards_key
)]
#[allow(clippy::too_many_arguments, reason = "they are the tool's fields")]
pub(crate) async fn log_user_event(
    cx: &ToolContext,
    guide: &Guide,
    place: &Place,
    idempotency: &Idempotency,
    /// What happened.
    #[arg(pattern = "^[a-z][a-z0-9_.]*$", length(..=64), example = "poi_visited")]
    event_type: String,
    /// What there is to say of it.
    #[arg(default)]
    event_data: Map<String, Value>,
    /// The visitor; the call's own if left out.
    #[arg(length(1..=128), pattern = "^[^\\u0000]*$", pii)]
    user_id: Option<String>,
    /// The visitor's session; the call's own if left out.
    #[arg(length(1..=128), pattern = "^[^\\u0000]*$")]
    session_id: Option<String>,
) -> Result<LoggedEvent, WriteError> {
    guide.site(place).await?.ok_or(WriteError::NoSite)?;
    let visitor = visitor(cx, user_id, session_id)?;
    let event = NewEvent {
        event_type,
        event_data,
        user_id: visitor.user_id,
        session_id: visitor.session_id,
        trace_id: cx.trace_id().to_owned(),
        logged_at: now(cx),
        written_under: idempotency.global_key().map(str::to_owned),
    };
    let written = guide.log_once(place, event).await?;
    Ok(LoggedEvent { event_id: written.id, logged_at: written.at })
}

/// Shows what would be logged, and writes nothing.
#[allow(clippy::too_many_arguments, reason = "it is called as its tool is")]
async fn plan_user_event(
    cx: &ToolContext,
    guide: &Guide,
    place: &Place,
    _: &Idempotency,
    event_type: String,
    _: Map<String, Value>,
    user_id: Option<String>,
    session_id: Option<String>,
) -> Result<EventPlan, WriteError> {
    guide.site(place).await?.ok_or(WriteError::NoSite)?;
    let Visitor { user_id, session_id } = visitor(cx, user_id, session_id)?;
    Ok(EventPlan { site_id: place.site_id().to_owned(), event_type, user_id, session_id })
}

fn visitor(
    cx: &ToolContext,
    user_id: Option<String>,
    session_id: Option<String>,
) -> Result<Visitor, WriteError> {
    let user_id = own(cx.user_id(), user_id).map_err(|Another| WriteError::OtherUser)?;
    let session_id =
        own(cx.session_id(), session_id).map_err(|Another| WriteError::OtherSession)?;
    Ok(Visitor { user_id, session_id })
}

/// Somebody else was named than the call is for.
struct Another;

/// Takes the call's own where it has one.
fn own(own: Option<&str>, named: Option<String>) -> Result<Option<String>, Another> {
    match (own, named) {
        (Some(own), Some(named)) if own != named => Err(Another),
        (own, named) => Ok(own.map(str::to_owned).or(named)),
    }
}
