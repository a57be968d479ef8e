//! The agent: runs the required tools, compresses the context, asks a model, and says what it cost.

mod answer_cache;
mod budget;
mod config;
mod context;
mod observer;
mod prices;
mod proxy_agent;
mod sessions;
mod settings;
mod turn;

pub use self::config::{AgentConfig, LogLevel};
pub use self::prices::{ModelPrice, PriceTable};
pub use self::proxy_agent::{ProxyAgent, ProxyAgentBuilder};
#[doc(hidden)]
pub use self::sessions::MAX_SESSION_MESSAGES;
pub use self::sessions::{MemorySessions, SealedSessions, SessionKey, SessionStore};
#[doc(hidden)]
pub use self::sessions::{SessionBounds, SessionTable, SessionTimes};
