//! The command line.

use std::env;
use std::path::PathBuf;

/// How the program is run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Nobody is asked: an approver named demo says yes.
    pub(crate) yes: bool,
    /// Nothing is ordered.
    pub(crate) dry_run: bool,
    /// Nobody decides in this process.
    pub(crate) defer: bool,
    /// The database that is kept.
    pub(crate) db: Option<PathBuf>,
    /// The file in which calls are recorded.
    pub(crate) ledger: Option<PathBuf>,
    /// The file of a ticket that somebody decides about.
    pub(crate) resume: Option<String>,
    /// Who approves it.
    pub(crate) approve: Option<String>,
}

pub(crate) const USAGE: &str = "\
usage: storefront [--yes | --dry-run] [--db FILE] [--ledger FILE]
       storefront --defer --db FILE [--ledger FILE]
       storefront --resume TICKET_FILE [--approve NAME] --db FILE [--ledger FILE]";

impl Options {
    /// Reads the program's own; none if they make no sense.
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

    /// A ticket waits in a database that is kept, and a name is for a ticket.
    fn makes_sense(&self) -> bool {
        let waits = self.defer || self.resume.is_some();
        let plays = self.yes || self.dry_run;
        (!waits || self.db.is_some() && !plays)
            && !(self.defer && self.resume.is_some())
            && (self.approve.is_none() || self.resume.is_some())
    }
}
