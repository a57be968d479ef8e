//! Attachments as content blocks.

use rmcp::model::{
    Annotations, AudioContent, ContentBlock, EmbeddedResource, ImageContent, Resource,
    ResourceContents, Role,
};
use tool_contracts::Audience;
use tool_runtime_core::Attachment;
use tool_runtime_schema::encoding::{base64, percent_encoded};

/// Returns the block of an attachment; none if this process has neither its content nor its address.
///
/// An image is an image block, a sound an audio block, a link a resource link, and any other content
/// an embedded resource.
pub(super) fn from_attachment(attachment: &Attachment) -> Option<ContentBlock> {
    let annotations = annotations(attachment);
    if let Some(url) = attachment.url() {
        return Some(link(attachment, url, annotations));
    }
    let (bytes, media_type) = (attachment.as_bytes()?, attachment.media_type());
    let kind = media_type.split('/').next().unwrap_or_default();
    Some(match kind {
        "image" => {
            let mut image = ImageContent::new(base64::encode(bytes), media_type);
            image.annotations = annotations;
            ContentBlock::Image(image)
        }
        "audio" => {
            let mut audio = AudioContent::new(base64::encode(bytes), media_type);
            audio.annotations = annotations;
            ContentBlock::Audio(audio)
        }
        _ => {
            let (uri, text) = (uri(attachment), attachment.as_text());
            let contents = match text {
                Some(text) => ResourceContents::text(text, uri),
                None => ResourceContents::blob(base64::encode(bytes), uri),
            };
            let mut resource = EmbeddedResource::new(contents.with_mime_type(media_type));
            resource.annotations = annotations;
            ContentBlock::Resource(resource)
        }
    })
}

fn link(attachment: &Attachment, url: &str, annotations: Option<Annotations>) -> ContentBlock {
    let mut resource = Resource::new(url, attachment.name().unwrap_or(url));
    resource.description = attachment.description().map(str::to_owned);
    resource.mime_type = Some(attachment.media_type().to_owned());
    resource.size = attachment.size();
    resource.annotations = annotations;
    ContentBlock::ResourceLink(resource)
}

/// Returns the address of an embedded content: its handle or its hash, and its name.
fn uri(attachment: &Attachment) -> String {
    let id = attachment.handle().map(|handle| handle.to_string());
    let id = id.or_else(|| attachment.sha256().map(str::to_owned)).unwrap_or_default();
    let name = attachment.name().unwrap_or("content");
    format!("attachment:///{id}/{}", percent_encoded(name))
}

fn annotations(attachment: &Attachment) -> Option<Annotations> {
    let role = |audience: &Audience| {
        if *audience == Audience::User { Role::User } else { Role::Assistant }
    };
    let audience: Vec<Role> = attachment.audience().iter().map(role).collect();
    (!audience.is_empty()).then(|| Annotations::default().with_audience(audience))
}
