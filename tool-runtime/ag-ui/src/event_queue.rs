//! The events of a run that its client has not read yet, bounded in bytes.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::event::RunEvent;

/// A queue between the task of a run and the stream to its client.
///
/// The run never waits for the client, since a write must not be held up by a slow reader. Events that
/// exceed the limit end the stream with `RUN_ERROR`; the run continues.
#[derive(Debug)]
pub(crate) struct EventQueue {
    state: Mutex<QueueState>,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct QueueState {
    unread: String,
    /// No further event is accepted: the run has ended, or the client is gone or too slow.
    is_closed: bool,
    waker: Option<Waker>,
}

impl EventQueue {
    pub(crate) fn new(max_bytes: usize) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), max_bytes })
    }

    /// Adds an event.
    pub(crate) fn push(&self, event: &RunEvent<'_>) {
        let text = event.to_sse();
        let mut state = self.lock();
        if state.is_closed {
            return;
        }
        if state.unread.len().saturating_add(text.len()) > self.max_bytes {
            let message = "the client reads too slowly; read the stream faster, and send the input \
                           again to get what the run waits for";
            let error = RunEvent::RunError { message, code: "slow_client", usage: &[] };
            state.unread.push_str(&error.to_sse());
            state.is_closed = true;
        } else {
            state.unread.push_str(&text);
        }
        state.wake();
    }

    /// Adds the last event.
    pub(crate) fn finish(&self, event: &RunEvent<'_>) {
        self.push(event);
        self.close();
    }

    /// Accepts no further event; those that are there can be read.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.wake();
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// Takes all events that are there; `None` after the last one.
    pub(crate) fn poll_take(&self, cx: &mut Context<'_>) -> Poll<Option<String>> {
        let mut state = self.lock();
        if !state.unread.is_empty() {
            return Poll::Ready(Some(mem::take(&mut state.unread)));
        }
        if state.is_closed {
            return Poll::Ready(None);
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::future::poll_fn;

    use super::*;

    #[tokio::test]
    async fn a_client_that_does_not_read_ends_its_stream_and_costs_bounded_memory() {
        let queue = EventQueue::new(1_000);
        let text = "x".repeat(300);
        for _ in 0..100 {
            queue.push(&RunEvent::TextMessageContent { message_id: "m", delta: &text });
        }
        let events = poll_fn(|cx| queue.poll_take(cx)).await.expect("events");
        assert_eq!(events.matches("TEXT_MESSAGE_CONTENT").count(), 2);
        assert!(events.trim_end().ends_with(r#""code":"slow_client"}"#), "{events}");
        assert!(events.len() < 1_500);
        assert_eq!(poll_fn(|cx| queue.poll_take(cx)).await, None);
    }
}
