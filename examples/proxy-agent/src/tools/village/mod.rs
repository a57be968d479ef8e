//! `village`: queries on a database, of the type `database_query`.
//!
//! A model chooses a query and its parameters; it never writes SQL. The connection is read-only.

mod database;

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use tool_runtime::prelude::*;

/// The texts and routes of a historic village, in SQLite.
#[derive(Debug)]
pub(crate) struct Village {
    connection: Mutex<Connection>,
}

/// A text as lists show it.
#[ai_type]
#[derive(Debug)]
pub(crate) struct TextRow {
    /// The text's id.
    id: String,
    /// Its type, such as `poem`.
    content_type: String,
    /// Its title.
    title: String,
    /// The work that it is from.
    source: String,
    /// The credibility of the text as it stands, from 0 to 1.
    credibility: f64,
    /// True if it was compared with its source.
    verified: bool,
    /// Its length in characters.
    characters: u32,
    /// Its first line.
    first_line: String,
}

/// A whole text.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Text {
    /// Its title.
    title: String,
    /// The work that it is from.
    source: String,
    /// The text.
    body: String,
}

/// A walk through the village.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Route {
    /// Its name.
    name: String,
    /// The duration on foot, in minutes.
    minutes: u32,
    /// The ids of the places on it, in their order.
    places: Vec<String>,
}

/// The error of a query.
#[derive(Debug, ToolFailure)]
pub(crate) enum QueryError {
    /// No text has the id.
    #[failure(NOT_FOUND, message = "no text has this id; `village.texts` lists those there are")]
    NoText,
    /// The database cannot be read.
    #[failure(UNAVAILABLE, message = "the database cannot be read now", retry_after = "1s")]
    Database(rusqlite::Error),
}

impl From<rusqlite::Error> for QueryError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

/// The site whose data the tools show.
const SITE: &str = "yantian-main";

impl Village {
    /// Fills the database if it is new, and opens it for reading.
    ///
    /// # Errors
    /// The file cannot be written or read.
    pub(crate) fn open(file: &Path) -> rusqlite::Result<Self> {
        database::fill(file)?;
        Ok(Self { connection: Mutex::new(database::open_for_reading(file)?) })
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const TEXTS: &str = "
    SELECT id, content_type, title, source, credibility_score, verified, length(body),
           substr(body, 1, min(120, instr(body || char(10), char(10)) - 1))
    FROM contents AS content
    WHERE site_id = ?1 AND status = 'published'
      AND (?2 IS NULL OR content_type = ?2)
      AND (?3 IS NULL OR EXISTS (
          SELECT 1 FROM content_tags AS tag
          WHERE tag.tenant_id = content.tenant_id AND tag.site_id = content.site_id
            AND tag.content_id = content.id AND tag.tag = ?3))
      AND credibility_score >= ?4
    ORDER BY credibility_score DESC, id
    LIMIT ?5";

const TEXT: &str = "
    SELECT title, source, body FROM contents
    WHERE site_id = ?1 AND status = 'published' AND id = ?2";

const ROUTES: &str = "SELECT name, minutes, pois FROM routes WHERE site_id = ?1 ORDER BY position";

/// The texts and routes of a historic village.
#[ai_toolkit]
impl Village {
    /// Lists the texts of the village, the most credible first.
    #[ai_tool(
        effect = "read",
        version = "1.0.0",
        category = "database_query",
        timeout = "5s",
        blocking
    )]
    fn texts(
        &self,
        /// Only texts of this type: `classic`, `family_rule`, `knowledge`, `legend`, `poem`,
        /// `primer`, `prose` or `story`.
        #[arg(length(1..=64))]
        content_type: Option<String>,
        /// Only texts with this tag, such as `village` or `english`.
        #[arg(length(1..=64))]
        tag: Option<String>,
        /// The lowest credibility, from 0 to 1.
        #[arg(default = 0.0, range(0.0..=1.0))]
        min_credibility: f64,
        /// The most texts to list.
        #[arg(default = 100, range(1..=100))]
        limit: u32,
    ) -> Result<Vec<TextRow>, QueryError> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(TEXTS)?;
        let rows = statement
            .query_map(params![SITE, content_type, tag, min_credibility, limit], text_row)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Returns one text as a whole.
    #[ai_tool(
        effect = "read",
        version = "1.0.0",
        category = "database_query",
        timeout = "5s",
        blocking
    )]
    fn text(
        &self,
        /// The text's id.
        #[arg(length(1..=64), example = "qingming-en")]
        id: &str,
    ) -> Result<Text, QueryError> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(TEXT)?;
        let text = statement.query_row(params![SITE, id], |row| {
            Ok(Text { title: row.get(0)?, source: row.get(1)?, body: row.get(2)? })
        });
        text.optional()?.ok_or(QueryError::NoText)
    }

    /// Lists the walks through the village.
    #[ai_tool(
        effect = "read",
        version = "1.0.0",
        category = "database_query",
        timeout = "5s",
        blocking
    )]
    fn routes(&self) -> Result<Vec<Route>, QueryError> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(ROUTES)?;
        let rows = statement.query_map(params![SITE], route)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn text_row(row: &Row<'_>) -> rusqlite::Result<TextRow> {
    Ok(TextRow {
        id: row.get(0)?,
        content_type: row.get(1)?,
        title: row.get(2)?,
        source: row.get(3)?,
        credibility: row.get(4)?,
        verified: row.get(5)?,
        characters: row.get(6)?,
        first_line: row.get(7)?,
    })
}

fn route(row: &Row<'_>) -> rusqlite::Result<Route> {
    let places: String = row.get(2)?;
    let places = serde_json::from_str(&places)
        .map_err(|_| rusqlite::Error::InvalidColumnType(2, "pois".to_owned(), Type::Text))?;
    Ok(Route { name: row.get(0)?, minutes: row.get(1)?, places })
}
