//! The bounded queue between the calls and the writer.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use event_listener::Event;
use tool_runtime_core::tool::catch_panic;

use super::call_snapshot::CallSnapshot;
use super::config::Overload;
use super::writer::LedgerWriter;

/// An operation that runs on the writer thread.
pub(super) type WriterRequest = Box<dyn FnOnce(&mut LedgerWriter) + Send>;

/// The time for which the writer gathers calls before it writes a small group.
const GATHER_TIME: Duration = Duration::from_millis(20);

/// The number of queued calls at which the writer stops gathering. For a group of this size the disk
/// is a small part of the cost, and the writer occupies its core for about a millisecond. More calls
/// may gather during the write.
const FULL_GROUP: usize = 128;

/// The most operations that may wait for the writer.
const MAX_REQUESTS: usize = 1_024;

/// Ended calls and other operations for the writer.
#[derive(Debug)]
pub(super) struct LedgerQueue {
    state: Mutex<QueueState>,
    /// Wakes the writer.
    work: Condvar,
    /// Wakes calls that wait for capacity.
    freed: Event,
    /// Wakes calls whose answers wait for their records.
    written: Event,
    bounds: QueueBounds,
}

/// The queue's limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct QueueBounds {
    pub(super) calls: usize,
    pub(super) bytes: usize,
    pub(super) overload: Overload,
}

/// The result of trying to reserve capacity for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reservation {
    Reserved,
    /// There is no capacity at the moment.
    Full,
    /// Calls do not wait for capacity.
    NotNeeded,
    /// The queue no longer records anything.
    Closed,
}

#[derive(Default)]
struct QueueState {
    ended: VecDeque<CallSnapshot>,
    bytes: usize,
    /// The number of running calls that have reserved capacity.
    reserved: usize,
    /// Each operation with the number of calls that were queued before it.
    requests: VecDeque<(u64, WriterRequest)>,
    shed: ShedCount,
    pushed: u64,
    taken: u64,
    /// The number of taken calls that are in the store.
    written: u64,
    /// True if an answer waits for the record of a queued call.
    is_awaited: bool,
    /// Set when the writer has ended.
    writer_ended: bool,
    /// The number of queued calls that wakes the writer; none while it is busy.
    wakes_at: Option<usize>,
    closed: bool,
}

/// The calls that were not recorded.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ShedCount {
    pub(super) calls: u64,
    /// When the first of them ended, in milliseconds since the epoch.
    pub(super) since_ms: u64,
}

/// The calls and operations that the writer takes at once.
#[derive(Default)]
pub(super) struct QueueBatch {
    pub(super) ended: VecDeque<CallSnapshot>,
    pub(super) requests: VecDeque<WriterRequest>,
    pub(super) shed: ShedCount,
    /// True if the queue is closed and holds no calls beyond this batch.
    pub(super) is_last: bool,
}

impl LedgerQueue {
    pub(super) fn new(bounds: QueueBounds) -> Self {
        let (freed, written) = (Event::new(), Event::new());
        Self { state: Mutex::default(), work: Condvar::new(), freed, written, bounds }
    }

    /// Queues an ended call, or counts it as shed if there is no capacity. Never waits.
    ///
    /// A call that reserved capacity always fits. In [`Overload::Block`] there is twice the capacity for
    /// calls that could not wait for a reservation, because they were refused or dropped. An
    /// awaited call is written without gathering others first.
    ///
    /// Returns the call's number for [`wait_until_written`](Self::wait_until_written); none if it
    /// was shed.
    pub(super) fn push(
        &self,
        ended: CallSnapshot,
        is_reserved: bool,
        is_awaited: bool,
    ) -> Option<u64> {
        let factor = if self.bounds.overload == Overload::Block { 2 } else { 1 };
        let mut state = self.lock();
        state.reserved -= usize::from(is_reserved);
        let fits = !state.closed && (is_reserved || self.has_capacity(&state, factor));
        if fits {
            state.bytes += ended.bytes();
            state.pushed += 1;
            state.is_awaited |= is_awaited;
            state.ended.push_back(ended);
        } else {
            state.shed.add(ended.at_ms());
        }
        let number = fits.then_some(state.pushed);
        self.wake_writer(state);
        number
    }

