//! The limits on the resources of requests.

use std::time::Duration;

/// The limits on a request's size and time, and on the number of tasks, streams and replays.
#[derive(Debug, Clone, Copy)]
pub(in crate::http) struct Bounds {
    pub(in crate::http) body_bytes: usize,
    pub(in crate::http) body_time: Duration,
    /// Bytes of all bodies together.
    pub(in crate::http) bodies_bytes: usize,
    /// Bytes of one caller's bodies; by default half of all.
    pub(in crate::http) bodies_of_caller: Option<usize>,
    /// The lowest rate of an upload, in bytes a second.
    pub(in crate::http) upload_rate: u32,
    /// Bytes of all responses that are not read.
    pub(in crate::http) answers_bytes: usize,
    /// Bytes of one caller's responses that are not read; by default a quarter of all.
    pub(in crate::http) answers_of_caller: Option<usize>,
    pub(in crate::http) request_time: Duration,
    /// Calls that have an effect.
    pub(in crate::http) tasks: usize,
    /// Of one caller; by default half of all.
    pub(in crate::http) tasks_of_caller: Option<usize>,
    /// Traces that are replayed at once.
    pub(in crate::http) replays: usize,
    /// Of one caller; by default half of all.
    pub(in crate::http) replays_of_caller: Option<usize>,
    pub(in crate::http) streams: usize,
    /// Streams of one caller; by default half of all.
    pub(in crate::http) streams_of_caller: Option<usize>,
    /// The interval of keep-alive comments in a silent stream.
    pub(in crate::http) keep_alive: Duration,
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
