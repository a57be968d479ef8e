//! The proxy agent, under the name of its contract: answers a
//! [`ProxyRequest`](crate::contracts::proxy::ProxyRequest) with tools and a model.
//!
//! These are names of [`agent`](crate::agent), which also has the loop, the clients of models and the
//! executor of tools. The module is to [`contracts::proxy`](crate::contracts::proxy) what
//! [`assess`](crate::assess) is to [`contracts::assess`](crate::contracts::assess).
//!
//! ```
//! use tool_runtime::agent::ChatModel;
//! use tool_runtime::contracts::proxy::{ProxyRequest, ProxyResponse};
//! use tool_runtime::prelude::*;
//! use tool_runtime::proxy::{AgentConfig, AgentError, ProxyAgent};
//!
//! async fn answer(model: impl ChatModel + 'static, query: &str) -> Result<ProxyResponse, AgentError> {
//!     let runtime = Runtime::builder().build().expect("it has no tools");
//!     let agent = ProxyAgent::builder(AgentConfig::default(), runtime, model).build();
//!     // A query that breaks the contract is an error of the kind `Validation`.
//!     let request = ProxyRequest::builder(query).build()?;
//!     agent.answer(&request, &ToolContext::local()).await
//! }
//! ```

#[cfg(feature = "sqlite-unbundled")]
#[doc(no_inline)]
pub use crate::agent::SqliteSessions;
#[doc(no_inline)]
pub use crate::agent::{
    AgentConfig, AgentError, AgentErrorKind, LogLevel, MemorySessions, ModelPrice, PriceTable,
    ProxyAgent, ProxyAgentBuilder, SessionKey, SessionStore,
};
