//! The migrations: the tables are shared, the search's tables and indexes differ.

use refinery::{Migration, Runner};

use super::Engine;

/// Returns the runner of an engine's migrations.
pub(super) fn runner(engine: Engine) -> Result<Runner, refinery::Error> {
    let search = match engine {
        Engine::Sqlite => include_str!("../../migrations/sqlite/V2__search.sql"),
        Engine::Postgres => include_str!("../../migrations/postgres/V2__search.sql"),
    };
    let tables = include_str!("../../migrations/V1__tables.sql");
    Ok(Runner::new(&[
        Migration::unapplied("V1__tables", tables)?,
        Migration::unapplied("V2__search", search)?,
    ]))
}
