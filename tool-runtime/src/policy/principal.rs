//! For whom a call is made, as one text.

use tool_contracts::ToolContext;

/// How the ids of actors begin that a server has proven by an API key.
pub(crate) const KEY: &str = "key:";
/// How the ids of actors begin that a server has proven by a token.
pub(crate) const TOKEN: &str = "token:";
/// How the ids of actors begin for which a server takes the whole network.
pub(crate) const NETWORK: &str = "network:";

/// Names whom a call is for: its user, else its actor; none if the context names neither.
///
/// The type of a proven actor is only said by the caller, so the same call with another type is a
/// repeat, and not another call.
pub(crate) fn principal_of(cx: &ToolContext) -> Option<Box<str>> {
    let is_proven = |id: &str| [KEY, TOKEN, NETWORK].iter().any(|kind| id.starts_with(kind));
    let actor = || {
        cx.actor().map(|actor| match actor.id() {
            id if is_proven(id) => format!("principal:{id}"),
            id => format!("actor:{}:{id}", actor.kind()),
        })
    };
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
