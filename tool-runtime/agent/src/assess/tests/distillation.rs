//! Long contexts are summarized in chunks, side by side.

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tool_contracts::assess::{
    ChatRole, CompressionMethod, CompressionStrategy, ContextData, ContextDataBuilder,
    OptimizedContext,
};
use tool_runtime_core::tokens::{TokenCounter, TokenEstimate, TokenMethod};

use super::{eager, log, message, optimized, options, question, result};
use crate::assess::{CompressionError, Summarizer, SummaryRequest};

/// Names the identifiers of its chunk, unless it loses them; and counts what it was asked.
#[derive(Debug, Clone, Default)]
struct Student {
    counts: Arc<Counts>,
    /// The identifiers that it had to keep, by chunk.
    demanded: Arc<Mutex<Vec<Vec<String>>>>,
    /// The identifier that its summaries leave out.
    loses: &'static str,
}

#[derive(Debug, Default)]
struct Counts {
    asked: AtomicUsize,
    running: AtomicUsize,
    peak: AtomicUsize,
}

#[async_trait]
impl Summarizer for Student {
    async fn summarize(&self, request: SummaryRequest<'_>) -> Result<String, CompressionError> {
        self.counts.asked.fetch_add(1, Ordering::SeqCst);
        let running = self.counts.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.counts.peak.fetch_max(running, Ordering::SeqCst);
        // Lets the summaries beside it begin.
        yield_once().await;
        self.counts.running.fetch_sub(1, Ordering::SeqCst);
        let demanded = request.identifiers.iter().map(|&word| word.to_owned()).collect();
        self.demanded.lock().expect("no thread panicked").push(demanded);
        let kept = request.identifiers.iter().filter(|word| **word != self.loses);
        let kept: Vec<&str> = kept.copied().collect();
        Ok(format!("Seen: {}.", kept.join(", ")))
    }
}

