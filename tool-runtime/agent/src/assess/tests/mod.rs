//! Contexts are compressed, and nothing that has to stay is lost.

mod distillation;
mod escapes;
mod laws;
mod methods;
mod pruning;
mod ratio;
mod results;
mod text;

use chrono::{DateTime, Utc};
use futures::FutureExt;
use serde::Serialize;
use tool_contracts::act::ActResult;
use tool_contracts::assess::{
    ChatMessage, ChatRole, ContextData, ContextDataBuilder, OptimizedContext,
};
use tool_runtime_core::tokens::{TokenCounter, TokenEstimate};

use super::{AssessOptions, Assessor};

fn time() -> DateTime<Utc> {
    "2026-05-03T12:34:56Z".parse().expect("a time")
}

fn message(role: ChatRole, text: &str) -> ChatMessage {
    ChatMessage::new(role, text, time(), TokenEstimate.count(text)).expect("a message")
}

fn result(id: &str, data: impl Serialize) -> ActResult {
    ActResult::succeeded(id, data, time()).build().expect("a result")
}

fn question(text: &str) -> ContextDataBuilder {
    ContextData::builder().transient(ContextData::QUERY, text)
}

/// Compresses every context, however short.
fn eager() -> Assessor {
    Assessor::new().options(options())
}

fn options() -> AssessOptions {
    AssessOptions::default().with_threshold_tokens(0)
}

/// Compresses a context; nothing in these tests waits.
#[track_caller]
fn optimized(assessor: &Assessor, context: ContextDataBuilder) -> OptimizedContext {
    let context = context.build().expect("a context");
    assessor.optimize(&context).now_or_never().expect("it does not wait")
}

/// Messages as they stand in a text.
fn lines(messages: &[ChatMessage]) -> String {
    let line = |it: &ChatMessage| [&it.role().to_string(), ": ", it.content(), "\n"].concat();
    messages.iter().map(line).collect()
}

/// A log of so many lines that say nothing.
fn log(lines: usize) -> String {
    (0..lines).map(|_| "The request was served without delay by the usual worker.\n").collect()
}
