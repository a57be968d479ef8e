//! Tools under the strictest lints, which generated code must satisfy.
#![deny(warnings)]
#![deny(
    missing_docs,
    missing_debug_implementations,
    missing_copy_implementations,
    unreachable_pub,
    unused,
    unused_qualifications,
    unused_lifetimes,
    unused_results,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    let_underscore_drop,
    explicit_outlives_requirements,
    elided_lifetimes_in_paths,
    rust_2018_idioms,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
#![forbid(unsafe_code)]

use tool_runtime::prelude::*;

/// A question.
#[ai_type]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Its words.
    #[arg(length(1..=9), default = "none")]
    pub words: String,
}

/// An answer.
#[ai_type]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(tag = "kind")]
pub enum Reply {
    /// Yes.
    Yes,
    /// How many.
    Count {
        /// The count.
        count: u8,
    },
}

/// What can go wrong.
#[derive(Debug, Clone, ToolFailure)]
pub enum StrictError {
    /// There is none.
    #[failure(NOT_FOUND, message = "no {name}", details(name))]
    Missing {
        /// What is missing.
        name: String,
    },
}

/// Answers.
///
/// # Errors
/// There is none.
#[ai_tool(effect = "read", ttl = "5s")]
pub async fn answer_question(
    cx: &ToolContext,
    /// The question.
    question: Question,
    /// Most.
    #[arg(default = 3, range(1..=5))]
    limit: u8,
    /// A hint.
    #[arg(default)]
    hint: &str,
) -> Result<Reply, StrictError> {
    std::future::ready(()).await;
    if cx.dry_run() || !hint.is_empty() {
        return Err(StrictError::Missing { name: question.words });
    }
    Ok(if limit == 1 { Reply::Yes } else { Reply::Count { count: limit } })
}

/// Writes.
#[must_use]
#[ai_tool(effect = "write", blocking)]
pub const fn strict_write(
    dry_run: &DryRun,
    /// A name.
    name: &str,
) -> usize {
    if dry_run.is_active() { 0 } else { name.len() }
}

/// Counts.
#[derive(Debug, Clone, Copy)]
pub struct StrictKit;

/// Counts.
#[ai_toolkit]
impl StrictKit {
    /// Counts.
    #[ai_tool(effect = "read")]
    pub async fn count(
        &self,
        /// What.
        words: &str,
    ) -> usize {
        std::future::ready(()).await;
        words.len()
    }
}
