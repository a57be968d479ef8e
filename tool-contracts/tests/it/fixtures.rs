//! The schemas' examples: each parses and prints back unchanged, null being absent.

use std::fmt::Debug;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use tool_contracts::{
    Actor, ActorType, Allowance, AllowancePeriod, Attachment, Audience, BudgetUse, CallStatus,
    Client, ClientApp, Coercion, Effect, ErrorCode, Evidence, EvidenceSource, Permission,
    ToolAnnotations, ToolCallRequest, ToolContext, ToolError, ToolErrorDetail, ToolErrorMeta,
    ToolErrorType, ToolOutput, ToolResult, ToolResultMeta, ToolSpec, ToolkitSpec, Trace, Violation,
    act::{ActResult, RetryConfig, ToolRequest, ToolType},
    articulate::{
        SchemaComplexity, SerializationFormat, SerializationMetadata, SerializationRequest,
        SerializedOutput,
    },
    assess::{
        ChatMessage, ChatRole, CompressionMethod, CompressionStrategy, ContextData,
        OptimizedContext,
    },
    envelope::{CallEnvelope, RequestEnvelope, ResponseEnvelope, ResponseError},
    proxy::{CostReport, LatencyBreakdown, LlmResponse, ProxyRequest, ProxyResponse},
    schemas,
    server::{
        Audit, AuditStatus, CallContext, CallRequest, CallResponse, ListRequest, ListResponse,
        Tenant, ToolListing,
    },
};

#[track_caller]
fn check<T: Serialize + DeserializeOwned + Debug>(example: &Value) {
    let read: T = serde_json::from_value(example.clone()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), without_nulls(example.clone()));
    let again: T = serde_json::from_str(&example.to_string()).unwrap();
    assert_eq!(serde_json::to_string(&again).unwrap(), serde_json::to_string(&read).unwrap());
}

/// As [`check`], for types with raw values, which are read from text only.
#[track_caller]
fn check_text<T: Serialize + DeserializeOwned>(example: &Value) {
    let read: T = serde_json::from_str(&example.to_string()).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap().len(), example.to_string().len());
    assert_eq!(&serde_json::to_value(&read).unwrap(), example);
}

fn without_nulls(value: Value) -> Value {
    let Value::Object(fields) = value else { return value };
    let kept = fields.into_iter().filter(|(_, value)| !value.is_null());
    kept.map(|(name, value)| (name, without_nulls(value))).collect()
}

