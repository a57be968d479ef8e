//! Compresses the result of one tool: before it becomes a message, and again when it is old.

use std::time::Instant;

use chrono::{DateTime, Utc};

use super::assessor::Assessor;
use super::compression::TextScope;
use super::options::AssessOptions;
use super::raw_context::RawContext;
use super::result_message::{ResultData, ResultMessage};
use tool_contracts::act::ActResult;
use tool_contracts::assess::{
    ChatMessage, ChatRole, CompressionMethod, ContextData, OptimizedContext,
};

impl Assessor {
    /// Compresses the result of one tool by a question, before it becomes a message of a history.
    ///
    /// The text is the result alone, without the headings of a context; JSON is written compactly. It
    /// is pruned if it takes more than [`threshold_tokens`](super::AssessOptions::with_threshold_tokens); a failure never is. If
    /// rows were left out, its first line says how many are there: `(12 of 200 rows)`.
    ///
    /// A message that is compressed once never changes again, so the provider's cache of the prompt
    /// stays valid. [`ToolLoop`](crate::ToolLoop) does this by itself.
    ///
    /// ```
    /// use tool_runtime::assess::{AssessOptions, Assessor};
    /// use tool_runtime::contracts::act::ActResult;
    /// use tool_runtime::serde_json::{Value, json};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cities: Vec<Value> = (0..300).map(|n| json!({"city": format!("Town {n}"), "id": n})).collect();
    /// let result = ActResult::succeeded("cities", cities, "2026-05-03T12:34:56Z".parse()?).build()?;
    ///
    /// let assessor = Assessor::new().options(AssessOptions::default().with_threshold_tokens(500));
    /// let shown = assessor.optimize_result(&result, Some("What is the id of Town 17?")).await;
    /// assert!(shown.optimized_text().contains(r#"{"city":"Town 17","id":17}"#));
    /// assert!(shown.optimized_text().contains(" of 300 rows)\n"));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn optimize_result(
        &self,
        result: &ActResult,
        query: Option<&str>,
    ) -> OptimizedContext {
        let started = Instant::now();
        let context = context_for_result(result, query);
        let raw = RawContext::new(&context, TextScope::ResultsAlone, self);
        let is_long = result.success() && raw.tokens > self.options.threshold_tokens();
        let method =
            if is_long { CompressionMethod::SemanticPruning } else { CompressionMethod::None };
        self.optimize_by(method, &context, raw, started).await
    }

    /// Returns the settings.
    pub(crate) const fn options_in_use(&self) -> &AssessOptions {
        &self.options
    }

    /// Reduces a result of an older round to what decides, asks or names something, and to what the
    /// newer texts refer to; `None` if that saves nothing.
    pub(crate) async fn compact_result(&self, text: &str, newer: &[String]) -> Option<String> {
        let message = ResultMessage::parse(text)?;
        let time = DateTime::<Utc>::UNIX_EPOCH;
        let result = match message.data() {
            ResultData::Json(json) => ActResult::succeeded("result", json, time),
            ResultData::Text(text) => ActResult::succeeded("result", *text, time),
        };
        let newer = newer.iter().map(|text| ChatMessage::new(ChatRole::Assistant, text, time, 0));
        let newer = newer.collect::<Result<Vec<_>, _>>().ok()?;
        let context = ContextData::builder().tool_results([result.build().ok()?]);
        let context = context.message_history(newer).build().ok()?;
        let raw = RawContext::new(&context, TextScope::ResultsAlone, self);
        let method = CompressionMethod::HistoryCompaction;
        let compacted = self.optimize_by(method, &context, raw, Instant::now()).await;
        if compacted.method_used() != method {
            return None;
        }
        let compacted = message.with_data(compacted.optimized_text())?;
        (self.counter.count(&compacted) < self.counter.count(text)).then_some(compacted)
    }
}

/// Makes a context of one result, and of the question that it is pruned by.
fn context_for_result(result: &ActResult, query: Option<&str>) -> ContextData {
    let context = ContextData::builder().tool_results([result.clone()]);
    let context = match query {
        Some(query) => context.transient(ContextData::QUERY, query),
        None => context,
    };
    context.build().expect("the context has the default size")
}
