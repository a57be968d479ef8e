//! Shared parts of several modules: a context, envelopes as values, and a writer for logs.

use std::io::{self, Write};
use std::sync::{Arc, LazyLock, Mutex};

use serde_json::Value;
use tool_runtime::prelude::*;
use tracing::subscriber::{DefaultGuard, NoSubscriber};
use tracing_subscriber::fmt::MakeWriter;

/// A context with arbitrary ids.
pub(crate) fn cx() -> ToolContext {
    ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").build().unwrap()
}

/// Returns the whole envelope as a value.
pub(crate) fn envelope(output: &ToolOutput) -> Value {
    serde_json::from_str(output.json()).unwrap()
}

/// Executes one call and gives the whole envelope.
pub(crate) async fn answer(runtime: &Runtime, name: &str, arguments: &str) -> Value {
    let mut call = runtime.call(name, arguments, &cx());
    envelope(call.execute().await)
}

/// Gives the spans and events of this thread to a subscriber, until the guard is dropped.
///
/// While a process has a single subscriber, `tracing` asks that of the thread which first reaches a
/// span, and remembers its decision for all threads: another test, whose thread has none, would turn
/// the span off. So there is a second one.
pub(crate) fn subscribe(subscriber: impl Into<tracing::Dispatch>) -> DefaultGuard {
    static OTHER: LazyLock<tracing::Dispatch> =
        LazyLock::new(|| tracing::Dispatch::new(NoSubscriber::default()));
    LazyLock::force(&OTHER);
    let subscriber = subscriber.into();
    // Decisions that were made before the second one are made again.
    tracing::callsite::rebuild_interest_cache();
    tracing::dispatcher::set_default(&subscriber)
}

/// Keeps the text that is written to a log. A handle.
#[derive(Clone, Default)]
pub(crate) struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for Paper {
    type Writer = Self;

    fn make_writer(&'w self) -> Self {
        self.clone()
    }
}

impl Paper {
    /// All that was written.
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// All lines, each of which is JSON.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}
