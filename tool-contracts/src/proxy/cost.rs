//! What a request cost, and what it would have cost.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    ContractError,
    contract_error::Problems,
    wire::{self, reads},
};

/// The tokens and the cost of a request, beside those without optimization.
///
/// The total, the savings and the ratio of the input are computed from the other figures.
///
/// The costs are numbers even if nothing is known of the price, since the figures of this report are
/// required: tokens with costs of 0 are those of a model without a price, or of one that costs nothing.
/// The agent tells them apart in `context_optimization.metadata.price` of its response, which is
/// `unknown` for the former.
///
/// ```
/// use tool_contracts::proxy::CostReport;
///
/// let report = CostReport::builder()
///     .input_tokens(10_000, 3_500)
///     .output_tokens(500)
///     .costs(0.002, 0.001)
///     .output_compression_ratio(0.8)
///     .build()?;
/// assert_eq!((report.total_tokens(), report.savings_percentage()), (4_000, 50.0));
/// assert_eq!(report.input_compression_ratio(), 0.35);
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("cost_report"))]
pub struct CostReport {
    /// The tokens that the model would have read without optimization.
    raw_input_tokens: u64,
    /// The tokens that the model read.
    optimized_input_tokens: u64,
    /// The tokens that the model wrote.
    output_tokens: u64,
    /// The tokens that the model read and wrote.
    total_tokens: u64,
    /// The cost without optimization, in US dollars; 0 if the price of the model is unknown.
    #[schemars(range(min = 0))]
    baseline_cost: f64,
    /// The cost, in US dollars, with that of summaries; 0 without any if the price is unknown.
    #[schemars(range(min = 0))]
    actual_cost: f64,
    /// The saved cost, in US dollars; negative if the optimization cost more than it saved.
    savings: f64,
    /// The saved share of the cost without optimization, in percent.
    #[schemars(range(max = 100))]
    savings_percentage: f64,
    /// The read tokens over those without optimization; 1 if there are none.
    #[schemars(range(min = 0))]
    input_compression_ratio: f64,
    /// The tokens of the serialized answer over those in standard JSON.
    #[schemars(range(min = 0))]
    output_compression_ratio: f64,
}

impl CostReport {
    /// Builds a report; without further settings nothing was read, written or paid.
    pub fn builder() -> CostReportBuilder {
        CostReportBuilder(Self {
            raw_input_tokens: 0,
            optimized_input_tokens: 0,
            output_tokens: 0,
            total_tokens: 0,
            baseline_cost: 0.0,
            actual_cost: 0.0,
            savings: 0.0,
            savings_percentage: 0.0,
            input_compression_ratio: 1.0,
            output_compression_ratio: 1.0,
        })
    }

    /// Returns the tokens that the model would have read without optimization.
    #[must_use]
    pub const fn raw_input_tokens(&self) -> u64 {
        self.raw_input_tokens
    }

    /// Returns the tokens that the model read.
    #[must_use]
    pub const fn optimized_input_tokens(&self) -> u64 {
        self.optimized_input_tokens
    }

    /// Returns the tokens that the model wrote.
    #[must_use]
    pub const fn output_tokens(&self) -> u64 {
        self.output_tokens
    }

    /// Returns the tokens that the model read and wrote.
    #[must_use]
    pub const fn total_tokens(&self) -> u64 {
        self.total_tokens
    }

    /// Returns the cost without optimization, in US dollars; 0 if the price is unknown.
    #[must_use]
    pub const fn baseline_cost(&self) -> f64 {
        self.baseline_cost
    }

    /// Returns the cost, in US dollars; 0 if the price is unknown and no summary was written.
    #[must_use]
    pub const fn actual_cost(&self) -> f64 {
        self.actual_cost
    }

    /// Returns the saved cost, in US dollars.
    #[must_use]
    pub const fn savings(&self) -> f64 {
        self.savings
    }

    /// Returns the saved share of the cost without optimization, in percent.
    #[must_use]
    pub const fn savings_percentage(&self) -> f64 {
        self.savings_percentage
    }

    /// Returns the read tokens over those without optimization.
    #[must_use]
    pub const fn input_compression_ratio(&self) -> f64 {
        self.input_compression_ratio
    }

    /// Returns the tokens of the serialized answer over those in standard JSON.
    #[must_use]
    pub const fn output_compression_ratio(&self) -> f64 {
        self.output_compression_ratio
    }
}

