//! The guide's tools for a model.
//!
//! They are functions with borrowed state, `guide: &Guide`, and not a toolkit: a toolkit's tools
//! have its name as a prefix, and callers use these by their plain names. The tenant and the site
//! come from the call's context (`place: &Place`), never from an argument.
//!
//! No text may contain U+0000, which PostgreSQL does not store: it is rejected as an argument on
//! both databases, so that it does not fail on one of them only.

mod drafts;
mod events;
mod failure;
mod npcs;
mod pictures;
mod search;
mod sites;

pub(crate) use self::drafts::CreateDraftContentTool;
pub(crate) use self::events::LogUserEventTool;
pub(crate) use self::npcs::{GetNpcProfileTool, GetPromptActiveTool};
pub(crate) use self::pictures::DrawSiteMapTool;
pub(crate) use self::search::SearchContentTool;
pub(crate) use self::sites::GetSiteMapTool;

use tool_runtime::prelude::*;

/// A tag of a content.
#[ai_type]
#[derive(Debug, Clone, PartialEq, Eq)]
#[serde(transparent)]
pub(crate) struct Tag(#[arg(length(1..=64), pattern = "^[^\\u0000]*$", example = "家训")] String);

fn texts(tags: Vec<Tag>) -> Vec<String> {
    tags.into_iter().map(|Tag(tag)| tag).collect()
}

/// Returns the time of a call, in the format of tables and answers.
fn now(cx: &ToolContext) -> String {
    cx.now_iso().to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}
