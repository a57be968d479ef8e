mod anthropic;
mod attachment_limits;
mod attachments;
mod bedrock;
mod broken_calls;
mod chat;
mod client_search;
mod custom_tools;
mod declared;
mod disclosure;
mod errors;
mod examples;
mod framing;
mod gemini;
mod growth;
mod interleaved;
mod limits;
mod names;
mod namespaces;
mod ollama;
mod prompt_cache;
mod replies;
mod responses;
mod several_texts;
mod splits;
mod strict;
mod titles;
mod tool_choice;
mod toolkits;
mod usage;
mod whole_bodies;
mod wide_integers;

use serde_json::{Value, json};
use tool_contracts::{Effect, ToolSpec};

use super::{Adapter, Delta, Dialect, StopReason, ToolAnswer, Turn};

/// An adapter of three tools, one of them with another declared name.
fn adapter(dialect: Dialect) -> Adapter {
    let spec =
        |name| ToolSpec::builder(name, Effect::Read).description("Does it.").build().unwrap();
    let specs: Vec<_> = ["content.search", "add", "ping"].into_iter().map(spec).collect();
    Adapter::new(dialect, &specs)
}

fn read(dialect: Dialect, response: &Value) -> Turn {
    adapter(dialect).read(&response.to_string()).unwrap()
}

/// Reads a streamed response; returns the deltas, too.
fn stream(dialect: Dialect, events: &[Value]) -> (Turn, Vec<Delta>) {
    let adapter = adapter(dialect);
    let mut stream = adapter.stream();
    let push = |event: &Value| stream.push(&event.to_string()).unwrap();
    let deltas = events.iter().flat_map(push).collect();
    (stream.finish().unwrap(), deltas)
}

/// The id, name and arguments of each call.
fn asked(turn: &Turn) -> Vec<(&str, &str, &str)> {
    turn.calls().iter().map(|asked| (asked.call_id(), asked.name(), asked.arguments())).collect()
}

#[track_caller]
fn check_stop(turn: &Turn, expected: &StopReason, runnable: usize) {
    assert_eq!(turn.stop_reason(), expected);
    assert_eq!(turn.requests().count(), runnable);
}

fn refused(word: &str) -> StopReason {
    StopReason::Refused(word.to_owned())
}

fn other(word: &str) -> StopReason {
    StopReason::Other(word.to_owned())
}

#[test]
fn a_tool_that_the_model_was_not_told_of_has_no_request() {
    let call = |name: &str| json!({ "type": "tool_use", "id": name, "name": name, "input": {} });
    let calls = [call("content.delete"), call("content.search")];
    let turn = read(Dialect::Anthropic, &json!({ "content": calls, "stop_reason": "tool_use" }));
    let told = ("content.search", "content.search", "{}");
    assert_eq!(asked(&turn), [("content.delete", "content.delete", "{}"), told]);
    // The tool's own name, which models see in the texts of tools, is accepted like the declared
    // one.
    check_stop(&turn, &StopReason::Done, 1);
}