/// Is pending once.
async fn yield_once() {
    let mut is_ready = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut is_ready, true) {
            return std::task::Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

/// A context of about ten chunks, with an order in the first and in the last one.
fn long() -> ContextDataBuilder {
    let text = format!("Order A-17 is late.\n{}Order B-18 is lost.\n", log(3_500));
    question("Where are A-17 and B-18?")
        .tool_results([result("log", text)])
        .strategy(CompressionStrategy::Distillation)
}

fn distilled(student: &Student) -> OptimizedContext {
    let assessor = eager().options(options()).summarizer(student.clone());
    let context = long().build().expect("a context");
    futures::executor::block_on(assessor.optimize(&context))
}

#[test]
fn chunks_are_summarized_side_by_side_up_to_a_bound_and_stay_in_order() {
    let student = Student::default();
    let optimized = distilled(&student);
    assert_eq!(optimized.method_used(), CompressionMethod::KnowledgeDistillation);
    let asked = student.counts.asked.load(Ordering::SeqCst);
    assert!((8..=14).contains(&asked), "{asked} chunks");
    assert_eq!(student.counts.peak.load(Ordering::SeqCst), 4);
    let text = optimized.optimized_text();
    let [first, last] = ["Seen: A-17.", "Seen: B-18."].map(|it| text.find(it).expect("it is kept"));
    assert!(first < last && text.matches("Seen: ").count() == asked, "{text}");
}

#[test]
fn an_identifier_that_one_chunk_loses_is_noticed_and_the_context_is_pruned() {
    for loses in ["A-17", "B-18"] {
        let optimized = distilled(&Student { loses, ..Student::default() });
        assert_eq!(optimized.method_used(), CompressionMethod::SemanticPruning);
        let fallback = optimized.metadata()["fallback"].as_str().expect("a reason");
        assert!(fallback.contains("lost 1 identifiers"), "{fallback}");
        for kept in ["Order A-17 is late.", "Order B-18 is lost."] {
            assert!(optimized.optimized_text().contains(kept), "{kept}");
        }
    }
}

#[test]
fn chunks_share_the_budget_of_the_summary() {
    /// Writes as much as it may.
    #[derive(Debug)]
    struct Talkative;

    #[async_trait]
    impl Summarizer for Talkative {
        async fn summarize(&self, request: SummaryRequest<'_>) -> Result<String, CompressionError> {
            let words = usize::try_from(request.max_tokens).unwrap_or_default() / 2;
            Ok(format!("{} {}", request.identifiers.join(" "), "tea ".repeat(words)))
        }
    }

    let assessor = eager().options(options().with_target_ratio(0.3)).summarizer(Talkative);
    let optimized = optimized(&assessor, long());
    assert_eq!(optimized.method_used(), CompressionMethod::KnowledgeDistillation);
    assert!(optimized.compression_ratio() <= 0.3, "{}", optimized.compression_ratio());
}

#[test]
fn an_identifier_within_a_longer_one_is_not_the_identifier() {
    /// Confuses one identifier with a longer one.
    #[derive(Debug)]
    struct Confused;

    #[async_trait]
    impl Summarizer for Confused {
        async fn summarize(&self, request: SummaryRequest<'_>) -> Result<String, CompressionError> {
            Ok(format!("Seen: {}.", request.identifiers.join(", ")).replace("A-17", "A-171"))
        }
    }

    let optimized = optimized(&eager().summarizer(Confused), long());
    assert_eq!(optimized.method_used(), CompressionMethod::SemanticPruning);
    let fallback = optimized.metadata()["fallback"].as_str().expect("a reason");
    assert!(fallback.contains("lost 1 identifiers"), "{fallback}");
}

/// Keeps the texts that it was given.
#[derive(Debug, Clone, Default)]
struct Reader(Arc<Mutex<Vec<String>>>);

#[async_trait]
impl Summarizer for Reader {
    async fn summarize(&self, request: SummaryRequest<'_>) -> Result<String, CompressionError> {
        self.0.lock().expect("no thread panicked").push(request.text.to_owned());
        Ok(format!("Seen: {}.", request.identifiers.join(", ")))
    }
}

/// Counts each byte as a token.
#[derive(Debug, Clone, Copy)]
struct Bytes;

impl TokenCounter for Bytes {
    fn count(&self, text: &str) -> u64 {
        text.len() as u64
    }

    fn method(&self) -> TokenMethod {
        TokenMethod::Estimate
    }
}

/// Has one result summarized, and checks that no text is longer than a chunk and nothing is lost.
#[track_caller]
fn check_chunks(counter: impl TokenCounter + Clone + 'static, data: &Value) {
    let reader = Reader::default();
    let context = ContextData::builder()
        .message_history([message(ChatRole::User, "Hello.")])
        .tool_results([result("page", data)])
        .strategy(CompressionStrategy::Distillation)
        .max_tokens(1_000_000);
    let assessor = eager().summarizer(reader.clone()).token_counter(counter.clone());
    optimized(&assessor, context);
    let texts = reader.0.lock().expect("no thread panicked");
    for text in texts.iter() {
        let tokens = counter.count(text);
        assert!(tokens <= 4_000, "{tokens} tokens: {}…", text.chars().take(80).collect::<String>());
    }
    let body = data.as_str().map_or_else(|| data.to_string(), str::to_owned);
    assert_eq!(texts.concat(), format!("user: Hello.\n## page\n{body}\n"));
}

#[test]
fn no_request_to_the_summarizer_exceeds_a_chunk() {
    let name = |n: usize| (format!("field number {n}"), Value::from("the green tea of the shop"));
    let fields: Map<String, Value> = (0..3_000).map(name).collect();
    let row = json!({"id": 1, "fields": &fields});
    for data in [
        // A document without rows or long texts, and one whose rows are long.
        Value::Object(fields.clone()),
        json!([&row, &row, &row, &row]),
        json!({"text": "茶".repeat(30_000)}),
        json!({"text": "\u{1}\n\"".repeat(10_000)}),
        Value::from("ä".repeat(50_000)),
        Value::from("no space".repeat(10_000)),
        Value::from(log(3_000)),
    ] {
        check_chunks(TokenEstimate, &data);
        check_chunks(Bytes, &data);
    }
}

/// A text in which some names are often, and others once.
fn parcels() -> String {
    let mut text = String::new();
    for n in 0..40 {
        let often = if n % 4 == 0 { "The parcel A-17 is in /srv/hall_2. " } else { "" };
        writeln!(text, "{often}The box B-{n} went to the customer at 12:{n:02}.")
            .expect("a string takes all text");
    }
    text
}

fn unasked(student: &Student) -> OptimizedContext {
    let context = ContextData::builder()
        .tool_results([result("log", parcels())])
        .strategy(CompressionStrategy::Distillation);
    let context = context.build().expect("a context");
    futures::executor::block_on(eager().summarizer(student.clone()).optimize(&context))
}

#[test]
fn without_a_question_the_most_frequent_identifiers_of_a_chunk_are_demanded() {
    let student = Student::default();
    let optimized = unasked(&student);
    assert_eq!(optimized.method_used(), CompressionMethod::KnowledgeDistillation);
    let demanded = student.demanded.lock().expect("no thread panicked").clone();
    assert_eq!(demanded.len(), 1);
    let demanded = &demanded[0];
    assert_eq!(demanded[..2], ["A-17", "/srv/hall_2"], "{demanded:?}");
    assert_eq!(demanded[2..], ["B-0", "B-1", "B-2", "B-3", "B-4", "B-5"], "{demanded:?}");
}

#[test]
fn without_a_question_a_summary_that_loses_a_frequent_identifier_is_replaced_by_pruning() {
    for loses in ["A-17", "/srv/hall_2"] {
        let optimized = unasked(&Student { loses, ..Student::default() });
        assert_eq!(optimized.method_used(), CompressionMethod::SemanticPruning);
        let fallback = optimized.metadata()["fallback"].as_str().expect("a reason");
        assert!(fallback.contains("lost 1 identifiers"), "{fallback}");
    }
}

#[test]
fn the_names_that_are_demanded_without_a_question_fit_in_half_of_the_summary() {
    let name = |n: usize| format!("{}_{n}", "very_long_name_of_a_parcel".repeat(40));
    let mut text = String::new();
    for n in 0..30 {
        writeln!(text, "The box {} and B-{n} went.", name(n % 3)).expect("a string takes all text");
    }
    let student = Student::default();
    let context = ContextData::builder()
        .tool_results([result("log", text)])
        .strategy(CompressionStrategy::Distillation);
    let options = options().with_target_ratio(0.05);
    let context = context.build().expect("a context");
    let assessor = eager().options(options).summarizer(student.clone());
    let optimized = futures::executor::block_on(assessor.optimize(&context));
    assert_eq!(optimized.method_used(), CompressionMethod::KnowledgeDistillation);
    let demanded = student.demanded.lock().expect("no thread panicked").concat();
    assert!(demanded.iter().all(|word| word.len() < 100), "{demanded:?}");
    assert!(demanded.contains(&"B-0".to_owned()), "{demanded:?}");
}

/// Writes the same summary, at these prices.
#[derive(Debug)]
struct Priced {
    summary: &'static str,
    input: f64,
    output: f64,
}

#[async_trait]
impl Summarizer for Priced {
    async fn summarize(&self, _: SummaryRequest<'_>) -> Result<String, CompressionError> {
        Ok(self.summary.to_owned())
    }

    fn dollars_per_million(&self) -> f64 {
        self.input
    }

    fn dollars_per_million_output(&self) -> f64 {
        self.output
    }
}

#[test]
#[allow(clippy::cast_precision_loss, reason = "small counts")]
fn a_summary_costs_what_is_read_and_written_also_if_it_is_not_used() {
    let text = format!("Order A-17 is late.\n{}", log(100));
    let read = TokenEstimate.count(&text) as f64;
    // Returns the cost, in millionths of a dollar, and the context.
    let paid = |summary: &'static str, (input, output): (f64, f64), data: &str| {
        let context = question("Where is A-17?").tool_results([result("log", data)]);
        let context = context.strategy(CompressionStrategy::Distillation);
        let optimized = optimized(&eager().summarizer(Priced { summary, input, output }), context);
        let cost = optimized.metadata().get("compression_cost").and_then(Value::as_f64);
        (cost.unwrap_or_default() * 1e6, optimized)
    };
    let same = |one: f64, other: f64| (one - other).abs() < 1e-6;
    let (late, lost) = ("A-17 is late.", "An order is late.");
    for (summary, method) in [
        (late, CompressionMethod::KnowledgeDistillation),
        (lost, CompressionMethod::SemanticPruning),
    ] {
        let (cost, optimized) = paid(summary, (0.0, 8.0), &text);
        let written = TokenEstimate.count(summary) as f64;
        assert_eq!(optimized.method_used(), method);
        assert!(same(cost, 8.0 * written), "{summary}: {cost}");
        let (cost, optimized) = paid(summary, (2.0, 0.0), &text);
        assert!(cost >= 2.0 * read && cost < 2.5 * read, "{summary}: {cost} for {read}");
        // Saved tokens have no price here.
        assert!(same(optimized.estimated_cost_savings() * -1e6, cost), "{summary}: {cost}");
    }
    // Nothing that the summary could be replaced by fits here.
    let context = question("Where is A-17?").tool_results([result("log", &text)]);
    let context = context.strategy(CompressionStrategy::Distillation).max_tokens(1_000);
    let summarizer = Priced { summary: late, input: 2.0, output: 0.0 };
    let optimized =
        optimized(&eager().summarizer(summarizer), context.persistent_context(log(200)));
    assert_eq!(optimized.method_used(), CompressionMethod::None);
    let cost = optimized.metadata()["compression_cost"].as_f64().expect("it was paid");
    assert!(cost * 1e6 >= 2.0 * read, "{cost}");
    // Nothing can be saved here.
    let (cost, optimized) = paid(lost, (0.0, 8.0), "A-17 is late.");
    assert_eq!(optimized.method_used(), CompressionMethod::None);
    assert!(cost > 0.0 && optimized.estimated_cost_savings() < 0.0, "{cost}");
}

#[test]
fn a_model_that_cannot_be_reached_costs_nothing_and_one_that_was_cut_off_does() {
    /// Fails, after so many tokens if it has answered.
    #[derive(Debug)]
    struct Failing(Option<u64>);

    #[async_trait]
    impl Summarizer for Failing {
        async fn summarize(&self, _: SummaryRequest<'_>) -> Result<String, CompressionError> {
            let error = CompressionError::new("out of order");
            Err(self.0.map_or(error.clone(), |tokens| error.with_written_tokens(tokens)))
        }

        fn dollars_per_million_output(&self) -> f64 {
            8.0
        }
    }

    for (written, expected) in [(None, None), (Some(50), Some(400.0))] {
        let context = question("Is there tea?").tool_results([result("log", log(50))]);
        let context = context.strategy(CompressionStrategy::Distillation);
        let optimized = optimized(&eager().summarizer(Failing(written)), context);
        assert_eq!(optimized.method_used(), CompressionMethod::SemanticPruning);
        let cost = optimized.metadata().get("compression_cost").and_then(Value::as_f64);
        assert_eq!(cost.map(|cost| (cost * 1e6).round()), expected, "{written:?}");
    }
}
