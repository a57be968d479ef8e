//! Any valid value of each type.

mod agent;
mod server;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use proptest::{collection, option, prelude::*, sample};
use serde_json::{Map, Value, value::RawValue};
use tool_contracts::{
    Actor, ActorType, Allowance, AllowancePeriod, Attachment, Audience, BudgetUse, CallStatus,
    Client, ClientApp, Coercion, Effect, ErrorCode, Evidence, EvidenceSource, Permission,
    ToolAnnotations, ToolCallRequest, ToolContext, ToolContextBuilder, ToolError, ToolErrorDetail,
    ToolErrorDetailBuilder, ToolErrorMeta, ToolErrorType, ToolOutput, ToolResult, ToolResultMeta,
    ToolSpec, ToolSpecBuilder, ToolkitSpec, Trace, Violation,
    envelope::{RequestEnvelope, RequestEnvelopeBuilder, ResponseEnvelope, ResponseError},
    has_hidden_characters,
    trace_context::TraceId,
};
use uuid::Uuid;

pub(crate) use self::agent::{
    act_result, chat_message, chat_role, compression_method, compression_strategy, context_data,
    cost_report, latency_breakdown, llm_response, optimized_context, proxy_request, proxy_response,
    retry_config, tool_request, tool_type,
};
pub(crate) use self::server::{
    audit, audit_status, call_context, call_envelope, call_request, call_response, list_request,
    list_response, schema_complexity, serialization_format, serialization_metadata,
    serialization_request, serialized_output, tenant, tool_listing,
};
use crate::trace_context::properties::{flags, state};

fn text() -> impl Strategy<Value = String> {
    any::<String>()
}

fn filled() -> impl Strategy<Value = String> {
    any::<String>().prop_filter("an id is not empty", |text| !text.is_empty())
}

/// A text without characters that cannot be seen.
fn visible(text: &str) -> String {
    text.chars().filter(|it| !has_hidden_characters(it.encode_utf8(&mut [0; 4]))).collect()
}

