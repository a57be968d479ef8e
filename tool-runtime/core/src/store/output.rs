//! Stores answers that were too long for a model, to be read in pages.

use async_trait::async_trait;
use uuid::Uuid;

use super::{StoreError, UnixMillis};

/// Stores whole answers by their handles.
///
/// `testing::conformance::outputs` tests a backend.
#[async_trait]
pub trait OutputStore: Send + Sync + 'static {
    /// Stores an answer. If its handle is stored already, nothing changes, so that the operation
    /// may be repeated after an error.
    async fn put_output(&self, output: StoredOutput) -> Result<(), StoreError>;

    /// Reads at most `limit` bytes from `offset`; none if there is no such answer for this tenant
    /// and principal, or it has expired. Beyond the end, the slice is empty.
    async fn read_output(
        &self,
        id: Uuid,
        tenant: Uuid,
        principal: &str,
        offset: u64,
        limit: usize,
        now: UnixMillis,
    ) -> Result<Option<OutputSlice>, StoreError>;

    /// Deletes expired answers, at most `limit`; returns how many.
    async fn sweep_outputs(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError>;
}

/// A whole answer, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredOutput {
    /// The handle.
    pub id: Uuid,
    /// The tenant.
    pub tenant: Uuid,
    /// The principal of the call, such as `user:42`.
    pub principal: Box<str>,
    /// The answer's JSON text.
    pub text: Vec<u8>,
    /// The time of expiry.
    pub expires_at: UnixMillis,
}

impl StoredOutput {
    /// Creates one from an answer's JSON text.
    pub fn new(
        id: Uuid,
        tenant: Uuid,
        principal: impl Into<Box<str>>,
        text: Vec<u8>,
        expires_at: UnixMillis,
    ) -> Self {
        Self { id, tenant, principal: principal.into(), text, expires_at }
    }
}

/// A part of a stored answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputSlice {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The length of the whole answer, in bytes.
    pub total: u64,
}

impl OutputSlice {
    /// Creates a slice, for a backend.
    #[must_use]
    pub fn new(bytes: Vec<u8>, total: u64) -> Self {
        Self { bytes, total }
    }
}
