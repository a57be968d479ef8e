//! The contents of the guide, with their statements for writing and indexing.

use tool_runtime::prelude::*;
use tool_runtime::serde_json::json;

use super::{Guide, Place, at};
use crate::store::{Engine, Statement, Value};
use crate::words::Indexed;

/// The publication state of a content.
#[ai_type]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// Visible to visitors.
    #[default]
    Published,
    /// Waiting for an editor of the tenant.
    Draft,
}

/// A content in a search result.
#[ai_type]
#[allow(clippy::struct_field_names, reason = "they are the names that callers read")]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Content {
    /// The content's id.
    pub(crate) id: String,
    /// The type of content, such as `family_rule`, `poem` or `legend`.
    pub(crate) content_type: String,
    /// The title.
    pub(crate) title: String,
    /// The full text.
    pub(crate) body: String,
    /// The credibility of the text as fact, from 0 to 1.
    pub(crate) credibility_score: f64,
    /// True if an editor has compared it with its source; never for a legend.
    pub(crate) verified: bool,
}

/// A content to be written.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
pub(crate) struct NewContent {
    pub(crate) id: String,
    pub(crate) content_type: String,
    #[serde(default)]
    pub(crate) status: Status,
    pub(crate) title: String,
    pub(crate) body: String,
    #[serde(default)]
    pub(crate) summary: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) domains: Vec<String>,
    pub(crate) source: Option<String>,
    pub(crate) credibility_score: f64,
    pub(crate) verified: bool,
    /// The time of its creation; for shipped contents, as stated by the program.
    #[serde(default)]
    pub(crate) created_at: String,
    /// The idempotency key of the write.
    #[serde(skip)]
    pub(crate) written_under: Option<String>,
}

impl Status {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Draft => "draft",
        }
    }
}

impl NewContent {
    /// Returns all indexed text except the title.
    fn beside_its_title(&self) -> String {
        let summary = self.summary.as_deref().unwrap_or_default();
        let filed = self.tags.join("\n");
        [&self.body, summary, &filed].join("\n")
    }
}

impl Guide {
    /// Makes the statements that write a content, its tags and its words.
    ///
    /// The first one changes nothing if a content with the same id or key exists.
    pub(super) fn writing(&self, place: &Place, content: &NewContent) -> Vec<Statement> {
        let mut statements = vec![content_row(place, content)];
        statements.extend(content.tags.iter().map(|tag| {
            let sql = "INSERT INTO content_tags (tenant_id, site_id, content_id, tag)
                       VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
            at(place, sql, [content.id.as_str().into(), tag.as_str().into()])
        }));
        let words = self.words.index(&content.title, &content.beside_its_title());
        statements.push(words_row(self.store.engine(), place, &content.id, &words));
        statements
    }
}

fn content_row(place: &Place, content: &NewContent) -> Statement {
    let sql = "INSERT INTO contents (tenant_id, site_id, id, content_type, status, title, body,
                   summary, domains, source, credibility_score, verified, created_at, written_under)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
               ON CONFLICT DO NOTHING";
    let values: [Value; 12] = [
        content.id.as_str().into(),
        content.content_type.as_str().into(),
        content.status.as_str().into(),
        content.title.as_str().into(),
        content.body.as_str().into(),
        content.summary.as_deref().into(),
        json!(content.domains).to_string().into(),
        content.source.as_deref().into(),
        content.credibility_score.into(),
        content.verified.into(),
        content.created_at.as_str().into(),
        content.written_under.as_deref().into(),
    ];
    at(place, sql, values)
}

fn words_row(engine: Engine, place: &Place, content_id: &str, words: &Indexed) -> Statement {
    match engine {
        Engine::Sqlite => {
            let sql = "INSERT INTO content_words
                           (tenant_id, site_id, content_id, title, body, characters)
                       VALUES ($1, $2, $3, $4, $5, $6)";
            let (title, body, characters) = words.for_sqlite();
            at(place, sql, [content_id.into(), title.into(), body.into(), characters.into()])
        }
        Engine::Postgres => {
            let sql =
                "INSERT INTO content_words (tenant_id, site_id, content_id, words, characters)
                       VALUES ($1, $2, $3, $4::text::tsvector, $5::text::tsvector)";
            let (both, characters) = words.for_postgres();
            at(place, sql, [content_id.into(), both.into(), characters.into()])
        }
    }
}
