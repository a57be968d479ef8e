//! Tracks what a connection waits for and since when, and decides when it has timed out.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use tokio::sync::Notify;
use tokio::time::Instant;
use tool_runtime_core::timer::whole_millis;

use super::ServerLimits;
use crate::state::drain::Drain;

/// Longest time for a peer to close its end of a connection that the server has shut down.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The activity of one connection, written by its socket and its requests, read by its watch.
#[derive(Debug)]
pub(super) struct ConnectionActivity {
    drain: Drain,
    begun: Instant,
    /// Requests whose response is not fully sent.
    open_requests: AtomicUsize,
    /// Time of the first byte of a request head that is not complete, in ms of age; 0 for none.
    pub(super) head_started: AtomicU64,
    /// Time at which the last response ended, in ms of age.
    idle_since: AtomicU64,
    /// True if bytes may arrive outside a request: HTTP/2 control frames.
    is_http2: AtomicBool,
    /// HTTP/2 responses that have more data than their peer's flow-control window admits.
    blocked: AtomicUsize,
    /// Time at which a response became blocked or the peer last read, in ms of age.
    last_read: AtomicU64,
    /// Begin of the current rate measurement, in ms of age, and the bytes read since.
    measured_since: AtomicU64,
    read_bytes: AtomicUsize,
    /// Bytes of long responses that are still in memory.
    unread: AtomicUsize,
    /// Notified when `unread` decreases.
    unread_decreased: Notify,
}

/// The next action of a connection's watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WatchAction {
    /// Wait until the connection has this age.
    Wait(Duration),
    /// Shut down gracefully: the connection was idle for too long or is too old.
    ShutDown,
    /// Close at once: the request does not arrive, or the peer does not read its response.
    Close,
}

/// A request whose response is not fully sent.
#[derive(Debug)]
pub(super) struct OpenRequest {
    activity: Arc<ConnectionActivity>,
    /// True for HTTP/2, whose peer grants a window for each response; of HTTP/1 the socket knows.
    has_window: bool,
    is_blocked: bool,
}

/// Bytes of a response, counted as unread until the last reference is dropped.
struct UnreadBytes {
    activity: Arc<ConnectionActivity>,
    bytes: Bytes,
}

impl ConnectionActivity {
    /// Starts with a new connection, on which a request is expected.
    pub(super) fn begin(drain: &Drain) -> Self {
        Self {
            drain: drain.clone(),
            begun: Instant::now(),
            open_requests: AtomicUsize::new(0),
            head_started: AtomicU64::new(1),
            idle_since: AtomicU64::new(0),
            is_http2: AtomicBool::new(false),
            blocked: AtomicUsize::new(0),
            last_read: AtomicU64::new(0),
            measured_since: AtomicU64::new(0),
            read_bytes: AtomicUsize::new(0),
            unread: AtomicUsize::new(0),
            unread_decreased: Notify::new(),
        }
    }

