//! What a connection is waiting for, and since when.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::ServerLimits;
use crate::http::Drain;

/// Longest time for a peer to take note that its connection ends.
const LINGER: Duration = Duration::from_secs(5);

/// The state of one connection, written by its socket and its requests, read by its watch.
#[derive(Debug)]
pub(super) struct Pulse {
    drain: Drain,
    begun: Instant,
    /// Requests whose answer is not yet sent.
    open: AtomicUsize,
    /// When the first byte of a request came that is not yet whole; 0 for none.
    heading: AtomicU64,
    /// When the last answer ended.
    quiet: AtomicU64,
    /// Whether bytes may come without a request: pings of HTTP/2.
    chats: AtomicBool,
    /// Answers of HTTP/2 of which there is more to send than their peer has asked for.
    owed: AtomicUsize,
    /// When one was owed that had not been, or was asked for more.
    taken: AtomicU64,
    /// When the rate of what is taken began to be measured, and the bytes taken since.
    measured: AtomicU64,
    taken_bytes: AtomicUsize,
    /// Bytes of long answers that the connection has not let go of.
    unread: AtomicUsize,
    /// Hears when these get fewer.
    less_unread: Notify,
}

/// What is to be done about a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing until then, counted from the connection's begin.
    Wait(Duration),
    /// It has been quiet for too long, or is too old: no further request is taken.
    Retire,
    /// Its request does not arrive, or its peer does not take what it is answered.
    Close,
}

/// A request whose answer is not yet sent.
#[derive(Debug)]
pub(super) struct Open {
    pulse: Arc<Pulse>,
    /// Whether its peer says how much of an answer it wants; of HTTP/1 the socket knows.
    is_rationed: bool,
    is_owed: bool,
}

/// Bytes of an answer that count as long as any part of them is in memory.
struct Unread {
    pulse: Arc<Pulse>,
    bytes: Bytes,
}

impl Pulse {
    /// A connection begins; a request is expected.
    pub(super) fn begin(drain: &Drain) -> Self {
        Self {
            drain: drain.clone(),
            begun: Instant::now(),
            open: AtomicUsize::new(0),
            heading: AtomicU64::new(1),
            quiet: AtomicU64::new(0),
            chats: AtomicBool::new(false),
            owed: AtomicUsize::new(0),
            taken: AtomicU64::new(0),
            measured: AtomicU64::new(0),
            taken_bytes: AtomicUsize::new(0),
            unread: AtomicUsize::new(0),
            less_unread: Notify::new(),
        }
    }

    /// How long the connection has been there.
    pub(super) fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Which moment this age is; a far one where it is beyond what a clock can say.
    pub(super) fn at(&self, age: Duration) -> Instant {
        const FAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
        self.begun.checked_add(age).unwrap_or_else(|| Instant::now() + FAR)
    }

    /// The time for a request starts again: what came until now was a handshake.
    #[cfg(feature = "tls")]
    pub(super) fn expect_request(&self) {
        self.heading.store(self.now(), Ordering::Relaxed);
    }

    /// Bytes have come.
    pub(super) fn hears(&self) {
        let counts = !self.is_busy() && !self.chats.load(Ordering::Relaxed);
        if counts && self.heading.load(Ordering::Relaxed) == 0 {
            self.heading.store(self.now(), Ordering::Relaxed);
        }
    }

    /// A request is whole up to its body.
    pub(super) fn opens(self: &Arc<Self>, chats: bool) -> Open {
        self.drain.traffic().begun.add();
        self.open.fetch_add(1, Ordering::Relaxed);
        self.heading.store(0, Ordering::Relaxed);
        if chats {
            self.chats.store(true, Ordering::Relaxed);
        }
        Open { pulse: self.clone(), is_rationed: chats, is_owed: false }
    }

    /// Tells whether there are answers of which the peer has taken nothing for this long.
    ///
    /// The socket does not see it: a peer of HTTP/2 that asks for nothing is sent nothing.
    pub(super) fn is_spurned(&self, age: Duration, patience: Duration) -> bool {
        let is_owed = self.owed.load(Ordering::Relaxed) > 0;
        is_owed && age >= read(&self.taken).saturating_add(patience)
    }

    /// Returns whether the peer has taken fewer bytes than `least` in this long, while answers were
    /// owed all the time.
    pub(super) fn is_too_slow(&self, age: Duration, patience: Duration, least: usize) -> bool {
        let is_owed = self.owed.load(Ordering::Relaxed) > 0;
        if !is_owed || age < read(&self.measured).saturating_add(patience) {
            return false;
        }
        self.measured.store(millis(age), Ordering::Relaxed);
        self.taken_bytes.swap(0, Ordering::Relaxed) < least
    }

