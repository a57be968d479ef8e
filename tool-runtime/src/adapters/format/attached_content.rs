//! The content of an attachment, by the kinds that providers distinguish.

use crate::encoding::base64;
use crate::tool::Attachment;

/// The longest text of an attachment that a model is shown, in bytes.
const MAX_TEXT_BYTES: usize = 64 * 1024;

/// The images that all providers with images accept.
const IMAGES: [&str; 4] = ["image/gif", "image/jpeg", "image/png", "image/webp"];

/// The content of an attachment that a provider may show to a model.
pub(in crate::adapters) enum AttachedContent<'a> {
    Image(AttachedSource<'a>),
    Pdf(AttachedSource<'a>),
    Text(&'a str),
    /// No provider shows it, or this process does not have it.
    Other,
}

/// The bytes of an attachment, or the link to them.
pub(in crate::adapters) enum AttachedSource<'a> {
    Bytes(&'a [u8]),
    Url(&'a str),
}

impl<'a> AttachedContent<'a> {
    pub(in crate::adapters) fn of(attachment: &'a Attachment) -> Self {
        let text = attachment.as_text().filter(|text| text.len() <= MAX_TEXT_BYTES);
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            return Self::Text(text);
        }
        let source = match (attachment.as_bytes(), attachment.url()) {
            (Some(bytes), _) if !bytes.is_empty() => AttachedSource::Bytes(bytes),
            (None, Some(url)) => AttachedSource::Url(url),
            (Some(_), _) | (None, None) => return Self::Other,
        };
        match attachment.media_type() {
            "application/pdf" => Self::Pdf(source),
            image if IMAGES.contains(&image) => Self::Image(source),
            _ => Self::Other,
        }
    }
}

impl AttachedSource<'_> {
    /// Returns the link, or the bytes as a data URL.
    pub(in crate::adapters) fn to_url(&self, media_type: &str) -> String {
        match self {
            Self::Bytes(bytes) => data_url(media_type, bytes),
            Self::Url(url) => (*url).to_owned(),
        }
    }
}

/// Returns bytes as a data URL (RFC 2397).
pub(in crate::adapters) fn data_url(media_type: &str, bytes: &[u8]) -> String {
    format!("data:{media_type};base64,{}", base64::encode(bytes))
}