/// The id of a user, a session or an actor.
fn seen() -> impl Strategy<Value = String> {
    let seen = any::<String>().prop_map(|text| visible(&text));
    seen.prop_filter("an id is not empty", |text| !text.is_empty())
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            collection::btree_map(text(), inner, 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    collection::btree_map(text(), json(), 0..4).prop_map(|entries| entries.into_iter().collect())
}

fn counts() -> impl Strategy<Value = BTreeMap<String, u64>> {
    collection::btree_map(text(), any::<u64>(), 0..4)
}

fn time() -> impl Strategy<Value = DateTime<Utc>> {
    // The seconds from year 0 to year 9999, which are all that RFC 3339 can write.
    (-62_167_219_200_i64..253_402_300_800, 0..1_000_000_000_u32)
        .prop_map(|(seconds, nanos)| DateTime::from_timestamp(seconds, nanos).unwrap())
}

fn uuid() -> impl Strategy<Value = Uuid> {
    any::<u128>().prop_map(Uuid::from_u128)
}

/// Sets what was drawn, through the setter.
fn set<B, T>(builder: B, drawn: Option<T>, setter: impl FnOnce(B, T) -> B) -> B {
    match drawn {
        Some(value) => setter(builder, value),
        None => builder,
    }
}

type TextSetter = fn(ToolContextBuilder, String) -> ToolContextBuilder;

const TEXT_SETTERS: [TextSetter; 10] = [
    ToolContextBuilder::workflow_id,
    ToolContextBuilder::collection_id,
    ToolContextBuilder::document_id,
    ToolContextBuilder::document_version_id,
    ToolContextBuilder::case_id,
    ToolContextBuilder::idempotency_key,
    ToolContextBuilder::safety_mode,
    ToolContextBuilder::request_id,
    ToolContextBuilder::tenant_slug,
    ToolContextBuilder::site_id,
];

fn start() -> impl Strategy<Value = ToolContextBuilder> {
    let ids = (uuid(), uuid(), filled(), filled(), any::<bool>(), time());
    ids.prop_map(|(tenant, invocation, trace, run, is_graph, now)| {
        let builder = ToolContext::builder(tenant, trace).invocation_id(invocation).now_iso(now);
        if is_graph { builder.run_id(run) } else { builder.ingestion_run_id(run) }
    })
}

fn texts() -> impl Strategy<Value = Vec<Option<String>>> {
    collection::vec(option::of(filled()), TEXT_SETTERS.len())
}

type Texts = (Option<String>, Option<String>, Option<String>);

/// Language, currency and time zone.
fn syntax() -> impl Strategy<Value = Texts> {
    (
        option::of("[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?(-[0-9][a-z0-9]{3})?(-u-[a-z]{2,8})?"),
        option::of("[A-Z]{3}"),
        option::of("[A-Z][a-z]{2,8}/[A-Z][a-z]{2,8}(_[A-Z][a-z]{2,8})?"),
    )
}

pub(crate) fn context() -> impl Strategy<Value = ToolContext> {
    let syntax = syntax();
    let numbers = (option::of(1..=u64::MAX), option::of(any::<u64>()), any::<bool>());
    let objects = (option::of(object()), option::of(actor()), option::of(client()));
    let attributes = collection::btree_map("[a-zé]{1,128}", ".{0,64}", 0..32);
    let allowances = collection::vec(allowance(), 0..=8);
    let more =
        (option::of(trace()), attributes, option::of(seen()), option::of(seen()), allowances);
    (start(), texts(), syntax, numbers, objects, more).prop_map(
        |(
            mut builder,
            texts,
            (locale, currency, timezone),
            (timeout, budget, dry),
            objects,
            more,
        )| {
            for (setter, text) in TEXT_SETTERS.iter().zip(texts) {
                builder = set(builder, text, *setter);
            }
            builder = set(builder, locale, ToolContextBuilder::locale);
            builder = set(builder, currency, ToolContextBuilder::currency);
            builder = set(builder, timezone, ToolContextBuilder::timezone);
            builder = set(builder, timeout, ToolContextBuilder::timeouts_ms);
            builder = set(builder, budget, ToolContextBuilder::budget_tokens);
            builder = set(builder, objects.0, ToolContextBuilder::auth);
            builder = set(builder, objects.1, ToolContextBuilder::actor);
            builder = set(builder, objects.2, ToolContextBuilder::client);
            builder = set(builder, more.0, ToolContextBuilder::trace);
            builder = set(builder, more.2, ToolContextBuilder::user_id);
            builder = set(builder, more.3, ToolContextBuilder::session_id);
            builder = more.4.into_iter().fold(builder, ToolContextBuilder::allowance);
            builder.attributes(more.1).dry_run(dry).build().unwrap()
        },
    )
}

fn allowance() -> impl Strategy<Value = Allowance> {
    let amount = "[0-9]{1,12}( calls|(\\.[0-9]{1,6})? [A-Z]{3})";
    let period = prop_oneof![
        Just(AllowancePeriod::Lifetime),
        Just(AllowancePeriod::Hour),
        Just(AllowancePeriod::Day),
        Just(AllowancePeriod::Week),
        Just(AllowancePeriod::Month),
    ];
    ("[a-z0-9-]{1,128}", amount, period)
        .prop_map(|(name, amount, period)| Allowance::new(name, amount).unwrap().per(period))
}

pub(crate) fn actor() -> impl Strategy<Value = Actor> {
    (sample::select(ActorType::ALL), seen()).prop_map(|(kind, id)| Actor::new(kind, id).unwrap())
}

pub(crate) fn client() -> impl Strategy<Value = Client> {
    (sample::select(ClientApp::ALL), filled())
        .prop_map(|(app, version)| Client::new(app, version).unwrap())
}

pub(crate) fn trace() -> impl Strategy<Value = Trace> {
    let trace_id = any::<[u8; 16]>().prop_filter_map("zeros", |id| TraceId::from_bytes(id).ok());
    let w3c = (option::of(trace_id), option::of(flags()), option::of(state()));
    (filled(), option::of(filled()), w3c).prop_map(|(span, parent, (trace_id, flags, state))| {
        let trace = set(Trace::new(span).unwrap(), parent, |trace, parent| {
            trace.with_parent_span_id(parent).unwrap()
        });
        let trace = set(trace, trace_id, Trace::with_trace_id);
        let trace = set(trace, flags, Trace::with_flags);
        set(trace, state, Trace::with_state)
    })
}

pub(crate) fn coercion() -> impl Strategy<Value = Coercion> {
    (text(), text(), text()).prop_map(|(pointer, from, to)| Coercion::new(pointer, from, to))
}

pub(crate) fn budget_use() -> impl Strategy<Value = BudgetUse> {
    let amount = || r"[0-9]{1,20}(\.[0-9]{1,6})?";
    let amounts = (amount(), amount(), amount());
    (filled(), filled(), filled(), amounts, option::of(time())).prop_map(
        |(budget, limit, unit, (taken, left, total), renews_at)| {
            let budget_use = BudgetUse::new(budget, limit, unit, taken, left, total).unwrap();
            match renews_at {
                Some(time) => budget_use.with_renews_at(time).unwrap(),
                None => budget_use,
            }
        },
    )
}

pub(crate) fn attachment() -> impl Strategy<Value = Attachment> {
    let content = prop_oneof![
        ("([A-Za-z0-9+/]{4}){0,8}", "[0-9a-f]{64}").prop_map(|(data, hash)| {
            let size = data.len() as u64 / 4 * 3;
            Attachment::builder("image/png").data(data).size(size).sha256(hash)
        }),
        ("att_.{1,8}", "[0-9a-f]{64}", 0..u64::MAX)
            .prop_map(|(id, hash, size)| Attachment::builder("a/b").id(id).size(size).sha256(hash)),
        "https?://.{1,16}".prop_map(|url| Attachment::builder("application/pdf").url(url)),
    ];
    let audience = prop_oneof![Just(vec![]), Just(vec![Audience::User])];
    (content, option::of(r"[^/\\\x00-\x1f\x7f]{1,16}"), option::of(filled()), audience).prop_map(
        |(mut built, name, description, audience)| {
            if let Some(name) = name {
                built = built.name(name);
            }
            if let Some(description) = description {
                built = built.description(description);
            }
            built.audience(audience).build().unwrap()
        },
    )
}

pub(crate) fn source() -> impl Strategy<Value = EvidenceSource> {
    (filled(), filled(), filled(), time())
        .prop_map(|(kind, name, hash, ts)| EvidenceSource::new(kind, name, hash, ts).unwrap())
}

pub(crate) fn evidence() -> impl Strategy<Value = Evidence> {
    (filled(), collection::vec(source(), 0..3))
        .prop_map(|(id, sources)| Evidence::new(id, sources).unwrap())
}

pub(crate) fn result_meta() -> impl Strategy<Value = ToolResultMeta> {
    let maps = (option::of(counts()), option::of(object()), option::of(counts()));
    let lists = (
        collection::vec(text(), 0..3),
        collection::vec(coercion(), 0..3),
        collection::vec(text(), 0..3),
        collection::vec(attachment(), 0..2),
        collection::vec(budget_use(), 0..2),
    );
    let switches = (option::of(any::<bool>()), any::<bool>(), any::<bool>());
    let numbers = (any::<u64>(), option::of(any::<u64>()), option::of(any::<u32>()));
    (maps, lists, switches, numbers, option::of(evidence())).prop_map(
        |(maps, lists, (hit, replayed, dry), (took, ttl, attempts), evidence)| {
            let meta = ToolResultMeta::new(took)
                .with_warnings(lists.0)
                .with_coercions(lists.1)
                .with_attachments(lists.3)
                .with_budget(lists.4)
                .with_edits(lists.2)
                .with_replayed(replayed)
                .with_dry_run(dry);
            let meta = set(meta, maps.0, ToolResultMeta::with_source_counts);
            let meta = set(meta, maps.1, ToolResultMeta::with_routing);
            let meta = set(meta, maps.2, ToolResultMeta::with_token_usage);
            let meta = set(meta, hit, ToolResultMeta::with_cache_hit);
            let meta = set(meta, ttl, ToolResultMeta::with_ttl_seconds);
            let meta = set(meta, attempts, ToolResultMeta::with_attempts);
            set(meta, evidence, ToolResultMeta::with_evidence)
        },
    )
}

pub(crate) fn result() -> impl Strategy<Value = ToolResult<Value, Value>> {
    (json(), json(), result_meta())
        .prop_map(|(input, data, meta)| ToolResult::new(input, data, meta))
}

pub(crate) fn error_type() -> impl Strategy<Value = ToolErrorType> {
    sample::select(ToolErrorType::ALL)
}

pub(crate) fn error_code() -> impl Strategy<Value = ErrorCode> {
    sample::select(ErrorCode::ALL)
}

pub(crate) fn error_meta() -> impl Strategy<Value = ToolErrorMeta> {
    let switches = (any::<bool>(), any::<bool>());
    let numbers = (any::<u64>(), option::of(any::<u32>()), option::of(any::<u64>()));
    let findings = (collection::vec(text(), 0..3), option::of(evidence()));
    (switches, numbers, findings).prop_map(
        |((replayed, dry), (took, attempts, ttl), (warnings, evidence))| {
            let meta = ToolErrorMeta::new(took)
                .with_replayed(replayed)
                .with_dry_run(dry)
                .with_warnings(warnings);
            let meta = set(meta, attempts, ToolErrorMeta::with_attempts);
            let meta = set(meta, ttl, ToolErrorMeta::with_ttl_seconds);
            set(meta, evidence, ToolErrorMeta::with_evidence)
        },
    )
}

/// An object, now and then with a name that a view takes for its own.
fn facts() -> impl Strategy<Value = Map<String, Value>> {
    let reserved: &[&str] =
        &["tool_code", "retry_after_ms", "cause", "attempt", "details", "upstream_code"];
    let named = option::of((sample::select(reserved), json()));
    (object(), named).prop_map(|(mut facts, named)| {
        facts.extend(named.map(|(name, fact)| (name.to_owned(), fact)));
        facts
    })
}

pub(crate) fn detail() -> impl Strategy<Value = ToolErrorDetail> {
    let code = option::of(prop_oneof![
        error_code().prop_map(|code| code.to_string()),
        "[A-Z_]{1,20}",
        text(),
    ]);
    let texts = (option::of(text()), option::of(text()));
    let numbers = (option::of(any::<u64>()), option::of(any::<u16>()), option::of(any::<u32>()));
    (error_type(), text(), code, texts, option::of(facts()), numbers).prop_map(
        |(error_type, message, code, (cause, endpoint), details, (retry, status, attempt))| {
            let builder = ToolErrorDetail::builder(error_type, message);
            let builder = set(builder, code, ToolErrorDetailBuilder::code);
            let builder = set(builder, cause, ToolErrorDetailBuilder::cause);
            let builder = set(builder, endpoint, ToolErrorDetailBuilder::endpoint);
            let builder = set(builder, details, ToolErrorDetailBuilder::details);
            let builder = set(builder, retry, ToolErrorDetailBuilder::retry_after_ms);
            let builder = set(builder, status, ToolErrorDetailBuilder::upstream_status);
            set(builder, attempt, ToolErrorDetailBuilder::attempt).build()
        },
    )
}

pub(crate) fn error() -> impl Strategy<Value = ToolError<Value>> {
    (json(), detail(), error_meta())
        .prop_map(|(input, detail, meta)| ToolError::new(input, detail, meta))
}

pub(crate) fn output() -> impl Strategy<Value = ToolOutput<Value, Value>> {
    prop_oneof![result().prop_map(ToolOutput::from), error().prop_map(ToolOutput::from)]
}

pub(crate) fn effect() -> impl Strategy<Value = Effect> {
    sample::select(Effect::ALL)
}

pub(crate) fn permission() -> impl Strategy<Value = Permission> {
    sample::select(Permission::ALL)
}

pub(crate) fn call_status() -> impl Strategy<Value = CallStatus> {
    sample::select(CallStatus::ALL)
}

pub(crate) fn annotations() -> impl Strategy<Value = ToolAnnotations> {
    (any::<bool>(), any::<bool>()).prop_map(|(idempotent, open_world)| {
        ToolAnnotations::new().with_idempotent(idempotent).with_open_world(open_world)
    })
}

pub(crate) fn toolkit() -> impl Strategy<Value = Option<ToolkitSpec>> {
    let texts = ("[A-Za-z0-9_.-]{1,64}", filled());
    option::of(texts.prop_map(|(name, says)| ToolkitSpec::new(name, says).unwrap()))
}

pub(crate) fn spec() -> impl Strategy<Value = ToolSpec> {
    let texts = (filled(), text(), option::of(text()), option::of(text()));
    let schemas = (object(), option::of(object()), collection::vec(object(), 0..3));
    let numbers = (option::of(any::<u64>()), option::of(1..=u64::MAX));
    let switches = (any::<bool>(), any::<bool>());
    let world = (effect(), permission(), annotations());
    let names = (toolkit(), "[A-Za-z0-9_.-]{1,63}");
    (names, texts, schemas, numbers, switches, world).prop_map(
        |(
            (toolkit, own),
            texts,
            (input, output, examples),
            (ttl, timeout),
            (auth, callable),
            world,
        )| {
            let (effect, permission, annotations) = world;
            let name = match &toolkit {
                Some(toolkit) => format!("{}.{own}", toolkit.name()),
                None => own,
            };
            let builder = ToolSpec::builder(name, effect)
                .version(texts.0)
                .description(texts.1)
                .permission(permission)
                .annotations(annotations)
                .input_schema(Value::Object(input))
                .requires_auth(auth)
                .ai_callable(callable);
            let builder = set(builder, texts.2, ToolSpecBuilder::title);
            let builder = set(builder, texts.3, ToolSpecBuilder::category);
            let builder = set(builder, toolkit, ToolSpecBuilder::toolkit);
            let builder = set(builder, output, |builder, schema| {
                builder.output_schema(Value::Object(schema))
            });
            let examples = examples.into_iter().map(Value::Object);
            let builder = examples.fold(builder, ToolSpecBuilder::input_example);
            let ttl = ttl.filter(|_| effect == Effect::Read);
            let builder = set(builder, ttl, ToolSpecBuilder::ttl_seconds);
            set(builder, timeout, ToolSpecBuilder::timeout_ms).build().unwrap()
        },
    )
}

pub(crate) fn request() -> impl Strategy<Value = ToolCallRequest> {
    (text(), text(), json()).prop_map(|(id, name, arguments)| {
        let raw = RawValue::from_string(arguments.to_string()).unwrap();
        ToolCallRequest::new(id, name, raw)
    })
}

pub(crate) fn violation() -> impl Strategy<Value = Violation> {
    (text(), text(), text(), text(), option::of(text())).prop_map(
        |(pointer, rule, expected, received, hint)| {
            let violation = Violation::new(pointer, rule, expected, received);
            set(violation, hint, Violation::with_hint)
        },
    )
}

pub(crate) fn request_envelope() -> impl Strategy<Value = RequestEnvelope> {
    let texts = collection::vec(option::of(seen()), 3);
    let objects = (option::of(client()), option::of(trace()));
    (filled(), actor(), texts, syntax(), any::<bool>(), objects).prop_map(
        |(id, actor, texts, (locale, currency, timezone), dry, (client, trace))| {
            let setters = [
                RequestEnvelopeBuilder::user_id,
                RequestEnvelopeBuilder::session_id,
                RequestEnvelopeBuilder::idempotency_key,
            ];
            let start = RequestEnvelope::builder(id, actor).dry_run(dry);
            let builder = setters.iter().zip(texts).fold(start, |b, (to, text)| set(b, text, *to));
            let builder = set(builder, locale, RequestEnvelopeBuilder::locale);
            let builder = set(builder, currency, RequestEnvelopeBuilder::currency);
            let builder = set(builder, timezone, RequestEnvelopeBuilder::timezone);
            let builder = set(builder, client, RequestEnvelopeBuilder::client);
            set(builder, trace, RequestEnvelopeBuilder::trace).build().unwrap()
        },
    )
}

pub(crate) fn response_error() -> impl Strategy<Value = ResponseError> {
    detail().prop_map(ResponseError::from)
}

pub(crate) fn response_envelope() -> impl Strategy<Value = ResponseEnvelope<Value>> {
    prop_oneof![
        (json(), result_meta()).prop_map(|(data, meta)| ResponseEnvelope::success(data, meta)),
        (response_error(), error_meta())
            .prop_map(|(error, meta)| ResponseEnvelope::failure(error, meta)),
        json().prop_map(|data| ResponseEnvelope::success(data, ToolResultMeta::default())),
        response_error()
            .prop_map(|error| ResponseEnvelope::failure(error, ToolErrorMeta::default())),
    ]
}
