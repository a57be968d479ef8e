//! How much of a server one request may have.

use std::time::Duration;

use super::HttpConfig;

/// What bounds a request: its size, its time, and how many go on without their callers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) body_bytes: usize,
    pub(super) body_time: Duration,
    /// Of all bodies together.
    pub(super) bodies_bytes: usize,
    pub(super) request_time: Duration,
    /// Calls that have an effect.
    pub(super) tasks: usize,
    /// Traces that are replayed at once.
    pub(super) replays: usize,
    pub(super) streams: usize,
    /// Streams of one caller; half of all unless it is said.
    pub(super) streams_of_caller: Option<usize>,
    /// The silence after which a stream says that it is still there.
    pub(super) keep_alive: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            body_bytes: 1024 * 1024,
            body_time: Duration::from_secs(10),
            bodies_bytes: 256 * 1024 * 1024,
            request_time: Duration::from_secs(5 * 60),
            tasks: 1024,
            replays: 4,
            streams: 512,
            streams_of_caller: None,
            keep_alive: Duration::from_secs(15),
        }
    }
}

/// What one request may cost.
impl HttpConfig {
    /// Sets the longest body that is read; 1 MiB unless it is said. A longer one is answered 413.
    ///
    /// The arguments in it are bounded by the runtime's own [`Limits`](crate::Limits) too.
    pub fn max_body_bytes(mut self, bytes: usize) -> Self {
        self.bounds.body_bytes = bytes;
        self
    }

    /// Sets how many bytes of bodies may be in memory at once, of all requests together; 256 MiB unless
    /// it is said, and never less than one body may have. Above it a request is answered
    /// `UNAVAILABLE`.
    ///
    /// A body counts as it arrives, and until its request is answered. Those of up to 16 KiB are not
    /// counted.
    pub fn max_buffered_bytes(mut self, bytes: usize) -> Self {
        self.bounds.bodies_bytes = bytes;
        self
    }

    /// Sets how long a body may take to arrive; 10 s unless it is said. A slower one is answered 408.
    pub fn body_timeout(mut self, time: Duration) -> Self {
        self.bounds.body_time = time;
        self
    }

    /// Sets how long a call may take in all, people who are asked included; 5 min unless it is said.
    ///
    /// A tool's own deadline is shorter as a rule, and counts from when the tool begins. What passes
    /// this one is cancelled, and answered `TIMEOUT`; so are a trace that is looked up and a replay.
    pub fn request_timeout(mut self, time: Duration) -> Self {
        self.bounds.request_time = time;
        self
    }

    /// Sets how many calls may run that have an effect, and so run on when their callers hang up;
    /// 1024 unless it is said. Above it a call is answered `UNAVAILABLE`.
    pub fn max_tasks(mut self, tasks: usize) -> Self {
        self.bounds.tasks = tasks;
        self
    }

    /// Sets how many traces may be replayed at once; 4 unless it is said.
    ///
    /// A replay runs many calls for one request, one after another, and no limit of rates counts
    /// them. Above it one is answered `UNAVAILABLE`.
    pub fn max_replays(mut self, replays: usize) -> Self {
        self.bounds.replays = replays;
        self
    }

    /// Sets how many answers may be streams at once; 512 unless it is said. Above it a stream is
    /// answered `UNAVAILABLE`, as JSON.
    ///
    /// Streams take no place of [`max_tasks`](Self::max_tasks), but those of calls that have an
    /// effect, which take one of both.
    pub fn max_streams(mut self, streams: usize) -> Self {
        self.bounds.streams = streams;
        self
    }

    /// Sets how many of the streams one principal may have open, and of callers whom nobody knows one
    /// address; half of [`max_streams`](Self::max_streams) unless it is said. Above it a stream is
    /// answered `RATE_LIMITED`, as JSON.
    pub fn max_streams_per_caller(mut self, streams: usize) -> Self {
        self.bounds.streams_of_caller = Some(streams);
        self
    }

    /// Sets after how much silence a stream says that it is still there; 15 s unless it is said.
    pub fn keep_alive(mut self, silence: Duration) -> Self {
        self.bounds.keep_alive = silence;
        self
    }
}