    /// Waits until the call with this number is in the store; false if the writer has ended
    /// before.
    pub(super) async fn wait_until_written(&self, number: u64) -> bool {
        loop {
            // Registered before the check, so that a write in between is not missed.
            let written = self.written.listen();
            {
                let state = self.lock();
                if state.written >= number || state.writer_ended {
                    return state.written >= number;
                }
            }
            written.await;
        }
    }

    /// Marks all calls that were taken as stored, and wakes their answers.
    pub(super) fn mark_written(&self) {
        let mut state = self.lock();
        let is_news = state.written < state.taken;
        state.written = state.taken;
        drop(state);
        if is_news {
            self.written.notify(usize::MAX);
        }
    }

    /// Tries to reserve capacity for a call that is about to run.
    pub(super) fn try_reserve(&self) -> Reservation {
        let mut state = self.lock();
        if state.closed {
            return Reservation::Closed;
        }
        if self.bounds.overload != Overload::Block {
            return Reservation::NotNeeded;
        }
        if !self.has_capacity(&state, 1) {
            return Reservation::Full;
        }
        state.reserved += 1;
        Reservation::Reserved
    }

    /// Queues an operation for the writer; returns it if too many wait, or the queue is closed.
    pub(super) fn submit(&self, request: WriterRequest) -> Result<(), WriterRequest> {
        let mut state = self.lock();
        if state.closed || state.requests.len() >= MAX_REQUESTS {
            return Err(request);
        }
        let mark = state.pushed;
        state.requests.push_back((mark, request));
        drop(state);
        self.work.notify_one();
        Ok(())
    }

    /// Returns whether calls have to wait for capacity.
    pub(super) fn is_full(&self) -> bool {
        let state = self.lock();
        self.bounds.overload == Overload::Block && !state.closed && !self.has_capacity(&state, 1)
    }

    /// Returns whether the queue has stopped recording.
    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Waits until there is capacity, and reserves it, or until no call waits for capacity.
    pub(super) async fn reserve(&self) -> Reservation {
        loop {
            // Registered before the check, so that capacity freed in between is not missed.
            let freed = self.freed.listen();
            match self.try_reserve() {
                Reservation::Full => freed.await,
                reservation @ (Reservation::Reserved
                | Reservation::NotNeeded
                | Reservation::Closed) => return reservation,
            }
        }
    }

    /// Waits until there is capacity.
    pub(super) async fn wait_for_capacity(&self) {
        loop {
            let freed = self.freed.listen();
            if !self.is_full() {
                return;
            }
            freed.await;
        }
    }

