//! Values that must not leak: credentials, arguments, rejected values.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tool_contracts::{
    ToolCallRequest, ToolContext, ToolError, ToolErrorDetail, ToolOutput, ToolResult,
    ToolResultMeta, ToolSpec, Violation,
    envelope::{CallEnvelope, RequestEnvelope, ResponseEnvelope, ResponseError},
    server::{
        Audit, CallContext, CallRequest, CallResponse, ListRequest, ListResponse, Tenant,
        ToolListing,
    },
};
use uuid::Uuid;

const SECRET: &str = "hunter2";

fn context() -> ToolContext {
    let auth = json!({"bearer": SECRET, "nested": {"deep": [{"key": SECRET}], SECRET: 1}});
    let Value::Object(auth) = auth else { unreachable!("an object was written") };
    ToolContext::builder(Uuid::nil(), "trace").run_id("run").auth(auth).build().unwrap()
}

#[test]
fn debug_masks_the_credentials() {
    let context = context();
    for shown in [format!("{context:?}"), format!("{context:#?}")] {
        assert!(!shown.contains(SECRET) && shown.contains("***"), "{shown}");
    }
    let builder = ToolContext::builder(Uuid::nil(), "trace").auth(context.auth().unwrap().clone());
    assert!(!format!("{builder:?}").contains(SECRET));
}

#[test]
fn logs_get_no_credentials_at_all() {
    let context = context();
    for context in [context.clone(), context.with_invocation_id(Uuid::now_v7())] {
        let logged = serde_json::to_value(context.for_log()).unwrap();
        assert!(!logged.to_string().contains("auth") && !logged.to_string().contains(SECRET));
        assert_eq!(logged["invocation_id"], json!(context.invocation_id()));
        assert!(!format!("{:?}", context.for_log()).contains(SECRET));
    }
}

#[test]
fn the_wire_keeps_the_credentials() {
    let text = serde_json::to_string(&context()).unwrap();
    let read: ToolContext = serde_json::from_str(&text).unwrap();
    assert_eq!(read.auth(), context().auth());
}

#[test]
fn a_request_shows_how_long_its_arguments_are() {
    let text = format!(r#"{{"call_id":"1","name":"login","arguments":{{"password":"{SECRET}"}}}}"#);
    let request: ToolCallRequest = serde_json::from_str(&text).unwrap();
    assert!(!format!("{request:?}").contains(SECRET));
    assert!(format!("{request:?}").contains("22 bytes"), "{request:?}");
}

#[test]
fn a_call_envelope_shows_how_long_its_input_is() {
    let input = format!(r#"{{"password":"{SECRET}"}}"#);
    let text =
        format!(r#"{{"request_id":"r-1","actor":{{"type":"user","id":"u_1"}},"input":{input}}}"#);
    let call: CallEnvelope = serde_json::from_str(&text).unwrap();
    assert!(!format!("{call:?}").contains(SECRET), "{call:?}");
    assert!(format!("{call:?}").contains("22 bytes"), "{call:?}");
}

/// Puts the secret, in every JSON type that can hold it, into every field and asks for the error.
#[track_caller]
fn check<T: DeserializeOwned>(file: &str) {
    let schemas = tool_contracts::schemas::all();
    let (_, schema) = schemas.iter().find(|(name, _)| *name == file).unwrap();
    let examples = schema.get("examples").unwrap().as_array().unwrap();
    for planted in [json!(SECRET), json!([SECRET]), json!({"key": SECRET})] {
        check_silent::<T>(&planted);
        for example in examples {
            plant(example, &planted, &mut |broken| check_silent::<T>(broken));
        }
    }
}

#[track_caller]
fn check_silent<T: DeserializeOwned>(broken: &Value) {
    if let Err(error) = serde_json::from_str::<T>(&broken.to_string()) {
        assert!(!error.to_string().contains(SECRET), "{error}");
    }
}

fn plant(value: &Value, planted: &Value, try_it: &mut dyn FnMut(&Value)) {
    let Value::Object(fields) = value else { return };
    for (name, inner) in fields {
        let mut broken = value.clone();
        broken[name] = planted.clone();
        try_it(&broken);
        plant(inner, planted, &mut |inner| {
            broken[name] = inner.clone();
            try_it(&broken);
        });
    }
}

#[test]
fn no_error_quotes_what_it_rejects() {
    check::<ToolContext>("tool_context.json");
    check::<ToolOutput<Typed, Typed>>("tool_output.json");
    check::<ToolResult<Typed, Typed>>("tool_result.json");
    check::<ToolError<Typed>>("tool_error.json");
    check::<ToolErrorDetail>("tool_error_detail.json");
    check::<ToolResultMeta>("tool_result_meta.json");
    check::<ToolSpec>("tool_spec.json");
    check::<Violation>("violation.json");
    check::<RequestEnvelope>("request_envelope.json");
    check::<ResponseEnvelope<Typed>>("response_envelope.json");
    check::<ResponseError>("response_error.json");
    check::<Tenant>("tenant.json");
    check::<ListRequest>("list_request.json");
    check::<ListResponse>("list_response.json");
    check::<ToolListing>("tool_listing.json");
    check::<CallRequest<Typed>>("call_request.json");
    check::<CallEnvelope<Typed>>("call_envelope.json");
    check::<CallContext>("call_context.json");
    check::<CallResponse<Typed>>("call_response.json");
    check::<Audit>("audit.json");
}

/// A user's type, whose derived reader would quote.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Typed {
    #[serde(rename = "query", alias = "answer")]
    _text: Greeting,
}

#[derive(serde::Deserialize)]
enum Greeting {
    #[serde(rename = "hello", alias = "Hi there!")]
    Hello,
}
