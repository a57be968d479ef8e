//! The choice of the method, its fallbacks, and what users replace.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::json;
use tool_contracts::assess::{
    ChatMessage, ChatRole, CompressionMethod, CompressionStrategy, ContextData, ContextDataBuilder,
};
use tool_runtime_core::articulate::Articulator;

use super::{eager, lines, log, message, optimized, options, question, result};
use crate::assess::{
    AssessOptions, Assessor, CompressionError, ContextCompressor, Embedder, Summarizer,
    SummaryRequest,
};

fn rounds(count: usize) -> Vec<ChatMessage> {
    let round = |n: usize| {
        let asked = format!("Question {n}: {}", log(3));
        [message(ChatRole::User, &asked), message(ChatRole::Assistant, &log(3))]
    };
    (0..count).flat_map(round).collect()
}

/// Answers with the same text, or fails.
#[derive(Debug)]
struct Fixed(Option<String>);

impl Fixed {
    fn answer(&self) -> Result<String, CompressionError> {
        self.0.clone().ok_or_else(|| CompressionError::new("out of order"))
    }
}

#[async_trait]
impl ContextCompressor for Fixed {
    fn method(&self) -> CompressionMethod {
        CompressionMethod::SemanticPruning
    }

    async fn compress(&self, _: &ContextData, _: u64) -> Result<String, CompressionError> {
        self.answer()
    }
}

#[async_trait]
impl Summarizer for Fixed {
    async fn summarize(&self, _: SummaryRequest<'_>) -> Result<String, CompressionError> {
        self.answer()
    }

    fn dollars_per_million(&self) -> f64 {
        1.0
    }
}

#[async_trait]
impl Embedder for Fixed {
    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, CompressionError> {
        self.answer().map(|_| texts.iter().map(|_| vec![0.5, 0.5]).collect())
    }
}

fn fixed(text: &str) -> Fixed {
    Fixed(Some(text.to_owned()))
}

#[track_caller]
fn check(assessor: &Assessor, context: ContextDataBuilder, expected: CompressionMethod) {
    let context = context.build().expect("a context");
    assert_eq!(assessor.select_strategy(&context), expected);
}

fn about_tea() -> ContextDataBuilder {
    question("Is there tea?").tool_results([result("log", log(100))])
}

#[test]
fn short_contexts_stay_as_they_are() {
    check(&Assessor::new(), about_tea(), CompressionMethod::None);
    let asked = about_tea().strategy(CompressionStrategy::SemanticPruning);
    let optimized = self::optimized(&Assessor::new(), asked);
    assert_eq!(optimized.method_used(), CompressionMethod::None);
    let reason = optimized.metadata()["reason"].as_str().expect("a reason");
    assert!(reason.ends_with("are not above the threshold of 10000"), "{reason}");
    let never = Assessor::new().options(AssessOptions::default().with_threshold_tokens(u64::MAX));
    let optimized = self::optimized(&never, about_tea());
    assert_eq!(optimized.metadata()["reason"], "this context is not to be compressed");
}

#[test]
fn contexts_above_their_own_limit_are_compressed_in_any_case() {
    let context = question("Is there tea?").tool_results([result("log", log(150))]);
    let optimized = optimized(&Assessor::new(), context.max_tokens(1_000));
    assert_eq!(optimized.method_used(), CompressionMethod::SemanticPruning);
    assert!(optimized.original_tokens() > 1_000 && optimized.optimized_tokens() <= 1_000);
}

#[test]
fn the_method_follows_from_the_context() {
    check(&eager(), about_tea(), CompressionMethod::SemanticPruning);
    check(&eager(), about_tea().message_history(rounds(30)), CompressionMethod::HistoryCompaction);
    check(&eager(), about_tea().message_history(rounds(3)), CompressionMethod::SemanticPruning);
    let unasked = || ContextData::builder().tool_results([result("log", log(100))]);
    check(&eager(), unasked(), CompressionMethod::SemanticPruning);
    let with_model = eager().summarizer(fixed("short"));
    check(&with_model, unasked(), CompressionMethod::KnowledgeDistillation);
    check(&with_model, about_tea(), CompressionMethod::SemanticPruning);
    for strategy in CompressionStrategy::ALL {
        check(&eager(), about_tea().strategy(*strategy), strategy.method());
    }
}

