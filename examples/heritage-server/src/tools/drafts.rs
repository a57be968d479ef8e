//! `create_draft_content`: a new content, for review by an editor.

use tool_runtime::prelude::*;

use super::failure::WriteError;
use super::{Tag, now, texts};
use crate::guide::{Guide, NewContent, Place, Status};

/// A draft that was written.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Draft {
    /// The new content.
    content_id: String,
    /// The draft's state.
    status: Status,
    /// The time of the write, in RFC 3339.
    created_at: String,
}

/// The draft that would be written.
#[ai_type]
#[derive(Debug)]
pub(crate) struct DraftPlan {
    /// The draft's state.
    status: Status,
    /// The draft's site.
    site_id: String,
    /// The draft's type.
    content_type: String,
    /// The draft's title.
    title: String,
    /// The length of the text, in characters.
    body_length: usize,
    /// The draft's tags.
    tags: Vec<String>,
    /// The number of existing contents of the site with the same title.
    same_title: i64,
}

/// The credibility of a draft before its review.
const UNSEEN: f64 = 0.0;

/// Writes a draft, which visitors do not see until an editor publishes it.
#[ai_tool(
    effect = "write",
    version = "1.0.0",
    category = "content",
    timeout = "10s",
    preview = plan_draft_content,
    forwards_key,
    evidence
)]
#[allow(clippy::too_many_arguments, reason = "they are the tool's fields")]
pub(crate) async fn create_draft_content(
    cx: &ToolContext,
    guide: &Guide,
    place: &Place,
    idempotency: &Idempotency,
    /// The type of content, such as `knowledge`, `story` or `legend`.
    #[arg(pattern = "^[a-z][a-z0-9_]*$", length(..=64), example = "knowledge")]
    content_type: String,
    /// The draft's title.
    #[arg(length(1..=500), pattern = "^[^\\u0000]*$")]
    title: String,
    /// The draft's text.
    #[arg(length(1..=50000), pattern = "^[^\\u0000]*$")]
    body: String,
    /// A summary of the text.
    #[arg(length(1..=1000), pattern = "^[^\\u0000]*$")]
    summary: Option<String>,
    /// Tags of the draft.
    #[arg(default, length(..=20))]
    tags: Vec<Tag>,
    /// Fields of knowledge that the draft belongs to.
    #[arg(default, length(..=20))]
    domains: Vec<Tag>,
    /// The source of the draft.
    #[arg(length(1..=500), pattern = "^[^\\u0000]*$")]
    source: Option<String>,
) -> Result<Draft, WriteError> {
    guide.site(place).await?.ok_or(WriteError::NoSite)?;
    let draft = NewContent {
        id: String::new(),
        content_type,
        status: Status::Draft,
        title,
        body,
        summary,
        tags: texts(tags),
        domains: texts(domains),
        source,
        credibility_score: UNSEEN,
        verified: false,
        created_at: now(cx),
        written_under: idempotency.global_key().map(str::to_owned),
    };
    let written = guide.write_once(place, draft).await?;
    Ok(Draft { content_id: written.id, status: Status::Draft, created_at: written.at })
}

/// Returns the draft that would be written, and writes nothing.
#[allow(clippy::too_many_arguments, reason = "it is called as its tool is")]
async fn plan_draft_content(
    _: &ToolContext,
    guide: &Guide,
    place: &Place,
    _: &Idempotency,
    content_type: String,
    title: String,
    body: String,
    _: Option<String>,
    tags: Vec<Tag>,
    _: Vec<Tag>,
    _: Option<String>,
) -> Result<DraftPlan, WriteError> {
    guide.site(place).await?.ok_or(WriteError::NoSite)?;
    let same_title = guide.titled(place, &title).await?;
    let (body_length, site_id) = (body.chars().count(), place.site_id().to_owned());
    let (status, tags) = (Status::Draft, texts(tags));
    Ok(DraftPlan { status, site_id, content_type, title, body_length, tags, same_title })
}
