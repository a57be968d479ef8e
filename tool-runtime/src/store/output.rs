//! Answers that were too long for a model, kept to be read in pages.

use async_trait::async_trait;
use uuid::Uuid;

use super::{StoreError, UnixMillis};

/// Keeps whole answers behind handles.
///
/// `testing::conformance::outputs` tests a backend.
#[async_trait]
pub trait OutputStore: Send + Sync + 'static {
    /// Keeps an answer. One whose handle is kept already stays as it is, so that this may be
    /// repeated after an error.
    async fn put_output(&self, output: KeptOutput) -> Result<(), StoreError>;

    /// Reads at most `most` bytes from `offset`; none if there is no such answer for this tenant
    /// and principal, or it has expired. Beyond the end, the slice is empty.
    async fn read_output(
        &self,
        id: Uuid,
        tenant: Uuid,
        principal: &str,
        offset: u64,
        most: usize,
        now: UnixMillis,
    ) -> Result<Option<OutputSlice>, StoreError>;

    /// Forgets answers whose time is over, at most `most`; returns how many.
    async fn sweep_outputs(&self, now: UnixMillis, most: usize) -> Result<usize, StoreError>;
}

/// An answer to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptOutput {
    /// The handle.
    pub id: Uuid,
    /// The tenant.
    pub tenant: Uuid,
    /// For whom it was made, such as `user:42`.
    pub principal: Box<str>,
    /// The answer's JSON text.
    pub text: Vec<u8>,
    /// Until when it is kept.
    pub expires_at: UnixMillis,
}

impl KeptOutput {
    /// Takes an answer's JSON text.
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

/// A part of a kept answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutputSlice {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// How many there are in all.
    pub total: u64,
}

impl OutputSlice {
    /// Makes a slice; a backend calls it.
    #[must_use]
    pub fn new(bytes: Vec<u8>, total: u64) -> Self {
        Self { bytes, total }
    }
}
