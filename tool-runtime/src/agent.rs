//! Tools as an agent runs them: requests by id, type and function, and one flat result.
//!
//! [`RuntimeExecutor`] runs [`ToolRequest`](crate::contracts::act::ToolRequest)s through a runtime;
//! the trait [`ToolExecutor`] is its interface. [`ChatModel`] is the interface of language models;
//! `OpenAiModel` (feature `openai`) asks any server with OpenAI's API. [`AgentError`] is the one error
//! of the agent.

#[doc(inline)]
pub use tool_runtime_agent::{
    AgentConfig, AgentError, AgentErrorKind, AgentErrorReason, AssistantMessage, ChatModel,
    ChatReply, ChatRequest, ClientCall, FinishReason, LogLevel, LoopEnd, LoopEvent, LoopReport,
    LoopSavings, MemorySessions, ModelCall, ModelMessage, ModelPrice, ModelSummarizer, OnText,
    PendingCall, PriceTable, ProxyAgent, ProxyAgentBuilder, RuntimeExecutor, SealedSessions,
    SessionKey, SessionStore, StopCause, SuspendedRun, TokenUsage, ToolExecutor, ToolLoop,
};
#[cfg(feature = "openai")]
#[doc(inline)]
pub use tool_runtime_agent::{OpenAiBuilder, OpenAiEmbedder, OpenAiModel, ProviderPrefix};
#[cfg(feature = "postgres")]
#[doc(inline)]
pub use tool_runtime_postgres::PostgresSessions;
#[cfg(feature = "sqlite-unbundled")]
#[doc(inline)]
pub use tool_runtime_sqlite::SqliteSessions;
