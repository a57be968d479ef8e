//! The core of the servers, and the core of the client.

use rustix::thread::{CpuSet, sched_setaffinity};

/// One of the two cores that are used.
#[derive(Debug, Clone, Copy)]
pub(super) enum Core {
    /// The servers' core.
    Server = 0,
    /// The client's core.
    Client = 1,
}

/// Pins this thread, and the processes that it starts, to one core.
///
/// # Errors
/// The machine has no such core for this process.
pub(super) fn stay_on(core: Core) -> Result<(), String> {
    let mut cores = CpuSet::new();
    cores.set(core as usize);
    sched_setaffinity(None, &cores).map_err(|error| {
        format!("expected two cores, one of which is number {}: {error}", core as usize)
    })
}