    /// Waits for work, and takes up to `limit` calls.
    ///
    /// If there are only calls to record, it gathers more for a while: a large group costs little
    /// more than a small one. The next calls are gathered in the memory of `spare`. Returns an
    /// empty batch if there is no work by `until`.
    pub(super) fn take(
        &self,
        limit: usize,
        spare: VecDeque<CallSnapshot>,
        until: Option<Instant>,
    ) -> QueueBatch {
        let mut state = self.lock();
        while state.is_empty() && !state.closed {
            state.wakes_at = Some(1);
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            state = match left {
                Some(Duration::ZERO) => {
                    return QueueBatch { ended: spare, ..QueueBatch::default() };
                }
                Some(left) => {
                    let waited = self.work.wait_timeout(state, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.work.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        let enough = FULL_GROUP.min(self.bounds.calls / 2).max(1);
        state.wakes_at = Some(enough);
        let gathers = |state: &mut QueueState| {
            let gathers = state.ended.len() < enough && state.requests.is_empty();
            gathers && !state.is_awaited && !state.closed
        };
        let gathered = self.work.wait_timeout_while(state, GATHER_TIME, gathers);
        let mut state = gathered.unwrap_or_else(PoisonError::into_inner).0;
        (state.wakes_at, state.is_awaited) = (None, false);
        let ended_calls = state.take_ended(limit, spare);
        // The rest is taken next without gathering: it may contain the awaited call.
        state.is_awaited = !state.ended.is_empty();
        state.taken += u64::try_from(ended_calls.len()).unwrap_or(u64::MAX);
        let is_last = state.closed && state.ended.is_empty();
        let due = state.requests.partition_point(|(mark, _)| *mark <= state.taken);
        let requests = state.requests.drain(..due).map(|(_, request)| request).collect();
        let batch = QueueBatch {
            ended: ended_calls,
            requests,
            shed: std::mem::take(&mut state.shed),
            is_last,
        };
        drop(state);
        self.freed.notify(usize::MAX);
        batch
    }

    /// Closes the queue, drops everything in it, and returns how many calls were lost.
    pub(super) fn close_and_discard(&self) -> u64 {
        let mut state = self.lock();
        state.closed = true;
        let lost = u64::try_from(state.ended.len()).unwrap_or(u64::MAX);
        let (ended, requests) =
            (std::mem::take(&mut state.ended), std::mem::take(&mut state.requests));
        state.bytes = 0;
        state.writer_ended = true;
        drop(state);
        self.freed.notify(usize::MAX);
        self.written.notify(usize::MAX);
        // Dropping an operation drops its reply channel, which its caller sees.
        drop(catch_panic(|| drop((ended, requests))));
        lost
    }

    /// Takes the waiting operations, after at most `patience` if there are none; the calls stay.
    pub(super) fn take_requests(&self, patience: Duration) -> (VecDeque<WriterRequest>, bool) {
        let state = self.lock();
        let was_closed = state.closed;
        let waits =
            |state: &mut QueueState| state.requests.is_empty() && state.closed == was_closed;
        let waited = self.work.wait_timeout_while(state, patience, waits);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        (state.requests.drain(..).map(|(_, request)| request).collect(), state.closed)
    }

    /// Closes the queue: it takes nothing more, and the writer still writes what is queued.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.work.notify_all();
        self.freed.notify(usize::MAX);
    }

    fn has_capacity(&self, state: &QueueState, factor: usize) -> bool {
        state.ended.len() + state.reserved < self.bounds.calls.saturating_mul(factor)
            && state.bytes < self.bounds.bytes.saturating_mul(factor)
    }

    /// Wakes the writer if enough calls are queued.
    fn wake_writer(&self, mut state: MutexGuard<'_, QueueState>) {
        let waiting = state.ended.len() + usize::from(state.shed.calls > 0);
        let wakes = state.wakes_at.is_some_and(|calls| waiting >= calls || state.is_awaited);
        if wakes {
            // One wake-up is enough.
            state.wakes_at = None;
        }
        drop(state);
        if wakes {
            self.work.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    fn is_empty(&self) -> bool {
        self.ended.is_empty() && self.requests.is_empty() && self.shed.calls == 0
    }

    fn take_ended(
        &mut self,
        limit: usize,
        spare: VecDeque<CallSnapshot>,
    ) -> VecDeque<CallSnapshot> {
        if self.ended.len() <= limit {
            self.bytes = 0;
            return std::mem::replace(&mut self.ended, spare);
        }
        let later_calls = self.ended.split_off(limit);
        let ended_calls = std::mem::replace(&mut self.ended, later_calls);
        self.bytes -= ended_calls.iter().map(CallSnapshot::bytes).sum::<usize>();
        ended_calls
    }
}

impl ShedCount {
    fn add(&mut self, at_ms: u64) {
        if self.calls == 0 {
            self.since_ms = at_ms;
        }
        self.calls += 1;
    }
}

impl fmt::Debug for QueueState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueueState").field("ended", &self.ended.len()).finish_non_exhaustive()
    }
}
