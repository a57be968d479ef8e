//! Between the calls and the writer: what has ended waits here, up to a bound.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use event_listener::Event;

use super::config::Overload;
use super::ended::EndedCall;
use super::writer::Desk;
use crate::call::guard;

/// What somebody asks the writer to do.
pub(super) type Ask = Box<dyn FnOnce(&mut Desk) + Send>;

/// How long the writer gathers calls before it writes few of them.
const GATHERING: Duration = Duration::from_millis(20);

/// How many calls are worth a write: the disk has a small part in what it costs, and the calls that
/// share the writer's core wait for about a millisecond. While it writes more may gather.
const WORTH_WRITING: usize = 128;

/// The most that may be asked of the writer at once.
const MOST_ASKS: usize = 1_024;

/// Calls that have ended, and what else the writer is to do.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    /// Wakes the writer.
    work: Condvar,
    /// Wakes calls that wait for room.
    freed: Event,
    /// Wakes calls whose answers wait for their records.
    written: Event,
    bounds: Bounds,
}

/// How much may wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) calls: usize,
    pub(super) bytes: usize,
    pub(super) overload: Overload,
}

#[derive(Default)]
struct State {
    ended: VecDeque<EndedCall>,
    bytes: usize,
    /// For how many calls that are under way room is kept.
    kept: usize,
    /// Each with the number of calls that were taken before it.
    asks: VecDeque<(u64, Ask)>,
    shed: Missing,
    pushed: u64,
    taken: u64,
    /// How many of the calls that were taken are in the store.
    written: u64,
    /// Whether the answer of a call that was not taken yet waits for its record.
    is_awaited: bool,
    /// Whether the writer has ended.
    is_over: bool,
    /// With how many calls the writer is to be woken; none while it is at work.
    wakes_at: Option<usize>,
    closed: bool,
}

/// Calls that were not recorded.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Missing {
    pub(super) calls: u64,
    /// When the first of them ended, in milliseconds since the epoch.
    pub(super) since_ms: u64,
}

/// What the writer takes at once.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) ended: VecDeque<EndedCall>,
    pub(super) asks: VecDeque<Ask>,
    pub(super) shed: Missing,
    /// Whether nothing more comes.
    pub(super) last: bool,
}

impl Queue {
    pub(super) fn new(bounds: Bounds) -> Self {
        let (freed, written) = (Event::new(), Event::new());
        Self { state: Mutex::default(), work: Condvar::new(), freed, written, bounds }
    }

