//! The responses of the paths: one body for every failure, in each of the two formats.

use serde_json::{Map, Value, json};

use super::reference::schema_ref;
use crate::response::ResponseFormat;

/// The statuses of failures, with their descriptions.
const FAILURES: [(u16, &str); 18] = [
    (400, "The request is malformed, contradicts itself, or lacks a required field."),
    (401, "The request has no valid credential."),
    (403, "The caller may not do this, or not for this tenant; or an approver declined the call."),
    (404, "There is no such path, tool, ticket or trace, or the tool found nothing."),
    (406, "The response has none of the accepted media types."),
    (408, "The body did not arrive in time."),
    (
        409,
        "It conflicts with the current state, or the call waits for approval: `ticket` in the details.",
    ),
    (410, "The ticket has expired or was superseded."),
    (413, "The body is too long."),
    (415, "The body's media type is not JSON in UTF-8."),
    (421, "The server does not accept the request's host name."),
    (422, "The request is not valid by its schema: `violations` in the details."),
    (429, "A rate limit or a quota of the caller is used up."),
    (500, "The server or the tool failed."),
    (502, "A service behind the tool failed."),
    (503, "The server is shutting down, is busy, or cannot reach its store."),
    (504, "A time limit was exceeded."),
    (405, "The path does not accept this method."),
];

/// The statuses of every request that is not admitted.
pub(super) const ADMISSION: [u16; 7] = [400, 401, 403, 421, 429, 500, 503];
/// The further statuses of a request with a body.
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

/// Returns a response with a JSON body.
pub(super) fn json(description: &str, schema: &Value) -> Value {
    json!({"description": description, "content": {"application/json": {"schema": schema}}})
}

fn failure(format: ResponseFormat, status: u16, when: &str) -> Value {
    let body = match format {
        ResponseFormat::CallResponse => schema_ref("CallFailure"),
        ResponseFormat::Envelope => schema_ref("EnvelopeFailure"),
    };
    let mut failure = json(when, &body);
    let header = match status {
        401 => json!({"WWW-Authenticate": {
            "description": "The accepted kinds of credentials.",
            "schema": {"type": "string"},
        }}),
        429 | 503 => json!({"Retry-After": {
            "description": "The seconds to wait before a retry.",
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use axum::http::StatusCode;
    use tool_contracts::{ErrorCode, ToolErrorType};

    use super::super::operations::CALL;
    use super::{ADMISSION, BODY};
    use crate::problem::status;

    #[test]
    fn the_document_describes_every_status_of_a_failure() {
        let described: BTreeSet<u16> = super::FAILURES.iter().map(|(status, _)| *status).collect();
        // The server answers 431 before a path is known.
        let of_paths = status::FAILURES.iter().map(StatusCode::as_u16).filter(|it| *it != 431);
        assert_eq!(described, of_paths.collect());
    }

    #[test]
    fn a_call_is_documented_with_every_status_of_its_errors() {
        let documented = [&ADMISSION[..], &BODY, &CALL].concat();
        let codes = ErrorCode::ALL.iter().map(|code| code.http_status());
        let types = ToolErrorType::ALL.iter().map(|error_type| error_type.http_status());
        let missing: Vec<u16> =
            codes.chain(types).filter(|status| !documented.contains(status)).collect();
        assert_eq!(missing, [0; 0], "add them to `operations::CALL`");
    }
}
