//! Any valid value of the types of a server, and of data written as text.

use proptest::{collection, option, prelude::*, sample};
use serde_json::Value;
use tool_contracts::{
    ToolResultMeta,
    articulate::{
        SchemaComplexity, SerializationFormat, SerializationMetadata, SerializationRequest,
        SerializedOutput, SerializedOutputBuilder,
    },
    envelope::CallEnvelope,
    server::{
        Audit, AuditStatus, CallContext, CallContextBuilder, CallRequest, CallResponse,
        ListRequest, ListResponse, Tenant, ToolListing,
    },
};

use super::{
    detail, error_meta, filled, json, object, request_envelope, result_meta, set, spec, syntax,
    text, uuid, visible,
};

pub(crate) fn tenant() -> impl Strategy<Value = Tenant> {
    let slug = "[a-z0-9][a-z0-9_-]{0,30}";
    prop_oneof![uuid().prop_map(Tenant::from), slug.prop_map(|slug| Tenant::parse(&slug).unwrap()),]
}

/// A text that can be an id in a body, sometimes as long as one may be.
fn id() -> impl Strategy<Value = String> {
    let drawn = prop_oneof![r"\PC{1,32}", r"\PC{250,256}"].prop_map(|text| visible(&text));
    drawn.prop_filter("an id is not empty", |text| !text.is_empty())
}

type CallTextSetter = fn(CallContextBuilder, String) -> CallContextBuilder;

const CALL_TEXT_SETTERS: [CallTextSetter; 14] = [
    CallContextBuilder::site_id,
    CallContextBuilder::trace_id,
    CallContextBuilder::span_id,
    CallContextBuilder::user_id,
    CallContextBuilder::session_id,
    CallContextBuilder::npc_id,
    CallContextBuilder::workflow_id,
    CallContextBuilder::collection_id,
    CallContextBuilder::document_id,
    CallContextBuilder::document_version_id,
    CallContextBuilder::case_id,
    CallContextBuilder::safety_mode,
    CallContextBuilder::request_id,
    CallContextBuilder::idempotency_key,
];

pub(crate) fn call_context() -> impl Strategy<Value = CallContext> {
    let texts = collection::vec(option::weighted(0.8, id()), CALL_TEXT_SETTERS.len());
    let numbers = (option::of(1..=u64::MAX), option::of(any::<u64>()), any::<bool>());
    let run = option::of((any::<bool>(), id()));
    (option::weighted(0.8, tenant()), run, texts, syntax(), numbers).prop_map(
        |(tenant, run, texts, (locale, currency, timezone), (timeout, budget, dry_run))| {
            let start = CallContext::builder().dry_run(dry_run);
            let drawn = CALL_TEXT_SETTERS.iter().zip(texts);
            let builder = drawn.fold(start, |builder, (to, text)| set(builder, text, *to));
            let builder = match run {
                Some((true, run)) => builder.run_id(run),
                Some((false, run)) => builder.ingestion_run_id(run),
                None => builder,
            };
            let builder = set(builder, tenant, CallContextBuilder::tenant_id);
            let builder = set(builder, budget, CallContextBuilder::budget_tokens);
            let builder = set(builder, locale, CallContextBuilder::locale);
            let builder = set(builder, currency, CallContextBuilder::currency);
            let builder = set(builder, timezone, CallContextBuilder::timezone);
            set(builder, timeout, CallContextBuilder::timeouts_ms).build().unwrap()
        },
    )
}

pub(crate) fn call_request() -> impl Strategy<Value = CallRequest<Value>> {
    (text(), object(), call_context())
        .prop_map(|(name, input, context)| CallRequest::new(name, Value::Object(input), context))
}

pub(crate) fn call_envelope() -> impl Strategy<Value = CallEnvelope<Value>> {
    (request_envelope(), object())
        .prop_map(|(request, input)| CallEnvelope::new(request, Value::Object(input)))
}

pub(crate) fn audit() -> impl Strategy<Value = Audit> {
    (filled(), text(), any::<u64>(), "[0-9a-f]{64}")
        .prop_map(|(trace, tool, latency, hash)| Audit::new(trace, tool, latency, hash).unwrap())
}

pub(crate) fn audit_status() -> impl Strategy<Value = AuditStatus> {
    sample::select(AuditStatus::ALL)
}

pub(crate) fn call_response() -> impl Strategy<Value = CallResponse<Value>> {
    prop_oneof![
        (json(), result_meta(), audit())
            .prop_map(|(output, meta, audit)| CallResponse::success(output, meta, audit)),
        (detail(), error_meta(), audit())
            .prop_map(|(detail, meta, audit)| CallResponse::failure(detail, meta, audit)),
        (json(), audit()).prop_map(|(output, audit)| {
            let meta = ToolResultMeta::new(audit.latency_ms());
            CallResponse::success(output, meta, audit)
        }),
    ]
}

pub(crate) fn list_request() -> impl Strategy<Value = ListRequest> {
    (option::of(text()), any::<bool>()).prop_map(|(category, only)| {
        set(ListRequest::new(), category, ListRequest::with_category).with_ai_callable_only(only)
    })
}

pub(crate) fn tool_listing() -> impl Strategy<Value = ToolListing> {
    spec().prop_map(|spec| ToolListing::from(&spec))
}

pub(crate) fn list_response() -> impl Strategy<Value = ListResponse> {
    collection::vec(tool_listing(), 0..3).prop_map(ListResponse::new)
}

pub(crate) fn serialization_format() -> impl Strategy<Value = SerializationFormat> {
    proptest::sample::select(SerializationFormat::ALL)
}

pub(crate) fn schema_complexity() -> impl Strategy<Value = SchemaComplexity> {
    proptest::sample::select(SchemaComplexity::ALL)
}

pub(crate) fn serialization_request() -> impl Strategy<Value = SerializationRequest> {
    (json(), proptest::option::of(serialization_format()), any::<bool>(), any::<bool>()).prop_map(
        |(data, format, markers, check)| {
            let request =
                SerializationRequest::new(data).with_length_markers(markers).with_validation(check);
            set(request, format, SerializationRequest::with_format)
        },
    )
}

pub(crate) fn serialization_metadata() -> impl Strategy<Value = SerializationMetadata> {
    (filled(), any::<u32>(), proptest::option::of(0.0..=1.0_f64), proptest::option::of(filled()))
        .prop_map(|(method, tokens, share, fallback)| {
            let metadata = SerializationMetadata::new(method, tokens.into()).unwrap();
            let metadata = set(metadata, share, SerializationMetadata::with_table_share);
            set(metadata, fallback, SerializationMetadata::with_fallback)
        })
}

pub(crate) fn serialized_output() -> impl Strategy<Value = SerializedOutput> {
    let figures = (any::<u32>(), any::<u32>(), any::<bool>(), 0.0..1e6_f64);
    let metadata = proptest::option::of(serialization_metadata());
    (text(), serialization_format(), schema_complexity(), figures, metadata).prop_map(
        |(text, format, complexity, (original, optimized, valid, time), metadata)| {
            let builder = SerializedOutput::builder(text, format)
                .tokens(original.into(), optimized.into())
                .valid(valid)
                .time_ms(time)
                .complexity(complexity);
            set(builder, metadata, SerializedOutputBuilder::metadata).build().unwrap()
        },
    )
}
