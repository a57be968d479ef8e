//! The agent's answer to a request.

use schemars::JsonSchema;
use serde::Serialize;

use super::{CostReport, LatencyBreakdown, LlmResponse};
use crate::{
    ContractError,
    act::ActResult,
    articulate::SerializedOutput,
    assess::OptimizedContext,
    contract_error::Problems,
    wire::{self, reads},
};

/// The agent's answer, with what each step returned, how long it took and what it cost.
///
/// The total is the sum of the breakdown. The data of tools keeps every byte, so a response can be
/// deserialized from text only.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("proxy_response"))]
pub struct ProxyResponse {
    /// The answer, serialized in few tokens.
    result: SerializedOutput,
    /// The results of the required tools, in their order.
    tool_results: Vec<ActResult>,
    /// The context that the model read.
    context_optimization: OptimizedContext,
    /// The answer of the model.
    llm_response: LlmResponse,
    /// The duration of the request, in milliseconds.
    #[schemars(range(min = 0))]
    total_latency_ms: f64,
    /// The duration of each step.
    breakdown: LatencyBreakdown,
    /// The tokens and the cost.
    cost_analysis: CostReport,
}

impl ProxyResponse {
    /// Builds an answer from what each step returned.
    pub fn builder(
        result: SerializedOutput,
        context: OptimizedContext,
        llm_response: LlmResponse,
    ) -> ProxyResponseBuilder {
        ProxyResponseBuilder {
            result,
            tool_results: Vec::new(),
            context,
            llm_response,
            breakdown: None,
            cost: None,
        }
    }

    /// Returns the answer, serialized in few tokens.
    #[must_use]
    pub const fn result(&self) -> &SerializedOutput {
        &self.result
    }

    /// Returns the results of the required tools, in their order.
    #[must_use]
    pub fn tool_results(&self) -> &[ActResult] {
        &self.tool_results
    }

    /// Returns the context that the model read.
    #[must_use]
    pub const fn context_optimization(&self) -> &OptimizedContext {
        &self.context_optimization
    }

    /// Returns the answer of the model.
    #[must_use]
    pub const fn llm_response(&self) -> &LlmResponse {
        &self.llm_response
    }

    /// Returns the duration of the request, in milliseconds.
    #[must_use]
    pub const fn total_latency_ms(&self) -> f64 {
        self.total_latency_ms
    }

    /// Returns the duration of each step.
    #[must_use]
    pub const fn breakdown(&self) -> &LatencyBreakdown {
        &self.breakdown
    }

    /// Returns the tokens and the cost.
    #[must_use]
    pub const fn cost_analysis(&self) -> &CostReport {
        &self.cost_analysis
    }
}

/// Builds a [`ProxyResponse`]; the breakdown and the cost are required.
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct ProxyResponseBuilder {
    result: SerializedOutput,
    tool_results: Vec<ActResult>,
    context: OptimizedContext,
    llm_response: LlmResponse,
    breakdown: Option<LatencyBreakdown>,
    cost: Option<CostReport>,
}

impl ProxyResponseBuilder {
    /// Sets the results of the required tools, in their order.
    pub fn tool_results(mut self, results: impl IntoIterator<Item = ActResult>) -> Self {
        self.tool_results = results.into_iter().collect();
        self
    }

    /// Sets the duration of each step; the total is their sum.
    pub fn breakdown(mut self, breakdown: LatencyBreakdown) -> Self {
        self.breakdown = Some(breakdown);
        self
    }

    /// Sets the tokens and the cost.
    pub fn cost_analysis(mut self, cost: CostReport) -> Self {
        self.cost = Some(cost);
        self
    }

    /// Builds the answer.
    ///
    /// # Errors
    /// Returns an error if the breakdown or the cost is not set.
    pub fn build(self) -> Result<ProxyResponse, ContractError> {
        let mut problems = Problems::new("ProxyResponse");
        problems.check(self.breakdown.is_some(), "breakdown", "missing; this field is required");
        problems.check(self.cost.is_some(), "cost_analysis", "missing; this field is required");
        match (self.breakdown, self.cost) {
            (Some(breakdown), Some(cost_analysis)) => problems.finish().map(|()| ProxyResponse {
                result: self.result,
                tool_results: self.tool_results,
                context_optimization: self.context,
                llm_response: self.llm_response,
                total_latency_ms: breakdown.total_ms(),
                breakdown,
                cost_analysis,
            }),
            _ => Err(problems.refusal()),
        }
    }
}

reads! {
    ProxyResponse, "the agent's answer";
    required result = "result", nested SerializedOutput;
    required tool_results = "tool_results", nested Vec<ActResult>;
    required context_optimization = "context_optimization", nested OptimizedContext;
    required llm_response = "llm_response", nested LlmResponse;
    required total_latency_ms = "total_latency_ms", leaf wire::Finite;
    required breakdown = "breakdown", nested LatencyBreakdown;
    required cost_analysis = "cost_analysis", nested CostReport;
    => {
        let response = ProxyResponse::builder(result, context_optimization, llm_response)
            .tool_results(tool_results)
            .breakdown(breakdown)
            .cost_analysis(cost_analysis)
            .build()
            .map_err(wire::refused::<A::Error>)?;
        // Writers may round each duration to a hundredth of a millisecond.
        if (total_latency_ms - response.total_latency_ms).abs() > 0.05 {
            return Err(wire::contradicted("total_latency_ms", "the sum of `breakdown`"));
        }
        Ok(ProxyResponse { total_latency_ms, ..response })
    }
}
