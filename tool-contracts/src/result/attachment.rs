//! The files, images and links that a tool attached to its result.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    ContractError,
    contract_error::Problems,
    wire::{self, reads, words},
};

/// The longest name of an attachment, in characters.
const MAX_NAME_CHARS: usize = 255;

const NOT_A_MEDIA_TYPE: &str =
    "expected a media type without parameters in lower case, such as `image/png`";
const NOT_A_NAME: &str =
    "expected a file name of 1 to 255 characters without `/`, `\\` and control characters";
const NOT_A_DIGEST: &str = "expected a SHA-256 of 64 hexadecimal digits in lower case";
const NOT_A_LINK: &str = "expected a URL that begins with `https://` or `http://`";
const NOT_A_HANDLE: &str = "expected a handle that begins with `att_`";
const NOT_BASE64: &str = "expected base64 with padding, without line breaks";

/// The reader for whom an attachment is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "snake_case", transform = crate::schemas::documented("audience"))]
#[non_exhaustive]
pub enum Audience {
    /// The model.
    Assistant,
    /// The person that the model serves.
    User,
}

words!(Audience { Assistant = "assistant", User = "user" });

/// A file, an image or a link that a tool attached to its result.
///
/// Exactly one of `data`, `id` and `url` has the content: the bytes themselves, the handle under
/// which the host stores them, or a link. Bytes have their size and their SHA-256 in either case, so
/// that a reader can check them. `Debug` shows no content.
///
/// ```
/// use tool_contracts::Attachment;
///
/// let text = Attachment::builder("text/plain")
///     .name("greeting.txt")
///     .data("aGVsbG8=")
///     .size(5)
///     .sha256("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
///     .build()?;
/// assert_eq!(text.size(), Some(5));
///
/// let link = Attachment::builder("application/pdf").url("https://example.org/terms.pdf").build()?;
/// assert_eq!((link.size(), link.url()), (None, Some("https://example.org/terms.pdf")));
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    transform = crate::schemas::documented("attachment"),
    transform = crate::schemas::one_content
)]
pub struct Attachment {
    /// The media type, such as `image/png`.
    #[schemars(regex(
        pattern = r"^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$"
    ))]
    media_type: String,
    /// The file name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = r"^[^/\\\x00-\x1f\x7f]{1,255}$"))]
    name: Option<String>,
    /// The description, which a model reads where it cannot read the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    description: Option<String>,
    /// The readers for whom it is meant; all if omitted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<Audience>>")]
    audience: Vec<Audience>,
    /// The size of the content, in bytes; of a link, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// The SHA-256 of the content, in hexadecimal digits; of a link, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[0-9a-f]{64}$"))]
    sha256: Option<String>,
    /// The content, in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("contentEncoding" = "base64"))]
    data: Option<String>,
    /// The handle under which the host stores the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^att_.+$"))]
    id: Option<String>,
    /// The link to the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^https?://.+$"))]
    url: Option<String>,
}

impl Attachment {
    /// Builds an attachment of this media type.
    pub fn builder(media_type: impl Into<String>) -> AttachmentBuilder {
        AttachmentBuilder(Self {
            media_type: media_type.into(),
            name: None,
            description: None,
            audience: Vec::new(),
            size: None,
            sha256: None,
            data: None,
            id: None,
            url: None,
        })
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

    /// Returns the size of the content, in bytes.
    #[must_use]
    pub const fn size(&self) -> Option<u64> {
        self.size
    }

    /// Returns the SHA-256 of the content, in hexadecimal digits.
    #[must_use]
    pub fn sha256(&self) -> Option<&str> {
        self.sha256.as_deref()
    }

    /// Returns the content in base64, if it is in the envelope.
    #[must_use]
    pub fn data(&self) -> Option<&str> {
        self.data.as_deref()
    }

    /// Returns the handle under which the host stores the content.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Returns the link to the content.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    fn check(self) -> Result<Self, ContractError> {
        let mut problems = Problems::new("Attachment");
        problems.check(is_media_type(&self.media_type), "media_type", NOT_A_MEDIA_TYPE);
        problems.check(self.name.as_deref().is_none_or(is_name), "name", NOT_A_NAME);
        problems.filled("description", self.description.as_deref());
        problems.check(self.sha256.as_deref().is_none_or(is_digest), "sha256", NOT_A_DIGEST);
        problems.check(self.id.as_deref().is_none_or(is_handle), "id", NOT_A_HANDLE);
        problems.check(self.url.as_deref().is_none_or(is_link), "url", NOT_A_LINK);
        let contents = [&self.data, &self.id, &self.url];
        let one = contents.iter().filter(|content| content.is_some()).count() == 1;
        problems.check(one, "", "expected exactly one of `data`, `id` and `url`");
        let is_known = self.size.is_some() && self.sha256.is_some();
        problems.check(
            is_known || self.url.is_some(),
            "",
            "expected `size` and `sha256` beside `data` or `id`",
        );
        if let Some(data) = &self.data {
            let length = decoded_length(data);
            problems.check(length.is_some(), "data", NOT_BASE64);
            let fits = length.is_none() || self.size.is_none() || length == self.size;
            problems.check(fits, "size", "expected the number of bytes of `data`");
        }
        problems.finish().map(|()| self)
    }
}

