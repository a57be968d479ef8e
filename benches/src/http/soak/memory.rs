//! Checks that a server's memory does not grow with every request.

use std::{fmt, fs};

use malloc_info::info::{SystemType, TotalType};

use crate::rates::text;

/// The allowed growth of bounded caches after the first phase, in bytes.
const ALLOWED: i64 = 4 << 20;

/// The memory of a server at each idle time.
#[derive(Debug, Default)]
pub(super) struct Rests(Vec<Rest>);

/// The memory of an idle server.
#[derive(Debug, Clone, Copy, Default)]
struct Rest {
    /// The number of requests so far.
    requests: i64,
    /// Allocated bytes.
    live: i64,
    /// Bytes of the process, including its allocator's free memory.
    resident: i64,
}

/// The growth between the first idle time and the last.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Growth {
    requests: i64,
    pub(super) live: i64,
    pub(super) resident: i64,
}

impl Rests {
    pub(super) fn add(&mut self, requests: u64, live: i64, resident: i64) {
        let requests = i64::try_from(requests).unwrap_or(i64::MAX);
        self.0.push(Rest { requests, live, resident });
    }

    /// Returns the bytes of the process at its last idle time.
    pub(super) fn resident(&self) -> i64 {
        self.0.last().map_or(0, |rest| rest.resident)
    }

    /// Returns the growth since the first idle time, when caches are full.
    pub(super) fn growth(&self) -> Option<Growth> {
        let [first, .., last] = self.0.as_slice() else { return None };
        Some(Growth {
            requests: last.requests - first.requests,
            live: last.live - first.live,
            resident: last.resident - first.resident,
        })
    }
}

impl fmt::Display for Rests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(at, rest)| {
            let (live, resident) = (mib(rest.live), mib(rest.resident));
            let requests = rest.requests;
            let gap = if at == 0 { "" } else { "\n" };
            write!(f, "{gap}at rest after {requests:>8} requests: {live:.2} MiB live, {resident:.1} MiB resident")
        })
    }
}

impl Growth {
    pub(super) fn is_a_leak(self) -> bool {
        self.live > ALLOWED
    }

    /// Returns the smallest leak per request that would be detected, in bytes.
    pub(super) fn seen_from(self) -> i64 {
        ALLOWED / self.requests.max(1) + 1
    }

    /// Returns the growth per request, in bytes.
    pub(super) fn per_request(self) -> i64 {
        self.live / self.requests.max(1)
    }
}

/// Returns the bytes that this process has allocated and not freed, in Rust as well as in C.
///
/// # Errors
/// The allocator does not report it.
pub(super) fn live() -> Result<i64, String> {
    let heaps = malloc_info::malloc_info().map_err(text)?;
    let total = |wanted: TotalType| {
        heaps.total.iter().filter(|it| it.r#type == wanted).map(|it| it.size).sum::<usize>()
    };
    let current = heaps.system.iter().filter(|it| it.r#type == SystemType::Current);
    let taken = current.map(|it| it.size).sum::<usize>() + total(TotalType::Mmap);
    let free = total(TotalType::Fast) + total(TotalType::Rest);
    i64::try_from(taken.saturating_sub(free)).map_err(text)
}

/// Returns the resident bytes of a process.
pub(super) fn resident(process: u32) -> Result<i64, String> {
    let pages = fs::read_to_string(format!("/proc/{process}/statm")).map_err(text)?;
    let pages = pages.split(' ').nth(1).and_then(|pages| pages.parse::<i64>().ok());
    let pages = pages.ok_or("expected a process's pages")?;
    Ok(pages * i64::try_from(rustix::param::page_size()).map_err(text)?)
}

/// Converts bytes to MiB.
#[allow(clippy::cast_precision_loss, reason = "far below 2^52")]
pub(super) fn mib(bytes: i64) -> f64 {
    bytes as f64 / 1024.0 / 1024.0
}
