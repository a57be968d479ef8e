//! The tools of the soak: quick and slow ones, and ones that fail, panic and never end.
#![allow(clippy::unused_async, clippy::unnecessary_wraps, reason = "tools are so as a rule")]

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::panic::panic_any;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tool_runtime::RuntimeBuilder;
use tool_runtime::contracts::ErrorCode;
use tool_runtime::prelude::*;

use super::WANTED_PANIC;

/// The tools' own log of calls, which every call writes to first: its trace, in a file.
///
/// The ledger is compared with it, so it is independent of the ledger.
#[derive(Debug)]
pub(super) struct Trail(Mutex<BufWriter<File>>);

impl Trail {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        Ok(Self(Mutex::new(BufWriter::new(File::create(path)?))))
    }

    /// Writes the buffered lines.
    pub(super) fn flush(&self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }

    fn reached(&self, cx: &ToolContext) {
        self.line("call", cx.trace_id());
    }

    fn line(&self, kind: &str, what: &str) {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A full disk is detected at the end: then records have no call.
        let _ = writeln!(file, "{kind} {what}");
    }
}

/// Adds the tools to a runtime; the writes are allowed.
pub(super) fn add(builder: RuntimeBuilder) -> RuntimeBuilder {
    builder
        .tool::<EchoTool>()
        .tool::<LargeTool>()
        .tool::<WaitTool>()
        .tool::<ComputeTool>()
        .tool::<StallTool>()
        .tool::<FailTool>()
        .tool::<PanicTool>()
        .tool::<PanicOnAThreadTool>()
        .tool::<NoteTool>()
        .permission("note", Permission::Allow)
}

/// Returns its argument.
///
/// # Errors
/// Never.
#[ai_tool(effect = "read", version = "1.0.0", category = "quick")]
async fn echo(
    cx: &ToolContext,
    trail: &Trail,
    /// The text.
    text: String,
) -> Result<String, Infallible> {
    trail.reached(cx);
    Ok(text)
}

/// Returns a text of a given length.
///
/// # Errors
/// Never.
#[ai_tool(effect = "read", version = "1.0.0", category = "quick")]
async fn large(
    cx: &ToolContext,
    trail: &Trail,
    /// The length, in bytes.
    #[arg(range(1..=4_000_000))]
    bytes: usize,
) -> Result<String, Infallible> {
    trail.reached(cx);
    Ok("7".repeat(bytes))
}

/// Waits, and reports its progress.
///
/// # Errors
/// Never.
#[ai_tool(effect = "read", version = "1.0.0", category = "slow")]
async fn wait(
    cx: &ToolContext,
    trail: &Trail,
    progress: &Progress,
    /// The number of steps.
    #[arg(range(1..=100))]
    steps: u8,
    /// The duration of a step, in milliseconds.
    #[arg(range(0..=1_000))]
    step_ms: u64,
) -> Result<u8, Infallible> {
    trail.reached(cx);
    for step in 1..=steps {
        tokio::time::sleep(Duration::from_millis(step_ms)).await;
        progress.report(f64::from(step) / f64::from(steps), "waiting");
    }
    Ok(steps)
}

/// Blocks a thread.
///
/// # Errors
/// Never.
#[ai_tool(effect = "read", version = "1.0.0", category = "slow", blocking)]
fn compute(
    cx: &ToolContext,
    trail: &Trail,
    /// The duration, in milliseconds.
    #[arg(range(0..=1_000))]
    ms: u64,
) -> Result<u64, Infallible> {
    trail.reached(cx);
    std::thread::sleep(Duration::from_millis(ms));
    Ok(ms)
}

/// Does not end within its deadline.
///
/// # Errors
/// Never.
#[ai_tool(effect = "read", version = "1.0.0", category = "broken", timeout = "50ms")]
async fn stall(cx: &ToolContext, trail: &Trail) -> Result<(), Infallible> {
    trail.reached(cx);
    tokio::time::sleep(Duration::from_secs(3_601)).await;
    Ok(())
}

/// A kind of failure.
#[ai_type]
#[derive(Debug, Clone, Copy)]
enum How {
    /// An upstream service failed.
    Upstream,
    /// The item does not exist.
    Missing,
    /// The tool is unavailable.
    Unavailable,
    /// An internal error.
    Internal,
}

/// Fails.
///
/// # Errors
/// The requested failure.
#[ai_tool(effect = "read", version = "1.0.0", category = "broken")]
async fn fail(
    cx: &ToolContext,
    trail: &Trail,
    /// The kind of failure.
    how: How,
) -> Result<(), Failure> {
    trail.reached(cx);
    Err(Failure::from_code(match how {
        How::Upstream => ErrorCode::UpstreamError,
        How::Missing => ErrorCode::NotFound,
        How::Unavailable => ErrorCode::Unavailable,
        How::Internal => ErrorCode::Internal,
    }))
}

/// Panics, at once or after a wait.
///
/// # Errors
/// Never.
#[ai_tool(effect = "read", version = "1.0.0", category = "broken")]
async fn panic(
    cx: &ToolContext,
    trail: &Trail,
    /// True to wait first.
    late: bool,
) -> Result<(), Infallible> {
    trail.reached(cx);
    if late {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    panic_any(WANTED_PANIC)
}

/// Panics on a thread for tools that block.
///
/// # Errors
/// Never.
#[ai_tool(effect = "read", version = "1.0.0", category = "broken", blocking)]
fn panic_on_a_thread(cx: &ToolContext, trail: &Trail) -> Result<(), Infallible> {
    trail.reached(cx);
    panic_any(WANTED_PANIC)
}

/// Notes a text, once for each key.
///
/// # Errors
/// Never.
#[ai_tool(effect = "write", version = "1.0.0", category = "slow")]
async fn note(
    cx: &ToolContext,
    trail: &Trail,
    key: &Idempotency,
    dry_run: &DryRun,
    /// The text to note.
    text: String,
    /// The duration, in milliseconds.
    #[arg(range(0..=1_000))]
    ms: u64,
) -> Result<String, Infallible> {
    trail.reached(cx);
    tokio::time::sleep(Duration::from_millis(ms)).await;
    if !dry_run.is_active() {
        trail.line("effect", key.key().unwrap_or("none"));
    }
    Ok(text)
}