    /// Waits until the connection keeps fewer bytes of answers than this. Cancel-safe.
    pub(super) async fn room(&self, most: usize) {
        loop {
            let mut notified = pin!(self.less_unread.notified());
            // Registered before the bytes are read, so that no change is missed.
            notified.as_mut().enable();
            let unread = self.unread.load(Ordering::Acquire);
            if unread == 0 || unread < most {
                return;
            }
            notified.await;
        }
    }

    /// What is to be done at this age.
    pub(super) fn verdict(&self, age: Duration, limits: &ServerLimits) -> Verdict {
        let (heading, quiet) = (read(&self.heading), read(&self.quiet));
        let shortest = limits.header_timeout.min(limits.idle_timeout).min(limits.write_timeout);
        let soon = age.saturating_add(shortest);
        let due = match heading {
            _ if self.is_busy() => soon,
            Duration::ZERO if age >= quiet.saturating_add(limits.idle_timeout) => {
                return Verdict::Retire;
            }
            // What begins in between may be due before the quiet is.
            Duration::ZERO => soon.min(quiet.saturating_add(limits.idle_timeout)),
            since if age >= since.saturating_add(limits.header_timeout) => return Verdict::Close,
            since => since.saturating_add(limits.header_timeout),
        };
        if age >= limits.age { Verdict::Retire } else { Verdict::Wait(due.min(limits.age)) }
    }

    /// What is to be done at this age about a connection that takes no further request since then.
    pub(super) fn verdict_retired(&self, age: Duration, since: Duration) -> Verdict {
        let due = read(&self.quiet).max(since) + LINGER;
        match self.is_busy() {
            true => Verdict::Wait(age + LINGER),
            false if age >= due => Verdict::Close,
            false => Verdict::Wait(due),
        }
    }

    fn is_busy(&self) -> bool {
        self.open.load(Ordering::Relaxed) > 0
    }

    fn closes(&self) {
        self.quiet.store(self.now(), Ordering::Relaxed);
        self.open.fetch_sub(1, Ordering::Relaxed);
        self.drain.traffic().ended.add();
    }

    fn now(&self) -> u64 {
        millis(self.age())
    }
}

impl Open {
    /// There is something of the answer to send.
    pub(super) fn owes(&mut self) {
        if !self.is_rationed || self.is_owed {
            return;
        }
        self.is_owed = true;
        if self.pulse.owed.fetch_add(1, Ordering::Relaxed) == 0 {
            self.taken(0);
            self.pulse.measured.store(self.pulse.now(), Ordering::Relaxed);
            self.pulse.taken_bytes.store(0, Ordering::Relaxed);
        }
    }

    /// Counts bytes until the connection has let go of them.
    pub(super) fn holds(&self, bytes: Bytes) -> Bytes {
        self.pulse.unread.fetch_add(bytes.len(), Ordering::AcqRel);
        Bytes::from_owner(Unread { pulse: Arc::clone(&self.pulse), bytes })
    }

