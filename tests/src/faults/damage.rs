//! A store whose file changes between two processes: single bytes, or one value of a row.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::types::Value;

use super::log::Downstream;
use super::shop::WriteTool;
use super::tally::Tally;
use super::writes::{Writes, side_by_side};
use super::{CampaignError, Orders, Program};
use crate::dice::Dice;

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
/// A process cannot be started, or fails by itself before the damage.
pub fn run(program: &Program, damages: u32, at_once: u32) -> Result<Tally, CampaignError> {
    side_by_side(at_once, damages, |number| {
        let mut dice = Dice::new(u64::from(number) + 1);
        let mut tally = Tally { damages: 1, ..Tally::default() };
        let mut writes = Writes::new(program, WriteTool::Plain, Downstream::Naive, LEASE)?;
        let orders = writes.orders((0..KEYS).map(|key| format!("{key}")).collect());
        let status = writes.start(&orders)?.end(|line| writes.hear(line))?;
        if !status.success() {
            return Err(format!("a child before the damage: {status}").into());
        }
        let file = writes.folder.0.join("tools.db");
        if number % 2 == 0 {
            bytes(&file, &mut dice)?;
        } else {
            value(&file, &mut dice)?;
        }
        let mut repeat = writes.start(&Orders { patient: false, ..orders })?;
        let status = repeat.end(|line| writes.hear(line))?;
        tally.not_opened += u32::from(!status.success());
        writes.count_after_damage(&mut tally)?;
        Ok(tally)
    })
}

/// Changes one to three bytes anywhere in the file.
fn bytes(file: &Path, dice: &mut Dice) -> Result<(), CampaignError> {
    let mut content = fs::read(file)?;
    for _ in 0..=dice.below(BYTES) {
        let place = dice.index(content.len());
        content[place] ^= 1 << dice.below(8);
    }
    Ok(fs::write(file, content)?)
}

/// Changes one value of one row of the table that keeps keys and answers.
fn value(file: &Path, dice: &mut Dice) -> Result<(), CampaignError> {
    let database = Connection::open(file)?;
    // A damaged disk does not respect the table's constraints.
    database.pragma_update(None, "ignore_check_constraints", true)?;
    let (columns, mut row): (Vec<String>, Vec<Value>) = {
        let mut rows = database.prepare("SELECT * FROM keys ORDER BY fence LIMIT 1 OFFSET ?")?;
        let columns: Vec<_> = rows.column_names().map(str::to_owned).collect();
        let count = columns.len();
        let row = rows.query_row([u32::try_from(dice.below(u64::from(KEYS)))?], |row| {
            (0..count).map(|column| row.get(column)).collect()
        })?;
        (columns, row)
    };
    let fence = row[columns.iter().position(|name| name == "fence").ok_or("no fence")?].clone();
    for _ in 0..32 {
        let column = dice.index(columns.len());
        row[column] = changed(&row[column], dice);
        let sql = format!("UPDATE keys SET \"{}\" = ?1 WHERE fence = ?2", columns[column]);
        // A value that the column's type rejects is no damage; another one is tried.
        if database.execute(&sql, (&row[column], &fence)).is_ok() {
            return Ok(());
        }
    }
    Err("no value could be changed".into())
}

fn changed(value: &Value, dice: &mut Dice) -> Value {
    let flip = |bytes: &[u8], dice: &mut Dice| {
        let mut bytes = bytes.to_vec();
        if bytes.is_empty() {
            return vec![0xff];
        }
        let place = dice.index(bytes.len());
        bytes[place] ^= 1 << dice.below(8);
        bytes
    };
    match value {
        Value::Null => Value::Integer(1),
        Value::Integer(number) => Value::Integer(number ^ (1 << dice.below(40))),
        Value::Real(number) => Value::Real(number + 1.0),
        Value::Blob(bytes) => Value::Blob(flip(bytes, dice)),
        Value::Text(text) => {
            let bytes = flip(text.as_bytes(), dice);
            String::from_utf8(bytes).map_or_else(|_| Value::Text("x".to_owned()), Value::Text)
        }
    }
}
