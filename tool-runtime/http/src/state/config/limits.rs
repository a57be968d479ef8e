//! The limits on the resources of requests, and their part of the configuration.

use std::time::Duration;

use super::HttpConfig;

/// The limits on the resources of requests; each has a setter of its name in [`HttpConfig`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestLimits {
    pub(crate) max_body_bytes: usize,
    pub(crate) body_timeout: Duration,
    /// Bytes of all bodies together.
    pub(crate) max_buffered_bytes: usize,
    /// Bytes of one caller's bodies; by default half of all.
    pub(crate) max_buffered_bytes_per_caller: Option<usize>,
    /// The lowest rate of an upload, in bytes a second.
    pub(crate) min_upload_rate: u32,
    /// Bytes of all responses that are not read.
    pub(crate) max_unread_bytes: usize,
    /// Bytes of one caller's responses that are not read; by default a quarter of all.
    pub(crate) max_unread_bytes_per_caller: Option<usize>,
    pub(crate) request_timeout: Duration,
    /// Calls that have an effect.
    pub(crate) max_tasks: usize,
    /// Calls of one caller; by default half of all.
    pub(crate) max_tasks_per_caller: Option<usize>,
    /// Traces that are replayed at once.
    pub(crate) max_replays: usize,
    /// Replays of one caller; by default half of all.
    pub(crate) max_replays_per_caller: Option<usize>,
    pub(crate) max_streams: usize,
    /// Streams of one caller; by default half of all.
    pub(crate) max_streams_per_caller: Option<usize>,
    /// The interval of keep-alive comments in a silent stream.
    pub(crate) keep_alive: Duration,
}

/// Limits on requests.
impl HttpConfig {
    /// Sets the longest request body; by default 1 MiB. A longer one is answered 413.
    ///
    /// The arguments in it are bounded by the runtime's own [`Limits`](tool_runtime_schema::Limits) too.
    pub fn max_body_bytes(mut self, bytes: usize) -> Self {
        self.limits.max_body_bytes = bytes;
        self
    }

    /// Sets the most bytes of request bodies in memory, of all requests together; by default 256
    /// MiB, and at least the longest body. Above it a request is answered `UNAVAILABLE`.
    ///
    /// A body counts while it arrives and until its request is answered. Bodies of up to 16 KiB do
    /// not count.
    pub fn max_buffered_bytes(mut self, bytes: usize) -> Self {
        self.limits.max_buffered_bytes = bytes;
        self
    }

    /// Sets the most bytes of request bodies of one principal, or of one address for anonymous
    /// callers; by default half of [`max_buffered_bytes`](Self::max_buffered_bytes), and at least
    /// the longest body. Above it a request is answered `RATE_LIMITED`.
    pub fn max_buffered_bytes_per_caller(mut self, bytes: usize) -> Self {
        self.limits.max_buffered_bytes_per_caller = Some(bytes);
        self
    }

    /// Sets the lowest rate at which a body may arrive, in bytes a second; by default 1024, and 0
    /// for no limit. A slower upload is answered 408.
    ///
    /// The rate is measured over 5 s, and only for bodies after their first 16 KiB.
    pub fn min_upload_rate(mut self, bytes_per_second: u32) -> Self {
        self.limits.min_upload_rate = bytes_per_second;
        self
    }

    /// Sets the most bytes of responses that clients have not read, of all requests together; by
    /// default 256 MiB.
    ///
    /// Above it, a request is answered `UNAVAILABLE` before anything runs, and so is a read whose
    /// response does not fit. The response of a call that has an effect is always sent, and counts.
    /// Responses of up to 16 KiB do not count.
    pub fn max_unread_bytes(mut self, bytes: usize) -> Self {
        self.limits.max_unread_bytes = bytes;
        self
    }