    /// The peer has asked for more of the answer, and has taken these bytes of it.
    pub(super) fn taken(&self, bytes: usize) {
        if !self.is_rationed {
            return;
        }
        self.pulse.taken.store(self.pulse.now(), Ordering::Relaxed);
        self.pulse.taken_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// All that there is of the answer by now was asked for.
    pub(super) fn settles(&mut self) {
        if std::mem::take(&mut self.is_owed) {
            self.pulse.owed.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl AsRef<[u8]> for Unread {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        self.pulse.unread.fetch_sub(self.bytes.len(), Ordering::AcqRel);
        self.pulse.less_unread.notify_waiters();
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.settles();
        self.pulse.closes();
    }
}

fn millis(age: Duration) -> u64 {
    u64::try_from(age.as_millis()).unwrap_or(u64::MAX).max(1)
}

fn read(millis: &AtomicU64) -> Duration {
    Duration::from_millis(millis.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::{LINGER, Pulse, Verdict};
    use crate::http::{Drain, ServerLimits};

    const SECOND: Duration = Duration::from_secs(1);

    fn pulse() -> Arc<Pulse> {
        Arc::new(Pulse::begin(&Drain::default()))
    }

    /// What is to be done, `seconds` after the connection began.
    fn verdict(pulse: &Pulse, seconds: u32) -> Verdict {
        let limits = ServerLimits {
            header_timeout: SECOND * 10,
            idle_timeout: SECOND * 60,
            age: SECOND * 1000,
            ..ServerLimits::default()
        };
        pulse.verdict(SECOND * seconds, &limits)
    }

    #[tokio::test(start_paused = true)]
    async fn a_first_request_has_the_time_of_one() {
        let pulse = pulse();
        assert!(matches!(verdict(&pulse, 9), Verdict::Wait(_)));
        assert_eq!(verdict(&pulse, 11), Verdict::Close);
    }

    #[tokio::test(start_paused = true)]
    async fn a_quiet_connection_ends_and_a_busy_one_does_not() {
        let pulse = pulse();
        let open = pulse.opens(false);
        assert!(matches!(verdict(&pulse, 500), Verdict::Wait(_)));
        tokio::time::advance(SECOND * 500).await;
        drop(open);
        assert!(matches!(verdict(&pulse, 559), Verdict::Wait(_)));
        assert_eq!(verdict(&pulse, 560), Verdict::Retire);
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_of_a_request_begins_with_its_first_byte() {
        let pulse = pulse();
        drop(pulse.opens(false));
        tokio::time::advance(SECOND * 30).await;
        pulse.hears();
        tokio::time::advance(SECOND * 5).await;
        pulse.hears();
        assert!(matches!(verdict(&pulse, 39), Verdict::Wait(due) if due == SECOND * 40));
        assert_eq!(verdict(&pulse, 40), Verdict::Close);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_and_a_ping_begin_no_request() {
        let pulse = pulse();
        let open = pulse.opens(false);
        pulse.hears();
        drop(open);
        assert!(matches!(verdict(&pulse, 50), Verdict::Wait(_)));
        drop(pulse.opens(true));
        pulse.hears();
        assert!(matches!(verdict(&pulse, 50), Verdict::Wait(_)));
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_looked_at_again_before_anything_can_be_due() {
        let pulse = pulse();
        drop(pulse.opens(false));
        assert!(matches!(verdict(&pulse, 0), Verdict::Wait(due) if due == SECOND * 10));
        assert!(matches!(verdict(&pulse, 55), Verdict::Wait(due) if due <= SECOND * 61));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_nobody_asks_for_is_spurned() {
        let pulse = pulse();
        let spurned = |seconds: u32| pulse.is_spurned(SECOND * seconds, SECOND * 30);
        let (mut one, mut other) = (pulse.opens(true), pulse.opens(true));
        assert!(!spurned(100), "its handler is at work");
        tokio::time::advance(SECOND * 100).await;
        one.owes();
        tokio::time::advance(SECOND * 20).await;
        other.owes();
        assert!(!spurned(129) && spurned(130), "another answer is no excuse");
        tokio::time::advance(SECOND * 5).await;
        other.taken(1);
        assert!(!spurned(154) && spurned(155));
        one.settles();
        other.settles();
        assert!(!spurned(1000), "the handlers have nothing more to send");
        one.owes();
        drop((one, other));
        assert!(!spurned(1000));
        let mut of_the_socket = pulse.opens(false);
        of_the_socket.owes();
        assert!(!spurned(1000));
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_takes_single_bytes_of_its_answer_is_too_slow() {
        let pulse = pulse();
        let slow = |seconds: u32| pulse.is_too_slow(SECOND * seconds, SECOND * 30, 1_000);
        let mut open = pulse.opens(true);
        tokio::time::advance(SECOND * 100).await;
        assert!(!slow(100), "nothing is owed");
        open.owes();
        open.taken(1_000);
        assert!(!slow(129) && !slow(130), "it took enough");
        open.taken(999);
        assert!(!slow(159) && slow(160));
        open.settles();
        open.owes();
        assert!(!slow(100 + 29), "the time begins with what is owed anew");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_old_ends_after_what_runs() {
        let pulse = pulse();
        let open = pulse.opens(false);
        assert_eq!(verdict(&pulse, 1000), Verdict::Retire);
        let retired = |seconds: u32| pulse.verdict_retired(SECOND * seconds, SECOND * 1000);
        assert_eq!(retired(2000), Verdict::Wait(SECOND * 2000 + LINGER));
        tokio::time::advance(SECOND * 2000).await;
        drop(open);
        assert_eq!(retired(2001), Verdict::Wait(SECOND * 2000 + LINGER));
        assert_eq!(retired(2005), Verdict::Close);
    }
}
