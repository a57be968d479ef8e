//! Bodies in the published shapes of other services, read by the types here.
//!
//! The files under `tests/published` have the keys of the published examples, with values of their
//! own. Three published answers differ from what is read, in one place each:
//!
//! - the `total` of the published list counts tools that the example leaves out; here it is the
//!   number of `tools`, so that a list that was cut off is found out;
//! - `request_payload_hash` is published with 8 hex digits; here it has all 64, since 32 bits of a
//!   hash prove nothing about a body;
//! - `uuid`, `user|agent|system` and the like stand for values in the published envelopes, and are
//!   not values themselves.

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tool_contracts::{
    ErrorCode, ToolErrorType, ToolOutput,
    envelope::{CallEnvelope, RequestEnvelope, ResponseEnvelope},
    schemas,
    server::{
        AuditStatus, CallContext, CallRequest, CallResponse, ListRequest, ListResponse, Tenant,
    },
};

fn read<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap()
}

#[track_caller]
fn refused<T: DeserializeOwned + Debug>(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    serde_json::from_str::<T>(&text.replace(from, to)).unwrap_err().to_string()
}

#[test]
fn the_request_envelope_is_read() {
    let request: RequestEnvelope = read(include_str!("../published/envelope_request.json"));
    assert_eq!(request.request_id(), "2f1a6c7e-58d0-4b7f-9f0e-0f3c8f0a7b11");
    assert_eq!(request.actor().id(), "planner-2");
    assert_eq!((request.user_id(), request.session_id()), (Some("u_77"), Some("s_12")));
    assert_eq!(request.client().unwrap().version(), "3.1.0");
    assert_eq!(request.trace().unwrap().parent_span_id(), Some("span-a"));
    assert!(!request.dry_run());
}

#[test]
fn the_response_envelope_is_read_with_every_key() {
    let response: ResponseEnvelope<Value> =
        read(include_str!("../published/envelope_success.json"));
    assert_eq!(response.data().unwrap()["total"], "18.20");
    assert_eq!(response.ttl_seconds(), Some(60));
    assert_eq!(response.evidence().unwrap().snapshot_id(), "ev_5c2d");
    let response: ResponseEnvelope<Value> =
        read(include_str!("../published/envelope_every_key.json"));
    assert!(response.is_ok() && response.warnings().is_empty());
    assert_eq!((response.ttl_seconds(), response.evidence()), (None, None));
}

#[test]
fn a_failure_is_read_with_its_warnings_freshness_and_evidence() {
    let response: ResponseEnvelope<Value> =
        read(include_str!("../published/envelope_failure.json"));
    assert_eq!(response.error().unwrap().code(), ErrorCode::OutOfStock);
    assert_eq!((response.warnings().len(), response.ttl_seconds()), (1, Some(30)));
    assert_eq!(response.evidence().unwrap().snapshot_id(), "ev_77fe");
    let output: ToolOutput<(), Value> = response.clone().into_output(());
    assert_eq!(ResponseEnvelope::from(output), response);
}

