//! Bodies, as they come in and as they go out.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

use super::pulse::Open;

type BoxError = Box<dyn Error + Send + Sync>;

/// A request's body that has to arrive in time.
#[derive(Debug)]
pub(super) struct Awaited<B> {
    body: B,
    patience: Duration,
    /// Whether it was asked for before it was there, as every body is that comes with its head.
    was_asked: bool,
    /// Runs from the second time that the body is waited for.
    waiting: Option<Pin<Box<Sleep>>>,
}

/// An answer's body; its request is open until it was sent.
#[derive(Debug)]
pub(super) struct Answer {
    body: Body,
    open: Open,
}

impl<B> Awaited<B> {
    pub(super) fn new(body: B, patience: Duration) -> Self {
        Self { body, patience, was_asked: false, waiting: None }
    }
}

impl Answer {
    pub(super) fn new(body: Body, mut open: Open) -> Self {
        open.owes();
        Self { body, open }
    }
}

impl<B> HttpBody for Awaited<B>
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        if !std::mem::replace(&mut self.was_asked, true) {
            // Asked again when the connection had its turn, and a timer is worth its price.
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let patience = self.patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(waiting.as_mut().poll(cx));
        let late = io::Error::new(io::ErrorKind::TimedOut, "the request's body did not arrive");
        Poll::Ready(Some(Err(late.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        self.open.taken();
        match frame {
            Poll::Ready(_) => self.open.owes(),
            Poll::Pending => self.open.settles(),
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use http_body_util::BodyExt as _;
    use tokio::time::Instant;

    use super::Awaited;
    use crate::http::fixture::Shy;

    const PATIENCE: Duration = Duration::from_secs(10);

    #[test]
    fn a_body_that_came_with_its_head_costs_no_timer() {
        // Without tokio there is none to be had.
        let read = Awaited::new(Shy(1), PATIENCE).collect();
        assert!(futures::executor::block_on(read).expect("it is read").to_bytes().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_come_is_waited_for_as_long_as_it_may_take() {
        let begun = Instant::now();
        let read = Awaited::new(Shy(u32::MAX), PATIENCE).collect().await;
        assert!(read.is_err());
        assert_eq!(begun.elapsed().as_secs(), PATIENCE.as_secs());
    }
}