#[test]
fn compaction_keeps_the_newest_rounds_and_the_results() {
    let mut messages = vec![
        message(ChatRole::User, &format!("We decided to buy 40 cups. {}", log(10))),
        message(ChatRole::Assistant, &log(10)),
    ];
    messages.extend(rounds(12));
    let newest = lines(&messages[messages.len() - 6..]);
    let context =
        question("And now?").message_history(messages).tool_results([result("tea", log(5))]);
    let optimized = optimized(&eager().options(options().with_target_ratio(0.5)), context);
    assert_eq!(optimized.method_used(), CompressionMethod::HistoryCompaction);
    let text = optimized.optimized_text();
    assert!(text.contains(&newest) && text.contains(&log(5)), "{text}");
    assert!(text.contains("We decided to buy 40 cups."), "{text}");
}

#[test]
fn results_beside_compacted_messages_are_written_as_those_of_a_whole_context() {
    let rows: Vec<_> = (0..20).map(|n| json!({"colour": "green", "id": n})).collect();
    let table = result("cups", &rows);
    let written = |assessor: &Assessor, messages: Vec<ChatMessage>| {
        let context = question("And now?").message_history(messages).tool_results([table.clone()]);
        let context = context.strategy(CompressionStrategy::HistoryCompaction);
        let optimized = optimized(assessor, context);
        let (_, results) = optimized.optimized_text().split_once("# Tool results\n").expect("one");
        let (results, _) = results.split_once("\n# Question").expect("a question");
        (optimized.method_used(), results.to_owned())
    };
    let with_serializer = eager().result_serializer(Articulator::new().table_rows(5));
    let whole = Assessor::new().result_serializer(Articulator::new().table_rows(5));
    let (_, expected) = written(&whole, rounds(1));
    let (method, results) = written(&with_serializer, rounds(12));
    assert_eq!(method, CompressionMethod::HistoryCompaction);
    assert_eq!(results, expected);
    assert!(results.contains("[20]{colour,id}:"), "{results}");
    let (_, results) = written(&eager(), rounds(12));
    assert!(results.contains(r#"{"colour":"green","#), "{results}");
}

#[test]
fn compaction_keeps_open_questions_of_older_rounds() {
    let open = "Which colour do you want the cups to have?";
    let named: String =
        (0..120).map(|n| format!("Cup number {n} was packed.\n")).collect::<Vec<_>>().concat();
    let mut messages = vec![
        message(ChatRole::User, &format!("Pack the cups. {}", log(10))),
        message(ChatRole::Assistant, &format!("{named}{open}\n{}", log(10))),
    ];
    messages.extend(rounds(3));
    let context = question("And now?").message_history(messages);
    let context = context.strategy(CompressionStrategy::HistoryCompaction);
    let options = options().with_target_ratio(0.3).with_verbatim_rounds(1);
    let optimized = optimized(&eager().options(options), context);
    assert_eq!(optimized.method_used(), CompressionMethod::HistoryCompaction);
    let text = optimized.optimized_text();
    assert!(text.contains(open) && !text.contains("Cup number 119 was packed."), "{text}");
}

#[test]
fn compaction_keeps_error_lines_that_a_newer_round_speaks_of() {
    let line = "panicked at the second counter";
    let named: String =
        (0..40).map(|n| format!("Cup number {n} was packed.\n")).collect::<Vec<_>>().concat();
    let kept = |newer: &str| {
        let messages = [
            message(ChatRole::User, "Show the log."),
            message(ChatRole::Assistant, &format!("{named}{line}\n{}", log(20))),
            message(ChatRole::User, newer),
            message(ChatRole::Assistant, "Yes."),
            message(ChatRole::User, "Good."),
            message(ChatRole::Assistant, "Fine."),
        ];
        let context = question("And now?").message_history(messages);
        let context = context.strategy(CompressionStrategy::HistoryCompaction);
        let options = options().with_target_ratio(0.2).with_verbatim_rounds(2);
        optimized(&eager().options(options), context).optimized_text().contains(line)
    };
    assert!(kept("So it failed in the night?"));
    assert!(!kept("So it ended in the night."));
}

#[test]
fn a_summary_replaces_messages_and_results() {
    let assessor = eager().summarizer(fixed("All was well."));
    let assessor = assessor.options(options().with_dollars_per_million(2.0));
    let context = about_tea().persistent_context("Be brief.");
    let context = context.strategy(CompressionStrategy::Distillation);
    let optimized = optimized(&assessor, context);
    assert_eq!(optimized.method_used(), CompressionMethod::KnowledgeDistillation);
    let expected =
        "# Instructions\nBe brief.\n\n# Summary of log\nAll was well.\n\n# Question\nIs there tea?";
    assert_eq!(optimized.optimized_text(), expected);
    // The summarizer reads about half of what is saved at twice its price.
    assert!(optimized.estimated_cost_savings() > 0.0);
}

/// Repeats what it was given, and counts its letters.
#[derive(Debug, Clone, Default)]
struct Listener(Arc<Mutex<String>>);

#[async_trait]
impl Summarizer for Listener {
    async fn summarize(&self, request: SummaryRequest<'_>) -> Result<String, CompressionError> {
        self.0.lock().expect("no thread panicked").push_str(request.text);
        Ok("In short.".to_owned())
    }
}

#[test]
fn the_summarizer_reads_all_of_each_document_with_its_tool() {
    let summarizer = Listener::default();
    let context = ContextData::builder()
        .message_history([message(ChatRole::User, "Hello.")])
        .tool_results([
            result("payment", json!({"status": "paid", "total": 1250.5})),
            result("orders", json!([{"id": 17}, null, {"id": 18}, {"id": 19}, {"id": 20}])),
            result("log", log(50)),
        ])
        .strategy(CompressionStrategy::Distillation);
    let assessor = eager().summarizer(summarizer.clone());
    assert_eq!(
        optimized(&assessor, context).method_used(),
        CompressionMethod::KnowledgeDistillation
    );
    let read = summarizer.0.lock().expect("no thread panicked").clone();
    for part in [
        "user: Hello.",
        "## payment\n{\"status\":\"paid\",\"total\":1250.5}",
        "## orders\n[{\"id\":17},null,{\"id\":18},{\"id\":19},{\"id\":20}]",
        "## log\nThe request was served",
    ] {
        assert!(read.contains(part), "{part} is not in {read}");
    }
}

#[test]
fn a_summary_comes_before_the_question_whatever_the_question_says() {
    let context = question("What is this?\n# Question\nWho wrote it?")
        .tool_results([result("log", log(50))])
        .strategy(CompressionStrategy::Distillation);
    let text = optimized(&eager().summarizer(fixed("All was well.")), context).into_text();
    let expected =
        "# Summary of log\nAll was well.\n\n# Question\nWhat is this?\n# Question\nWho wrote it?";
    assert_eq!(text, expected);
}

#[test]
fn a_compaction_that_is_not_enough_is_replaced_by_pruning() {
    let history = [
        message(ChatRole::User, &log(200)),
        message(ChatRole::Assistant, "Yes."),
        message(ChatRole::User, &log(60)),
    ];
    let context = question("Is there green tea?")
        .message_history(history)
        .tool_results([result("log", log(100))])
        .strategy(CompressionStrategy::HistoryCompaction)
        .max_tokens(1_000);
    let options = options().with_verbatim_rounds(1);
    let optimized = optimized(&Assessor::new().options(options), context);
    assert_eq!(optimized.method_used(), CompressionMethod::SemanticPruning);
    assert!(optimized.optimized_tokens() <= 1_000);
    let reason = optimized.metadata()["fallback"].as_str().expect("a reason");
    assert!(reason.starts_with("history compaction: "), "{reason}");
}

#[test]
fn a_summary_that_loses_an_identifier_is_replaced_by_pruning() {
    let text = format!("{}Order A-17 is late.\n{}", log(50), log(50));
    let ask = |summary: Fixed| {
        let context = question("Where is A-17?").tool_results([result("log", text.clone())]);
        let context = context.strategy(CompressionStrategy::Distillation);
        optimized(&eager().summarizer(summary), context)
    };
    let good = ask(fixed("A-17 is late."));
    assert_eq!(good.method_used(), CompressionMethod::KnowledgeDistillation);
    for (summary, reason) in [
        (fixed("An order is late."), "lost 1 identifiers"),
        (Fixed(None), "out of order"),
        (Fixed(Some(format!("A-17 {}", log(60)))), "longer than its budget"),
    ] {
        let optimized = ask(summary);
        assert_eq!(optimized.method_used(), CompressionMethod::SemanticPruning);
        let fallback = optimized.metadata()["fallback"].as_str().expect("a reason");
        assert!(fallback.contains(reason), "{fallback}");
        assert!(optimized.optimized_text().contains("Order A-17 is late."));
    }
}

#[test]
fn without_a_summarizer_a_distillation_is_a_pruning() {
    let optimized = optimized(&eager(), about_tea().strategy(CompressionStrategy::Distillation));
    assert_eq!(optimized.method_used(), CompressionMethod::SemanticPruning);
    assert_eq!(optimized.metadata()["fallback"], "distillation: there is no summarizer");
}

#[test]
fn a_compressor_of_ones_own_replaces_the_built_in_one() {
    let optimized = optimized(&eager().compressor(fixed("mine")), about_tea());
    assert_eq!(optimized.optimized_text(), "mine");
    assert_eq!(optimized.method_used(), CompressionMethod::SemanticPruning);
}

#[test]
fn a_compressor_that_fails_or_saves_nothing_leaves_the_context_as_it_is() {
    for (own, reason) in
        [(Fixed(None), "out of order"), (Fixed(Some(log(200))), "compression saves 0 of")]
    {
        let whole = optimized(&Assessor::new(), about_tea());
        let optimized = optimized(&eager().compressor(own), about_tea());
        assert_eq!(optimized.method_used(), CompressionMethod::None);
        assert_eq!(optimized.optimized_text(), whole.optimized_text());
        let found = optimized.metadata()["reason"].as_str().expect("a reason");
        assert!(found.contains(reason), "{found}");
    }
}

#[test]
fn a_compressor_that_exceeds_the_limit_of_the_context_is_not_used() {
    let context = || question("Is there tea?").tool_results([result("log", log(400))]);
    let own = eager().compressor(Fixed(Some(log(120))));
    assert_eq!(optimized(&own, context()).optimized_text(), log(120));
    let optimized = optimized(&own, context().max_tokens(1_000));
    assert_eq!(optimized.method_used(), CompressionMethod::None);
    assert_eq!(optimized.metadata()["exceeds_max_tokens"], true);
}

#[test]
fn a_context_whose_fixed_parts_are_too_long_says_so() {
    let context = about_tea().persistent_context(log(200)).max_tokens(1_000);
    let optimized = optimized(&Assessor::new(), context);
    assert_eq!(optimized.method_used(), CompressionMethod::None);
    assert_eq!(optimized.metadata()["exceeds_max_tokens"], true);
    assert!(optimized.metadata()["reason"].as_str().is_some_and(|it| it.contains("`max_tokens`")));
}

#[test]
fn savings_are_those_of_the_saved_tokens() {
    let options = options().with_dollars_per_million(2.5);
    let optimized = optimized(&eager().options(options), about_tea());
    let saved = optimized.original_tokens() - optimized.optimized_tokens();
    #[allow(clippy::cast_precision_loss, reason = "a small count")]
    let expected = saved as f64 * 2.5e-6;
    assert!((optimized.estimated_cost_savings() - expected).abs() < 1e-12);
}

#[test]
fn an_embedder_computes_the_similarity() {
    let score = |assessor: Assessor| optimized(&assessor, about_tea()).semantic_similarity_score();
    let lexical = score(eager()).expect("words are compared");
    assert!((0.0..0.9999).contains(&lexical), "{lexical}");
    let embedded = score(eager().embedder(fixed(""))).expect("vectors are compared");
    assert!((embedded - 1.0).abs() < 1e-9);
    assert_eq!(score(eager().embedder(Fixed(None))), None);
}

#[test]
fn options_are_limited_to_their_ranges() {
    let ratio = |ratio: f64| AssessOptions::default().with_target_ratio(ratio).target_ratio();
    assert!((ratio(0.0) - 0.05).abs() < 1e-12 && (ratio(7.0) - 1.0).abs() < 1e-12);
    assert!((ratio(f64::NAN) - 1.0).abs() < 1e-12);
    let price = AssessOptions::default().with_dollars_per_million(f64::INFINITY);
    assert!(price.dollars_per_million().abs() < 1e-12);
}

#[test]
fn with_a_prompt_cache_messages_are_rewritten_only_if_that_pays() {
    let history = || question("And now?").message_history(rounds(30));
    let compacted = |turns| {
        let options = options().with_dollars_per_million(1.0).with_prompt_cache(0.1, turns);
        optimized(&eager().options(options), history())
    };
    let once = compacted(1);
    assert_eq!(once.method_used(), CompressionMethod::None);
    assert!(once.metadata()["reason"].as_str().is_some_and(|it| it.contains("prompt cache")));
    let often = compacted(40);
    assert_eq!(often.method_used(), CompressionMethod::HistoryCompaction);
    assert!(often.estimated_cost_savings() > 0.0);
    assert!(often.metadata()["savings_without_cache"].as_f64() > Some(0.0));
}

#[test]
fn with_a_prompt_cache_pruning_leaves_the_messages_as_they_are() {
    let messages = rounds(3);
    let conversation = lines(&messages);
    let context =
        about_tea().message_history(messages).strategy(CompressionStrategy::SemanticPruning);
    let pruned = |options| optimized(&eager().options(options), context.clone()).into_text();
    assert!(!pruned(options()).contains(&conversation));
    assert!(pruned(options().with_prompt_cache(0.1, 1)).contains(&conversation));
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn long_contexts_are_compressed_off_the_async_thread() {
    let context = question("Is there tea?").tool_results([result("log", log(4_000))]);
    let context = context.build().expect("a context");
    let assessor = eager();
    let mut optimizing = assessor.optimize(&context);
    assert!(futures::poll!(&mut optimizing).is_pending());
    let optimized = optimizing.await;
    assert_eq!(optimized.method_used(), CompressionMethod::SemanticPruning);
    assert!(optimized.compression_ratio() <= 0.35);
}

#[test]
fn results_are_written_compactly_if_there_is_a_serializer() {
    let rows: Vec<_> = (0..40).map(|n| serde_json::json!({"id": n, "tea": "green"})).collect();
    let context = || question("Which?").tool_results([result("teas", rows.clone())]);
    let plain = optimized(&Assessor::new(), context());
    let short = optimized(&Assessor::new().result_serializer(Articulator::new()), context());
    assert_eq!(short.method_used(), CompressionMethod::None);
    assert_eq!(short.original_tokens(), plain.original_tokens());
    // Compact JSON is the base, so that only the table is a saving.
    assert_eq!(short.compression_ratio() < 0.8, cfg!(feature = "toon"), "{short:?}");
    let is_table = short.optimized_text().contains("[40]{id,tea}:\n  0,green\n");
    assert_eq!(is_table, cfg!(feature = "toon"), "{}", short.optimized_text());
    let pruned = optimized(&eager().result_serializer(Articulator::new()), context());
    assert_eq!(pruned.method_used(), CompressionMethod::SemanticPruning);
    assert!(pruned.compression_ratio() <= 0.35, "{pruned:?}");
}

#[test]
fn nulls_and_links_are_dropped_by_a_compression_alone() {
    let row = |n: u32| json!({"id": n, "none": null, "url": format!("https://example.org/{n}")});
    let rows: Vec<_> = (0..60).map(row).collect();
    let context = || question("Which?").tool_results([result("rows", rows.clone())]);
    let dropping = options().with_nulls_dropped(true).with_links_dropped(true);
    let text = |threshold: u64| {
        let options = dropping.with_threshold_tokens(threshold);
        let assessor = Assessor::new().options(options).result_serializer(Articulator::new());
        let optimized = optimized(&assessor, context());
        (optimized.method_used(), optimized.into_text())
    };
    let (method, whole) = text(100_000);
    assert_eq!(method, CompressionMethod::None);
    assert!(whole.contains("https://example.org/59") && whole.contains("null"), "{whole}");
    let (method, pruned) = text(0);
    assert_eq!(method, CompressionMethod::SemanticPruning);
    assert!(!pruned.contains("https://") && !pruned.contains("null"), "{pruned}");
}
