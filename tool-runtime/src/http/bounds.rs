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
    /// Of one caller's bodies; half of all unless it is said.
    pub(super) bodies_of_caller: Option<usize>,
    /// The lowest rate of an upload, in bytes a second.
    pub(super) upload_rate: u32,
    /// Of all answers that are not read.
    pub(super) answers_bytes: usize,
    /// Of one caller's answers that are not read; a quarter of all unless it is said.
    pub(super) answers_of_caller: Option<usize>,
    pub(super) request_time: Duration,
    /// Calls that have an effect.
    pub(super) tasks: usize,
    /// Of one caller; half of all unless it is said.
    pub(super) tasks_of_caller: Option<usize>,
    /// Traces that are replayed at once.
    pub(super) replays: usize,
    /// Of one caller; half of all unless it is said.
    pub(super) replays_of_caller: Option<usize>,
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
            bodies_of_caller: None,
            upload_rate: 1024,
            answers_bytes: 256 * 1024 * 1024,
            answers_of_caller: None,
            request_time: Duration::from_secs(5 * 60),
            tasks: 1024,
            tasks_of_caller: None,
            replays: 4,
            replays_of_caller: None,
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

    /// Sets how many of these bytes one principal's bodies may take, and of callers whom nobody knows
    /// one address's; half of [`max_buffered_bytes`](Self::max_buffered_bytes) unless it is said, and
    /// never less than one body may have. Above it a request is answered `RATE_LIMITED`.
    pub fn max_buffered_bytes_per_caller(mut self, bytes: usize) -> Self {
        self.bounds.bodies_of_caller = Some(bytes);
        self
    }

    /// Sets the lowest rate at which a body may arrive, in bytes a second; 1024 unless it is said, and
    /// none where it is 0. A slower upload is answered 408.
    ///
    /// The rate is measured over 5 s, and only of bodies of which more than 16 KiB have arrived.
    pub fn min_upload_rate(mut self, bytes_per_second: u32) -> Self {
        self.bounds.upload_rate = bytes_per_second;
        self
    }

    /// Sets how many bytes of answers may wait to be read by their callers, of all requests together;
    /// 256 MiB unless it is said.
    ///
    /// While they take that much, a request is answered `UNAVAILABLE` before anything of it runs, and
    /// so is a read whose answer does not fit. The answer of a call that has an effect is always
    /// given; it counts. Answers of up to 16 KiB are not counted.
    pub fn max_unread_bytes(mut self, bytes: usize) -> Self {
        self.bounds.answers_bytes = bytes;
        self
    }

    /// Sets how many of these bytes the answers of one principal may take, and of callers whom nobody
    /// knows those of one address; a quarter of [`max_unread_bytes`](Self::max_unread_bytes) unless it
    /// is said. Above it a request is answered `RATE_LIMITED`.
    ///
    /// An answer that alone is larger is given to a caller that holds no other.
    pub fn max_unread_bytes_per_caller(mut self, bytes: usize) -> Self {
        self.bounds.answers_of_caller = Some(bytes);
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

    /// Sets how many of these calls one principal may have running, and of callers whom nobody knows
    /// one address; half of [`max_tasks`](Self::max_tasks) unless it is said. Above it a call is
    /// answered `RATE_LIMITED`.
    pub fn max_tasks_per_caller(mut self, tasks: usize) -> Self {
        self.bounds.tasks_of_caller = Some(tasks);
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

    /// Sets how many traces one principal may replay at once; half of
    /// [`max_replays`](Self::max_replays) unless it is said. Above it a replay is answered
    /// `RATE_LIMITED`.
    pub fn max_replays_per_caller(mut self, replays: usize) -> Self {
        self.bounds.replays_of_caller = Some(replays);
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
