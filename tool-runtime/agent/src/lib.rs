//! Tools as an agent runs them: requests by id, type and function, and one flat result.
//!
//! [`RuntimeExecutor`] runs [`ToolRequest`](tool_contracts::act::ToolRequest)s through a runtime;
//! the trait [`ToolExecutor`] is its interface. [`ChatModel`] is the interface of language models;
//! `OpenAiModel` (feature `openai`) asks any server with OpenAI's API. [`AgentError`] is the one error
//! of the agent.

pub mod assess;
mod deadline;
mod error;
mod executor;
mod measured_model;
mod model;
mod model_summarizer;
#[cfg(feature = "openai")]
mod openai;
mod proxy;
mod resolution;
mod tool_loop;

#[cfg(not(feature = "tokio"))]
mod no_tokio;
#[cfg(not(feature = "tokio"))]
use self::no_tokio as block_on;
#[cfg(feature = "tokio")]
mod block_on;

pub use self::error::{AgentError, AgentErrorKind, AgentErrorReason};
pub use self::executor::{RuntimeExecutor, ToolExecutor};
pub use self::model::{
    AssistantMessage, ChatModel, ChatReply, ChatRequest, FinishReason, ModelCall, ModelMessage,
    OnText, TokenUsage,
};
pub use self::model_summarizer::ModelSummarizer;
#[cfg(feature = "openai")]
pub use self::openai::{OpenAiBuilder, OpenAiEmbedder, OpenAiModel, ProviderPrefix};
#[doc(hidden)]
pub use self::proxy::MAX_SESSION_MESSAGES;
pub use self::proxy::{
    AgentConfig, LogLevel, MemorySessions, ModelPrice, PriceTable, ProxyAgent, ProxyAgentBuilder,
    SessionKey, SessionStore,
};
pub use self::tool_loop::{
    LoopEnd, LoopReport, LoopSavings, PendingCall, StopCause, SuspendedRun, ToolLoop,
};
