//! The limits on requests in the configuration.

use std::time::Duration;

use super::HttpConfig;

/// Limits on requests.
impl HttpConfig {
    /// Sets the longest request body; by default 1 MiB. A longer one is answered 413.
    ///
    /// The arguments in it are bounded by the runtime's own [`Limits`](tool_runtime_schema::Limits) too.
    pub fn max_body_bytes(mut self, bytes: usize) -> Self {
        self.bounds.body_bytes = bytes;
        self
    }

    /// Sets the most bytes of request bodies in memory, of all requests together; by default 256
    /// MiB, and at least the longest body. Above it a request is answered `UNAVAILABLE`.
    ///
    /// A body counts while it arrives and until its request is answered. Bodies of up to 16 KiB do
    /// not count.
    pub fn max_buffered_bytes(mut self, bytes: usize) -> Self {
        self.bounds.bodies_bytes = bytes;
        self
    }

    /// Sets the most bytes of request bodies of one principal, or of one address for anonymous
    /// callers; by default half of [`max_buffered_bytes`](Self::max_buffered_bytes), and at least
    /// the longest body. Above it a request is answered `RATE_LIMITED`.
    pub fn max_buffered_bytes_per_caller(mut self, bytes: usize) -> Self {
        self.bounds.bodies_of_caller = Some(bytes);
        self
    }

    /// Sets the lowest rate at which a body may arrive, in bytes a second; by default 1024, and 0
    /// for no limit. A slower upload is answered 408.
    ///
    /// The rate is measured over 5 s, and only of bodies of which more than 16 KiB have arrived.
    pub fn min_upload_rate(mut self, bytes_per_second: u32) -> Self {
        self.bounds.upload_rate = bytes_per_second;
        self
    }

    /// Sets the most bytes of responses that clients have not read, of all requests together; by
    /// default 256 MiB.
    ///
    /// Above it, a request is answered `UNAVAILABLE` before anything runs, and so is a read whose
    /// response does not fit. The response of a call that has an effect is always sent, and counts.
    /// Responses of up to 16 KiB do not count.
    pub fn max_unread_bytes(mut self, bytes: usize) -> Self {
        self.bounds.answers_bytes = bytes;
        self
    }

    /// Sets the most bytes of unread responses of one principal, or of one address for anonymous
    /// callers; by default a quarter of [`max_unread_bytes`](Self::max_unread_bytes). Above it a
    /// request is answered `RATE_LIMITED`.
    ///
    /// A single response above the limit is sent to a caller that has no other unread response.
    pub fn max_unread_bytes_per_caller(mut self, bytes: usize) -> Self {
        self.bounds.answers_of_caller = Some(bytes);
        self
    }

    /// Sets the longest time for a body to arrive; by default 10 s. A slower one is answered 408.
    ///
    /// [`ServerLimits::request_body_timeout`](crate::ServerLimits::request_body_timeout) bounds the
    /// bodies of all routes of a server.
    pub fn body_timeout(mut self, time: Duration) -> Self {
        self.bounds.body_time = time;
        self
    }

    /// Sets the longest time of a request, including the time in which an approver is asked; by
    /// default 5 min.
    ///
    /// A tool's own deadline is usually shorter and counts from the start of the tool. A call above
    /// this time is cancelled and answered `TIMEOUT`; so are a lookup of a trace and a replay.
    pub fn request_timeout(mut self, time: Duration) -> Self {
        self.bounds.request_time = time;
        self
    }

    /// Sets the most running calls that have an effect, which continue after their clients
    /// disconnect; by default 1024. Above it a call is answered `UNAVAILABLE`.
    pub fn max_tasks(mut self, tasks: usize) -> Self {
        self.bounds.tasks = tasks;
        self
    }

    /// Sets the most such calls of one principal, or of one address for anonymous callers; by
    /// default half of [`max_tasks`](Self::max_tasks). Above it a call is answered `RATE_LIMITED`.
    pub fn max_tasks_per_caller(mut self, tasks: usize) -> Self {
        self.bounds.tasks_of_caller = Some(tasks);
        self
    }

    /// Sets the most replays of traces at once; by default 4. Above it a replay is answered
    /// `UNAVAILABLE`.
    ///
    /// A replay runs many calls for one request, one after another, and no rate limit counts them.
    pub fn max_replays(mut self, replays: usize) -> Self {
        self.bounds.replays = replays;
        self
    }

    /// Sets the most replays of one principal at once; by default half of
    /// [`max_replays`](Self::max_replays). Above it a replay is answered `RATE_LIMITED`.
    pub fn max_replays_per_caller(mut self, replays: usize) -> Self {
        self.bounds.replays_of_caller = Some(replays);
        self
    }

    /// Sets the most event streams at once; by default 512. Above it a stream is answered
    /// `UNAVAILABLE`, as JSON.
    ///
    /// The stream of a call that has an effect counts towards [`max_tasks`](Self::max_tasks) too.
    pub fn max_streams(mut self, streams: usize) -> Self {
        self.bounds.streams = streams;
        self
    }

    /// Sets the most event streams of one principal, or of one address for anonymous callers; by
    /// default half of [`max_streams`](Self::max_streams). Above it a stream is answered
    /// `RATE_LIMITED`, as JSON.
    pub fn max_streams_per_caller(mut self, streams: usize) -> Self {
        self.bounds.streams_of_caller = Some(streams);
        self
    }

    /// Sets the interval of keep-alive comments in a silent event stream; by default 15 s.
    pub fn keep_alive(mut self, silence: Duration) -> Self {
        self.bounds.keep_alive = silence;
        self
    }
}
