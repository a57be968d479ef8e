//! Identifies the principal, the caller and the conversation of a call.

use tool_contracts::ToolContext;

/// Prefix of the id of an actor that a server authenticated by an API key.
// The kinds keep a key and a token of the same name apart, which share no answers.
pub const KEY: &str = "key:";
/// Prefix of the id of an actor that a server authenticated by a token.
pub const TOKEN: &str = "token:";
/// Prefix of the id of the actor that a server uses where it authenticates no caller.
pub const NETWORK: &str = "network:";

/// Returns the principal of a call: its user, else its actor; none if the context has neither.
///
/// The principal of an authenticated actor leaves out the actor's type, which the caller chooses:
/// the same call with another type is a repeat.
pub fn principal_of(cx: &ToolContext) -> Option<Box<str>> {
    let is_authenticated = |id: &str| [KEY, TOKEN, NETWORK].iter().any(|kind| id.starts_with(kind));
    let actor = || {
        cx.actor().map(|actor| match actor.id() {
            id if is_authenticated(id) => format!("principal:{id}"),
            id => format!("actor:{}:{id}", actor.kind()),
        })
    };
    cx.user_id().map(|user| format!("user:{user}")).or_else(actor).map(String::into_boxed_str)
}

/// Returns the caller whose quota of the stores a call uses: the actor, which over HTTP is the
/// authenticated service or key, else the principal.
pub(crate) fn caller_of(cx: &ToolContext) -> Box<str> {
    // Not the user: the users whom a service names must not multiply its quota.
    let actor = cx.actor().map(|actor| format!("actor:{}", actor.id()).into_boxed_str());
    actor.or_else(|| principal_of(cx)).unwrap_or_default()
}

/// Returns the conversation of a call, whose waiting calls a newer message of the user withdraws.
pub(crate) fn conversation_of(cx: &ToolContext) -> &str {
    let run = || cx.run_id().or_else(|| cx.ingestion_run_id());
    cx.session_id().or_else(run).unwrap_or_else(|| cx.trace_id())
}
