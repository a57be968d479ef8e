//! Any valid value of an agent's types: requests, contexts, questions.

use proptest::{collection, option, prelude::*};
use tool_contracts::{
    act::{ActResult, RetryConfig, ToolRequest, ToolRequestBuilder, ToolType},
    assess::{
        ChatMessage, ChatRole, CompressionMethod, CompressionStrategy, ContextData,
        ContextDataBuilder, OptimizedContext, OptimizedContextBuilder,
    },
    proxy::{
        CostReport, LatencyBreakdown, LlmResponse, ProxyRequest, ProxyRequestBuilder, ProxyResponse,
    },
};

use super::{filled, json, object, serialized_output, set, text, time};

pub(crate) fn tool_type() -> impl Strategy<Value = ToolType> {
    proptest::sample::select(ToolType::ALL)
}

pub(crate) fn retry_config() -> impl Strategy<Value = RetryConfig> {
    (1..=5_u32, 1.0..1e9_f64, 10..u64::MAX)
        .prop_map(|(attempts, factor, delay)| RetryConfig::new(attempts, factor, delay).unwrap())
}

pub(crate) fn tool_request() -> impl Strategy<Value = ToolRequest> {
    let names = (filled(), tool_type(), filled());
    (names, object(), 1..=300_u32, option::of(retry_config())).prop_map(
        |((id, tool_type, function), parameters, seconds, retries)| {
            let builder = ToolRequest::builder(id, tool_type, function)
                .parameters(parameters)
                .timeout_seconds(seconds);
            let builder = set(builder, retries, ToolRequestBuilder::retry_config);
            builder.build().unwrap()
        },
    )
}

pub(crate) fn act_result() -> impl Strategy<Value = ActResult> {
    let outcome = prop_oneof![json().prop_map(Ok), filled().prop_map(Err)];
    let figures = (0.0..1e9_f64, any::<u32>(), any::<u32>());
    (filled(), outcome, time(), figures, object()).prop_map(
        |(id, outcome, time, (took, tokens, retries), metadata)| {
            let builder = match outcome {
                Ok(data) => ActResult::succeeded(id, data, time),
                Err(error) => ActResult::failed(id, error, time),
            };
            let builder =
                builder.execution_time_ms(took).token_estimate(tokens.into()).retry_count(retries);
            let facts = metadata.into_iter();
            facts
                .fold(builder, |builder, (name, fact)| builder.metadata(name, fact))
                .build()
                .unwrap()
        },
    )
}

pub(crate) fn chat_role() -> impl Strategy<Value = ChatRole> {
    proptest::sample::select(ChatRole::ALL)
}

pub(crate) fn chat_message() -> impl Strategy<Value = ChatMessage> {
    (chat_role(), text(), time(), any::<u32>()).prop_map(|(role, text, time, tokens)| {
        ChatMessage::new(role, text, time, tokens.into()).unwrap()
    })
}

pub(crate) fn compression_strategy() -> impl Strategy<Value = CompressionStrategy> {
    proptest::sample::select(CompressionStrategy::ALL)
}

pub(crate) fn compression_method() -> impl Strategy<Value = CompressionMethod> {
    proptest::sample::select(CompressionMethod::ALL)
}

pub(crate) fn context_data() -> impl Strategy<Value = ContextData> {
    let parts = (
        collection::vec(act_result(), 0..3),
        object(),
        option::of(text()),
        collection::vec(chat_message(), 0..3),
    );
    (parts, 1_000..u64::MAX, option::of(compression_strategy())).prop_map(
        |((results, facts, persistent, messages), most, strategy)| {
            let builder = ContextData::builder()
                .tool_results(results)
                .message_history(messages)
                .max_tokens(most);
            let builder = facts
                .into_iter()
                .fold(builder, |builder, (name, fact)| builder.transient(name, fact));
            let builder = set(builder, persistent, ContextDataBuilder::persistent_context);
            set(builder, strategy, ContextDataBuilder::strategy).build().unwrap()
        },
    )
}

pub(crate) fn optimized_context() -> impl Strategy<Value = OptimizedContext> {
    let tokens = (any::<u32>(), any::<u32>());
    let figures = (0.0..1e6_f64, -1e3..1e3_f64, option::of(0.0..=1.0_f64));
    (text(), compression_method(), tokens, figures, object()).prop_map(
        |(text, method, (original, optimized), (time, savings, score), metadata)| {
            let builder = OptimizedContext::builder(text, method)
                .tokens(original.into(), optimized.into())
                .time_ms(time)
                .estimated_cost_savings(savings);
            let builder = set(builder, score, OptimizedContextBuilder::semantic_similarity_score);
            let facts = metadata.into_iter();
            facts
                .fold(builder, |builder, (name, fact)| builder.metadata(name, fact))
                .build()
                .unwrap()
        },
    )
}

pub(crate) fn proxy_request() -> impl Strategy<Value = ProxyRequest> {
    let names = (filled(), option::of(filled()), option::of(filled()));
    let limits = (1_000..=1_000_000_u64, any::<bool>(), any::<bool>(), 0..=3_u8);
    (names, collection::vec(tool_request(), 0..3), object(), limits).prop_map(
        |((query, session, model), tools, facts, (most, compression, toon, level))| {
            let builder = ProxyRequest::builder(query)
                .required_tools(tools)
                .max_total_tokens(most)
                .enable_compression(compression)
                .enable_toon(toon)
                .optimization_level(level);
            let builder = facts
                .into_iter()
                .fold(builder, |builder, (name, fact)| builder.user_context(name, fact));
            let builder = set(builder, session, ProxyRequestBuilder::session_id);
            set(builder, model, ProxyRequestBuilder::target_model).build().unwrap()
        },
    )
}

pub(crate) fn latency_breakdown() -> impl Strategy<Value = LatencyBreakdown> {
    let time = || 0.0..1e6_f64;
    (time(), time(), time(), time(), time()).prop_map(|(tools, context, model, output, rest)| {
        LatencyBreakdown::new(tools, context, model, output, rest).unwrap()
    })
}

pub(crate) fn cost_report() -> impl Strategy<Value = CostReport> {
    let tokens = (any::<u32>(), any::<u32>(), any::<u32>());
    (tokens, 0.0..1e3_f64, 0.0..1e3_f64, 0.0..2.0_f64).prop_map(
        |((raw, optimized, output), baseline, actual, ratio)| {
            CostReport::builder()
                .input_tokens(raw.into(), optimized.into())
                .output_tokens(output.into())
                .costs(baseline, actual)
                .output_compression_ratio(ratio)
                .build()
                .unwrap()
        },
    )
}

pub(crate) fn llm_response() -> impl Strategy<Value = LlmResponse> {
    let figures = (any::<u32>(), any::<u32>(), 0.0..1e6_f64);
    (filled(), json(), figures, filled()).prop_map(
        |(model, content, (input, output, latency), reason)| {
            LlmResponse::builder(model, content)
                .tokens(input.into(), output.into())
                .latency_ms(latency)
                .finish_reason(reason)
                .build()
                .unwrap()
        },
    )
}

pub(crate) fn proxy_response() -> impl Strategy<Value = ProxyResponse> {
    let parts = (serialized_output(), optimized_context(), llm_response());
    let results = collection::vec(act_result(), 0..3);
    (parts, results, latency_breakdown(), cost_report()).prop_map(
        |((result, context, llm), results, breakdown, cost)| {
            ProxyResponse::builder(result, context, llm)
                .tool_results(results)
                .breakdown(breakdown)
                .cost_analysis(cost)
                .build()
                .unwrap()
        },
    )
}