/// Builds a [`CostReport`].
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct CostReportBuilder(CostReport);

impl CostReportBuilder {
    /// Sets the tokens that the model would have read, and those that it read.
    pub const fn input_tokens(mut self, raw: u64, optimized: u64) -> Self {
        self.0.raw_input_tokens = raw;
        self.0.optimized_input_tokens = optimized;
        self
    }

    /// Sets the tokens that the model wrote.
    pub const fn output_tokens(mut self, tokens: u64) -> Self {
        self.0.output_tokens = tokens;
        self
    }

    /// Sets the cost without optimization, and the cost, in US dollars.
    pub const fn costs(mut self, baseline: f64, actual: f64) -> Self {
        self.0.baseline_cost = baseline;
        self.0.actual_cost = actual;
        self
    }

    /// Sets the tokens of the serialized answer over those in standard JSON.
    pub const fn output_compression_ratio(mut self, ratio: f64) -> Self {
        self.0.output_compression_ratio = ratio;
        self
    }

    /// Builds the report, and computes the total, the savings and the ratio of the input.
    ///
    /// # Errors
    /// Returns an error if a cost or the ratio is negative or not finite.
    pub fn build(self) -> Result<CostReport, ContractError> {
        let mut report = self.0;
        let mut problems = Problems::new("CostReport");
        for (field, figure) in [
            ("baseline_cost", report.baseline_cost),
            ("actual_cost", report.actual_cost),
            ("output_compression_ratio", report.output_compression_ratio),
        ] {
            problems.check(figure.is_finite() && figure >= 0.0, field, "expected a number from 0");
        }
        problems.finish()?;
        report.total_tokens = report.optimized_input_tokens.saturating_add(report.output_tokens);
        report.savings = report.baseline_cost - report.actual_cost;
        let has_baseline = report.baseline_cost > 0.0;
        let share = if has_baseline { report.savings / report.baseline_cost } else { 0.0 };
        report.savings_percentage = share * 100.0;
        report.input_compression_ratio =
            ratio(report.optimized_input_tokens, report.raw_input_tokens);
        Ok(report)
    }
}

#[allow(clippy::cast_precision_loss, reason = "a ratio of two counts")]
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// Returns whether a figure is the computed one, up to rounding: a hundredth of a cent, or a
/// hundredth of the figure.
fn is_near(figure: f64, computed: f64) -> bool {
    (figure - computed).abs() <= 1e-4 + computed.abs() * 1e-2
}

reads! {
    CostReport, "the cost of a request";
    required raw_input_tokens = "raw_input_tokens", leaf wire::Whole<u64>;
    required optimized_input_tokens = "optimized_input_tokens", leaf wire::Whole<u64>;
    required output_tokens = "output_tokens", leaf wire::Whole<u64>;
    required total_tokens = "total_tokens", leaf wire::Whole<u64>;
    required baseline_cost = "baseline_cost", leaf wire::Finite;
    required actual_cost = "actual_cost", leaf wire::Finite;
    required savings = "savings", leaf wire::Finite;
    required savings_percentage = "savings_percentage", leaf wire::Finite;
    required input_compression_ratio = "input_compression_ratio", leaf wire::Finite;
    required output_compression_ratio = "output_compression_ratio", leaf wire::Finite;
    => {
        let report = CostReport::builder()
            .input_tokens(raw_input_tokens, optimized_input_tokens)
            .output_tokens(output_tokens)
            .costs(baseline_cost, actual_cost)
            .output_compression_ratio(output_compression_ratio)
            .build()
            .map_err(wire::refused::<A::Error>)?;
        if total_tokens != report.total_tokens {
            let expected = "`optimized_input_tokens` + `output_tokens`";
            return Err(wire::contradicted("total_tokens", expected));
        }
        if !is_near(savings, report.savings) {
            return Err(wire::contradicted("savings", "`baseline_cost` - `actual_cost`"));
        }
        if !is_near(savings_percentage, report.savings_percentage) {
            return Err(wire::contradicted("savings_percentage", "100 * `savings` / `baseline_cost`"));
        }
        if !wire::is_rounded(input_compression_ratio, report.input_compression_ratio) {
            let expected = "`optimized_input_tokens` / `raw_input_tokens`";
            return Err(wire::contradicted("input_compression_ratio", expected));
        }
        Ok(CostReport { savings, savings_percentage, input_compression_ratio, ..report })
    }
}
