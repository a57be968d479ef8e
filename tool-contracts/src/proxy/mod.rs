//! A question to an agent that runs tools, compresses what they return, and asks a model once.
//!
//! A [`ProxyRequest`] has the question, the tools to run before the model is asked, and what may be
//! optimized. A [`ProxyResponse`] has the answer, what each step returned, how long it took
//! ([`LatencyBreakdown`]) and what it cost ([`CostReport`]).

mod cost;
mod latency;
mod llm_response;
mod request;
mod response;

pub use self::{
    cost::{CostReport, CostReportBuilder},
    latency::LatencyBreakdown,
    llm_response::{LlmResponse, LlmResponseBuilder},
    request::{ProxyRequest, ProxyRequestBuilder},
    response::{ProxyResponse, ProxyResponseBuilder},
};
