//! Makes attachments, and removes secrets from their texts.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use tool_contracts::ContractError;
use tool_runtime_schema::encoding::hex_digits;
use uuid::Uuid;

use crate::tool::attachment::{Attachment, AttachmentContent, AttachmentHandle};

impl Attachment {
    /// Makes an attachment of bytes with their SHA-256.
    #[must_use]
    pub fn bytes(media_type: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        let sha256 = sha256_of(&bytes);
        Self::new(media_type.into(), AttachmentContent::Bytes { bytes, sha256, handle: None })
    }

    /// Makes a text attachment, such as `text/csv`.
    #[must_use]
    pub fn text(media_type: impl Into<String>, text: impl Into<String>) -> Self {
        Self::bytes(media_type, text.into().into_bytes())
    }

    /// Makes a link, `https://` or `http://`. The runtime does not follow it.
    #[must_use]
    pub fn link(media_type: impl Into<String>, url: impl Into<String>) -> Self {
        Self::new(
            media_type.into(),
            AttachmentContent::Link { url: url.into(), size: None, sha256: None },
        )
    }

    /// Returns the number of bytes of the content that this process has.
    pub(crate) fn bytes_here(&self) -> usize {
        self.as_bytes().map_or(0, <[u8]>::len)
    }

    /// Checks that the contract allows it, without encoding the content.
    ///
    /// # Errors
    /// The media type, the name, the description or the link has another form than the contract's.
    pub(super) fn check(&self) -> Result<(), ContractError> {
        let wire = self.described();
        let wire = match self.url() {
            Some(url) => wire.url(url),
            None => wire.id(self.handle().unwrap_or(AttachmentHandle(Uuid::nil())).to_string()),
        };
        wire.build().map(drop)
    }

    /// Changes all texts: the name, the description, the link, and the content of a text.
    pub(super) fn map_texts(self, change: impl Fn(String) -> String) -> Self {
        let Self { media_type, name, description, audience, content } = self;
        let content = match content {
            AttachmentContent::Bytes { bytes, .. } if is_utf8_text(&media_type, &bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let bytes: Arc<[u8]> = change(text).into_bytes().into();
                let sha256 = sha256_of(&bytes);
                AttachmentContent::Bytes { bytes, sha256, handle: None }
            }
            AttachmentContent::Link { url, size, sha256 } => {
                AttachmentContent::Link { url: change(url), size, sha256 }
            }
            AttachmentContent::Bytes { .. } | AttachmentContent::Stored { .. } => content,
        };
        let (name, description) = (name.map(&change), description.map(&change));
        Self { media_type, name, description, audience, content }
    }

    fn new(media_type: String, content: AttachmentContent) -> Self {
        Self { media_type, name: None, description: None, audience: Vec::new(), content }
    }
}

/// Returns whether the content is a text, of whatever media type.
fn is_utf8_text(media_type: &str, bytes: &[u8]) -> bool {
    let is_binary = ["image/", "audio/", "video/", "font/"]
        .iter()
        .any(|kind| media_type.starts_with(kind) && media_type != "image/svg+xml");
    !is_binary && std::str::from_utf8(bytes).is_ok()
}

/// Returns the SHA-256 of bytes, in hexadecimal digits.
pub(crate) fn sha256_of(bytes: &[u8]) -> String {
    hex_digits(&Sha256::digest(bytes)).collect()
}
