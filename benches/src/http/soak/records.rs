//! Compares the ledger with the tools' own log of calls.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use tool_runtime::ledger::{
    JsonLinesLedger, LedgerStore, Record, RecordedCall, RecordedOrigin, verify,
};

use super::server::{LEDGER, TRAIL, keys};
use crate::rates::text;

/// The number of entries that are read at once.
const PAGE: usize = 1_024;

/// The combined counts of the ledger and the tools' log.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    /// Calls that reached a tool.
    pub(super) reached: u64,
    /// Records of calls, including those that reached no tool.
    pub(super) records: u64,
    /// Calls that reached a tool and do not have exactly one record.
    pub(super) unrecorded: u64,
    /// Records of calls that ran but did not reach a tool.
    pub(super) invented: u64,
    /// Keys under which a write had its effect twice.
    pub(super) doubled: u64,
}

/// The state of one request, by its number.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    reached: bool,
    records: u8,
    ran: bool,
}

/// Verifies the ledger, and compares it with the tools' log.
///
/// # Errors
/// A file cannot be read, or the ledger was changed.
pub(super) fn accounts(folder: &Path) -> Result<Accounts, String> {
    let mut store = JsonLinesLedger::read_only(folder.join(LEDGER)).map_err(text)?;
    verify(&mut store, &keys()?, &[]).map_err(|error| format!("the ledger: {error}"))?;
    let mut accounts = Accounts::default();
    let mut known = Vec::new();
    accounts.follow(&folder.join(TRAIL), &mut known)?;
    accounts.read(&mut store, &mut known)?;
    for known in &known {
        accounts.unrecorded += u64::from(known.reached && !(known.ran && known.records == 1));
        accounts.invented += u64::from(known.ran && !known.reached);
    }
    Ok(accounts)
}

impl Accounts {
    pub(super) fn agree(&self) -> bool {
        self.unrecorded == 0 && self.invented == 0 && self.doubled == 0 && self.reached > 0
    }

    fn follow(&mut self, trail: &Path, known: &mut Vec<Known>) -> Result<(), String> {
        let mut effects = HashSet::new();
        for line in BufReader::new(File::open(trail).map_err(text)?).lines() {
            let line = line.map_err(text)?;
            match line.split_once(' ') {
                Some(("call", trace)) => {
                    let Some(it) = of(known, trace) else { continue };
                    // A call that is retried reaches its tool again.
                    self.reached += u64::from(!it.reached);
                    it.reached = true;
                }
                Some(("effect", key)) => self.doubled += u64::from(!effects.insert(key.to_owned())),
                _ => return Err(format!("the trail has the line `{line}`")),
            }
        }
        Ok(())
    }

    fn read(&mut self, store: &mut JsonLinesLedger, known: &mut Vec<Known>) -> Result<(), String> {
        let mut from = 0;
        loop {
            let entries = store.read(from, PAGE).map_err(text)?;
            let Some(last) = entries.last() else { return Ok(()) };
            from = last.seq() + 1;
            for body in entries.iter().filter_map(|entry| entry.body()) {
                let record = Record::read(body).map_err(text)?;
                let Some(call) = record.as_call() else { continue };
                self.records += 1;
                if let Some(it) = of(known, &call.trace_id) {
                    it.records = it.records.saturating_add(1);
                    it.ran |= has_run(call);
                }
            }
        }
    }
}

fn has_run(call: &RecordedCall) -> bool {
    call.attempts > 0 && call.origin == RecordedOrigin::Call
}

/// Returns the state of the request with this trace, `soak-NUMBER`.
fn of<'k>(known: &'k mut Vec<Known>, trace: &str) -> Option<&'k mut Known> {
    let number: usize = trace.strip_prefix("soak-")?.parse().ok()?;
    if known.len() <= number {
        known.resize(number + 1, Known::default());
    }
    known.get_mut(number)
}
