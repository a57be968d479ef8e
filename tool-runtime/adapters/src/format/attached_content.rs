//! The content of an attachment, by the kinds that providers distinguish.

use tool_runtime_core::tool::Attachment;
use tool_runtime_schema::encoding::base64;

/// The longest text of an attachment that a model is shown, in bytes.
const MAX_TEXT_BYTES: usize = 64 * 1024;

/// The media types of the images that a provider accepts.
pub(crate) type ImageTypes = &'static [&'static str];

/// The images that every provider with images accepts.
pub(crate) const COMMON_IMAGES: ImageTypes = &["image/jpeg", "image/png", "image/webp"];

/// The images of the providers that accept GIF, too.
pub(crate) const IMAGES_AND_GIF: ImageTypes =
    &["image/gif", "image/jpeg", "image/png", "image/webp"];

/// The images and files that a provider accepts in an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileRules {
    pub(crate) images: ImageTypes,
    /// `None` if the provider publishes none for one image.
    pub(crate) max_image_bytes: Option<usize>,
    /// `None` if the provider publishes none for one document.
    pub(crate) max_pdf_bytes: Option<usize>,
}

/// The content of an attachment that a provider may show to a model.
pub(crate) enum AttachedContent<'a> {
    Image(AttachedSource<'a>),
    Pdf(AttachedSource<'a>),
    Text(&'a str),
    /// The provider does not show it, or this process does not have it.
    Other,
}

/// The bytes of an attachment, or the link to them.
pub(crate) enum AttachedSource<'a> {
    Bytes(&'a [u8]),
    Url(&'a str),
}

impl<'a> AttachedContent<'a> {
    pub(crate) fn new(attachment: &'a Attachment, rules: FileRules) -> Self {
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
            "application/pdf" if source.fits(rules.max_pdf_bytes) => Self::Pdf(source),
            image if rules.images.contains(&image) && source.fits(rules.max_image_bytes) => {
                Self::Image(source)
            }
            _ => Self::Other,
        }
    }
}

impl FileRules {
    /// Accepts these images, and files of any size.
    pub(crate) const fn new(images: ImageTypes) -> Self {
        Self { images, max_image_bytes: None, max_pdf_bytes: None }
    }
}

impl AttachedSource<'_> {
    /// Returns whether the bytes keep to a limit; the size of a link is unknown here.
    fn fits(&self, max_bytes: Option<usize>) -> bool {
        match self {
            Self::Bytes(bytes) => max_bytes.is_none_or(|max| bytes.len() <= max),
            Self::Url(_) => true,
        }
    }

    /// Returns the link, or the bytes as a data URL.
    pub(crate) fn to_url(&self, media_type: &str) -> String {
        match self {
            Self::Bytes(bytes) => data_url(media_type, bytes),
            Self::Url(url) => (*url).to_owned(),
        }
    }
}

/// Returns bytes as a data URL (RFC 2397).
pub(crate) fn data_url(media_type: &str, bytes: &[u8]) -> String {
    format!("data:{media_type};base64,{}", base64::encode(bytes))
}
