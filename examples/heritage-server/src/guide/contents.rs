//! The contents of the guide, and how they are written and indexed.

use tool_runtime::prelude::*;
use tool_runtime::serde_json::json;

use super::{Guide, Place, at};
use crate::store::{Engine, Statement, Value};
use crate::words::Indexed;

/// Whether a content is for visitors yet.
#[ai_type]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// For visitors.
    #[default]
    Published,
    /// Waits for an editor of the tenant.
    Draft,
}

/// A content that was found.
#[ai_type]
#[allow(clippy::struct_field_names, reason = "they are the names that callers read")]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Content {
    /// Its id.
    pub(crate) id: String,
    /// What kind of content it is, such as `family_rule`, `poem` or `legend`.
    pub(crate) content_type: String,
    /// Its title.
    pub(crate) title: String,
    /// Its whole text.
    pub(crate) body: String,
    /// How far what it says may be told as fact, from 0 to 1.
    pub(crate) credibility_score: f64,
    /// Whether somebody has held it against its source. A legend never is.
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
    /// The key under which it is written once.
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
    /// All that it is found by but its title.
    fn beside_its_title(&self) -> String {
        let summary = self.summary.as_deref().unwrap_or_default();
        let filed = self.tags.join("\n");
        [&self.body, summary, &filed].join("\n")
    }
}

impl Guide {
    /// Makes the statements that write a content, its tags and its words.
    ///
    /// The first changes nothing where the content is there already, by its id or its key.
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
