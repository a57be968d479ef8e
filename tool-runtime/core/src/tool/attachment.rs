//! A file, an image or a link of an answer, with its content where this process has it.

use std::fmt;
use std::sync::Arc;

use tool_contracts::{Attachment as WireAttachment, AttachmentBuilder, Audience, ContractError};
use tool_runtime_schema::encoding::base64;
use uuid::Uuid;

/// A file, an image or a link that a tool attaches to its answer: see
/// [`Attachments`](crate::Attachments).
///
/// In the envelope it is a [`contracts::Attachment`](tool_contracts::Attachment) of
/// `meta.attachments`. `Debug` shows no content.
///
/// ```
/// use tool_runtime::Attachment;
///
/// let chart = Attachment::bytes("image/png", vec![0x89, b'P', b'N', b'G'])
///     .with_name("orders.png")
///     .with_description("The orders of May, by day.");
/// assert_eq!(chart.size(), Some(4));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Attachment {
    pub(super) media_type: String,
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    pub(super) audience: Vec<Audience>,
    pub(crate) content: AttachmentContent,
}

/// The content of an attachment.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum AttachmentContent {
    /// Bytes in this process; with a handle, the output store has them too.
    Bytes {
        bytes: Arc<[u8]>,
        sha256: String,
        handle: Option<AttachmentHandle>,
    },
    /// Bytes that only the output store has.
    Stored {
        handle: AttachmentHandle,
        size: u64,
        sha256: String,
    },
    Link {
        url: String,
        size: Option<u64>,
        sha256: Option<String>,
    },
}

/// The handle of a stored attachment: `att_` and a UUID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AttachmentHandle(pub(crate) Uuid);

impl Attachment {
    /// Sets the file name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the description, which a model reads where it cannot read the content.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the readers for whom it is meant; all by default.
    ///
    /// The content of an attachment that is not for [`Audience::Assistant`] is not sent to a model,
    /// which reads its name and its description only.
    #[must_use]
    pub fn with_audience(mut self, audience: impl IntoIterator<Item = Audience>) -> Self {
        self.audience = audience.into_iter().collect();
        self
    }

    /// Returns the media type, such as `image/png`.
    #[must_use]
    pub fn media_type(&self) -> &str {
        &self.media_type
    }

    /// Returns the file name.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the description.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Returns the readers for whom it is meant; all if the list is empty.
    #[must_use]
    pub fn audience(&self) -> &[Audience] {
        &self.audience
    }

    /// Returns whether it is meant for this reader.
    #[must_use]
    pub fn is_for(&self, reader: Audience) -> bool {
        self.audience.is_empty() || self.audience.contains(&reader)
    }

