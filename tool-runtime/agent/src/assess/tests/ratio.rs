//! A compressed text takes about its target where there is enough to keep.

use std::fmt::Write;
use std::ops::Range;

use async_trait::async_trait;
use serde_json::{Value, json};
use tool_contracts::assess::{
    ChatMessage, ChatRole, CompressionMethod, CompressionStrategy, ContextData, ContextDataBuilder,
};
use tool_runtime_core::articulate::Articulator;

use super::{eager, message, optimized, options, question, result};
use crate::assess::{Assessor, CompressionError, Summarizer, SummaryRequest};

/// Sentences of several lengths, some of which are about tea, of these years.
fn story(years: Range<usize>) -> String {
    let mut text = String::new();
    for n in years {
        let about = if n % 5 == 0 { "green tea" } else { "the weather" };
        let more = "and some more of the same ".repeat(n % 4);
        writeln!(text, "In the year {n} they spoke of {about} {more}at the river.")
            .expect("a string takes all text");
    }
    text
}

fn orders() -> Vec<Value> {
    let row = |n: usize| {
        let tea = if n % 5 == 0 { "green tea" } else { "coffee" };
        json!({"id": n, "customer": format!("customer {n}"), "goods": tea, "note": story(n..n + 2)})
    };
    (1_600..1_900).map(row).collect()
}

fn rounds() -> Vec<ChatMessage> {
    let round = |n: usize| {
        let asked = format!("What of the tea? {}", story(n..n + 3));
        [message(ChatRole::User, &asked), message(ChatRole::Assistant, &story(n + 3..n + 7))]
    };
    (160..190).map(|n| n * 10).flat_map(round).collect()
}

/// Writes as much as it may.
#[derive(Debug)]
struct Talkative;

#[async_trait]
impl Summarizer for Talkative {
    async fn summarize(&self, request: SummaryRequest<'_>) -> Result<String, CompressionError> {
        let words = usize::try_from(request.max_tokens).unwrap_or_default();
        Ok(format!("{} {}", request.identifiers.join(" "), "tea ".repeat(words * 9 / 10)))
    }
}

fn contexts() -> Vec<(ContextDataBuilder, CompressionStrategy)> {
    let asked = || question("Who had green tea?");
    vec![
        (
            asked().tool_results([result("story", story(1_600..1_900))]),
            CompressionStrategy::SemanticPruning,
        ),
        (
            ContextData::builder().tool_results([result("story", story(1_600..1_900))]),
            CompressionStrategy::SemanticPruning,
        ),
        (asked().tool_results([result("orders", orders())]), CompressionStrategy::SemanticPruning),
        (
            asked().tool_results([result("page", json!({"id": 7, "text": story(1_600..1_900)}))]),
            CompressionStrategy::SemanticPruning,
        ),
        (asked().message_history(rounds()), CompressionStrategy::SemanticPruning),
        (asked().message_history(rounds()), CompressionStrategy::HistoryCompaction),
        (asked().message_history(rounds()), CompressionStrategy::Distillation),
    ]
}

#[track_caller]
fn check(assessor: &Assessor, min: f64, max: f64) {
    for (at, (context, strategy)) in contexts().into_iter().enumerate() {
        let optimized = optimized(assessor, context.strategy(strategy));
        assert_ne!(optimized.method_used(), CompressionMethod::None, "context {at}");
        assert_eq!(optimized.method_used(), strategy.method(), "context {at}");
        let ratio = optimized.compression_ratio();
        assert!((min..=max).contains(&ratio), "context {at} by {strategy}: {ratio}");
    }
}

#[test]
fn a_strategy_that_is_asked_for_leaves_between_0_30_and_0_50() {
    let assessor = eager().summarizer(Talkative);
    check(&assessor, 0.30, 0.50);
    check(&assessor.result_serializer(Articulator::new()), 0.30, 0.50);
}

#[test]
fn a_text_takes_no_more_than_its_target_and_not_much_less() {
    for target in [0.30, 0.40, 0.50] {
        let options = options().with_target_ratio(target);
        let assessor = eager().options(options).summarizer(Talkative);
        check(&assessor, target * 0.88, target);
        check(&assessor.result_serializer(Articulator::new()), target * 0.88, target);
    }
}
