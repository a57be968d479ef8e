//! The idempotency key of a call, as its tool sees it.

use tool_contracts::ToolContext;

use super::CallScope;
use crate::call::FromCall;
use crate::failure::Failure;

/// The key under which a call runs once, and the fence that tells this run from those before it.
///
/// A tool takes `&Idempotency` and sends both downstream: a service that keeps the key answers a
/// repeat as it answered first, and one that keeps the greatest fence it has seen refuses an owner
/// that was taken over. A tool whose downstream keeps the key says `forwards_key`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Idempotency {
    pub(crate) key: Option<Box<str>>,
    pub(crate) fence: Option<u64>,
}

impl Idempotency {
    /// Makes a value without a key, for a unit test of a tool's function.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Makes a value for a unit test of a tool's function.
    #[must_use]
    pub fn new(key: impl Into<Box<str>>, fence: u64) -> Self {
        Self { key: Some(key.into()), fence: Some(fence) }
    }

    /// Returns the key, unique for the tool and whom it is called for; none for a call without one.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Returns the fence: greater than that of every earlier run under the key.
    #[must_use]
    pub fn fence(&self) -> Option<u64> {
        self.fence
    }
}

impl FromCall for Idempotency {
    fn from_call(call: &CallScope) -> Result<Self, Failure> {
        Ok(call.idempotency())
    }
}

/// The key that the caller gave, or the one that a repeat of the same model's call has too.
pub(crate) fn key_of(cx: &ToolContext, call_id: Option<&str>) -> Option<Box<str>> {
    match (cx.idempotency_key(), call_id) {
        (Some(key), _) => Some(key.into()),
        // The length keeps the two apart: neither can slide into the other.
        (None, Some(id)) => {
            let trace = cx.trace_id();
            Some(format!("call:{}:{trace}:{id}", trace.len()).into())
        }
        (None, None) => None,
    }
}