    /// Returns the size of the content, in bytes; of a link, if it is known.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        match &self.content {
            AttachmentContent::Bytes { bytes, .. } => Some(length(bytes)),
            AttachmentContent::Stored { size, .. } => Some(*size),
            AttachmentContent::Link { size, .. } => *size,
        }
    }

    /// Returns the SHA-256 of the content, in hexadecimal digits; of a link, if it is known.
    #[must_use]
    pub fn sha256(&self) -> Option<&str> {
        match &self.content {
            AttachmentContent::Bytes { sha256, .. } | AttachmentContent::Stored { sha256, .. } => {
                Some(sha256)
            }
            AttachmentContent::Link { sha256, .. } => sha256.as_deref(),
        }
    }

    /// Returns the content, if this process has it.
    ///
    /// None for a link, and for stored content of an answer that was read from a store, which
    /// `StoredOutputs::attachment` of the feature `policy` reads.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match &self.content {
            AttachmentContent::Bytes { bytes, .. } => Some(bytes),
            AttachmentContent::Stored { .. } | AttachmentContent::Link { .. } => None,
        }
    }

    /// Returns the content of a text, if this process has it: of `text/*` and of JSON, in UTF-8.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        let is_text = self.media_type.starts_with("text/") || self.media_type == "application/json";
        std::str::from_utf8(self.as_bytes()?).ok().filter(|_| is_text)
    }

    /// Returns the handle under which the output store has the content.
    #[must_use]
    pub fn handle(&self) -> Option<AttachmentHandle> {
        match &self.content {
            AttachmentContent::Bytes { handle, .. } => *handle,
            AttachmentContent::Stored { handle, .. } => Some(*handle),
            AttachmentContent::Link { .. } => None,
        }
    }

    /// Returns the link to the content.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        match &self.content {
            AttachmentContent::Link { url, .. } => Some(url),
            AttachmentContent::Bytes { .. } | AttachmentContent::Stored { .. } => None,
        }
    }

    /// Returns the form of the envelope: without bytes if there is a handle.
    ///
    /// # Errors
    /// The media type, the name, the description or the link has another form than the contract's.
    pub fn to_wire(&self) -> Result<WireAttachment, ContractError> {
        let wire = self.described();
        match &self.content {
            AttachmentContent::Bytes { bytes, handle: None, .. } => {
                wire.data(base64::encode(bytes))
            }
            AttachmentContent::Bytes { handle: Some(handle), .. }
            | AttachmentContent::Stored { handle, .. } => wire.id(handle.to_string()),
            AttachmentContent::Link { url, .. } => wire.url(&**url),
        }
        .build()
    }

    /// Starts the form of the envelope, with everything but the content.
    pub(super) fn described(&self) -> AttachmentBuilder {
        let mut wire = WireAttachment::builder(&*self.media_type).audience(self.audience.clone());
        if let Some(name) = &self.name {
            wire = wire.name(&**name);
        }
        if let Some(description) = &self.description {
            wire = wire.description(&**description);
        }
        if let Some(size) = self.size() {
            wire = wire.size(size);
        }
        if let Some(sha256) = self.sha256() {
            wire = wire.sha256(sha256);
        }
        wire
    }

    /// Reads the form of the envelope; none if its handle is not one of this runtime, or its data is
    /// not base64.
    #[must_use]
    pub fn from_wire(wire: &WireAttachment) -> Option<Self> {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let measured = || Some((wire.size()?, wire.sha256()?.to_owned()));
        let content = match (wire.data(), wire.id(), wire.url()) {
            (Some(data), _, _) => {
                let (_, sha256) = measured()?;
                AttachmentContent::Bytes {
                    bytes: base64::decode(data)?.into(),
                    sha256,
                    handle: None,
                }
            }
            (None, Some(id), _) => {
                let (size, sha256) = measured()?;
                AttachmentContent::Stored { handle: AttachmentHandle::parse(id)?, size, sha256 }
            }
            (None, None, url) => AttachmentContent::Link {
                url: owned(url)?,
                size: wire.size(),
                sha256: owned(wire.sha256()),
            },
        };
        Some(Self {
            media_type: wire.media_type().to_owned(),
            name: owned(wire.name()),
            description: owned(wire.description()),
            audience: wire.audience().to_vec(),
            content,
        })
    }
}

impl AttachmentHandle {
    /// Parses a handle; none if the text is not a handle.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        text.strip_prefix("att_").and_then(|id| Uuid::parse_str(id).ok()).map(Self)
    }
}

impl fmt::Display for AttachmentHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "att_{}", self.0.simple())
    }
}

/// Describes the attachment for a reader that does not get its content.
impl fmt::Display for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let description = Description {
            media_type: &self.media_type,
            name: self.name(),
            size: self.size(),
            url: self.url(),
            text: self.description(),
        };
        description.fmt(f)
    }
}

/// The description of an attachment for a reader that does not get its content.
pub(crate) struct Description<'a> {
    media_type: &'a str,
    name: Option<&'a str>,
    size: Option<u64>,
    url: Option<&'a str>,
    text: Option<&'a str>,
}

impl<'a> Description<'a> {
    /// Describes an attachment of an envelope, whose content is not decoded for it.
    pub(crate) fn from_wire(wire: &'a WireAttachment) -> Self {
        Self {
            media_type: wire.media_type(),
            name: wire.name(),
            size: wire.size(),
            url: wire.url(),
            text: wire.description(),
        }
    }
}

impl fmt::Display for Description<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}", self.name.unwrap_or("a file"), self.media_type)?;
        match self.size {
            Some(size) => write!(f, ", {size} bytes)")?,
            None => f.write_str(")")?,
        }
        if let Some(url) = self.url {
            write!(f, " at {url}")?;
        }
        match self.text {
            Some(text) => write!(f, ": {text}"),
            None => Ok(()),
        }
    }
}

/// Shows neither content nor texts.
impl fmt::Debug for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attachment")
            .field("media_type", &self.media_type)
            .field("size", &self.size())
            .field("handle", &self.handle())
            .finish_non_exhaustive()
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}
