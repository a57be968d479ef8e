//! The context of a model's turn, and the same in fewer tokens.
//!
//! A [`ContextData`] has the results of tools, the query and further facts of the turn, the system's
//! instructions and the messages before. An [`OptimizedContext`] is one text made of them, with its
//! tokens, its cost, and the [`CompressionMethod`] that was used.
//!
//! `tool_runtime::assess` has the context manager that makes one from the other.

mod context_data;
mod message;
mod method;
mod optimized;

pub use self::{
    context_data::{ContextData, ContextDataBuilder},
    message::{ChatMessage, ChatRole},
    method::{CompressionMethod, CompressionStrategy},
    optimized::{OptimizedContext, OptimizedContextBuilder},
};
