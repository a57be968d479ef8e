//! Needle 3, a small model that calls tools, as a [`ChatModel`] of the agent.
//!
//! The model has 121 million parameters, and its package for Python contains engine and weights: 34
//! MB, under Apache-2.0, without network. It runs in a process of its own
//! (`examples/proxy-agent/real-model/worker.py`). `examples/proxy-agent/real-model/README.md` says
//! how to install it, and what it can do.
//!
//! [`ChatModel`]: tool_runtime::agent::ChatModel

mod conversation;
mod model;
mod reply;

pub use self::model::NeedleModel;
