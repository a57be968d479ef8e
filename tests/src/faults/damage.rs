//! A store whose file changes between two processes: single bytes, or one value of a row.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::types::Value;

use super::counts::FaultCounts;
use super::log::Downstream;
use super::shop::WriteTool;
use super::writes::{Writes, run_parallel};
use super::{CampaignError, ChildTask, Program};
use crate::rng::SeededRng;

/// The number of keys that are written before the damage.
const KEYS: u32 = 4;
/// The most bytes that change at once.
const BYTES: u64 = 3;
const LEASE: Duration = Duration::from_millis(250);

/// Damages this many stores, one fault each, and repeats their writes.
///
/// No write may run again, and no answer may differ from the effect: a repeat gets its own answer
/// or an error, and a file that is no longer a database is not opened.
///
/// # Errors
/// A process cannot be started, or a child fails before the damage.
pub fn run(program: &Program, damages: u32, at_once: u32) -> Result<FaultCounts, CampaignError> {
    run_parallel(at_once, damages, |number| {
        let mut rng = SeededRng::new(u64::from(number) + 1);
        let mut counts = FaultCounts { damages: 1, ..FaultCounts::default() };
        let mut writes = Writes::new(program, WriteTool::Plain, Downstream::Naive, LEASE)?;
        let task = writes.task((0..KEYS).map(|key| format!("{key}")).collect());
        // On a busy machine the store may refuse a write before it has a row: it is repeated, since
        // the damage needs a row for each key.
        let task = ChildTask { patient: true, ..task };
        let status = writes.start(&task)?.end(|line| writes.read_line(line))?;
        if !status.success() {
            return Err(format!("a child before the damage: {status}").into());
        }
        if let Some(key) = writes.open.first() {
            return Err(format!("no answer for the key {key} before the damage").into());
        }
        let file = writes.folder.0.join("tools.db");
        if number % 2 == 0 {
            bytes(&file, &mut rng)?;
        } else {
            value(&file, &mut rng)?;
        }
        let mut repeat = writes.start(&ChildTask { patient: false, ..task })?;
        let status = repeat.end(|line| writes.read_line(line))?;
        counts.not_opened += u32::from(!status.success());
        writes.count_after_damage(&mut counts)?;
        Ok(counts)
    })
}

/// Changes one to three bytes anywhere in the file.
fn bytes(file: &Path, rng: &mut SeededRng) -> Result<(), CampaignError> {
    let mut content = fs::read(file)?;
    for _ in 0..=rng.below(BYTES) {
        let place = rng.index(content.len());
        content[place] ^= 1 << rng.below(8);
    }
    Ok(fs::write(file, content)?)
}

/// Changes one value of one row in the table of keys and answers.
fn value(file: &Path, rng: &mut SeededRng) -> Result<(), CampaignError> {
    let database = Connection::open(file)?;
    // A damaged disk does not respect the table's constraints.
    database.pragma_update(None, "ignore_check_constraints", true)?;
    let (columns, mut row): (Vec<String>, Vec<Value>) = {
        let mut rows = database.prepare("SELECT * FROM keys ORDER BY fence LIMIT 1 OFFSET ?")?;
        let columns: Vec<_> = rows.column_names().map(str::to_owned).collect();
        let count = columns.len();
        let row = rows.query_row([u32::try_from(rng.below(u64::from(KEYS)))?], |row| {
            (0..count).map(|column| row.get(column)).collect()
        })?;
        (columns, row)
    };
    let fence = row[columns.iter().position(|name| name == "fence").ok_or("no fence")?].clone();
    for _ in 0..32 {
        let column = rng.index(columns.len());
        row[column] = changed(&row[column], rng);
        let sql = format!("UPDATE keys SET \"{}\" = ?1 WHERE fence = ?2", columns[column]);
        // A value that the column's type rejects is no damage; another one is tried.
        if database.execute(&sql, (&row[column], &fence)).is_ok() {
            return Ok(());
        }
    }
    Err("no value could be changed".into())
}

fn changed(value: &Value, rng: &mut SeededRng) -> Value {
    let flip = |bytes: &[u8], rng: &mut SeededRng| {
        let mut bytes = bytes.to_vec();
        if bytes.is_empty() {
            return vec![0xff];
        }
        let place = rng.index(bytes.len());
        bytes[place] ^= 1 << rng.below(8);
        bytes
    };
    match value {
        Value::Null => Value::Integer(1),
        Value::Integer(number) => Value::Integer(number ^ (1 << rng.below(40))),
        Value::Real(number) => Value::Real(number + 1.0),
        Value::Blob(bytes) => Value::Blob(flip(bytes, rng)),
        Value::Text(text) => {
            let bytes = flip(text.as_bytes(), rng);
            String::from_utf8(bytes).map_or_else(|_| Value::Text("x".to_owned()), Value::Text)
        }
    }
}