    /// Sets the most bytes of unread responses of one principal, or of one address for anonymous
    /// callers; by default a quarter of [`max_unread_bytes`](Self::max_unread_bytes). Above it a
    /// request is answered `RATE_LIMITED`.
    ///
    /// A single response above the limit is sent to a caller that has no other unread response.
    pub fn max_unread_bytes_per_caller(mut self, bytes: usize) -> Self {
        self.limits.max_unread_bytes_per_caller = Some(bytes);
        self
    }

    /// Sets the longest time for a body to arrive; by default 10 s. A slower one is answered 408.
    ///
    /// [`ServerLimits::request_body_timeout`](crate::ServerLimits::request_body_timeout) bounds the
    /// bodies of all routes of a server.
    pub fn body_timeout(mut self, time: Duration) -> Self {
        self.limits.body_timeout = time;
        self
    }

    /// Sets the longest time of a request, including the time in which an approver is asked; by
    /// default 5 min.
    ///
    /// A tool's own deadline is usually shorter and counts from the start of the tool. A call above
    /// this time is cancelled and answered `TIMEOUT`; so are a lookup of a trace and a replay.
    pub fn request_timeout(mut self, time: Duration) -> Self {
        self.limits.request_timeout = time;
        self
    }

    /// Sets the most running calls that have an effect, which continue after their clients
    /// disconnect; by default 1024. Above it a call is answered `UNAVAILABLE`.
    pub fn max_tasks(mut self, tasks: usize) -> Self {
        self.limits.max_tasks = tasks;
        self
    }

    /// Sets the most such calls of one principal, or of one address for anonymous callers; by
    /// default half of [`max_tasks`](Self::max_tasks). Above it a call is answered `RATE_LIMITED`.
    pub fn max_tasks_per_caller(mut self, tasks: usize) -> Self {
        self.limits.max_tasks_per_caller = Some(tasks);
        self
    }

    /// Sets the most replays of traces at once; by default 4. Above it a replay is answered
    /// `UNAVAILABLE`.
    ///
    /// A replay runs many calls for one request, one after another, and no rate limit counts them.
    pub fn max_replays(mut self, replays: usize) -> Self {
        self.limits.max_replays = replays;
        self
    }

    /// Sets the most replays of one principal at once; by default half of
    /// [`max_replays`](Self::max_replays). Above it a replay is answered `RATE_LIMITED`.
    pub fn max_replays_per_caller(mut self, replays: usize) -> Self {
        self.limits.max_replays_per_caller = Some(replays);
        self
    }

    /// Sets the most event streams at once; by default 512. Above it a stream is answered
    /// `UNAVAILABLE`, as JSON.
    ///
    /// The stream of a call that has an effect counts towards [`max_tasks`](Self::max_tasks) too.
    pub fn max_streams(mut self, streams: usize) -> Self {
        self.limits.max_streams = streams;
        self
    }

    /// Sets the most event streams of one principal, or of one address for anonymous callers; by
    /// default half of [`max_streams`](Self::max_streams). Above it a stream is answered
    /// `RATE_LIMITED`, as JSON.
    pub fn max_streams_per_caller(mut self, streams: usize) -> Self {
        self.limits.max_streams_per_caller = Some(streams);
        self
    }

    /// Sets the interval of keep-alive comments in a silent event stream; by default 15 s.
    pub fn keep_alive(mut self, silence: Duration) -> Self {
        self.limits.keep_alive = silence;
        self
    }
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self {
            max_body_bytes: 1024 * 1024,
            body_timeout: Duration::from_secs(10),
            max_buffered_bytes: 256 * 1024 * 1024,
            max_buffered_bytes_per_caller: None,
            min_upload_rate: 1024,
            max_unread_bytes: 256 * 1024 * 1024,
            max_unread_bytes_per_caller: None,
            request_timeout: Duration::from_secs(5 * 60),
            max_tasks: 1024,
            max_tasks_per_caller: None,
            max_replays: 4,
            max_replays_per_caller: None,
            max_streams: 512,
            max_streams_per_caller: None,
            keep_alive: Duration::from_secs(15),
        }
    }
}
