//! Compresses the context of a request within its budget, or refuses it with what would fit.

use serde_json::Value;
use tool_contracts::assess::{CompressionStrategy, ContextData, OptimizedContext};
use tool_runtime_core::articulate::Articulator;

use super::turn::{RequestTurn, serialization_error};
use crate::assess::{AssessOptions, Assessor, COMPRESSION_COST, WITHOUT_CACHE};
use crate::error::{AgentError, AgentErrorKind};
use crate::model_summarizer::ModelSummarizer;

/// The most tokens that a request may have, as the contract says.
const MAX_TOTAL_TOKENS: u64 = 1_000_000;

impl RequestTurn<'_> {
    /// Compresses the context; harder if it does not fit, and refuses it if it still does not.
    pub(super) async fn optimize(
        &self,
        context: &ContextData,
    ) -> Result<OptimizedContext, AgentError> {
        if !self.optimization.compresses {
            // A context that must stay whole has no limit that compression could keep.
            let unlimited_context = context.clone().into_builder().max_tokens(u64::MAX).build();
            let unlimited_context =
                unlimited_context.map_err(|error| serialization_error(&error))?;
            let assessed_context = self.assessor(self.options()).optimize(&unlimited_context).await;
            return if self.fits(&assessed_context) {
                Ok(assessed_context)
            } else {
                Err(self.too_long_error(assessed_context.optimized_tokens()))
            };
        }
        let optimized = self.assessor(self.options()).optimize(context).await;
        if self.fits(&optimized) {
            return Ok(optimized);
        }
        // A summary that is not used was paid too.
        let cost = optimized.metadata().get(COMPRESSION_COST).and_then(Value::as_f64);
        self.optimize_harder(context, cost).await
    }

    /// Prunes a context that is too long after its compression, to what the budget has for it.
    async fn optimize_harder(
        &self,
        context: &ContextData,
        cost: Option<f64>,
    ) -> Result<OptimizedContext, AgentError> {
        let context = context.clone().into_builder();
        let context = context.strategy(CompressionStrategy::SemanticPruning).build();
        let context = context.map_err(|error| serialization_error(&error))?;
        let assessor = self.assessor(
            self.with_prompt_cache(self.optimization.with_stronger_compression(self.price())),
        );
        let assessor = assessor.without_compressors().max_tokens(self.budget.input);
        let optimized = assessor.optimize(&context).await;
        if !self.fits(&optimized) {
            return Err(self.too_long_error(assessor.fewest_tokens(&context)));
        }
        let saved = optimized.estimated_cost_savings();
        let without_cache = optimized.metadata().get(WITHOUT_CACHE).and_then(Value::as_f64);
        let mut marked = optimized.into_builder().metadata("compressed_harder", true);
        if let Some(cost) = cost {
            marked = marked.metadata(COMPRESSION_COST, cost).estimated_cost_savings(saved - cost);
            if let Some(saved) = without_cache {
                marked = marked.metadata(WITHOUT_CACHE, saved - cost);
            }
        }
        marked.build().map_err(|error| serialization_error(&error))
    }

    fn options(&self) -> AssessOptions {
        let threshold = self.agent.config.compression_threshold_tokens();
        self.with_prompt_cache(self.optimization.options(threshold, self.price()))
    }

    /// Tells the compression about the provider's cache, which has the earlier messages of a session.
    ///
    /// The stored messages stay as they were said, so that a context that rewrites them is rewritten
    /// again by the next request: each request has to pay for itself.
    fn with_prompt_cache(&self, options: AssessOptions) -> AssessOptions {
        let price = self.agent.config.prices().price_for(self.model);
        match price.and_then(|price| price.cached_input_share()) {
            Some(share) if self.session.is_some() => options.with_prompt_cache(share, 1),
            Some(_) | None => options,
        }
    }

    /// Returns the price of the model's input, in US dollars for a million tokens.
    fn price(&self) -> f64 {
        self.agent.config.prices().price_for(self.model).map_or(0.0, |price| price.input())
    }

    fn assessor(&self, options: AssessOptions) -> Assessor {
        let agent_assessor = self.agent.assessor.clone();
        let assessor = if agent_assessor.has_summarizer() {
            agent_assessor
        } else {
            agent_assessor.summarizer(self.student())
        };
        // The model has to have time left, whatever becomes of a summary.
        let assessor = assessor.options(options).deadline(self.deadline.halved());
        let assessor = assessor.token_counter(self.counter.clone());
        if self.optimization.writes_toon {
            assessor.result_serializer(self.articulator())
        } else {
            assessor
        }
    }

    fn student(&self) -> ModelSummarizer {
        let config = &self.agent.config;
        let price = config.prices().price_for(config.student_summarizer_model());
        ModelSummarizer::from_model(self.agent.model.clone())
            .with_model(config.student_summarizer_model())
            .with_dollars_per_million(price.map_or(0.0, |price| price.input()))
            .with_dollars_per_million_output(price.map_or(0.0, |price| price.output()))
    }

    pub(super) fn articulator(&self) -> Articulator {
        let rows = self.agent.config.toon_threshold_array_size();
        let rows = usize::try_from(rows).unwrap_or(usize::MAX);
        Articulator::new().table_rows(rows).token_counter(self.counter.clone())
    }

    fn fits(&self, optimized: &OptimizedContext) -> bool {
        optimized.optimized_tokens() <= self.budget.input
    }

    /// Refuses a context that cannot take fewer tokens than these.
    fn too_long_error(&self, tokens: u64) -> AgentError {
        let required = self.budget.total_with(tokens);
        let cure =
            if required > MAX_TOTAL_TOKENS { "send less" } else { "allow more, or send less" };
        let message = format!(
            "the context, the schema and the answer need {required} tokens, and the request allows {}; {cure}",
            self.budget.total()
        );
        AgentError::new(AgentErrorKind::Compression, message)
            .with_detail("max_total_tokens", self.budget.total())
            .with_detail("required_total_tokens", required)
    }
}
