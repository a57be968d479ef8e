//! The limits on the resources of requests.

use std::time::Duration;

/// The limits on a request's size and time, and on the number of tasks, streams and replays.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) body_bytes: usize,
    pub(crate) body_time: Duration,
    /// Bytes of all bodies together.
    pub(crate) bodies_bytes: usize,
    /// Bytes of one caller's bodies; by default half of all.
    pub(crate) bodies_of_caller: Option<usize>,
    /// The lowest rate of an upload, in bytes a second.
    pub(crate) upload_rate: u32,
    /// Bytes of all responses that are not read.
    pub(crate) answers_bytes: usize,
    /// Bytes of one caller's responses that are not read; by default a quarter of all.
    pub(crate) answers_of_caller: Option<usize>,
    pub(crate) request_time: Duration,
    /// Calls that have an effect.
    pub(crate) tasks: usize,
    /// Of one caller; by default half of all.
    pub(crate) tasks_of_caller: Option<usize>,
    /// Traces that are replayed at once.
    pub(crate) replays: usize,
    /// Of one caller; by default half of all.
    pub(crate) replays_of_caller: Option<usize>,
    pub(crate) streams: usize,
    /// Streams of one caller; by default half of all.
    pub(crate) streams_of_caller: Option<usize>,
    /// The interval of keep-alive comments in a silent stream.
    pub(crate) keep_alive: Duration,
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
