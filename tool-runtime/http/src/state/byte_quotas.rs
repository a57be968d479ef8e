//! Bounds the bytes that callers hold in the memory of the server: bodies of their requests, and
//! responses that they have not read.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::response::Response;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tool_runtime_core::refusal_reason::RefusalReason;

use crate::problem::Problem;
use crate::state::caller::Caller;
use crate::state::config::RequestLimits;
use crate::state::quota::{Permit, Quota, QuotaRefusal, half};

/// The longest body of a request or a response that is not counted. Most are shorter.
pub(crate) const UNCOUNTED: usize = 16 * 1024;

const BODY_REFUSAL: QuotaRefusal = QuotaRefusal {
    reason: RefusalReason::Bodies,
    capacity: "request bodies have used up the server's memory for them; retry later",
    caller: "the caller's request bodies have used up its quota of memory; send fewer at a time",
};

/// The quota of bodies, in bytes.
pub(crate) type BodyQuota = Quota<Caller>;

/// The bytes that one body holds of the quota; none for a short body.
#[derive(Debug, Default)]
pub(crate) struct BodyPermit(Option<Permit<Caller>>);

impl RequestLimits {
    /// Makes the quota of bodies; one body always fits.
    pub(crate) fn body_quota(&self) -> BodyQuota {
        let total_bytes = self.max_buffered_bytes.max(self.max_body_bytes);
        let per_caller =
            self.max_buffered_bytes_per_caller.unwrap_or(half(self.max_buffered_bytes));
        BodyQuota::new(total_bytes, per_caller.max(self.max_body_bytes))
    }
}

impl BodyPermit {
    /// Grows to the length of the body so far, or to the memory of what is read of it.
    pub(crate) fn grow(
        &mut self,
        quota: &Arc<BodyQuota>,
        caller: &Caller,
        length: usize,
    ) -> Result<(), Problem> {
        if length <= UNCOUNTED {
            return Ok(());
        }
        let grown = match &mut self.0 {
            Some(permit) => permit.grow(length - permit.units()),
            none => quota.acquire(caller.clone(), length).map(|permit| *none = Some(permit)),
        };
        grown.map_err(|exhausted| BODY_REFUSAL.problem(exhausted))
    }
}

const RESPONSE_REFUSAL: QuotaRefusal = QuotaRefusal {
    reason: RefusalReason::Answers,
    capacity: "unread responses have used up the server's memory for them; retry later",
    caller: "the caller's unread responses have used up its quota of memory; read them, then retry",
};

/// The quota of response bytes that are not yet sent, of all requests and of each caller.
#[derive(Debug)]
pub(crate) struct UnreadResponses {
    quota: Arc<Quota<Caller>>,
    /// The caller's quota in bytes. A longer response counts as this much, so that a caller with no
    /// other unread response can get it.
    per_caller: usize,
}

/// A body whose bytes count until the connection has dropped them.
#[derive(Debug)]
struct CountedBody {
    body: Body,
    count: CountMode,
}

#[derive(Debug)]
enum CountMode {
    /// The whole body has been counted.
    Whole(Arc<Permit<Caller>>),
    /// Each long frame of a stream is counted when it is produced.
    Frames(Arc<Quota<Caller>>, Caller),
}

/// Bytes that count until the last reference to them is dropped.
struct CountedBytes {
    bytes: Bytes,
    _permit: Arc<Permit<Caller>>,
}

impl UnreadResponses {
    pub(crate) fn new(limits: &RequestLimits) -> Self {
        let total_bytes = limits.max_unread_bytes;
        let per_caller =
            limits.max_unread_bytes_per_caller.unwrap_or(total_bytes / 4).min(total_bytes);
        Self { quota: Arc::new(Quota::new(total_bytes, per_caller)), per_caller }
    }

    /// Refuses a request of a caller whose unread responses use up its quota.
    pub(crate) fn admit(&self, caller: &Caller) -> Result<(), Problem> {
        // The common case takes no lock.
        if self.quota.used() == 0 {
            return Ok(());
        }
        self.quota.admits(caller, 1).map_err(|exhausted| RESPONSE_REFUSAL.problem(exhausted))
    }

    /// Acquires a permit for a response of this length; `None` for a short one.
    pub(crate) fn acquire(
        &self,
        caller: &Caller,
        length: usize,
        has_effect: bool,
    ) -> Result<Option<Permit<Caller>>, Problem> {
        if length <= UNCOUNTED {
            return Ok(None);
        }
        let units = length.min(self.per_caller);
        match self.quota.acquire(caller.clone(), units) {
            Ok(permit) => Ok(Some(permit)),
            Err(_) if has_effect => Ok(Some(self.quota.acquire_above(caller.clone(), units))),
            Err(exhausted) => Err(RESPONSE_REFUSAL.problem(exhausted)),
        }
    }

    /// Counts the body of a response until the connection has sent or dropped it.
    pub(crate) fn count_body(
        &self,
        response: Response,
        caller: impl Fn() -> Caller,
        has_effect: bool,
    ) -> Result<Response, Problem> {
        let length = response.body().size_hint().exact();
        let count = match length.map(|length| usize::try_from(length).unwrap_or(usize::MAX)) {
            Some(length) if length <= UNCOUNTED => return Ok(response),
            Some(length) => match self.acquire(&caller(), length, has_effect)? {
                Some(permit) => CountMode::Whole(Arc::new(permit)),
                None => return Ok(response),
            },
            None => CountMode::Frames(Arc::clone(&self.quota), caller()),
        };
        Ok(response.map(|body| Body::new(CountedBody { body, count })))
    }

    /// Returns the bytes of unread responses.
    pub(crate) fn bytes(&self) -> usize {
        self.quota.used()
    }
}

impl CountMode {
    fn hold(&self, bytes: Bytes) -> Bytes {
        let permit = match self {
            Self::Whole(permit) => Arc::clone(permit),
            Self::Frames(..) if bytes.len() <= UNCOUNTED => return bytes,
            Self::Frames(quota, caller) => {
                Arc::new(quota.acquire_above(caller.clone(), bytes.len()))
            }
        };
        Bytes::from_owner(CountedBytes { bytes, _permit: permit })
    }
}

impl AsRef<[u8]> for CountedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl HttpBody for CountedBody {
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
