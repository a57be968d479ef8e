//! The stream of a run's events to its client.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Bytes;
use futures::Stream;
use tokio::time::{Instant, Sleep, sleep};

use crate::event_queue::EventQueue;

/// After this time without an event a comment is sent, so that no proxy ends the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The events of a run as server-sent events: the body of a response.
///
/// Dropping it does not end the run: a write that has begun is not cut off, and the next input of the
/// thread gets what the run waits for.
pub struct EventStream {
    queue: Arc<EventQueue>,
    silence: Pin<Box<Sleep>>,
}

impl EventStream {
    pub(crate) fn new(queue: Arc<EventQueue>) -> Self {
        Self { queue, silence: Box::pin(sleep(KEEP_ALIVE)) }
    }

    fn restart_silence(&mut self) {
        self.silence.as_mut().reset(Instant::now() + KEEP_ALIVE);
    }
}

impl Stream for EventStream {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Poll::Ready(events) = self.queue.poll_take(cx) {
            self.restart_silence();
            return Poll::Ready(events.map(|text| Ok(text.into())));
        }
        if self.silence.as_mut().poll(cx).is_ready() {
            self.restart_silence();
            return Poll::Ready(Some(Ok(Bytes::from_static(b": still running\n\n"))));
        }
        Poll::Pending
    }
}

impl Drop for EventStream {
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl fmt::Debug for EventStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream").finish_non_exhaustive()
    }
}