/// Calls the first function for the type of a file, or the second one if the type has raw values.
macro_rules! with_type {
    ($file:expr, $check:ident, $check_text:ident, $example:expr) => {
        match $file {
            "tool_context.json" => $check::<ToolContext>($example),
            "actor.json" => $check::<Actor>($example),
            "actor_type.json" => $check::<ActorType>($example),
            "allowance.json" => $check::<Allowance>($example),
            "allowance_period.json" => $check::<AllowancePeriod>($example),
            "client.json" => $check::<Client>($example),
            "client_app.json" => $check::<ClientApp>($example),
            "trace.json" => $check::<Trace>($example),
            "tool_output.json" => $check::<ToolOutput<Value, Value>>($example),
            "tool_result.json" => $check::<ToolResult<Value, Value>>($example),
            "tool_result_meta.json" => $check::<ToolResultMeta>($example),
            "attachment.json" => $check::<Attachment>($example),
            "audience.json" => $check::<Audience>($example),
            "budget_use.json" => $check::<BudgetUse>($example),
            "coercion.json" => $check::<Coercion>($example),
            "evidence.json" => $check::<Evidence>($example),
            "evidence_source.json" => $check::<EvidenceSource>($example),
            "tool_error.json" => $check::<ToolError<Value>>($example),
            "tool_error_detail.json" => $check::<ToolErrorDetail>($example),
            "tool_error_meta.json" => $check::<ToolErrorMeta>($example),
            "tool_error_type.json" => $check::<ToolErrorType>($example),
            "error_code.json" => $check::<ErrorCode>($example),
            "tool_spec.json" => $check::<ToolSpec>($example),
            "toolkit_spec.json" => $check::<ToolkitSpec>($example),
            "tool_annotations.json" => $check::<ToolAnnotations>($example),
            "effect.json" => $check::<Effect>($example),
            "permission.json" => $check::<Permission>($example),
            "call_status.json" => $check::<CallStatus>($example),
            "violation.json" => $check::<Violation>($example),
            "request_envelope.json" => $check::<RequestEnvelope>($example),
            "call_envelope.json" => $check::<CallEnvelope<Value>>($example),
            "response_envelope.json" => $check::<ResponseEnvelope<Value>>($example),
            "response_error.json" => $check::<ResponseError>($example),
            "tenant.json" => $check::<Tenant>($example),
            "list_request.json" => $check::<ListRequest>($example),
            "list_response.json" => $check::<ListResponse>($example),
            "tool_listing.json" => $check::<ToolListing>($example),
            "call_request.json" => $check::<CallRequest<Value>>($example),
            "call_context.json" => $check::<CallContext>($example),
            "call_response.json" => $check::<CallResponse<Value>>($example),
            "audit.json" => $check::<Audit>($example),
            "serialization_request.json" => $check::<SerializationRequest>($example),
            "serialized_output.json" => $check::<SerializedOutput>($example),
            "serialization_metadata.json" => $check::<SerializationMetadata>($example),
            "serialization_format.json" => $check::<SerializationFormat>($example),
            "schema_complexity.json" => $check::<SchemaComplexity>($example),
            "audit_status.json" => $check::<AuditStatus>($example),
            "tool_type.json" => $check::<ToolType>($example),
            "retry_config.json" => $check::<RetryConfig>($example),
            "chat_message.json" => $check::<ChatMessage>($example),
            "chat_role.json" => $check::<ChatRole>($example),
            "compression_strategy.json" => $check::<CompressionStrategy>($example),
            "compression_method.json" => $check::<CompressionMethod>($example),
            "optimized_context.json" => $check::<OptimizedContext>($example),
            "llm_response.json" => $check::<LlmResponse>($example),
            "latency_breakdown.json" => $check::<LatencyBreakdown>($example),
            "cost_report.json" => $check::<CostReport>($example),
            "proxy_request.json" => $check_text::<ProxyRequest>($example),
            "proxy_response.json" => $check_text::<ProxyResponse>($example),
            "tool_call_request.json" => $check_text::<ToolCallRequest>($example),
            "tool_request.json" => $check_text::<ToolRequest>($example),
            "act_result.json" => $check_text::<ActResult>($example),
            "context_data.json" => $check_text::<ContextData>($example),
            other => panic!("{other} has no type here; add it to the list"),
        }
    };
}

#[track_caller]
fn check_file(file: &str, example: &Value) {
    with_type!(file, check, check_text, example);
}

#[test]
fn every_example_parses_and_prints_back_unchanged() {
    for (file, schema) in schemas::all() {
        for example in schema.get("examples").unwrap().as_array().unwrap() {
            check_file(file, example);
        }
    }
}

/// The objects of the examples whose keys are not of the contract: arguments, answers, schemas, metadata,
/// counts by name, and what only the host knows.
const OPEN: &[(&str, &[&str])] = &[
    ("tool_context.json", &["/auth"]),
    ("tool_output.json", &["/data", "/input", "/meta/token_usage"]),
    ("tool_result.json", &["/data", "/input", "/meta/token_usage"]),
    ("tool_result_meta.json", &["/token_usage", "/routing", "/source_counts"]),
    ("tool_error.json", &["/input"]),
    ("tool_error_detail.json", &["/details"]),
    (
        "tool_spec.json",
        &[
            "/input_examples/0",
            "/input_schema",
            "/input_schema/properties",
            "/input_schema/properties/query",
            "/output_schema",
        ],
    ),
    ("tool_call_request.json", &["/arguments"]),
    ("call_envelope.json", &["/input"]),
    ("response_envelope.json", &["/data", "/error/details"]),
    ("response_error.json", &["/details"]),
    ("list_response.json", &["/tools/0/input_schema", "/tools/0/output_schema"]),
    (
        "tool_listing.json",
        &[
            "/input_schema",
            "/input_schema/properties",
            "/input_schema/properties/npc_id",
            "/output_schema",
        ],
    ),
    ("call_request.json", &["/input"]),
    ("call_response.json", &["/output"]),
    ("serialization_request.json", &["/data", "/data/items/0", "/data/items/1"]),
    ("tool_request.json", &["/parameters"]),
    ("act_result.json", &["/data/0", "/metadata"]),
    ("context_data.json", &["/tool_results/0/data/0", "/transient_context"]),
    ("optimized_context.json", &["/metadata"]),
    ("proxy_request.json", &["/required_tools/0/parameters", "/user_context"]),
    ("proxy_response.json", &["/llm_response/content", "/tool_results/0/data/0"]),
    ("llm_response.json", &["/content"]),
];

