//! A log of JSON lines, written by a separate thread.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::{fmt, thread};

use chrono::{SecondsFormat, Utc};

use super::LogLine;
use crate::dispatch::{CallRecord, Observe};
use crate::tool::catch_panic;

/// The default capacity of the queue, in lines.
const DEFAULT_CAPACITY: usize = 4_096;

/// Writes a [`LogLine`] as JSON for each call, without blocking calls.
///
/// A separate thread writes the lines. A line is dropped and counted if the queue is full, or if
/// it cannot be written; when the writer has caught up, it writes the count:
/// `{"event":"log_lines_dropped","count":12,"timestamp":"…"}`. Clones share the log. When the last
/// one is dropped, the thread writes the queued lines and ends, but the drop does not wait for it:
/// call [`flush`](Self::flush) before the program ends.
///
/// ```
/// use tool_runtime::Runtime;
/// use tool_runtime::trace::JsonLog;
/// # use tool_runtime::prelude::*;
/// # /// Tells the time.
/// # #[ai_tool(effect = "read")]
/// # async fn now(cx: &ToolContext) -> String { cx.now_iso().to_string() }
///
/// let log = JsonLog::new(std::io::stderr())?;
/// let runtime = Runtime::builder().tool::<NowTool>().observe(log.clone()).build()?;
/// # let _ = runtime;
/// log.flush();
/// assert_eq!(log.dropped(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct JsonLog {
    queue: SyncSender<LogMessage>,
    dropped: Arc<DroppedLines>,
}

enum LogMessage {
    Line(Vec<u8>),
    /// Flushes the writer, then sends a confirmation.
    Flush(SyncSender<()>),
}

/// The number of dropped lines.
#[derive(Default)]
struct DroppedLines {
    total: AtomicU64,
    /// Those that are not reported in the log yet.
    unreported: AtomicU64,
}

impl JsonLog {
    /// Starts a log with a queue of 4,096 lines.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn new(writer: impl Write + Send + 'static) -> io::Result<Self> {
        Self::with_capacity(writer, DEFAULT_CAPACITY)
    }

    /// Starts a log with a queue of so many lines, at least one.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    pub fn with_capacity(writer: impl Write + Send + 'static, lines: usize) -> io::Result<Self> {
        let (queue, lines) = sync_channel(lines.max(1));
        let dropped = Arc::new(DroppedLines::default());
        let writing = LogWriter { writer, dropped: dropped.clone() };
        thread::Builder::new().name("tool-log".to_owned()).spawn(move || writing.run(&lines))?;
        Ok(Self { queue, dropped })
    }

    /// Waits until all lines so far are written. It blocks the thread: call it at the end of a
    /// program.
    pub fn flush(&self) {
        let (flushed, is_flushed) = sync_channel(1);
        if self.queue.send(LogMessage::Flush(flushed)).is_ok() {
            // An error means that the thread has ended.
            let _ = is_flushed.recv();
        }
    }

    /// Returns how many lines were dropped since the log was started.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped.total.load(Ordering::Relaxed)
    }
}

impl Observe for JsonLog {
    fn call_ended(&self, record: &CallRecord<'_>) {
        let mut line = Vec::with_capacity(512);
        let written = serde_json::to_writer(&mut line, &LogLine::new(record)).is_ok();
        line.push(b'\n');
        if !written || self.queue.try_send(LogMessage::Line(line)).is_err() {
            self.dropped.count();
        }
    }
}

impl fmt::Debug for JsonLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonLog").field("dropped", &self.dropped()).finish_non_exhaustive()
    }
}

impl DroppedLines {
    fn count(&self) {
        self.total.fetch_add(1, Ordering::Relaxed);
        self.unreported.fetch_add(1, Ordering::Relaxed);
    }
}

/// The state of the writer thread.
struct LogWriter<W> {
    writer: W,
    dropped: Arc<DroppedLines>,
}

impl<W: Write> LogWriter<W> {
    fn run(mut self, lines: &Receiver<LogMessage>) {
        while let Ok(first) = lines.recv() {
            self.process(first);
            while let Ok(message) = lines.try_recv() {
                self.process(message);
            }
            self.report_dropped();
            self.flush();
        }
    }

    fn process(&mut self, message: LogMessage) {
        match message {
            LogMessage::Line(line) => {
                if !self.write(&line) {
                    self.dropped.count();
                }
            }
            LogMessage::Flush(flushed) => {
                self.report_dropped();
                self.flush();
                // The receiver may have been dropped.
                let _ = flushed.send(());
            }
        }
    }

    /// Writes the number of lines that were dropped since the last report.
    fn report_dropped(&mut self) {
        let count = self.dropped.unreported.swap(0, Ordering::Relaxed);
        if count == 0 {
            return;
        }
        let timestamp = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
        let event = r#"{"event":"log_lines_dropped","count":"#;
        let line = format!("{event}{count},\"timestamp\":\"{timestamp}\"}}\n");
        if !self.write(line.as_bytes()) {
            self.dropped.unreported.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// Writes a line; a panic of the writer counts as an error.
    fn write(&mut self, line: &[u8]) -> bool {
        catch_panic(|| self.writer.write_all(line)).is_ok_and(|written| written.is_ok())
    }

    fn flush(&mut self) {
        drop(catch_panic(|| self.writer.flush()));
    }
}
