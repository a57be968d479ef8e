//! Long contexts are summarized in chunks, side by side.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;

use super::{eager, log, optimized, options, question, result};
use crate::assess::{CompressionError, ContextManager, Summarizer, SummaryRequest};
use crate::contracts::assess::{
    CompressionMethod, CompressionStrategy, ContextDataBuilder, OptimizedContext,
};

/// Names the identifiers of its chunk, unless it loses them; and counts what it was asked.
#[derive(Debug, Clone, Default)]
struct Student {
    counts: Arc<Counts>,
    /// The identifier that its summaries leave out.
    loses: &'static str,
}

#[derive(Debug, Default)]
struct Counts {
    asked: AtomicUsize,
    running: AtomicUsize,
    most_at_once: AtomicUsize,
}

#[async_trait]
impl Summarizer for Student {
    async fn summarize(&self, request: SummaryRequest<'_>) -> Result<String, CompressionError> {
        self.counts.asked.fetch_add(1, Ordering::SeqCst);
        let running = self.counts.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.counts.most_at_once.fetch_max(running, Ordering::SeqCst);
        // Lets the summaries beside it begin.
        yield_once().await;
        self.counts.running.fetch_sub(1, Ordering::SeqCst);
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
    assert_eq!(student.counts.most_at_once.load(Ordering::SeqCst), 4);
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
