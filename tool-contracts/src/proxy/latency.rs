//! How long each step took.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    ContractError,
    contract_error::Problems,
    wire::{self, reads},
};

/// How long each step of a request took, in milliseconds. The steps add up to the total.
///
/// ```
/// use tool_contracts::proxy::LatencyBreakdown;
///
/// let breakdown = LatencyBreakdown::new(40.0, 2.0, 900.0, 0.5, 7.5)?;
/// assert_eq!(breakdown.total_ms(), 950.0);
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("latency_breakdown"))]
#[allow(clippy::struct_field_names, reason = "the names are the contract's")]
pub struct LatencyBreakdown {
    /// The tools, all together.
    #[schemars(range(min = 0))]
    tool_execution_ms: f64,
    /// The compression of the context.
    #[schemars(range(min = 0))]
    context_compression_ms: f64,
    /// The model, with all attempts.
    #[schemars(range(min = 0))]
    llm_inference_ms: f64,
    /// The answer's serialization.
    #[schemars(range(min = 0))]
    output_serialization_ms: f64,
    /// Everything else: the session, the cache, the agent itself.
    #[schemars(range(min = 0))]
    overhead_ms: f64,
}

impl LatencyBreakdown {
    /// Creates a breakdown: tools, compression, model, serialization, everything else.
    ///
    /// # Errors
    /// Returns an error if a duration is negative or not finite.
    pub fn new(
        tool_execution_ms: f64,
        context_compression_ms: f64,
        llm_inference_ms: f64,
        output_serialization_ms: f64,
        overhead_ms: f64,
    ) -> Result<Self, ContractError> {
        let mut problems = Problems::new("LatencyBreakdown");
        for (field, time) in [
            ("tool_execution_ms", tool_execution_ms),
            ("context_compression_ms", context_compression_ms),
            ("llm_inference_ms", llm_inference_ms),
            ("output_serialization_ms", output_serialization_ms),
            ("overhead_ms", overhead_ms),
        ] {
            problems.check(time.is_finite() && time >= 0.0, field, wire::NOT_A_DURATION);
        }
        problems.finish()?;
        Ok(Self {
            tool_execution_ms,
            context_compression_ms,
            llm_inference_ms,
            output_serialization_ms,
            overhead_ms,
        })
    }

    /// Returns the duration of the tools, all together.
    #[must_use]
    pub const fn tool_execution_ms(&self) -> f64 {
        self.tool_execution_ms
    }

    /// Returns the duration of the context's compression.
    #[must_use]
    pub const fn context_compression_ms(&self) -> f64 {
        self.context_compression_ms
    }

    /// Returns the duration of the model, with all attempts.
    #[must_use]
    pub const fn llm_inference_ms(&self) -> f64 {
        self.llm_inference_ms
    }

    /// Returns the duration of the answer's serialization.
    #[must_use]
    pub const fn output_serialization_ms(&self) -> f64 {
        self.output_serialization_ms
    }

    /// Returns the duration of everything else.
    #[must_use]
    pub const fn overhead_ms(&self) -> f64 {
        self.overhead_ms
    }

    /// Returns the sum of the steps.
    #[must_use]
    pub fn total_ms(&self) -> f64 {
        self.tool_execution_ms
            + self.context_compression_ms
            + self.llm_inference_ms
            + self.output_serialization_ms
            + self.overhead_ms
    }
}

reads! {
    LatencyBreakdown, "the durations of a request's steps";
    required tool_execution_ms = "tool_execution_ms", leaf wire::Finite;
    required context_compression_ms = "context_compression_ms", leaf wire::Finite;
    required llm_inference_ms = "llm_inference_ms", leaf wire::Finite;
    required output_serialization_ms = "output_serialization_ms", leaf wire::Finite;
    required overhead_ms = "overhead_ms", leaf wire::Finite;
    => LatencyBreakdown::new(
        tool_execution_ms,
        context_compression_ms,
        llm_inference_ms,
        output_serialization_ms,
        overhead_ms,
    ).map_err(wire::refused)
}
