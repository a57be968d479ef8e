//! Every value that can be built reads back as itself.

pub(crate) mod values;

use std::fmt::Debug;

use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use tool_contracts::{
    ToolOutput,
    envelope::{CallEnvelope, ResponseEnvelope},
    server::{CallRequest, CallResponse},
};

#[track_caller]
fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    let text = serde_json::to_string(value).unwrap();
    let read: T = serde_json::from_str(&text).unwrap();
    assert_eq!(&read, value);
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
}

/// As [`check`], and from a parsed value too, which a raw value cannot be read from.
#[track_caller]
fn check_any<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) {
    check(value);
    let parsed = serde_json::to_value(value).unwrap();
    assert_eq!(&serde_json::from_value::<T>(parsed).unwrap(), value);
}

macro_rules! round_trips {
    ($($name:ident: $strategy:expr;)+) => {
        proptest! {
            #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]
            $(#[test]
            fn $name(value in $strategy) {
                check_any(&value);
            })+
        }
    };
}

round_trips! {
    contexts: values::context();
    actors: values::actor();
    clients: values::client();
    traces: values::trace();
    results: values::result();
    result_metas: values::result_meta();
    budget_uses: values::budget_use();
    coercions: values::coercion();
    attachments: values::attachment();
    evidences: values::evidence();
    sources: values::source();
    errors: values::error();
    error_details: values::detail();
    error_metas: values::error_meta();
    outputs: values::output();
    specs: values::spec();
    annotations: values::annotations();
    violations: values::violation();
    request_envelopes: values::request_envelope();
    response_envelopes: values::response_envelope();
    response_errors: values::response_error();
    error_types: values::error_type();
    error_codes: values::error_code();
    effects: values::effect();
    permissions: values::permission();
    call_statuses: values::call_status();
    tenants: values::tenant();
    list_requests: values::list_request();
    list_responses: values::list_response();
    tool_listings: values::tool_listing();
    call_contexts: values::call_context();
    call_responses: values::call_response();
    audit_statuses: values::audit_status();
    audits: values::audit();
    serialization_requests: values::serialization_request();
    serialized_outputs: values::serialized_output();
    serialization_metadata: values::serialization_metadata();
    serialization_formats: values::serialization_format();
    tool_types: values::tool_type();
    retry_configs: values::retry_config();
    chat_roles: values::chat_role();
    chat_messages: values::chat_message();
    compression_strategies: values::compression_strategy();
    compression_methods: values::compression_method();
    optimized_contexts: values::optimized_context();
    latency_breakdowns: values::latency_breakdown();
    cost_reports: values::cost_report();
    llm_responses: values::llm_response();
    schema_complexities: values::schema_complexity();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn requests(request in values::request()) {
        check(&request);
    }

    #[test]
    fn tool_requests(request in values::tool_request()) {
        check(&request);
    }

    #[test]
    fn act_results(result in values::act_result()) {
        check(&result);
    }

    #[test]
    fn proxy_requests(request in values::proxy_request()) {
        check(&request);
    }

    #[test]
    fn proxy_responses(response in values::proxy_response()) {
        check(&response);
    }

    #[test]
    fn contexts_of_turns(context in values::context_data()) {
        check(&context);
    }

    #[test]
    fn call_requests(request in values::call_request()) {
        let text = serde_json::to_string(&request).unwrap();
        let read: CallRequest<Value> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(read.into_parts(), request.into_parts());
    }

    #[test]
    fn call_envelopes(call in values::call_envelope()) {
        let text = serde_json::to_string(&call).unwrap();
        let read: CallEnvelope<Value> = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(read.into_parts(), call.into_parts());
    }

    #[test]
    fn call_responses_with_shuffled_fields(
        response in values::call_response(),
        seed in any::<prop::sample::Index>(),
    ) {
        let read: CallResponse<Value> = serde_json::from_str(&turned(&response, seed)).unwrap();
        prop_assert_eq!(read, response);
    }

    #[test]
    fn outputs_with_shuffled_fields(output in values::output(), seed in any::<prop::sample::Index>()) {
        let read: ToolOutput<Value, Value> = serde_json::from_str(&turned(&output, seed)).unwrap();
        prop_assert_eq!(read, output);
    }

    #[test]
    fn responses_with_shuffled_fields(
        response in values::response_envelope(),
        seed in any::<prop::sample::Index>(),
    ) {
        let read: ResponseEnvelope<Value> = serde_json::from_str(&turned(&response, seed)).unwrap();
        prop_assert_eq!(read, response);
    }
}

/// The object's text, which starts with another of its fields.
fn turned<T: Serialize>(value: &T, seed: prop::sample::Index) -> String {
    let Value::Object(fields) = serde_json::to_value(value).unwrap() else { unreachable!() };
    let mut fields: Vec<_> = fields.into_iter().collect();
    let turn = seed.index(fields.len());
    fields.rotate_left(turn);
    let text: Vec<String> =
        fields.iter().map(|(name, value)| format!("{name:?}:{value}")).collect();
    format!("{{{}}}", text.join(","))
}