#[test]
fn a_list_is_asked_for_and_read() {
    let request: ListRequest = read(include_str!("../published/list_request.json"));
    assert_eq!(request, ListRequest::new());
    let text = include_str!("../published/list_response.json");
    let list: ListResponse = read(text);
    assert_eq!((list.total(), list.tools()[0].name()), (1, "get_npc_profile"));
    let told = refused::<ListResponse>(text, r#""total": 1"#, r#""total": 6"#);
    assert!(told.starts_with("`total`: expected the number of `tools`"), "{told}");
}

#[test]
fn a_call_is_read() {
    let request: CallRequest<Value> = read(include_str!("../published/call_request.json"));
    assert_eq!((request.tool_name(), &request.input()["limit"]), ("search_content", &3.into()));
    assert_eq!(request.context().tenant_id().and_then(Tenant::slug), Some("village"));
}

#[test]
fn an_answer_to_a_call_is_read() {
    let text = include_str!("../published/call_success.json");
    let response: CallResponse<Value> = read(text);
    assert_eq!(response.output().unwrap()["query"], "well");
    assert_eq!(
        (response.audit().status(), response.audit().latency_ms()),
        (AuditStatus::Success, 31)
    );
    let hash = response.audit().request_payload_hash().to_owned();
    let told = refused::<CallResponse<Value>>(text, &hash, "0a1b2c3d");
    assert!(told.starts_with("`audit`: `request_payload_hash`: expected 64"), "{told}");
}

#[test]
fn a_failure_without_detail_is_read_by_its_text_and_its_type() {
    let text = include_str!("../published/call_failure.json");
    let as_type = |error_type: &str| {
        let response: CallResponse<Value> = read(&text.replace("ValueError", error_type));
        assert_eq!(response.error_type(), Some(error_type));
        let detail = response.detail().unwrap().clone();
        assert_eq!(detail.message(), "no guide has this name");
        // The serialized form contains the complete detail, and reads back equal.
        let written = serde_json::to_string(&response).unwrap();
        assert_eq!(read::<CallResponse<Value>>(&written), response);
        (detail.error_type(), detail.code().map(str::to_owned))
    };
    let own = Some("ValueError".to_owned());
    assert_eq!(as_type("ValueError"), (ToolErrorType::Fatal, own));
    let conflict = Some("CONFLICT".to_owned());
    assert_eq!(as_type("CONFLICT"), (ToolErrorType::Retryable, conflict));
    assert_eq!(as_type("UPSTREAM"), (ToolErrorType::Upstream, None));
    let no_type = refused::<CallResponse<Value>>(text, r#""error_type": "ValueError","#, "");
    assert!(no_type.starts_with('`'), "{no_type}");
}

/// Every key that a schema admits, those of its alternatives too.
fn keys<'s>(schema: &'s Value, root: &'s Value, found: &mut Vec<&'s str>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let pointer = reference.trim_start_matches('#');
        return keys(root.pointer(pointer).unwrap(), root, found);
    }
    found.extend(schema["properties"].as_object().into_iter().flatten().map(|(key, _)| &**key));
    for alternative in schema["oneOf"].as_array().into_iter().flatten() {
        if alternative.get("$ref").is_some() {
            keys(alternative, root, found);
        }
    }
}

/// The example with `null` under every key that it leaves out.
fn with_nulls(example: &Map<String, Value>, keys: &[&str]) -> Value {
    let mut filled = example.clone();
    for key in keys {
        filled.entry(*key).or_insert(Value::Null);
    }
    filled.into()
}

#[track_caller]
fn check<T: DeserializeOwned + Debug + PartialEq>(file: &str) {
    let (_, schema) = schemas::all().into_iter().find(|(name, _)| *name == file).unwrap();
    let schema = schema.to_value();
    let mut known = Vec::new();
    keys(&schema, &schema, &mut known);
    assert!(!known.is_empty(), "{file}");
    for example in schema["examples"].as_array().unwrap() {
        let filled = with_nulls(example.as_object().unwrap(), &known);
        let plain: T = read(&example.to_string());
        let nulls = serde_json::from_str::<T>(&filled.to_string());
        assert_eq!(nulls.map_err(|error| format!("{file}: {error}")), Ok(plain));
    }
}

#[test]
fn null_stands_for_any_key_that_is_not_set() {
    check::<RequestEnvelope>("request_envelope.json");
    check::<CallEnvelope<Value>>("call_envelope.json");
    check::<ResponseEnvelope<Value>>("response_envelope.json");
    check::<tool_contracts::envelope::ResponseError>("response_error.json");
    check::<tool_contracts::Evidence>("evidence.json");
    check::<tool_contracts::EvidenceSource>("evidence_source.json");
    check::<tool_contracts::Trace>("trace.json");
    check::<tool_contracts::ToolContext>("tool_context.json");
    check::<tool_contracts::ToolErrorDetail>("tool_error_detail.json");
    check::<tool_contracts::ToolErrorMeta>("tool_error_meta.json");
    check::<tool_contracts::ToolResultMeta>("tool_result_meta.json");
    // Beside each other they share no keys: the union's `data` is no key of an error.
    check::<tool_contracts::ToolResult<Value, Value>>("tool_result.json");
    check::<tool_contracts::ToolError<Value>>("tool_error.json");
    check::<CallContext>("call_context.json");
    check::<CallResponse<Value>>("call_response.json");
    check::<ListRequest>("list_request.json");
    check::<ListResponse>("list_response.json");
    check::<tool_contracts::server::ToolListing>("tool_listing.json");
    check::<tool_contracts::server::Audit>("audit.json");
}
