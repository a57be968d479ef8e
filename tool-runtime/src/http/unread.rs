//! Bounds the bytes of answers that their callers have not read.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::response::Response;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tool_contracts::ErrorCode;

use super::answer::Heard;
use super::bounds::Bounds;
use super::problem::Problem;
use super::rate::Caller;
use super::shares::{Exhausted, Share, Shares};
use crate::refusal_reason::RefusalReason;

/// The longest answer that is not counted: most answers are shorter.
pub(super) const UNCOUNTED: usize = 16 * 1024;

/// The bytes of answers that are not yet sent, of all requests and of each caller.
#[derive(Debug)]
pub(super) struct UnreadAnswers {
    shares: Arc<Shares<Caller>>,
    /// The most that one answer counts for, so that a caller that holds no other can have it.
    of_caller: usize,
}

/// A body whose bytes count until the connection has let go of them.
#[derive(Debug)]
struct Counted {
    body: Body,
    count: Count,
}

#[derive(Debug)]
enum Count {
    /// The whole body has been counted.
    Whole(Arc<Share<Caller>>),
    /// Each long frame of a stream is counted when it is made.
    Frames(Arc<Shares<Caller>>, Caller),
}

/// Bytes that count as long as any part of them is in memory.
struct Held {
    bytes: Bytes,
    _share: Arc<Share<Caller>>,
}

impl UnreadAnswers {
    pub(super) fn new(bounds: &Bounds) -> Self {
        let all = bounds.answers_bytes;
        let of_caller = bounds.answers_of_caller.unwrap_or(all / 4).min(all);
        Self { shares: Arc::new(Shares::new(all, of_caller)), of_caller }
    }

    /// Refuses a request of a caller that has to read its answers first.
    pub(super) fn admit(&self, parts: &Parts, heard: &Heard) -> Result<(), Problem> {
        // The usual case takes no lock.
        if self.shares.used() == 0 {
            return Ok(());
        }
        self.shares.admits(&heard.caller(parts), 1).map_err(refused)
    }

    /// Counts an answer of this length until the share is dropped; none where it is short.
    pub(super) fn take(
        &self,
        caller: &Caller,
        length: usize,
        has_effect: bool,
    ) -> Result<Option<Share<Caller>>, Problem> {
        if length <= UNCOUNTED {
            return Ok(None);
        }
        let units = length.min(self.of_caller);
        match self.shares.take(caller.clone(), units) {
            Ok(share) => Ok(Some(share)),
            Err(_) if has_effect => Ok(Some(self.shares.take_beyond(caller.clone(), units))),
            Err(exhausted) => Err(refused(exhausted)),
        }
    }

    /// Counts the body of a response until the connection has sent it or given it up.
    pub(super) fn counted(
        &self,
        response: Response,
        parts: &Parts,
        heard: &Heard,
    ) -> Result<Response, Problem> {
        let length = response.body().size_hint().exact();
        let count = match length.map(|length| usize::try_from(length).unwrap_or(usize::MAX)) {
            Some(length) if length <= UNCOUNTED => return Ok(response),
            Some(length) => match self.take(&heard.caller(parts), length, heard.has_effect)? {
                Some(share) => Count::Whole(Arc::new(share)),
                None => return Ok(response),
            },
            None => Count::Frames(Arc::clone(&self.shares), heard.caller(parts)),
        };
        Ok(response.map(|body| Body::new(Counted { body, count })))
    }

    /// Returns how many bytes wait to be read.
    pub(super) fn bytes(&self) -> usize {
        self.shares.used()
    }
}

impl Count {
    fn hold(&self, bytes: Bytes) -> Bytes {
        let share = match self {
            Self::Whole(share) => Arc::clone(share),
            Self::Frames(..) if bytes.len() <= UNCOUNTED => return bytes,
            Self::Frames(shares, caller) => {
                Arc::new(shares.take_beyond(caller.clone(), bytes.len()))
            }
        };
        Bytes::from_owner(Held { bytes, _share: share })
    }
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        polled.map(|frame| frame.map(|frame| frame.map(|it| it.map_data(|it| self.count.hold(it)))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn refused(exhausted: Exhausted) -> Problem {
    let (code, message) = match exhausted {
        Exhausted::Capacity => (
            ErrorCode::Unavailable,
            "answers that their callers have not read fill this server's memory; ask again later",
        ),
        Exhausted::Owner => (
            ErrorCode::RateLimited,
            "answers that this caller has not read fill its share of memory; read them, then ask \
             again",
        ),
    };
    Problem::of(code, message).with_reason(RefusalReason::Answers)
}
