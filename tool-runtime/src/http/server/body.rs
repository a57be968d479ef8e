//! Bodies, as they come in and as they go out.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use tokio::time::{Sleep, sleep};

use super::pulse::Open;

type BoxError = Box<dyn Error + Send + Sync>;

/// A request's body that has to arrive in time.
#[derive(Debug)]
pub(super) struct Awaited {
    body: Incoming,
    patience: Duration,
    /// Runs from the first time that the body is waited for.
    waiting: Option<Pin<Box<Sleep>>>,
}

/// An answer's body; its request is open until it was sent.
#[derive(Debug)]
pub(super) struct Answer {
    body: Body,
    open: Open,
}

impl Awaited {
    pub(super) fn new(body: Incoming, patience: Duration) -> Self {
        Self { body, patience, waiting: None }
    }
}

impl Answer {
    pub(super) fn new(body: Body, mut open: Open) -> Self {
        open.owes();
        Self { body, open }
    }
}

impl HttpBody for Awaited {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
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
