//! The agents of `tool-runtime`, as `tool_runtime::agent` documents them.
//!
//! Depend on `tool-runtime`, which re-exports what is public here. What is hidden is for its other
//! parts, and has no stable interface.

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
pub use self::proxy::{
    AgentConfig, LogLevel, MemorySessions, ModelPrice, PriceTable, ProxyAgent, ProxyAgentBuilder,
    SealedSessions, SessionKey, SessionStore,
};
#[doc(hidden)]
pub use self::proxy::{MAX_SESSION_MESSAGES, SessionBounds, SessionTable, SessionTimes};
#[doc(hidden)]
pub use self::tool_loop::LoopEndKind;
pub use self::tool_loop::{
    ClientCall, LoopEnd, LoopEvent, LoopReport, LoopSavings, PendingCall, StopCause, SuspendedRun,
    ToolLoop,
};
