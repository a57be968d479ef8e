//! Request bodies with a time limit, and response bodies that report to the connection's activity.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

use super::activity::OpenRequest;

type BoxError = Box<dyn Error + Send + Sync>;

/// A request body that has to arrive within a time.
#[derive(Debug)]
pub(super) struct TimedBody<B> {
    body: B,
    timeout: Duration,
    /// True once the body was polled before it was ready, as is every body that comes with its
    /// head.
    was_asked: bool,
    /// The timer, started by the second poll that is not ready.
    waiting: Option<Pin<Box<Sleep>>>,
}

/// The most bytes of a response that are handed to the connection in one frame.
const PART: usize = 64 * 1024;

/// A response body; its request counts as open until the body is sent or dropped.
#[derive(Debug)]
pub(super) struct ResponseBody {
    body: Body,
    open: OpenRequest,
    /// The remainder of a long frame, which is sent in parts.
    rest: Bytes,
    /// The length of the last part, which the peer has read when it polls for the next one.
    sent: usize,
}

impl<B> TimedBody<B> {
    pub(super) fn new(body: B, timeout: Duration) -> Self {
        Self { body, timeout, was_asked: false, waiting: None }
    }
}

impl ResponseBody {
    pub(super) fn new(body: Body, mut open: OpenRequest) -> Self {
        open.data_pending();
        Self { body, open, rest: Bytes::new(), sent: 0 }
    }
}

impl<B> HttpBody for TimedBody<B>
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
            // Most bodies are ready at the second poll, so that they need no timer.
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let timeout = self.timeout;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(timeout)));
        ready!(waiting.as_mut().poll(cx));
        let late =
            io::Error::new(io::ErrorKind::TimedOut, "the request's body did not arrive in time");
        Poll::Ready(Some(Err(late.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let taken = std::mem::take(&mut self.sent);
        self.open.bytes_read(taken);
        if self.rest.is_empty() {
            match ready!(self.poll_body(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) if data.len() > PART => self.rest = self.open.count_unread(data),
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

impl ResponseBody {
    fn poll_body(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        match &frame {
            Poll::Ready(_) => self.open.data_pending(),
            Poll::Pending => self.open.data_sent(),
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

    use super::{PART, ResponseBody, TimedBody};
    use crate::server::activity::ConnectionActivity;
    use crate::state::drain::Drain;
    use crate::tests::fixture::PendingBody;

    const TIMEOUT: Duration = Duration::from_secs(10);

    #[tokio::test]
    async fn a_long_answer_is_sent_in_parts_and_counts_until_its_last_byte_is_gone() {
        let activity = Arc::new(ConnectionActivity::begin(&Drain::default()));
        let length = 3 * PART + 1;
        let mut answer =
            ResponseBody::new(Body::from("x".repeat(length)), activity.request_started(true));
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
        assert!(
            activity.wait_for_capacity(length).now_or_never().is_none(),
            "one part keeps all of it in memory"
        );
        drop(last);
        assert!(activity.wait_for_capacity(length).now_or_never().is_some());
    }

    #[test]
    fn a_body_that_came_with_its_head_costs_no_timer() {
        // There is no tokio runtime here, so a timer would panic.
        let read = TimedBody::new(PendingBody(1), TIMEOUT).collect();
        assert!(futures::executor::block_on(read).expect("it is read").to_bytes().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_come_is_waited_for_as_long_as_it_may_take() {
        let begun = Instant::now();
        let read = TimedBody::new(PendingBody(u32::MAX), TIMEOUT).collect().await;
        assert!(read.is_err());
        assert_eq!(begun.elapsed().as_secs(), TIMEOUT.as_secs());
    }
}
