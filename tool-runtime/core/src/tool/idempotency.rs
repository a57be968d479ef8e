//! The idempotency key of a call, as its tool sees it.

use super::host_parameters::FromCall;
use super::scope::CallScope;
use crate::failure::Failure;

/// The key under which a call runs once, and the fence that tells this run from those before it.
///
/// A tool takes `&Idempotency` and sends both downstream. A service that stores the key answers a
/// repeat with its first answer; a service that stores the greatest fence it has seen refuses a run
/// whose lease another run has taken over. Mark a tool whose downstream stores the key
/// `forwards_key`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Idempotency {
    key: Option<Box<str>>,
    global_key: Option<Box<str>>,
    fence: Option<u64>,
}

impl Idempotency {
    /// Makes a value without a key, for a unit test of a tool's function.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Makes a value for a unit test of a tool's function; both keys are this one.
    #[must_use]
    pub fn new(key: impl Into<Box<str>>, fence: u64) -> Self {
        let key = key.into();
        Self::with_keys(key.clone(), key, fence)
    }

    pub(crate) fn with_keys(key: Box<str>, global_key: Box<str>, fence: u64) -> Self {
        Self { key: Some(key), global_key: Some(global_key), fence: Some(fence) }
    }

    /// Returns the key: unique for the tool, the tenant and whom it is called for. None for a call
    /// without one.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Returns a key that is unique everywhere, made of the tenant, whom the call is for, the tool
    /// and the key: 64 hexadecimal digits, to send to a service that knows none of these.
    #[must_use]
    pub fn global_key(&self) -> Option<&str> {
        self.global_key.as_deref()
    }

    /// Returns the fence: greater than that of every earlier run under the key. None for a call
    /// without a key.
    ///
    /// A run that was stopped past its lease may go on after a later one has begun. A downstream
    /// that keeps the greatest fence of each key refuses its effect; `reconcile` sends the fence
    /// too, so that no earlier run has an effect after it was found to have none. The guide has an
    /// example ([the guide](https://docs.rs/tool-runtime/latest/tool_runtime/guide/stores/)).
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