fn is_read(file: &str, example: &Value) -> bool {
    with_type!(file, reads, reads, example)
}

fn reads<T: DeserializeOwned>(example: &Value) -> bool {
    serde_json::from_str::<T>(&example.to_string()).is_ok()
}

/// Lists the pointers to all objects of a value, outer ones first.
fn objects(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.push(pointer.to_owned());
            for (name, field) in fields {
                objects(field, &format!("{pointer}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                objects(item, &format!("{pointer}/{index}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Lists the objects of an example in which one more key is accepted.
fn open_objects(file: &str, example: &Value) -> Vec<String> {
    let mut pointers = Vec::new();
    objects(example, "", &mut pointers);
    pointers.retain(|pointer| {
        let mut extended = example.clone();
        let object = extended.pointer_mut(pointer).and_then(Value::as_object_mut);
        object.unwrap().insert("no_such_key".to_owned(), 1.into());
        is_read(file, &extended)
    });
    pointers
}

#[test]
fn an_extra_key_is_refused_in_each_object_of_each_example_but_open_ones() {
    let mut open = Vec::new();
    for (file, schema) in schemas::all() {
        for example in schema.get("examples").unwrap().as_array().unwrap() {
            for pointer in open_objects(file, example) {
                let pair = (file.to_owned(), pointer);
                if !open.contains(&pair) {
                    open.push(pair);
                }
            }
        }
    }
    let expected = OPEN.iter().flat_map(|(file, pointers)| {
        pointers.iter().map(|pointer| ((*file).to_owned(), (*pointer).to_owned()))
    });
    assert_eq!(open, expected.collect::<Vec<_>>());
}

const CONTEXT: &str = r#"{"tenant_id":"5aa31da6-9278-4da0-9f1a-61b8d3edc5cc","request_id":"8607a8d9-0f3f-43df-bf86-37e845e1574c","trace_id":"trace-123","run_id":"graph_run_cfe213","workflow_id":"retrieval_augmented_generation","invocation_id":"0f4e6712-6d04-4514-b6cb-943b0667d45c","now_iso":"2024-05-03T12:34:56.123456+00:00","collection_id":"hr-onboarding","case_id":"crm-7421","locale":"de-DE","timeouts_ms":120000,"budget_tokens":4096}"#;
const RESULT: &str = r#"{"status":"ok","input":{"query":"hello"},"data":{"answer":"Hi there!"},"meta":{"took_ms":42,"token_usage":{"prompt":12,"completion":20}}}"#;
const ERROR: &str = r#"{"status":"error","input":{"query":"hello"},"error":{"type":"VALIDATION","message":"Missing required field","code":"missing_field","retry_after_ms":null},"meta":{"took_ms":10}}"#;

#[test]
fn the_published_context_prints_back_byte_for_byte() {
    let context: ToolContext = serde_json::from_str(CONTEXT).unwrap();
    assert_eq!(serde_json::to_string(&context).unwrap(), CONTEXT);
}

#[test]
fn the_published_result_and_error_print_back() {
    for text in [RESULT, ERROR] {
        let output: ToolOutput = serde_json::from_str(text).unwrap();
        let printed: Value =
            serde_json::from_str(&serde_json::to_string(&output).unwrap()).unwrap();
        assert_eq!(printed, without_nulls(serde_json::from_str(text).unwrap()));
    }
}

#[test]
fn the_published_examples_are_in_the_schemas() {
    let first = |file: &str| {
        let (_, schema) = schemas::all().into_iter().find(|(name, _)| *name == file).unwrap();
        schema.get("examples").unwrap()[0].clone()
    };
    for (file, text) in
        [("tool_context.json", CONTEXT), ("tool_result.json", RESULT), ("tool_error.json", ERROR)]
    {
        assert_eq!(first(file), serde_json::from_str::<Value>(text).unwrap(), "{file}");
    }
}
