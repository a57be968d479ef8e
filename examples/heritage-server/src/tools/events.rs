//! `log_user_event`: an action of a visitor.

use tool_runtime::prelude::*;
use tool_runtime::serde_json::{Map, Value};

use super::failure::WriteError;
use super::now;
use crate::guide::{Guide, NewEvent, Place};

/// An event that was written.
#[ai_type]
#[derive(Debug)]
pub(crate) struct LoggedEvent {
    /// The event's id.
    event_id: String,
    /// The time of the write, in RFC 3339.
    logged_at: String,
}

/// The event that would be written.
#[ai_type]
#[derive(Debug)]
pub(crate) struct EventPlan {
    /// The event's site.
    site_id: String,
    /// The event's type.
    event_type: String,
    /// The visitor of the event.
    user_id: Option<String>,
    /// The visitor's session.
    session_id: Option<String>,
}

/// The visitor and the session of an event.
#[derive(Debug)]
struct Visitor {
    user_id: Option<String>,
    session_id: Option<String>,
}

/// Logs an action of a visitor.
///
/// User and session default to the call's own. They may be given if the call has none; others than
/// the call's are refused, so that no event is written in the name of another user.
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
    /// The type of event.
    #[arg(pattern = "^[a-z][a-z0-9_.]*$", length(..=64), example = "poi_visited")]
    event_type: String,
    /// Further data of the event.
    #[arg(default)]
    event_data: Map<String, Value>,
    /// The visitor; by default the call's own user.
    #[arg(length(1..=128), pattern = "^[^\\u0000]*$", pii)]
    user_id: Option<String>,
    /// The visitor's session; by default the call's own session.
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

/// Returns the event that would be logged, and writes nothing.
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

/// The error of naming another user or session than the call's.
struct Another;

/// Returns the call's own value if it has one, else the given one.
fn own(own: Option<&str>, named: Option<String>) -> Result<Option<String>, Another> {
    match (own, named) {
        (Some(own), Some(named)) if own != named => Err(Another),
        (own, named) => Ok(own.map(str::to_owned).or(named)),
    }
}
