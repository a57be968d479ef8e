//! The responses of the paths: one body for every failure, in each of the two formats.

use serde_json::{Map, Value, json};

use super::components::of;
use crate::http::answer::ResponseFormat;

/// Every status of a failure, and when it is answered.
const FAILURES: [(u16, &str); 18] = [
    (400, "What was sent cannot be read, contradicts itself, or lacks what every request says."),
    (401, "Nobody knows who asks, or what proves it does not hold."),
    (403, "Whoever asks may not do this, or for this tenant; or a person has said no."),
    (404, "There is no such tool, call, trace or thing that a tool was asked for."),
    (406, "The answer has none of the types that are accepted."),
    (408, "The body did not arrive in time."),
    (409, "It conflicts with how things are, or waits for a person: `ticket` in the details."),
    (410, "What is decided about is over."),
    (413, "The body is too long."),
    (415, "The body is not said to be JSON in UTF-8."),
    (421, "The server is not asked under the name that the request says."),
    (422, "What was sent is not what the schema asks for: `violations` in the details."),
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

/// Returns the failures as components, in each format.
pub(super) fn failures() -> Value {
    let formats = [ResponseFormat::CallResponse, ResponseFormat::Envelope];
    let of_format = |format| {
        FAILURES.map(|(status, when)| (name(format, status), failure(format, status, when)))
    };
    Value::Object(formats.into_iter().flat_map(of_format).collect())
}

/// Refers to failures in the format of most paths, by their statuses.
pub(super) fn refused(statuses: &[&[u16]]) -> Map<String, Value> {
    refused_as(ResponseFormat::CallResponse, statuses)
}

/// Refers to failures in this format, by their statuses.
pub(super) fn refused_as(format: ResponseFormat, statuses: &[&[u16]]) -> Map<String, Value> {
    let response =
        |status: &u16| json!({"$ref": format!("#/components/responses/{}", name(format, *status))});
    let mut statuses: Vec<_> = statuses.concat();
    statuses.sort_unstable();
    statuses.iter().map(|status| (status.to_string(), response(status))).collect()
}

/// Returns the failure of a call that waits for a person, which links to the decision about it.
pub(super) fn waiting(format: ResponseFormat) -> Value {
    let ticket = match format {
        ResponseFormat::CallResponse => "$response.body#/detail/details/ticket/id",
        ResponseFormat::Envelope => "$response.body#/error/details/ticket/id",
    };
    let when = FAILURES.iter().find(|(status, _)| *status == 409).map_or("", |(_, when)| when);
    let mut failure = failure(format, 409, when);
    let parameters = json!({"ticket": ticket});
    failure["links"] =
        json!({"decide": {"operationId": "decideApproval", "parameters": parameters}});
    failure
}

/// An answer in JSON.
pub(super) fn json(description: &str, schema: &Value) -> Value {
    json!({"description": description, "content": {"application/json": {"schema": schema}}})
}

fn failure(format: ResponseFormat, status: u16, when: &str) -> Value {
    let body = match format {
        ResponseFormat::CallResponse => of("CallFailure"),
        ResponseFormat::Envelope => of("EnvelopeFailure"),
    };
    let mut failure = json(when, &body);
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

fn name(format: ResponseFormat, status: u16) -> String {
    match format {
        ResponseFormat::CallResponse => format!("Failure{status}"),
        ResponseFormat::Envelope => format!("EnvelopeFailure{status}"),
    }
}
