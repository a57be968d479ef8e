//! The bounds on the attachments of an answer.

/// The bounds on the attachments of one answer.
///
/// ```
/// use tool_runtime::prelude::*;
/// use tool_runtime::AttachmentLimits;
///
/// let limits = AttachmentLimits::new().with_max_bytes(1024 * 1024).with_max_count(4);
/// let builder = Runtime::builder().attachment_limits(limits);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttachmentLimits {
    count: usize,
    bytes: usize,
    inline_bytes: usize,
}

impl AttachmentLimits {
    /// Returns the defaults: 16 attachments and 8 MiB an answer, and 64 KiB of one in the envelope.
    #[must_use]
    pub const fn new() -> Self {
        Self { count: 16, bytes: 8 * 1024 * 1024, inline_bytes: 64 * 1024 }
    }

    /// Sets the most attachments of an answer.
    #[must_use]
    pub const fn with_max_count(mut self, count: usize) -> Self {
        self.count = count;
        self
    }

    /// Sets the most bytes of the attachments of an answer.
    #[must_use]
    pub const fn with_max_bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets the most bytes of an attachment that the envelope contains.
    ///
    /// The output store keeps a larger one, and the envelope has its handle. Without the feature
    /// `policy` there is no such store, and if it fails, the envelope contains the attachment.
    #[must_use]
    pub const fn with_max_inline_bytes(mut self, bytes: usize) -> Self {
        self.inline_bytes = bytes;
        self
    }

    /// Returns the most attachments of an answer.
    #[must_use]
    pub const fn max_count(&self) -> usize {
        self.count
    }

    /// Returns the most bytes of the attachments of an answer.
    #[must_use]
    pub const fn max_bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the most bytes of an attachment that the envelope contains.
    #[must_use]
    pub const fn max_inline_bytes(&self) -> usize {
        self.inline_bytes
    }
}

impl Default for AttachmentLimits {
    fn default() -> Self {
        Self::new()
    }
}
