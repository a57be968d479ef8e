//! Refuses an upload that occupies memory and arrives too slowly.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body_util::BodyExt as _;
use hyper::body::Frame;
use tokio::time::{Sleep, sleep};

use crate::state::byte_quotas::UNCOUNTED;

/// The time over which the rate of an upload is measured.
pub(super) const WINDOW: Duration = Duration::from_secs(5);

/// Measures the rate of an upload, from the second poll that is not ready.
#[derive(Debug)]
pub(super) struct UploadRate {
    /// The fewest bytes that have to arrive in each window.
    least: usize,
    /// The bytes that arrived in this window.
    arrived: usize,
    /// The total of bytes that arrived.
    length: usize,
    was_asked: bool,
    window: Option<Pin<Box<Sleep>>>,
}

/// The error of an upload below the lowest rate.
#[derive(Debug)]
pub(super) struct TooSlow;

impl UploadRate {
    /// Creates a measurement against a rate in bytes a second; 0 is no limit.
    pub(super) fn new(rate: u32) -> Self {
        let seconds = u64::from(rate).saturating_mul(WINDOW.as_secs());
        let least = usize::try_from(seconds).unwrap_or(usize::MAX);
        Self { least, arrived: 0, length: 0, was_asked: false, window: None }
    }

    /// Waits for the next frame.
    pub(super) async fn frame(
        &mut self,
        body: &mut Body,
    ) -> Result<Option<Result<Frame<Bytes>, axum::Error>>, TooSlow> {
        let mut frame = body.frame();
        std::future::poll_fn(|cx| match Pin::new(&mut frame).poll(cx) {
            Poll::Ready(frame) => Poll::Ready(Ok(frame)),
            Poll::Pending => self.poll_window(cx).map(Err),
        })
        .await
    }

    /// Counts bytes that arrived, of a body that now has this length.
    pub(super) fn received(&mut self, bytes: usize, length: usize) {
        self.arrived = self.arrived.saturating_add(bytes);
        self.length = length;
    }

    /// Waits for the end of a window in which too little arrived.
    fn poll_window(&mut self, cx: &mut Context<'_>) -> Poll<TooSlow> {
        // A body that arrives with its head is ready at the second poll and needs no timer.
        if self.least == 0 || !std::mem::replace(&mut self.was_asked, true) {
            return Poll::Pending;
        }
        loop {
            let window = self.window.get_or_insert_with(|| Box::pin(sleep(WINDOW)));
            if window.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            // A short body occupies no counted memory; only the body timeout bounds it.
            if self.length > UNCOUNTED && self.arrived < self.least {
                return Poll::Ready(TooSlow);
            }
            (self.window, self.arrived) = (None, 0);
        }
    }
}
