//! The JSON Schema of each type, with its examples.
//!
//! Each schema has its own file under `schemas/` in the crate, which refers to the others. The tests parse the examples
//! and serialize them again.

mod rules;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

pub(crate) use self::rules::{
    at_most_one_run, audited_failure, audited_success, bounded_text_map, error_unless_successful,
    errors_are_named, exactly_one_run, facts_in_one_place, null_beside_failure,
    null_beside_success, one_content, require_type_of_code, tool_codes_have_standard_codes,
    ttl_only_for_reads,
};
use crate::{
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
    portable::normalized,
    proxy::{CostReport, LatencyBreakdown, LlmResponse, ProxyRequest, ProxyResponse},
    server::{
        Audit, AuditStatus, CallContext, CallRequest, CallResponse, ListRequest, ListResponse,
        Tenant, ToolListing,
    },
};

macro_rules! catalogue {
    ($($stem:literal $title:literal $of:ty;)+) => {
        /// Returns the JSON Schema (draft 2020-12) of every type, each with the name of its file.
        ///
        /// The envelopes accept any JSON as input and as data.
        ///
        /// ```
        /// let all = tool_contracts::schemas::all();
        /// let (_, context) = all.iter().find(|(file, _)| *file == "tool_context.json").unwrap();
        /// assert_eq!(context.get("title").unwrap(), "ToolContext");
        /// ```
        #[must_use]
        pub fn all() -> Vec<(&'static str, Schema)> {
            vec![$((concat!($stem, ".json"), titled::<$of>($title))),+]
        }

        fn examples_text(stem: &str) -> Option<&'static str> {
            match stem {
                $($stem => Some(include_str!(concat!("examples/", $stem, ".json"))),)+
                _ => None,
            }
        }
    };
}

catalogue! {
    "tool_context" "ToolContext" ToolContext;
    "actor" "Actor" Actor;
    "actor_type" "ActorType" ActorType;
    "allowance" "Allowance" Allowance;
    "allowance_period" "AllowancePeriod" AllowancePeriod;
    "client" "Client" Client;
    "client_app" "ClientApp" ClientApp;
    "trace" "Trace" Trace;
    "tool_output" "ToolOutput" ToolOutput<Value, Value>;
    "tool_result" "ToolResult" ToolResult<Value, Value>;
    "tool_result_meta" "ToolResultMeta" ToolResultMeta;
    "coercion" "Coercion" Coercion;
    "attachment" "Attachment" Attachment;
    "budget_use" "BudgetUse" BudgetUse;
    "audience" "Audience" Audience;
    "evidence" "Evidence" Evidence;
    "evidence_source" "EvidenceSource" EvidenceSource;
    "tool_error" "ToolError" ToolError<Value>;
    "tool_error_detail" "ToolErrorDetail" ToolErrorDetail;
    "tool_error_meta" "ToolErrorMeta" ToolErrorMeta;
    "tool_error_type" "ToolErrorType" ToolErrorType;
    "error_code" "ErrorCode" ErrorCode;
    "tool_spec" "ToolSpec" ToolSpec;
    "toolkit_spec" "ToolkitSpec" ToolkitSpec;
    "tool_annotations" "ToolAnnotations" ToolAnnotations;
    "effect" "Effect" Effect;
    "permission" "Permission" Permission;
    "tool_call_request" "ToolCallRequest" ToolCallRequest;
    "call_status" "CallStatus" CallStatus;
    "violation" "Violation" Violation;
    "request_envelope" "RequestEnvelope" RequestEnvelope;
    "call_envelope" "CallEnvelope" CallEnvelope;
    "response_envelope" "ResponseEnvelope" ResponseEnvelope<Value>;
    "response_error" "ResponseError" ResponseError;
    "tenant" "Tenant" Tenant;
    "list_request" "ListRequest" ListRequest;
    "list_response" "ListResponse" ListResponse;
    "tool_listing" "ToolListing" ToolListing;
    "call_request" "CallRequest" CallRequest;
    "call_context" "CallContext" CallContext;
    "call_response" "CallResponse" CallResponse<Value>;
    "audit" "Audit" Audit;
    "audit_status" "AuditStatus" AuditStatus;
    "serialization_request" "SerializationRequest" SerializationRequest<Value>;
    "serialized_output" "SerializedOutput" SerializedOutput;
    "serialization_metadata" "SerializationMetadata" SerializationMetadata;
    "serialization_format" "SerializationFormat" SerializationFormat;
    "schema_complexity" "SchemaComplexity" SchemaComplexity;
    "tool_request" "ToolRequest" ToolRequest;
    "tool_type" "ToolType" ToolType;
    "retry_config" "RetryConfig" RetryConfig;
    "act_result" "ActResult" ActResult;
    "context_data" "ContextData" ContextData;
    "chat_message" "ChatMessage" ChatMessage;
    "chat_role" "ChatRole" ChatRole;
    "compression_strategy" "CompressionStrategy" CompressionStrategy;
    "compression_method" "CompressionMethod" CompressionMethod;
    "optimized_context" "OptimizedContext" OptimizedContext;
    "proxy_request" "ProxyRequest" ProxyRequest;
    "proxy_response" "ProxyResponse" ProxyResponse;
    "llm_response" "LlmResponse" LlmResponse;
    "latency_breakdown" "LatencyBreakdown" LatencyBreakdown;
    "cost_report" "CostReport" CostReport;
}

/// Returns a transform that shortens a schema's description and adds the examples.
///
/// Only the first paragraph of a type's documentation is kept, as the rest is about Rust.
pub(crate) fn documented(stem: &'static str) -> impl FnMut(&mut Schema) {
    move |schema| {
        if let Some(Value::String(description)) = schema.get_mut("description") {
            description.truncate(description.find("\n\n").unwrap_or(description.len()));
        }
        schema.insert("examples".to_owned(), examples(stem));
    }
}

fn examples(stem: &str) -> Value {
    // The fixtures' test reads every one of these files.
    examples_text(stem).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// Sorts a schema by keyword: its text must be the same in every build.
fn sorted_schema(schema: Schema) -> Schema {
    Schema::try_from(normalized(schema.into())).unwrap_or_default()
}

fn titled<T: JsonSchema>(title: &str) -> Schema {
    let mut schema = SchemaGenerator::default().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    sorted_schema(schema)
}