/// Shows the length of the content only.
impl fmt::Debug for Attachment {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let content = match (&self.data, &self.id) {
            (Some(_), _) => "data",
            (None, Some(_)) => "id",
            (None, None) => "url",
        };
        to.debug_struct("Attachment")
            .field("media_type", &self.media_type)
            .field("size", &self.size)
            .field("content", &content)
            .finish_non_exhaustive()
    }
}

/// Builds an [`Attachment`].
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct AttachmentBuilder(Attachment);

impl AttachmentBuilder {
    /// Sets the file name.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.0.name = Some(name.into());
        self
    }

    /// Sets the description.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.0.description = Some(description.into());
        self
    }

    /// Sets the readers for whom it is meant.
    pub fn audience(mut self, audience: impl IntoIterator<Item = Audience>) -> Self {
        self.0.audience = audience.into_iter().collect();
        self
    }

    /// Sets the size of the content, in bytes.
    pub fn size(mut self, size: u64) -> Self {
        self.0.size = Some(size);
        self
    }

    /// Sets the SHA-256 of the content, in hexadecimal digits.
    pub fn sha256(mut self, sha256: impl Into<String>) -> Self {
        self.0.sha256 = Some(sha256.into());
        self
    }

    /// Sets the content, in base64.
    pub fn data(mut self, data: impl Into<String>) -> Self {
        self.0.data = Some(data.into());
        self
    }

    /// Sets the handle under which the host stores the content.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.0.id = Some(id.into());
        self
    }

    /// Sets the link to the content.
    pub fn url(mut self, url: impl Into<String>) -> Self {
        self.0.url = Some(url.into());
        self
    }

    /// Builds the attachment.
    ///
    /// # Errors
    /// Returns all problems: a value of another form, a missing or a second content, bytes without
    /// their size and hash, or a size that is not that of the data.
    pub fn build(self) -> Result<Attachment, ContractError> {
        self.0.check()
    }
}

fn is_media_type(text: &str) -> bool {
    let is_part = |part: &str| {
        let allowed = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"!#$&^_.+-".contains(&byte)
        };
        let begins_well = part.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        begins_well && part.len() <= 127 && part.bytes().all(allowed)
    };
    text.split_once('/').is_some_and(|(kind, subtype)| is_part(kind) && is_part(subtype))
}

fn is_name(text: &str) -> bool {
    let is_separator = |it: char| matches!(it, '/' | '\\' | '\0'..='\u{1f}' | '\u{7f}');
    !text.is_empty() && text.chars().count() <= MAX_NAME_CHARS && !text.contains(is_separator)
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_handle(text: &str) -> bool {
    text.strip_prefix("att_").is_some_and(|rest| !rest.is_empty())
}

fn is_link(text: &str) -> bool {
    let address = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    address.is_some_and(|address| !address.is_empty())
}

/// Returns the number of bytes that a text in base64 encodes; none for any other text.
fn decoded_length(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    let is_base64 = text.len() % 4 == 0 && padding <= 2 && digits.bytes().all(is_digit);
    is_base64.then(|| u64::try_from(digits.len() * 3 / 4).unwrap_or(u64::MAX))
}

reads! {
    Attachment, "an attachment";
    required media_type = "media_type", leaf wire::Text;
    optional name = "name", leaf wire::Text;
    optional description = "description", leaf wire::FilledText;
    optional audience = "audience", nested Vec<Audience>;
    optional size = "size", leaf wire::Whole<u64>;
    optional sha256 = "sha256", leaf wire::Text;
    optional data = "data", leaf wire::Text;
    optional id = "id", leaf wire::Text;
    optional url = "url", leaf wire::Text;
    => {
        let audience = audience.unwrap_or_default();
        Attachment { media_type, name, description, audience, size, sha256, data, id, url }
            .check()
            .map_err(wire::refused)
    }
}
