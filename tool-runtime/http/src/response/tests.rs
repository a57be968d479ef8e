use axum::http::HeaderMap;
use serde_json::Value;
use tool_contracts::server::CallResponse;
use tool_contracts::{ErrorCode, ToolErrorType};

use super::*;

fn unknown() -> RequestFacts {
    RequestFacts::new(RequestStart::now(ResponseFormat::CallResponse))
}

fn facts() -> RequestFacts {
    RequestFacts {
        payload: PayloadHash::compute(b"{}"),
        trace_id: Some("trace-1".into()),
        tool_name: "add".into(),
        ..unknown()
    }
}

fn headers(outcome: JsonResponse) -> HeaderMap {
    outcome.into_response().headers().clone()
}

#[track_caller]
fn failed(status: u16, detail: &ToolErrorDetail) -> JsonResponse {
    JsonResponse::failure(StatusCode::from_u16(status).expect("a status"), detail, None, &facts())
}

/// The contract reads what is written, into the same text.
#[track_caller]
fn check_contract(body: &[u8]) -> Value {
    let read: CallResponse<Value> = serde_json::from_slice(body).expect("the contract reads it");
    assert_eq!(serde_json::to_string(&read).expect("JSON").as_bytes(), body);
    serde_json::from_slice(body).expect("JSON")
}

#[test]
fn a_success_is_what_the_contract_says() {
    let outcome = JsonResponse::success("[1,2]", None, "trace-1", &facts());
    let body = check_contract(&outcome.body);
    assert_eq!(body["output"], serde_json::json!([1, 2]));
    assert!(body.get("meta").is_none());
    assert_eq!(body["audit"]["tool_name"], "add");

    let meta = r#"{"took_ms":1,"ttl_seconds":60}"#;
    let outcome = JsonResponse::success("null", Some(meta), "trace-1", &facts());
    assert_eq!(check_contract(&outcome.body)["meta"]["ttl_seconds"], 60);
}

#[test]
fn a_success_is_written_into_a_buffer_of_its_size() {
    let mut facts = facts();
    for name in ["add", "", "a\"\\\n\u{1}\u{7f}名\u{8}\u{c}\r\t"] {
        facts.tool_name = name.into();
        for meta in [None, Some(r#"{"took_ms":1}"#)] {
            let json = write_success("[]", meta, name, &facts);
            assert_eq!(json.len(), json.capacity(), "{name:?}");
            assert!(serde_json::from_slice::<Value>(&json).is_ok());
        }
    }
}

#[test]
fn a_failure_is_what_the_contract_says() {
    let detail = ToolErrorDetail::from_code(ErrorCode::NotFound, "no tool has this name").build();
    let outcome = failed(404, &detail);
    let body = check_contract(&outcome.body);
    assert_eq!(body["error"], "no tool has this name");
    assert_eq!(body["error_type"], "NOT_FOUND");
    assert_eq!(body["audit"]["error_type"], "NOT_FOUND");
    assert_eq!(body["audit"]["error_message"], "no tool has this name");

    let meta = Some(r#"{"took_ms":1,"attempts":2}"#);
    let outcome = JsonResponse::failure(StatusCode::NOT_FOUND, &detail, meta, &facts());
    assert_eq!(check_contract(&outcome.body)["meta"]["attempts"], 2);
}

#[test]
fn a_failure_says_nothing_of_the_types_of_the_program() {
    let detail = ToolErrorDetail::from_code(ErrorCode::UpstreamError, "the store does not answer")
        .cause("guide::store::Broken")
        .attempt(2)
        .build();
    let body = check_contract(&failed(502, &detail).body);
    assert_eq!(
        body["detail"],
        serde_json::json!({
            "type": "UPSTREAM",
            "message": "the store does not answer",
            "code": "UPSTREAM_ERROR",
            "attempt": 2,
        })
    );
}

#[test]
fn a_failure_without_a_code_is_named_by_its_type() {
    let detail = ToolErrorDetail::builder(ToolErrorType::Upstream, "no").build();
    assert_eq!(check_contract(&failed(502, &detail).body)["error_type"], "UPSTREAM");
}

#[test]
fn a_request_that_nobody_could_read_gets_a_trace_of_its_own() {
    let detail = ToolErrorDetail::from_code(ErrorCode::NotFound, "no").build();
    let outcome = JsonResponse::failure(StatusCode::NOT_FOUND, &detail, None, &unknown());
    let body = check_contract(&outcome.body);
    assert!(body["audit"]["trace_id"].as_str().is_some_and(|id| id.parse::<Uuid>().is_ok()));
    assert_eq!(body["audit"]["tool_name"], "");
    let of_nothing = PayloadHash::compute(b"");
    assert_eq!(body["audit"]["request_payload_hash"], of_nothing.as_str());
}

#[test]
fn the_hash_is_the_sha256_of_the_body() {
    let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(PayloadHash::compute(b"abc").as_str(), known);
}

#[test]
fn retry_after_is_written_in_whole_seconds() {
    let limited =
        |time| ToolErrorDetail::from_code(ErrorCode::RateLimited, "no").retry_after_ms(time);
    let after = |status, detail: &ToolErrorDetail| {
        let headers = headers(failed(status, detail));
        headers.get(RETRY_AFTER).map(|value| value.to_str().expect("text").to_owned())
    };
    assert_eq!(after(429, &limited(1_001).build()).as_deref(), Some("2"));
    assert_eq!(after(429, &limited(1_000).build()).as_deref(), Some("1"));
    assert_eq!(after(429, &limited(0).build()).as_deref(), Some("1"));
    let unavailable = ToolErrorDetail::from_code(ErrorCode::Unavailable, "no");
    assert_eq!(after(503, &unavailable.build()).as_deref(), Some("1"));
    let conflict = ToolErrorDetail::from_code(ErrorCode::Conflict, "no");
    assert_eq!(after(409, &conflict.clone().build()), None);
    assert_eq!(after(409, &conflict.retry_after_ms(2_500).build()).as_deref(), Some("3"));
}

#[test]
fn headers_say_what_the_body_is() {
    let detail = ToolErrorDetail::from_code(ErrorCode::Unauthorized, "no").build();
    assert_eq!(headers(failed(401, &detail))[CONTENT_TYPE], "application/json");
    let succeeded = headers(JsonResponse::success("1", None, "trace-1", &facts()));
    assert_eq!(succeeded[CONTENT_TYPE], "application/json");
}

#[test]
fn nothing_on_the_way_keeps_an_answer_for_somebody_else() {
    let success = JsonResponse::success("1", None, "trace-1", &facts());
    let failure = failed(404, &ToolErrorDetail::from_code(ErrorCode::NotFound, "nothing").build());
    for outcome in [success, failure] {
        assert_eq!(headers(outcome)["cache-control"], "no-store");
    }
}
