//! What the paths answer: one body for every failure, under the statuses that there are.

use serde_json::{Map, Value, json};

use super::components::of;

/// Every status of a failure, and when it is answered.
const FAILURES: [(u16, &str); 18] = [
    (400, "What was sent cannot be read, contradicts itself, or lacks what every request says."),
    (401, "Nobody knows who asks, or what proves it does not hold."),
    (403, "Whoever asks may not do this, or for this tenant; or a person has said no."),
    (404, "There is no such tool, call, trace or thing that a tool was asked for."),
    (406, "The answer has none of the types that are accepted."),
    (408, "The body did not arrive in time."),
    (409, "It conflicts with how things are, or waits for a person: `detail.details.ticket`."),
    (410, "What is decided about is over."),
    (413, "The body is too long."),
    (415, "The body is not said to be JSON in UTF-8."),
    (421, "The server is not asked under the name that the request says."),
    (422, "What was sent is not what the schema asks for: `detail.details.violations`."),
    (429, "It is too much at a time."),
    (500, "The server or the tool has failed."),
    (502, "What the tool stands on has failed."),
    (503, "It cannot be done now: the server is ending, busy, or lacks its store."),
    (504, "It took too long."),
    (405, "The path does not take this method."),
];

/// What keeps a request out, whatever it asks for.
pub(super) const DOOR: [u16; 7] = [400, 401, 403, 421, 429, 500, 503];
/// What a request with a body may be answered too.
pub(super) const BODY: [u16; 4] = [408, 413, 415, 422];

/// Gives the failures as components.
pub(super) fn failures() -> Value {
    let named = FAILURES.map(|(status, when)| (name(status), failure(status, when)));
    Map::from_iter(named).into()
}

/// Refers to failures, by their statuses.
pub(super) fn refused(statuses: &[&[u16]]) -> Map<String, Value> {
    let response =
        |status: &u16| json!({"$ref": format!("#/components/responses/{}", name(*status))});
    let mut statuses: Vec<_> = statuses.concat();
    statuses.sort_unstable();
    statuses.iter().map(|status| (status.to_string(), response(status))).collect()
}

/// A failure with links of its own.
pub(super) fn linked(status: u16, links: Value) -> Value {
    let when = FAILURES.iter().find(|(it, _)| *it == status).map_or("", |(_, when)| when);
    let mut failure = failure(status, when);
    failure["links"] = links;
    failure
}

/// An answer in JSON.
pub(super) fn json(description: &str, schema: &Value) -> Value {
    json!({"description": description, "content": {"application/json": {"schema": schema}}})
}

fn failure(status: u16, when: &str) -> Value {
    let mut failure = json(when, &of("CallFailure"));
    let header = match status {
        401 => json!({"WWW-Authenticate": {
            "description": "How to prove who asks.",
            "schema": {"type": "string"},
        }}),
        429 | 503 => json!({"Retry-After": {
            "description": "After how many seconds to try again.",
            "schema": {"type": "integer", "minimum": 0},
        }}),
        _ => return failure,
    };
    failure["headers"] = header;
    failure
}

fn name(status: u16) -> String {
    format!("Failure{status}")
}
