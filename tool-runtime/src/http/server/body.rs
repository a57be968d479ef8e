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

/// The most of an answer that is handed to the connection at once.
const PART: usize = 64 * 1024;

/// An answer's body; its request is open until it was sent.
#[derive(Debug)]
pub(super) struct Answer {
    body: Body,
    open: Open,
    /// The rest of a long frame, which is sent in parts.
    rest: Bytes,
    /// The bytes of the last part, which the peer has taken when it asks for the next one.
    sent: usize,
}

impl<B> Awaited<B> {
    pub(super) fn new(body: B, patience: Duration) -> Self {
        Self { body, patience, was_asked: false, waiting: None }
    }
}

impl Answer {
    pub(super) fn new(body: Body, mut open: Open) -> Self {
        open.owes();
        Self { body, open, rest: Bytes::new(), sent: 0 }
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
        let taken = std::mem::take(&mut self.sent);
        self.open.taken(taken);
        if self.rest.is_empty() {
            match ready!(self.poll_body(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) if data.len() > PART => self.rest = self.open.holds(data),
                    Ok(data) => {
                        self.sent = data.len();
                        return Poll::Ready(Some(Ok(Frame::data(data))));
                    }
                    Err(frame) => return Poll::Ready(Some(Ok(frame))),
                },
                end => return Poll::Ready(end),
            }
        }
        let length = self.rest.len().min(PART);
        self.sent = length;
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (body, rest) = (self.body.size_hint(), self.rest.len() as u64);
        let mut hint = SizeHint::new();
        hint.set_lower(body.lower().saturating_add(rest));
        if let Some(upper) = body.upper().and_then(|upper| upper.checked_add(rest)) {
            hint.set_upper(upper);
        }
        hint
    }
}

impl Answer {
    fn poll_body(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        match &frame {
            Poll::Ready(_) => self.open.owes(),
            Poll::Pending => self.open.settles(),
        }
        frame
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use axum::body::{Body, Bytes};
    use futures::FutureExt as _;
    use http_body_util::BodyExt as _;
    use hyper::body::Body as _;
    use tokio::time::Instant;

    use super::{Answer, Awaited, PART};
    use crate::http::Drain;
    use crate::http::fixture::Shy;
    use crate::http::server::pulse::Pulse;

    const PATIENCE: Duration = Duration::from_secs(10);

    #[tokio::test]
    async fn a_long_answer_is_sent_in_parts_and_counts_until_its_last_byte_is_gone() {
        let pulse = Arc::new(Pulse::begin(&Drain::default()));
        let length = 3 * PART + 1;
        let mut answer = Answer::new(Body::from("x".repeat(length)), pulse.opens(true));
        assert_eq!(answer.size_hint().exact(), Some(length as u64));
        let mut parts = Vec::new();
        while let Some(frame) = answer.frame().await {
            parts.push(frame.expect("it is whole").into_data().expect("it is data"));
            let sent = parts.iter().map(Bytes::len).sum::<usize>();
            assert_eq!(answer.size_hint().exact(), Some((length - sent) as u64));
        }
        assert!(parts.len() == 4 && parts.iter().all(|part| part.len() <= PART));
        drop(answer);
        let last = parts.pop().expect("there are four");
        drop(parts);
        assert!(pulse.room(length).now_or_never().is_none(), "one part keeps all of it in memory");
        drop(last);
        assert!(pulse.room(length).now_or_never().is_some());
    }

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
