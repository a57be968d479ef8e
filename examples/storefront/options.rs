//! The command line.

use std::env;
use std::path::PathBuf;

/// The options of the program.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Uses an approver named demo instead of a person.
    pub(crate) yes: bool,
    /// True if nothing is ordered.
    pub(crate) dry_run: bool,
    /// Defers the decision to another process.
    pub(crate) defer: bool,
    /// The database file to keep.
    pub(crate) db: Option<PathBuf>,
    /// The file for the records of calls.
    pub(crate) ledger: Option<PathBuf>,
    /// The file of a ticket to decide about.
    pub(crate) resume: Option<String>,
    /// The approver's name.
    pub(crate) approve: Option<String>,
}

pub(crate) const USAGE: &str = "\
usage: storefront [--yes | --dry-run] [--db FILE] [--ledger FILE]
       storefront --defer --db FILE [--ledger FILE]
       storefront --resume TICKET_FILE [--approve NAME] --db FILE [--ledger FILE]";

impl Options {
    /// Reads the program's own options; `None` if they are invalid.
    pub(crate) fn from_env() -> Option<Self> {
        Self::read(env::args().skip(1))
    }

    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Option<Self> {
        let mut options = Self::default();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--yes" => options.yes = true,
                "--dry-run" => options.dry_run = true,
                "--defer" => options.defer = true,
                "--db" => options.db = Some(words.next()?.into()),
                "--ledger" => options.ledger = Some(words.next()?.into()),
                "--resume" => options.resume = Some(words.next()?),
                "--approve" => options.approve = Some(words.next()?),
                _ => return None,
            }
        }
        options.makes_sense().then_some(options)
    }

    /// Checks that a ticket has a database, and a name has a ticket.
    fn makes_sense(&self) -> bool {
        let waits = self.defer || self.resume.is_some();
        let plays = self.yes || self.dry_run;
        (!waits || self.db.is_some() && !plays)
            && !(self.defer && self.resume.is_some())
            && (self.approve.is_none() || self.resume.is_some())
    }
}
