//! The limits of what a client sends.

use std::time::Duration;

/// The limits of an input and of its run. What exceeds one is refused before anything runs.
///
/// ```
/// use tool_runtime::ag_ui::AgUiLimits;
///
/// let limits = AgUiLimits::new().with_max_messages(200).with_max_tools(8);
/// assert_eq!(limits.max_messages(), 200);
/// assert_eq!(limits.max_bytes(), 1024 * 1024);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgUiLimits {
    bytes: usize,
    depth: usize,
    messages: usize,
    tools: usize,
    request_time: Duration,
    runs: usize,
    runs_of_caller: usize,
    unread_bytes: usize,
}

impl AgUiLimits {
    /// Returns the defaults: 1 MiB, 32 levels of nesting, 1,000 messages, 64 tools of the client, 10
    /// seconds for authentication and body, 256 runs at a time, 8 of one caller, and 16 MiB of events
    /// that a client has not read.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            bytes: 1024 * 1024,
            depth: 32,
            messages: 1_000,
            tools: 64,
            request_time: Duration::from_secs(10),
            runs: 256,
            runs_of_caller: 8,
            unread_bytes: 16 * 1024 * 1024,
        }
    }

    /// Sets the longest body, in bytes.
    #[must_use]
    pub const fn with_max_bytes(self, bytes: usize) -> Self {
        Self { bytes, ..self }
    }

    /// Sets the deepest nesting of the body, the outermost object being level 1; 126 at most.
    #[must_use]
    pub const fn with_max_depth(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// Sets the most messages, and the most entries of `context` and of `resume`.
    #[must_use]
    pub const fn with_max_messages(self, messages: usize) -> Self {
        Self { messages, ..self }
    }

    /// Sets the most tools that a client declares; with 0 it declares none.
    #[must_use]
    pub const fn with_max_tools(self, tools: usize) -> Self {
        Self { tools, ..self }
    }

    /// Sets the time for the authentication, and for the body.
    #[must_use]
    pub const fn with_request_time(self, time: Duration) -> Self {
        Self { request_time: time, ..self }
    }

    /// Sets the most runs at a time.
    #[must_use]
    pub const fn with_max_runs(self, runs: usize) -> Self {
        Self { runs, ..self }
    }

    /// Sets the most runs of one caller at a time; each thread has one.
    #[must_use]
    pub const fn with_max_runs_of_caller(self, runs: usize) -> Self {
        Self { runs_of_caller: runs, ..self }
    }

    /// Sets the most bytes of events that a client has not read. A stream that exceeds them ends
    /// with `RUN_ERROR`; its run continues.
    #[must_use]
    pub const fn with_max_unread_bytes(self, bytes: usize) -> Self {
        Self { unread_bytes: bytes, ..self }
    }

    /// Returns the longest body, in bytes.
    #[must_use]
    pub const fn max_bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the deepest nesting of the body.
    #[must_use]
    pub const fn max_depth(&self) -> usize {
        self.depth
    }

    /// Returns the most messages.
    #[must_use]
    pub const fn max_messages(&self) -> usize {
        self.messages
    }

    /// Returns the most tools that a client declares.
    #[must_use]
    pub const fn max_tools(&self) -> usize {
        self.tools
    }

    /// Returns the time for the authentication, and for the body.
    #[must_use]
    pub const fn request_time(&self) -> Duration {
        self.request_time
    }

    /// Returns the most runs at a time.
    #[must_use]
    pub const fn max_runs(&self) -> usize {
        self.runs
    }

    /// Returns the most runs of one caller at a time.
    #[must_use]
    pub const fn max_runs_of_caller(&self) -> usize {
        self.runs_of_caller
    }

    /// Returns the most bytes of events that a client has not read.
    #[must_use]
    pub const fn max_unread_bytes(&self) -> usize {
        self.unread_bytes
    }
}

impl Default for AgUiLimits {
    fn default() -> Self {
        Self::new()
    }
}
