//! For whom a call is made, as one text.

use tool_contracts::ToolContext;

/// Names whom a call is for: its user, else its actor; none if the context names neither.
pub(crate) fn principal_of(cx: &ToolContext) -> Option<Box<str>> {
    let actor = || cx.actor().map(|actor| format!("actor:{}:{}", actor.kind(), actor.id()));
    cx.user_id().map(|user| format!("user:{user}")).or_else(actor).map(String::into_boxed_str)
}

/// Names the caller whose share of the stores a call uses: the actor, which over HTTP is the service
/// or the key that was proven, else the principal.
pub(crate) fn asker_of(cx: &ToolContext) -> Box<str> {
    let actor = cx.actor().map(|actor| format!("actor:{}", actor.id()).into_boxed_str());
    actor.or_else(|| principal_of(cx)).unwrap_or_default()
}

/// Names the conversation that a newer message of the user overtakes.
pub(crate) fn conversation_of(cx: &ToolContext) -> &str {
    let run = || cx.run_id().or_else(|| cx.ingestion_run_id());
    cx.session_id().or_else(run).unwrap_or_else(|| cx.trace_id())
}
