//! `create_draft_content`: something new to tell, for an editor to look at.

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
    /// Its state.
    status: Status,
    /// When it was written, in RFC 3339.
    created_at: String,
}

/// What would be written.
#[ai_type]
#[derive(Debug)]
pub(crate) struct DraftPlan {
    /// Its state.
    status: Status,
    /// Its site.
    site_id: String,
    /// Its type.
    content_type: String,
    /// Its title.
    title: String,
    /// How many characters its text has.
    body_length: usize,
    /// Its tags.
    tags: Vec<String>,
    /// How many contents of the site have the same title already.
    same_title: i64,
}

/// What a draft is credited with before anybody has looked at it.
const UNSEEN: f64 = 0.0;

/// Writes a draft, which visitors do not see before an editor has published it.
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
    /// What kind of content it is, such as `knowledge`, `story` or `legend`.
    #[arg(pattern = "^[a-z][a-z0-9_]*$", length(..=64), example = "knowledge")]
    content_type: String,
    /// Its title.
    #[arg(length(1..=200), pattern = "^[^\\u0000]*$")]
    title: String,
    /// Its text.
    #[arg(length(1..=8000), pattern = "^[^\\u0000]*$")]
    body: String,
    /// Its text in short.
    #[arg(length(1..=1000), pattern = "^[^\\u0000]*$")]
    summary: Option<String>,
    /// Words that it is filed under.
    #[arg(default, length(..=20))]
    tags: Vec<Tag>,
    /// Fields of knowledge that it belongs to.
    #[arg(default, length(..=20))]
    domains: Vec<Tag>,
    /// Where it is from.
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

/// Shows what a draft would be, and writes nothing.
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
