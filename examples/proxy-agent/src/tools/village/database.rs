//! The database's file: the tables and the data of the heritage server, the next example.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior, params};
use serde::Deserialize;
use serde_json::{Value, from_str};

const TABLES: &str = include_str!("../../../../heritage-server/migrations/V1__tables.sql");
const SITES: &str = include_str!("../../../../heritage-server/data/village.json");
const CLASSICS: &str = include_str!("../../../../heritage-server/data/classics.jsonl");
const ENGLISH: &str = include_str!("../../../../heritage-server/data/english.jsonl");

/// The tenant of every row; this program has one.
const TENANT: &str = "00000000-0000-0000-0000-000000000000";

/// The longest wait for another process that fills the database.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
struct Sites {
    sites: Vec<SiteSeed>,
}

#[derive(Deserialize)]
struct SiteSeed {
    site_id: String,
    name: String,
    pois: Vec<PoiSeed>,
    routes: Vec<RouteSeed>,
}

#[derive(Deserialize)]
struct PoiSeed {
    id: String,
    name: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct RouteSeed {
    id: String,
    name: String,
    minutes: u32,
    pois: Value,
}

#[derive(Deserialize)]
struct ContentSeed {
    id: String,
    site_id: String,
    content_type: String,
    title: String,
    body: String,
    tags: Vec<String>,
    domains: Value,
    source: String,
    credibility_score: f64,
    verified: bool,
}

/// Creates and fills the tables of a new file, all at once; a filled one is left as it is.
pub(super) fn fill(file: &Path) -> rusqlite::Result<()> {
    let mut connection = Connection::open(file)?;
    connection.busy_timeout(PATIENCE)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if transaction.table_exists(None, "sites")? {
        return Ok(());
    }
    transaction.execute_batch(TABLES)?;
    let sites: Sites = from_str(SITES).map_err(unreadable)?;
    for site in &sites.sites {
        insert_site(&transaction, site)?;
    }
    for line in CLASSICS.lines().chain(ENGLISH.lines()) {
        insert_content(&transaction, &from_str(line).map_err(unreadable)?)?;
    }
    transaction.commit()
}

/// Opens a file so that no statement can change it.
pub(super) fn open_for_reading(file: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(file, flags)
}

fn insert_site(transaction: &Transaction<'_>, site: &SiteSeed) -> rusqlite::Result<()> {
    let SiteSeed { site_id, name, pois, routes } = site;
    let sql = "INSERT INTO sites (tenant_id, site_id, name) VALUES (?1, ?2, ?3)";
    transaction.execute(sql, params![TENANT, site_id, name])?;
    let sql = "INSERT INTO pois (tenant_id, site_id, id, position, name, type)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    for (position, poi) in (0_u32..).zip(pois) {
        transaction.execute(sql, params![TENANT, site_id, poi.id, position, poi.name, poi.kind])?;
    }
    let sql = "INSERT INTO routes (tenant_id, site_id, id, position, name, minutes, pois)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    for (position, route) in (0_u32..).zip(routes) {
        let RouteSeed { id, name, minutes, pois } = route;
        let pois = pois.to_string();
        transaction.execute(sql, params![TENANT, site_id, id, position, name, minutes, pois])?;
    }
    Ok(())
}

fn insert_content(transaction: &Transaction<'_>, content: &ContentSeed) -> rusqlite::Result<()> {
    let sql = "INSERT INTO contents (tenant_id, site_id, id, content_type, status, title, body,
                   domains, source, credibility_score, verified, created_at)
               VALUES (?1, ?2, ?3, ?4, 'published', ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    let domains = content.domains.to_string();
    let ContentSeed { id, site_id, content_type, title, body, source, .. } = content;
    let (credibility, verified) = (content.credibility_score, content.verified);
    let made_at = "2026-11-22T00:00:00Z";
    transaction.execute(
        sql,
        params![
            TENANT,
            site_id,
            id,
            content_type,
            title,
            body,
            domains,
            source,
            credibility,
            verified,
            made_at
        ],
    )?;
    let sql = "INSERT INTO content_tags (tenant_id, site_id, content_id, tag)
               VALUES (?1, ?2, ?3, ?4)";
    for tag in &content.tags {
        transaction.execute(sql, params![TENANT, site_id, id, tag])?;
    }
    Ok(())
}

/// A shipped file that cannot be read is an error like a damaged database.
fn unreadable(error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(error.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DataFolder;

    #[test]
    fn the_connection_of_the_tools_writes_nothing() {
        let folder = DataFolder::temporary().expect("a folder");
        let file = folder.village();
        fill(&file).expect("a new file");
        fill(&file).expect("a filled file");
        let connection = open_for_reading(&file).expect("it opens");
        let count = || {
            let sql = "SELECT count(*) FROM contents";
            connection.query_row(sql, [], |row| row.get::<_, u32>(0)).expect("a count")
        };
        assert_eq!(count(), 62);
        for sql in ["DELETE FROM contents", "DROP TABLE sites", "CREATE TABLE t (x)"] {
            assert!(connection.execute(sql, []).is_err(), "{sql}");
        }
        assert_eq!(count(), 62);
    }
}
