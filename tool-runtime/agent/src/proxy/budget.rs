//! The optimizations of a level, and the shares of a request's tokens.

use crate::assess::AssessOptions;
use tool_contracts::proxy::ProxyRequest;

/// The most tokens that are reserved for the model's answer.
const MAX_OUTPUT_TOKENS: u64 = 4_096;
/// The smallest context that the contract knows.
const SMALLEST_CONTEXT: u64 = 1_000;

/// The optimizations of a request: the lower of its level and of its switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Optimization {
    /// True if results are written compactly, tables in TOON.
    pub(super) writes_toon: bool,
    /// True if passages may be left out of the context.
    pub(super) compresses: bool,
    is_aggressive: bool,
}

impl Optimization {
    pub(super) fn from_request(request: &ProxyRequest) -> Self {
        let level = request.optimization_level();
        Self {
            writes_toon: request.enable_toon() && level >= 1,
            compresses: request.enable_compression() && level >= 2,
            is_aggressive: level >= 3,
        }
    }

    /// Returns the settings of the compression.
    pub(super) fn options(self, threshold: u64, dollars_per_million: f64) -> AssessOptions {
        let options = AssessOptions::default().with_dollars_per_million(dollars_per_million);
        match self {
            Self { compresses: false, .. } => options.with_threshold_tokens(u64::MAX),
            Self { is_aggressive: false, .. } => options.with_threshold_tokens(threshold),
            Self { .. } => options
                .with_threshold_tokens(threshold / 4)
                .with_target_ratio(0.25)
                .with_nulls_dropped(true)
                .with_links_dropped(true),
        }
    }

    /// Returns the settings of a second compression, which keeps as much as fits: fields that are null
    /// or empty, and links, are left out first.
    pub(super) fn with_stronger_compression(self, dollars_per_million: f64) -> AssessOptions {
        self.options(0, dollars_per_million)
            .with_target_ratio(1.0)
            .with_nulls_dropped(true)
            .with_links_dropped(true)
    }
}

/// The division of a request's tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TokenBudget {
    /// The tokens of the request.
    total: u64,
    /// The tokens of the context.
    pub(super) input: u64,
    /// The tokens that are reserved for the answer.
    pub(super) output: u64,
    /// The tokens of the answer's schema, which the model reads too; there may be no room for it.
    schema: u64,
}

impl TokenBudget {
    /// Divides the tokens of a request whose answer has a schema of so many tokens.
    pub(super) fn for_request(request: &ProxyRequest, schema: u64) -> Self {
        let full_budget = Self::from_total(request.max_total_tokens());
        Self { input: full_budget.input.saturating_sub(schema), schema, ..full_budget }
    }

    /// Reserves a quarter of the tokens for the answer, at most 4,096.
    fn from_total(total: u64) -> Self {
        let output = (total / 4).min(MAX_OUTPUT_TOKENS);
        Self { total, input: total - output, output, schema: 0 }
    }

    /// Returns the limit of the context, as the contract can say it.
    pub(super) fn context_limit(self) -> u64 {
        self.input.max(SMALLEST_CONTEXT)
    }

    /// Returns the smallest total of this request if its context takes so many tokens.
    pub(super) fn total_with(self, context: u64) -> u64 {
        Self::total_for(context.saturating_add(self.schema))
    }

    /// Returns the smallest total of a request whose context and schema take so many tokens.
    fn total_for(context: u64) -> u64 {
        let with_quarter = context.saturating_sub(1).saturating_mul(4) / 3 + 1;
        let total = if with_quarter / 4 < MAX_OUTPUT_TOKENS {
            with_quarter
        } else {
            context.saturating_add(MAX_OUTPUT_TOKENS)
        };
        total.max(SMALLEST_CONTEXT)
    }

    pub(super) fn total(self) -> u64 {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_their_targets_and_thresholds() {
        let settings = |level: u8| {
            let request = ProxyRequest::builder("?").optimization_level(level).build();
            let options =
                Optimization::from_request(&request.expect("a request")).options(8_000, 0.0);
            (options.threshold_tokens(), options.target_ratio())
        };
        assert_eq!(settings(2), (8_000, 0.35));
        assert_eq!(settings(3), (2_000, 0.25));
        for level in [0, 1] {
            assert_eq!(settings(level).0, u64::MAX);
        }
    }

    #[test]
    fn the_total_for_a_context_is_the_smallest_that_has_room_for_it() {
        for context in (1..3_000).chain(12_000..13_000).chain([900_000]) {
            let total = TokenBudget::total_for(context);
            assert!(TokenBudget::from_total(total).input >= context, "{context}");
            let less = TokenBudget::from_total(total - 1).input;
            assert!(total == SMALLEST_CONTEXT || less < context, "{context}");
        }
    }
}