    /// Takes a call that has ended, or counts it if there is no room; never waits.
    ///
    /// One for which room is kept always fits. Where calls wait for room there is some beyond the
    /// bound for those that could not wait, since they were refused or dropped. One that is awaited
    /// is written without gathering others first.
    ///
    /// Returns the call's number, for [`recorded`](Self::recorded); none if it was left out.
    pub(super) fn push(&self, ended: EndedCall, has_room: bool, is_awaited: bool) -> Option<u64> {
        let factor = if self.bounds.overload == Overload::Block { 2 } else { 1 };
        let mut state = self.lock();
        state.kept -= usize::from(has_room);
        let fits = !state.closed && (has_room || self.has_room(&state, factor));
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

    /// Waits until the call of this number is in the store; false if the writer has ended before.
    pub(super) async fn recorded(&self, number: u64) -> bool {
        loop {
            // Before it looks: what is written in between is heard.
            let written = self.written.listen();
            {
                let state = self.lock();
                if state.written >= number || state.is_over {
                    return state.written >= number;
                }
            }
            written.await;
        }
    }

    /// Wakes the answers of all calls that were taken: they are in the store.
    pub(super) fn confirm(&self) {
        let mut state = self.lock();
        let is_news = state.written < state.taken;
        state.written = state.taken;
        drop(state);
        if is_news {
            self.written.notify(usize::MAX);
        }
    }

    /// Keeps room for a call that is about to run; false if there is none yet.
    ///
    /// Where calls do not wait there is nothing to keep.
    pub(super) fn keep_room(&self) -> Option<bool> {
        if self.bounds.overload != Overload::Block {
            return None;
        }
        let mut state = self.lock();
        let fits = !state.closed && self.has_room(&state, 1);
        state.kept += usize::from(fits);
        // Nobody records any more, so that nobody has to wait.
        if state.closed { None } else { Some(fits) }
    }

    /// Gives the writer something to do; gives it back if too much is asked already, or nobody
    /// writes any more.
    pub(super) fn ask(&self, ask: Ask) -> Result<(), Ask> {
        let mut state = self.lock();
        if state.closed || state.asks.len() >= MOST_ASKS {
            return Err(ask);
        }
        let mark = state.pushed;
        state.asks.push_back((mark, ask));
        drop(state);
        self.work.notify_one();
        Ok(())
    }

    /// Tells whether calls have to wait.
    pub(super) fn is_full(&self) -> bool {
        let state = self.lock();
        self.bounds.overload == Overload::Block && !state.closed && !self.has_room(&state, 1)
    }

    /// Waits until there is room, and keeps it; false if nobody records any more.
    pub(super) async fn kept_room(&self) -> bool {
        loop {
            // Before it looks: what is freed in between is heard.
            let freed = self.freed.listen();
            match self.keep_room() {
                Some(true) => return true,
                None => return false,
                Some(false) => freed.await,
            }
        }
    }

    /// Waits until there is room.
    pub(super) async fn room(&self) {
        loop {
            let freed = self.freed.listen();
            if !self.is_full() {
                return;
            }
            freed.await;
        }
    }

    /// Waits for something to do; takes up to so many calls.
    ///
    /// Where only calls are to be recorded it gathers some for a while: a group of many costs little
    /// more than one of a few. The next ones are gathered in the memory of `spare`.
    /// It takes nothing if there is nothing by the time `until`.
    pub(super) fn take(
        &self,
        most: usize,
        spare: VecDeque<EndedCall>,
        until: Option<Instant>,
    ) -> Batch {
        let mut state = self.lock();
        while state.is_empty() && !state.closed {
            state.wakes_at = Some(1);
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            state = match left {
                Some(Duration::ZERO) => return Batch { ended: spare, ..Batch::default() },
                Some(left) => {
                    let waited = self.work.wait_timeout(state, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.work.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        let enough = WORTH_WRITING.min(self.bounds.calls / 2).max(1);
        state.wakes_at = Some(enough);
        let gathers = |state: &mut State| {
            let gathers = state.ended.len() < enough && state.asks.is_empty();
            gathers && !state.is_awaited && !state.closed
        };
        let gathered = self.work.wait_timeout_while(state, GATHERING, gathers);
        let mut state = gathered.unwrap_or_else(PoisonError::into_inner).0;
        (state.wakes_at, state.is_awaited) = (None, false);
        let ended = state.take_ended(most, spare);
        // The rest is taken next, without waiting either: it may be what is awaited.
        state.is_awaited = !state.ended.is_empty();
        state.taken += u64::try_from(ended.len()).unwrap_or(u64::MAX);
        let last = state.closed && state.ended.is_empty();
        let due = state.asks.partition_point(|(mark, _)| *mark <= state.taken);
        let asks = state.asks.drain(..due).map(|(_, ask)| ask).collect();
        let batch = Batch { ended, asks, shed: std::mem::take(&mut state.shed), last };
        drop(state);
        self.freed.notify(usize::MAX);
        batch
    }

    /// Gives up whatever waits, and returns how many calls that were; takes nothing more.
    pub(super) fn give_up(&self) -> u64 {
        let mut state = self.lock();
        state.closed = true;
        let lost = u64::try_from(state.ended.len()).unwrap_or(u64::MAX);
        let (ended, asks) = (std::mem::take(&mut state.ended), std::mem::take(&mut state.asks));
        state.bytes = 0;
        state.is_over = true;
        drop(state);
        self.freed.notify(usize::MAX);
        self.written.notify(usize::MAX);
        // Whoever asked hears of it by that.
        drop(guard(|| drop((ended, asks))));
        lost
    }

    /// Takes what was asked meanwhile, at the latest after this time; the calls wait.
    pub(super) fn take_asks(&self, patience: Duration) -> (VecDeque<Ask>, bool) {
        let state = self.lock();
        let was_closed = state.closed;
        let waits = |state: &mut State| state.asks.is_empty() && state.closed == was_closed;
        let waited = self.work.wait_timeout_while(state, patience, waits);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        (state.asks.drain(..).map(|(_, ask)| ask).collect(), state.closed)
    }

    /// Takes nothing more; what waits is still written.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.work.notify_all();
        self.freed.notify(usize::MAX);
    }

    fn has_room(&self, state: &State, factor: usize) -> bool {
        state.ended.len() + state.kept < self.bounds.calls.saturating_mul(factor)
            && state.bytes < self.bounds.bytes.saturating_mul(factor)
    }

    /// Wakes the writer if it waits for no more calls than there are.
    fn wake_writer(&self, mut state: MutexGuard<'_, State>) {
        let waiting = state.ended.len() + usize::from(state.shed.calls > 0);
        let wakes = state.wakes_at.is_some_and(|calls| waiting >= calls || state.is_awaited);
        if wakes {
            // Once is enough.
            state.wakes_at = None;
        }
        drop(state);
        if wakes {
            self.work.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_empty(&self) -> bool {
        self.ended.is_empty() && self.asks.is_empty() && self.shed.calls == 0
    }

    fn take_ended(&mut self, most: usize, spare: VecDeque<EndedCall>) -> VecDeque<EndedCall> {
        if self.ended.len() <= most {
            self.bytes = 0;
            return std::mem::replace(&mut self.ended, spare);
        }
        let rest = self.ended.split_off(most);
        let ended = std::mem::replace(&mut self.ended, rest);
        self.bytes -= ended.iter().map(EndedCall::bytes).sum::<usize>();
        ended
    }
}

impl Missing {
    fn add(&mut self, at_ms: u64) {
        if self.calls == 0 {
            self.since_ms = at_ms;
        }
        self.calls += 1;
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").field("ended", &self.ended.len()).finish_non_exhaustive()
    }
}
