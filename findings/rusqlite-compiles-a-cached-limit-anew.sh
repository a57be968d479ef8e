#!/usr/bin/env bash
# Guess:     rusqlite's `prepare_cached` gives back a compiled statement, so a loop of `… LIMIT ?2` compiles its SQL
#            once, and `LIMIT ?2` costs what `LIMIT 20` costs.
# Behaviour: From SQLite 3.47 on the planner looks at the value of a bound LIMIT, and SQLite compiles the statement
#            anew when that value changes. rusqlite clears the parameters of a statement that goes back to its cache,
#            so that binding the same 20 again is such a change: each use is compiled anew, and the cache saves nothing.
#            A parameter that is compared with the column of a partial index's condition does the same, in earlier
#            versions too. With SQLITE_DBCONFIG_ENABLE_QPSG, which is off by default, neither happens.
# Versions:  rusqlite 0.41.1 with its bundled SQLite 3.54.1; rusqlite 0.32.1 with SQLite 3.46.0 compiled only the last
#            of the three statements anew.
# Output:    SELECT id FROM jobs WHERE worker = ?1 LIMIT 20: compiled anew 0 times of 100, and 0 with the guarantee
#            SELECT id FROM jobs WHERE worker = ?1 LIMIT ?2: compiled anew 100 times of 100, and 0 with the guarantee
#            SELECT id FROM jobs WHERE state = ?1: compiled anew 100 times of 100, and 0 with the guarantee
# Seen on:   2026-11-30
#
# Cure: `connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "cached"
version = "0.0.0"
edition = "2021"

[dependencies]
rusqlite = { version = "=0.41.1", features = ["bundled"] }

[workspace]
TOML
cat >src/main.rs <<'RUST'
use rusqlite::config::DbConfig;
use rusqlite::{params_from_iter, Connection, StatementStatus};

const USES: i32 = 100;

/// Uses a statement with the same values each time.
fn times_compiled_anew(sql: &str, guarantee: bool) -> rusqlite::Result<i32> {
    let connection = Connection::open_in_memory()?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, guarantee)?;
    connection.execute_batch(
        "CREATE TABLE jobs (id INTEGER PRIMARY KEY, worker TEXT, state INTEGER);
         CREATE INDEX waiting ON jobs (worker) WHERE state = 1;",
    )?;
    let mut compiled_anew = 0;
    for _ in 0..USES {
        let mut statement = connection.prepare_cached(sql)?;
        let values = [10_i64, 20].into_iter().take(statement.parameter_count());
        let mut rows = statement.query(params_from_iter(values))?;
        while rows.next()?.is_some() {}
        drop(rows);
        compiled_anew = statement.get_status(StatementStatus::RePrepare);
    }
    Ok(compiled_anew)
}

fn main() -> rusqlite::Result<()> {
    println!("SQLite {}", rusqlite::version());
    let statements = [
        ("SELECT id FROM jobs WHERE worker = ?1 LIMIT 20", 0),
        ("SELECT id FROM jobs WHERE worker = ?1 LIMIT ?2", USES),
        ("SELECT id FROM jobs WHERE state = ?1", USES),
    ];
    let mut is_as_seen = true;
    for (sql, expected) in statements {
        let (default, stable) = (times_compiled_anew(sql, false)?, times_compiled_anew(sql, true)?);
        println!("{sql}: compiled anew {default} times of {USES}, and {stable} with the guarantee");
        is_as_seen &= default == expected && stable == 0;
    }
    assert!(is_as_seen, "the behaviour has changed");
    Ok(())
}
RUST
cargo run --quiet
