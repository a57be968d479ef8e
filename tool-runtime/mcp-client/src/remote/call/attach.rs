//! Attaches the images, sounds, files and links of an answer.

use rmcp::model::{Annotations, ContentBlock, Resource, ResourceContents, Role};
use tool_contracts::Audience;
use tool_runtime_core::failure::Failure;
use tool_runtime_core::tool::{Attachment, Attachments, CallScope, FromCall as _, MetaRecorder};
use tool_runtime_schema::encoding::base64;

use super::answer::uri_of;
use crate::remote::connect::server_text;

const BINARY: &str = "application/octet-stream";
/// The media type of a list of addresses (RFC 2483).
const URI_LIST: &str = "text/uri-list";

/// Attaches content to the answer of a call. What cannot be attached is left out with a warning: the
/// call may have had its effect.
pub(super) struct Attacher {
    attachments: Attachments,
    meta: MetaRecorder,
}

impl Attacher {
    pub(super) fn new(call: &CallScope) -> Result<Self, Failure> {
        Ok(Self {
            attachments: Attachments::from_call(call)?,
            meta: MetaRecorder::from_call(call)?,
        })
    }

    pub(super) fn warn(&self, text: String) {
        self.meta.warning(text);
    }

    /// Attaches a block; texts are no attachments.
    pub(super) fn attach(&mut self, block: ContentBlock) {
        match block {
            ContentBlock::Text(_) => {}
            ContentBlock::Image(image) => {
                self.bytes(&image.mime_type, &image.data, None, image.annotations.as_ref());
            }
            ContentBlock::Audio(audio) => {
                self.bytes(&audio.mime_type, &audio.data, None, audio.annotations.as_ref());
            }
            ContentBlock::Resource(resource) => {
                self.resource(resource.resource, resource.annotations.as_ref());
            }
            ContentBlock::ResourceLink(link) => self.link(&link),
            _ => self.warn("a part of the answer has an unknown type".to_owned()),
        }
    }

    /// Attaches a text that stands beside structured content.
    pub(super) fn attach_text(&mut self, text: String) {
        self.add(Attachment::text("text/plain", text));
    }

    fn bytes(
        &mut self,
        media_type: &str,
        data: &str,
        name: Option<String>,
        annotations: Option<&Annotations>,
    ) {
        let data: String = data.chars().filter(|one| !one.is_ascii_whitespace()).collect();
        let Some(bytes) = base64::decode(&data) else {
            return self.warn("an attachment of the answer is not base64".to_owned());
        };
        self.add(described(Attachment::bytes(usable(media_type), bytes), name, annotations));
    }

    fn resource(&mut self, resource: ResourceContents, annotations: Option<&Annotations>) {
        let name = file_name(uri_of(&resource));
        match resource {
            ResourceContents::TextResourceContents { mime_type, text, .. } => {
                let media_type = mime_type.unwrap_or_else(|| "text/plain".to_owned());
                let file = Attachment::text(usable(&media_type), text);
                self.add(described(file, name, annotations));
            }
            ResourceContents::BlobResourceContents { mime_type, blob, .. } => {
                let media_type = mime_type.unwrap_or_else(|| BINARY.to_owned());
                self.bytes(&media_type, &blob, name, annotations);
            }
            _ => self.warn("a resource of the answer has an unknown form".to_owned()),
        }
    }

    /// Attaches a link. The runtime knows links to the web; another one is a text with its address,
    /// which only a client of the server can read.
    fn link(&mut self, link: &Resource) {
        let is_web = ["http://", "https://"].iter().any(|scheme| {
            link.uri.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        });
        let attachment = if is_web {
            Attachment::link(usable(link.mime_type.as_deref().unwrap_or(BINARY)), &*link.uri)
        } else {
            Attachment::text(URI_LIST, format!("{}\n", link.uri))
        };
        let name = Some(server_text(link.title.as_deref().unwrap_or(&link.name)));
        let mut attachment = described(attachment, name, link.annotations.as_ref());
        let description = link.description.as_deref().map(server_text);
        if let Some(description) = description.filter(|text| !text.trim().is_empty()) {
            attachment = attachment.with_description(description);
        }
        self.add(attachment);
    }

    fn add(&mut self, attachment: Attachment) {
        if let Err(error) = self.attachments.add(attachment) {
            self.warn(format!("an attachment of the answer was left out: {error}"));
        }
    }
}

fn described(
    attachment: Attachment,
    name: Option<String>,
    annotations: Option<&Annotations>,
) -> Attachment {
    let attachment = match name.filter(|name| !name.trim().is_empty()) {
        Some(name) => attachment.with_name(name),
        None => attachment,
    };
    let audience = annotations.and_then(|it| it.audience.as_deref()).unwrap_or_default();
    attachment.with_audience(audience.iter().map(|role| match role {
        Role::User => Audience::User,
        Role::Assistant => Audience::Assistant,
    }))
}

/// Returns the media type if it has the form of one.
fn usable(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    let is_token = |part: &str| {
        let admitted = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
        !part.is_empty() && part.len() <= 64 && part.bytes().all(admitted)
    };
    match essence.split_once('/') {
        Some((kind, name)) if is_token(kind) && is_token(name) => essence.to_ascii_lowercase(),
        Some(_) | None => BINARY.to_owned(),
    }
}

/// Returns the last segment of a URI as a file's name.
fn file_name(uri: &str) -> Option<String> {
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = server_text(name);
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_media_type_of_another_form_is_that_of_bytes() {
        for (listed, used) in [
            ("image/png", "image/png"),
            ("Text/CSV; charset=utf-8", "text/csv"),
            ("image", BINARY),
            ("", BINARY),
            ("a b/c", BINARY),
            ("image/\u{202e}gnp", BINARY),
        ] {
            assert_eq!(usable(listed), used);
        }
    }

    #[test]
    fn a_file_has_the_last_segment_of_its_address_as_its_name() {
        for (uri, name) in [
            ("file:///tmp/a.txt", Some("a.txt")),
            ("test://x/1?y#z", Some("1")),
            ("https://x/y/", Some("y")),
            ("", None),
        ] {
            assert_eq!(file_name(uri).as_deref(), name, "{uri}");
        }
    }
}