    /// Returns how long the connection has been open.
    pub(super) fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Returns the instant of this age, or one a year ahead if the clock cannot represent it.
    pub(super) fn at(&self, age: Duration) -> Instant {
        const FAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);
        self.begun.checked_add(age).unwrap_or_else(|| Instant::now() + FAR)
    }

    /// Notes that bytes were received.
    pub(super) fn bytes_received(&self) {
        let counts = !self.is_busy() && !self.is_http2.load(Ordering::Relaxed);
        if counts && self.head_started.load(Ordering::Relaxed) == 0 {
            self.head_started.store(self.now(), Ordering::Relaxed);
        }
    }

    /// Notes that a request's head is complete.
    pub(super) fn request_started(self: &Arc<Self>, is_http2: bool) -> OpenRequest {
        self.drain.counters().begun.add();
        self.open_requests.fetch_add(1, Ordering::Relaxed);
        self.head_started.store(0, Ordering::Relaxed);
        if is_http2 {
            self.is_http2.store(true, Ordering::Relaxed);
        }
        OpenRequest { activity: self.clone(), has_window: is_http2, is_blocked: false }
    }

    /// Returns whether a response has been blocked on flow control for `timeout`.
    ///
    /// The socket does not see it: nothing is written to an HTTP/2 peer that grants no window.
    pub(super) fn is_write_stalled(&self, age: Duration, timeout: Duration) -> bool {
        let is_blocked = self.blocked.load(Ordering::Relaxed) > 0;
        is_blocked && age >= read(&self.last_read).saturating_add(timeout)
    }

    /// Returns whether the peer has read fewer bytes than `least` within `timeout`, while a
    /// response was blocked all the time.
    pub(super) fn is_read_too_slow(&self, age: Duration, timeout: Duration, least: usize) -> bool {
        let is_blocked = self.blocked.load(Ordering::Relaxed) > 0;
        if !is_blocked || age < read(&self.measured_since).saturating_add(timeout) {
            return false;
        }
        self.measured_since.store(millis(age), Ordering::Relaxed);
        self.read_bytes.swap(0, Ordering::Relaxed) < least
    }

    /// Waits until fewer than `limit` bytes of responses are unread. Cancel-safe.
    pub(super) async fn wait_for_capacity(&self, limit: usize) {
        loop {
            let mut notified = pin!(self.unread_decreased.notified());
            // Enabled before the counter is read, so that no notification is missed.
            notified.as_mut().enable();
            let unread = self.unread.load(Ordering::Acquire);
            if unread == 0 || unread < limit {
                return;
            }
            notified.await;
        }
    }

    /// Returns the action at this age.
    pub(super) fn next_action(&self, age: Duration, limits: &ServerLimits) -> WatchAction {
        let (head_started, idle_since) = (read(&self.head_started), read(&self.idle_since));
        let shortest = limits.header_timeout.min(limits.idle_timeout).min(limits.write_timeout);
        let soon = age.saturating_add(shortest);
        let due = match head_started {
            _ if self.is_busy() => soon,
            Duration::ZERO if age >= idle_since.saturating_add(limits.idle_timeout) => {
                return WatchAction::ShutDown;
            }
            // A request that begins meanwhile may be due before the idle timeout.
            Duration::ZERO => soon.min(idle_since.saturating_add(limits.idle_timeout)),
            since if age >= since.saturating_add(limits.header_timeout) => {
                return WatchAction::Close;
            }
            since => since.saturating_add(limits.header_timeout),
        };
        if age >= limits.max_connection_age {
            WatchAction::ShutDown
        } else {
            WatchAction::Wait(due.min(limits.max_connection_age))
        }
    }

    /// Returns the action at this age for a connection whose graceful shutdown began at age
    /// `since`.
    pub(super) fn action_after_shutdown(&self, age: Duration, since: Duration) -> WatchAction {
        let due = read(&self.idle_since).max(since) + CLOSE_TIMEOUT;
        match self.is_busy() {
            true => WatchAction::Wait(age + CLOSE_TIMEOUT),
            false if age >= due => WatchAction::Close,
            false => WatchAction::Wait(due),
        }
    }

    fn is_busy(&self) -> bool {
        self.open_requests.load(Ordering::Relaxed) > 0
    }

    fn request_ended(&self) {
        self.idle_since.store(self.now(), Ordering::Relaxed);
        self.open_requests.fetch_sub(1, Ordering::Relaxed);
        self.drain.counters().ended.add();
    }

    pub(super) fn now(&self) -> u64 {
        millis(self.age())
    }
}

impl OpenRequest {
    /// Notes that the response has data to send.
    pub(super) fn data_pending(&mut self) {
        if !self.has_window || self.is_blocked {
            return;
        }
        self.is_blocked = true;
        if self.activity.blocked.fetch_add(1, Ordering::Relaxed) == 0 {
            self.bytes_read(0);
            self.activity.measured_since.store(self.activity.now(), Ordering::Relaxed);
            self.activity.read_bytes.store(0, Ordering::Relaxed);
        }
    }

    /// Counts bytes as unread until they are dropped.
    pub(super) fn count_unread(&self, bytes: Bytes) -> Bytes {
        self.activity.unread.fetch_add(bytes.len(), Ordering::AcqRel);
        Bytes::from_owner(UnreadBytes { activity: Arc::clone(&self.activity), bytes })
    }

