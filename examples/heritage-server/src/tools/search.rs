//! `search_content`: full-text search over the contents.

use sha2::{Digest as _, Sha256};
use tool_runtime::EvidenceRecorder;
use tool_runtime::canonical::Digest;
use tool_runtime::contracts::EvidenceSource;
use tool_runtime::prelude::*;

use super::failure::ReadError;
use super::{Tag, texts};
use crate::guide::{Content, Guide, Place, Question, Status};

/// The results of a search.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Hits {
    /// The contents, best first.
    items: Vec<Content>,
    /// The total number of results, returned or not.
    total: i64,
    /// The words of the search.
    query: String,
}

/// Searches the contents of the site, in Chinese and English.
///
/// Each result contains at least one word of the question; titles weigh more than texts. Drafts are
/// found by `status`, and only those of the caller's own tenant.
#[ai_tool(effect = "read", version = "1.0.0", category = "content", timeout = "5s", evidence)]
#[allow(clippy::too_many_arguments, reason = "they are the tool's fields")]
pub(crate) async fn search_content(
    cx: &ToolContext,
    guide: &Guide,
    place: &Place,
    evidence: &EvidenceRecorder,
    /// Words to search for.
    #[arg(length(1..=200), example = "严氏家训")]
    query: String,
    /// Only contents of this type, such as `family_rule`, `poem` or `legend`.
    #[arg(length(1..=64), pattern = "^[^\\u0000]*$")]
    content_type: Option<String>,
    /// Only contents with all of these tags.
    #[arg(default, length(..=10))]
    tags: Vec<Tag>,
    /// Only contents in this state.
    #[arg(default)]
    status: Status,
    /// The maximum number of contents to return.
    #[arg(default = 10, range(1..=50))]
    limit: i64,
) -> Result<Hits, ReadError> {
    let tags = texts(tags);
    let content_type = content_type.as_deref();
    let question = Question { words: &query, content_type, tags: &tags, status, limit };
    let found = guide.search(place, &question).await?;
    found.items.iter().for_each(|content| cite(cx, evidence, content));
    Ok(Hits { items: found.items, total: found.total, query })
}

/// Records that an answer is made from the current version of a content.
fn cite(cx: &ToolContext, evidence: &EvidenceRecorder, content: &Content) {
    let digest = Digest::from_bytes(Sha256::digest(content.body.as_bytes()).into());
    let hash = format!("sha256:{digest}");
    let source = EvidenceSource::new("content", &content.id, hash, cx.now_iso());
    // An id of this guide is always a valid source.
    if let Ok(source) = source {
        evidence.source(source);
    }
}
