//! Full-text search: BM25 on SQLite, `ts_rank` on PostgreSQL, over the same words.

use super::{Content, Guide, Place, Status, at};
use crate::store::{Engine, Row, StoreError, Value};
use crate::words::Query;

/// The parameters of a search.
#[derive(Debug, Clone)]
pub(crate) struct Question<'q> {
    pub(crate) words: &'q str,
    pub(crate) content_type: Option<&'q str>,
    /// The tags that a result must have, all of them.
    pub(crate) tags: &'q [String],
    pub(crate) status: Status,
    pub(crate) limit: i64,
}

/// The results of a search, best first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    pub(crate) items: Vec<Content>,
    /// The total number of results, returned or not.
    pub(crate) total: i64,
}

/// Values in the order in which a statement names them.
struct Values(Vec<Value>);

impl Guide {
    /// Finds the contents of a site that contain a word of the question.
    pub(crate) async fn search(
        &self,
        place: &Place,
        question: &Question<'_>,
    ) -> Result<Found, StoreError> {
        let query = self.words.query(question.words);
        if query.is_empty() {
            return Ok(Found { items: Vec::new(), total: 0 });
        }
        let mut values = Values(Vec::new());
        let matching = matching(self.store.engine(), &query, &mut values);
        let filters = filters(question, &mut values);
        let limit = values.name(question.limit);
        let sql = format!(
            "WITH matching AS MATERIALIZED ({matching}),
                  found AS MATERIALIZED (
                      SELECT contents.id, content_type, title, body, credibility_score, verified,
                             matching.score
                      FROM matching JOIN contents ON contents.id = matching.content_id
                      WHERE contents.tenant_id = $1 AND contents.site_id = $2 {filters})
             SELECT id, content_type, title, body, credibility_score, verified,
                    (SELECT count(*) FROM found)
             FROM found ORDER BY score DESC, credibility_score DESC, id LIMIT {limit}"
        );
        let rows = self.store.rows(at(place, sql, values.0)).await?;
        let total = rows.first().map_or(Ok(0), |row| row.number(6))?;
        let items = rows.iter().map(content).collect::<Result<_, _>>()?;
        Ok(Found { items, total })
    }
}

impl Values {
    /// Adds a value, and returns its placeholder; the first two are the tenant and the site.
    fn name(&mut self, value: impl Into<Value>) -> String {
        self.0.push(value.into());
        format!("${}", self.0.len() + 2)
    }
}

/// Returns the condition that a content has a word of the question, and the expression of its
/// rank.
fn matching(engine: Engine, query: &Query, values: &mut Values) -> String {
    match engine {
        // One weight per column, including those that are not indexed: titles weigh most, and
        // single characters least.
        Engine::Sqlite => {
            let query = values.name(query.for_sqlite());
            format!(
                "SELECT content_id, -bm25(content_words, 0, 0, 0, 20, 1, 0.5) AS score
                 FROM content_words
                 WHERE content_words MATCH {query} AND tenant_id = $1 AND site_id = $2"
            )
        }
        // The last argument divides by the logarithm of the length, similar to BM25.
        Engine::Postgres => {
            let (words, characters) = query.for_postgres();
            let (words, characters) = (values.name(words), values.name(characters));
            format!(
                "SELECT content_id,
                        ts_rank('{{0.25, 0.25, 0.25, 1}}', words, {words}::text::tsquery, 1)
                        + 0.1 * ts_rank(characters, {characters}::text::tsquery, 1) AS score
                 FROM content_words
                 WHERE tenant_id = $1 AND site_id = $2
                   AND (words @@ {words}::text::tsquery
                        OR characters @@ {characters}::text::tsquery)"
            )
        }
    }
}

fn filters(question: &Question<'_>, values: &mut Values) -> String {
    let mut filters =
        vec![format!("AND contents.status = {}", values.name(question.status.as_str()))];
    if let Some(content_type) = question.content_type {
        filters.push(format!("AND contents.content_type = {}", values.name(content_type)));
    }
    filters.extend(question.tags.iter().map(|tag| {
        let tag = values.name(tag.as_str());
        format!(
            "AND EXISTS (SELECT 1 FROM content_tags AS tagged
                         WHERE tagged.tenant_id = $1 AND tagged.site_id = $2
                           AND tagged.content_id = contents.id AND tagged.tag = {tag})"
        )
    }));
    filters.join(" ")
}

fn content(row: &Row) -> Result<Content, StoreError> {
    Ok(Content {
        id: row.text(0)?,
        content_type: row.text(1)?,
        title: row.text(2)?,
        body: row.text(3)?,
        credibility_score: row.real(4)?,
        verified: row.flag(5)?,
    })
}
