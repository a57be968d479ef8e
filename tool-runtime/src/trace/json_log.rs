//! Lines of JSON, written by a thread of their own.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::{fmt, thread};

use chrono::{SecondsFormat, Utc};

use super::LogLine;
use crate::call::guard;
use crate::dispatch::{CallRecord, Observe};

/// How many lines wait for the writer if nobody says otherwise.
const LINES: usize = 4_096;

/// Writes one line of JSON a call, as [`LogLine`] has it, without ever holding up a call.
///
/// A thread of its own writes. Lines that find its queue full are dropped and counted, and so are
/// those that could not be written; once the writer has caught up, a line of its own says how many:
/// `{"event":"log_lines_dropped","count":12,"timestamp":"…"}`. A handle: cloning it is cheap. The
/// thread ends when the last handle is dropped, after it has written what waits; nobody waits for it
/// then, so [`flush`](Self::flush) before the program ends.
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
/// let runtime = Runtime::builder().tool::<Now>().observe(log.clone()).build()?;
/// # let _ = runtime;
/// log.flush();
/// assert_eq!(log.dropped(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct JsonLog {
    queue: SyncSender<Entry>,
    lost: Arc<Lost>,
}

enum Entry {
    Line(Vec<u8>),
    /// Written so far; whoever waits for it is told.
    Mark(SyncSender<()>),
}

/// How many lines were lost.
#[derive(Default)]
struct Lost {
    ever: AtomicU64,
    /// Those that no line has told of yet.
    untold: AtomicU64,
}

impl JsonLog {
    /// Starts a log with room for 4,096 lines that wait.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn new(writer: impl Write + Send + 'static) -> io::Result<Self> {
        Self::with_room(writer, LINES)
    }

    /// Starts a log with room for so many lines that wait, at least one.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn with_room(writer: impl Write + Send + 'static, lines: usize) -> io::Result<Self> {
        let (queue, lines) = sync_channel(lines.max(1));
        let lost = Arc::new(Lost::default());
        let writing = Writing { writer, lost: lost.clone() };
        thread::Builder::new().name("tool-log".to_owned()).spawn(move || writing.run(&lines))?;
        Ok(Self { queue, lost })
    }

    /// Waits until what was logged so far is written. It blocks: for the end of a program.
    pub fn flush(&self) {
        let (told, written) = sync_channel(1);
        if self.queue.send(Entry::Mark(told)).is_ok() {
            // The writer tells, or has gone.
            let _ = written.recv();
        }
    }

    /// Returns how many lines were lost since the log was started.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.lost.ever.load(Ordering::Relaxed)
    }
}

impl Observe for JsonLog {
    fn closed(&self, record: &CallRecord<'_>) {
        let mut line = Vec::with_capacity(512);
        let written = serde_json::to_writer(&mut line, &LogLine::of(record)).is_ok();
        line.push(b'\n');
        if !written || self.queue.try_send(Entry::Line(line)).is_err() {
            self.lost.count();
        }
    }
}

impl fmt::Debug for JsonLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonLog").field("dropped", &self.dropped()).finish_non_exhaustive()
    }
}

impl Lost {
    fn count(&self) {
        self.ever.fetch_add(1, Ordering::Relaxed);
        self.untold.fetch_add(1, Ordering::Relaxed);
    }
}

/// What the thread owns.
struct Writing<W> {
    writer: W,
    lost: Arc<Lost>,
}

impl<W: Write> Writing<W> {
    fn run(mut self, lines: &Receiver<Entry>) {
        while let Ok(first) = lines.recv() {
            self.take(first);
            while let Ok(entry) = lines.try_recv() {
                self.take(entry);
            }
            self.tell_lost();
            self.flush();
        }
    }

    fn take(&mut self, entry: Entry) {
        match entry {
            Entry::Line(line) => {
                if !self.write(&line) {
                    self.lost.count();
                }
            }
            Entry::Mark(told) => {
                self.tell_lost();
                self.flush();
                // Whoever waits may have gone.
                let _ = told.send(());
            }
        }
    }

    /// Says how many lines were lost since it was said last.
    fn tell_lost(&mut self) {
        let count = self.lost.untold.swap(0, Ordering::Relaxed);
        if count == 0 {
            return;
        }
        let timestamp = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
        let event = r#"{"event":"log_lines_dropped","count":"#;
        let line = format!("{event}{count},\"timestamp\":\"{timestamp}\"}}\n");
        if !self.write(line.as_bytes()) {
            self.lost.untold.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// A writer's panic is an error of it.
    fn write(&mut self, line: &[u8]) -> bool {
        guard(|| self.writer.write_all(line)).is_ok_and(|written| written.is_ok())
    }

    fn flush(&mut self) {
        drop(guard(|| self.writer.flush()));
    }
}
