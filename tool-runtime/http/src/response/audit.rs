//! The facts of a request that its handler learns and its response reports.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use sha2::{Digest as _, Sha256};
use tool_runtime_schema::canonical::Digest;

use super::ResponseFormat;
use crate::state::caller::Caller;

/// Shares the facts of a request between its extractors, its handler and the router, which answers
/// failures. It travels in the extensions of the request.
#[derive(Debug, Clone)]
pub(crate) struct Audit(Arc<Mutex<RequestFacts>>);

/// The facts of a request that its response reports in `audit`.
#[derive(Debug)]
pub(crate) struct RequestFacts {
    started: Instant,
    pub(super) payload: PayloadHash,
    pub(crate) trace_id: Option<Box<str>>,
    pub(crate) tool_name: Box<str>,
    /// The authenticated caller; an anonymous one is its address.
    caller: Option<Caller>,
    pub(crate) format: ResponseFormat,
    /// True if a call with an effect has run, so that its response must not be refused.
    pub(crate) has_effect: bool,
}

/// The SHA-256 of a request's body, as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy)]
pub(super) struct PayloadHash(pub(super) [u8; 64]);

impl Audit {
    pub(crate) fn new(facts: RequestFacts) -> Self {
        Self(Arc::new(Mutex::new(facts)))
    }

    /// Locks the facts, for a moment.
    pub(crate) fn lock(&self) -> MutexGuard<'_, RequestFacts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RequestFacts {
    /// Starts with a new request.
    pub(crate) fn new() -> Self {
        Self::in_format(ResponseFormat::CallResponse)
    }

    /// Starts with a new request, whose answers have this format.
    pub(crate) fn in_format(format: ResponseFormat) -> Self {
        Self {
            started: Instant::now(),
            payload: PayloadHash::EMPTY,
            trace_id: None,
            tool_name: Box::default(),
            caller: None,
            format,
            has_effect: false,
        }
    }

    /// Sets the caller.
    pub(crate) fn set_caller(&mut self, caller: Caller) {
        self.caller = Some(caller);
    }

    /// Returns the caller, once it is authenticated.
    pub(crate) fn caller(&self) -> Option<&Caller> {
        self.caller.as_ref()
    }

    /// Returns the principal's name, if the caller is authenticated; only the log has it.
    pub(crate) fn principal(&self) -> Option<&str> {
        self.caller.as_ref().and_then(Caller::name)
    }

    /// Sets the hash of the request's body.
    pub(crate) fn set_body(&mut self, body: &[u8]) {
        self.payload = PayloadHash::compute(body);
    }

    pub(super) fn latency_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

impl PayloadHash {
    /// The hash of an empty body.
    const EMPTY: Self = Self(*b"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");

    pub(super) fn compute(body: &[u8]) -> Self {
        Self(Digest::from_bytes(Sha256::digest(body).into()).digits())
    }

    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl std::fmt::Debug for PayloadHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