    /// Notes that the peer has read these bytes of the response and asks for more.
    pub(super) fn bytes_read(&self, bytes: usize) {
        if !self.has_window {
            return;
        }
        self.activity.last_read.store(self.activity.now(), Ordering::Relaxed);
        self.activity.read_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Notes that all available data of the response is sent.
    pub(super) fn data_sent(&mut self) {
        if std::mem::take(&mut self.is_blocked) {
            self.activity.blocked.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl AsRef<[u8]> for UnreadBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for UnreadBytes {
    fn drop(&mut self) {
        self.activity.unread.fetch_sub(self.bytes.len(), Ordering::AcqRel);
        self.activity.unread_decreased.notify_waiters();
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.data_sent();
        self.activity.request_ended();
    }
}

fn millis(age: Duration) -> u64 {
    whole_millis(age).max(1)
}

fn read(millis: &AtomicU64) -> Duration {
    Duration::from_millis(millis.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::{CLOSE_TIMEOUT, ConnectionActivity, WatchAction};
    use crate::ServerLimits;
    use crate::state::drain::Drain;

    const SECOND: Duration = Duration::from_secs(1);

    fn activity() -> Arc<ConnectionActivity> {
        Arc::new(ConnectionActivity::begin(&Drain::default()))
    }

    /// Returns the action `seconds` after the connection began.
    fn next_action(activity: &ConnectionActivity, seconds: u32) -> WatchAction {
        let limits = ServerLimits {
            header_timeout: SECOND * 10,
            idle_timeout: SECOND * 60,
            max_connection_age: SECOND * 1000,
            ..ServerLimits::default()
        };
        activity.next_action(SECOND * seconds, &limits)
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_request_has_the_header_timeout() {
        let activity = activity();
        assert!(matches!(next_action(&activity, 9), WatchAction::Wait(_)));
        assert_eq!(next_action(&activity, 11), WatchAction::Close);
    }

    #[tokio::test(start_paused = true)]
    async fn an_idle_connection_is_closed_and_a_busy_one_is_not() {
        let activity = activity();
        let open = activity.request_started(false);
        assert!(matches!(next_action(&activity, 500), WatchAction::Wait(_)));
        tokio::time::advance(SECOND * 500).await;
        drop(open);
        assert!(matches!(next_action(&activity, 559), WatchAction::Wait(_)));
        assert_eq!(next_action(&activity, 560), WatchAction::ShutDown);
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_of_a_request_begins_with_its_first_byte() {
        let activity = activity();
        drop(activity.request_started(false));
        tokio::time::advance(SECOND * 30).await;
        activity.bytes_received();
        tokio::time::advance(SECOND * 5).await;
        activity.bytes_received();
        assert!(matches!(next_action(&activity, 39), WatchAction::Wait(due) if due == SECOND * 40));
        assert_eq!(next_action(&activity, 40), WatchAction::Close);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_and_a_ping_begin_no_request() {
        let activity = activity();
        let open = activity.request_started(false);
        activity.bytes_received();
        drop(open);
        assert!(matches!(next_action(&activity, 50), WatchAction::Wait(_)));
        drop(activity.request_started(true));
        activity.bytes_received();
        assert!(matches!(next_action(&activity, 50), WatchAction::Wait(_)));
    }

    #[tokio::test(start_paused = true)]
    async fn the_next_check_comes_before_any_time_limit_can_expire() {
        let activity = activity();
        drop(activity.request_started(false));
        assert!(matches!(next_action(&activity, 0), WatchAction::Wait(due) if due == SECOND * 10));
        assert!(matches!(next_action(&activity, 55), WatchAction::Wait(due) if due <= SECOND * 61));
    }

    #[tokio::test(start_paused = true)]
    async fn a_response_that_its_peer_does_not_read_is_stalled() {
        let activity = activity();
        let stalled = |seconds: u32| activity.is_write_stalled(SECOND * seconds, SECOND * 30);
        let (mut one, mut other) = (activity.request_started(true), activity.request_started(true));
        assert!(!stalled(100), "the handler is still working");
        tokio::time::advance(SECOND * 100).await;
        one.data_pending();
        tokio::time::advance(SECOND * 20).await;
        other.data_pending();
        assert!(!stalled(129) && stalled(130), "another response does not restart the time");
        tokio::time::advance(SECOND * 5).await;
        other.bytes_read(1);
        assert!(!stalled(154) && stalled(155));
        one.data_sent();
        other.data_sent();
        assert!(!stalled(1000), "no response has data to send");
        one.data_pending();
        drop((one, other));
        assert!(!stalled(1000));
        let mut of_the_socket = activity.request_started(false);
        of_the_socket.data_pending();
        assert!(!stalled(1000));
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_takes_single_bytes_of_its_answer_is_too_slow() {
        let activity = activity();
        let slow = |seconds: u32| activity.is_read_too_slow(SECOND * seconds, SECOND * 30, 1_000);
        let mut open = activity.request_started(true);
        tokio::time::advance(SECOND * 100).await;
        assert!(!slow(100), "no response is blocked");
        open.data_pending();
        open.bytes_read(1_000);
        assert!(!slow(129) && !slow(130), "it has read enough");
        open.bytes_read(999);
        assert!(!slow(159) && slow(160));
        open.data_sent();
        open.data_pending();
        assert!(!slow(100 + 29), "the time begins with the next blocked response");
    }

    #[tokio::test(start_paused = true)]
    async fn an_old_connection_is_closed_after_its_running_requests() {
        let activity = activity();
        let open = activity.request_started(false);
        assert_eq!(next_action(&activity, 1000), WatchAction::ShutDown);
        let shutdown_since =
            |seconds: u32| activity.action_after_shutdown(SECOND * seconds, SECOND * 1000);
        assert_eq!(shutdown_since(2000), WatchAction::Wait(SECOND * 2000 + CLOSE_TIMEOUT));
        tokio::time::advance(SECOND * 2000).await;
        drop(open);
        assert_eq!(shutdown_since(2001), WatchAction::Wait(SECOND * 2000 + CLOSE_TIMEOUT));
        assert_eq!(shutdown_since(2005), WatchAction::Close);
    }
}
