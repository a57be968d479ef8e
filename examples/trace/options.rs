//! The command line.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;

/// The options of the command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The file with the records of calls.
    pub(crate) ledger: PathBuf,
    /// The shop's database, if it had one besides the ledger.
    pub(crate) db: Option<PathBuf>,
    /// The trace to show; all traces if absent.
    pub(crate) trace: Option<String>,
    pub(crate) verify: bool,
    /// Files of exported checkpoints.
    pub(crate) checkpoints: Vec<PathBuf>,
    /// The file for an exported checkpoint.
    pub(crate) export: Option<PathBuf>,
    pub(crate) replay: bool,
    /// The reader of a replay.
    pub(crate) by: Option<String>,
    /// The reason for the replay.
    pub(crate) reason: Option<String>,
}

/// The traces to show.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Help,
    Look(Options),
}

/// The command line is invalid.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Misuse(String);

pub(crate) const HELP: &str = "\
Looks back at what the storefront did.

usage: trace --ledger FILE [--db FILE] [--trace ID] [--replay [--by NAME] [--reason TEXT]]
       trace --ledger FILE --verify [--checkpoint FILE]...
       trace --ledger FILE --export-checkpoint FILE

  --ledger FILE             what the storefront wrote with --ledger, or with --db
  --db FILE                 the shop's database, where the ledger is a file of its own
  --trace ID                one request's calls; without it, those of all
  --replay                  runs the reads again, and says which would answer something else today;
                            a write is never run
  --by NAME, --reason TEXT  who replays, and why: both are written into the ledger
  --verify                  tells whether the ledger is as it was written
  --checkpoint FILE         and whether it is the one, and all of it, that this was exported from
  --export-checkpoint FILE  signs the ledger as it stands; keep the file where it cannot be changed

The key is in the file that the storefront made (shop.key beside shop.db or shop.jsonl), or in
STOREFRONT_KEY as 64 hexadecimal digits.

It ends with 0 if all is as it should be, with 1 if something has drifted, or the ledger is not as
it was written, and with 2 if it cannot tell.
";

impl Options {
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Result<Wanted, Misuse> {
        let (mut options, mut ledger) = (Self::default(), None);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| Misuse(format!("{word} needs a value")));
            match word.as_str() {
                "--help" | "-h" => return Ok(Wanted::Help),
                "--ledger" => ledger = Some(value()?),
                "--db" => options.db = Some(value()?.into()),
                "--trace" => options.trace = Some(value()?),
                "--verify" => options.verify = true,
                "--checkpoint" => options.checkpoints.push(value()?.into()),
                "--export-checkpoint" => options.export = Some(value()?.into()),
                "--replay" => options.replay = true,
                "--by" => options.by = Some(value()?),
                "--reason" => options.reason = Some(value()?),
                _ => return Err(Misuse(format!("{word} is no option"))),
            }
        }
        options.ledger = ledger.ok_or_else(|| Misuse("--ledger is missing".to_owned()))?.into();
        options.checked().map(Wanted::Look)
    }

    fn checked(self) -> Result<Self, Misuse> {
        let of_replays = self.by.is_some() || self.reason.is_some();
        if of_replays && !self.replay {
            return Err(Misuse("--by and --reason are for --replay".to_owned()));
        }
        if !self.checkpoints.is_empty() && !self.verify {
            return Err(Misuse("--checkpoint is for --verify".to_owned()));
        }
        Ok(self)
    }

    /// Returns whether calls are printed, rather than only the ledger as a whole inspected.
    pub(crate) fn shows_traces(&self) -> bool {
        self.trace.is_some() || self.replay || !(self.verify || self.export.is_some())
    }
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; see trace --help", self.0)
    }
}

impl Error for Misuse {}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Wanted, Misuse> {
        Options::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn a_command_line_that_makes_no_sense_is_refused_by_the_word() {
        let wrong = [
            ("", "--ledger is missing"),
            ("--ledger", "--ledger needs a value"),
            ("--ledger l --trace", "--trace needs a value"),
            ("--ledger l --replays", "--replays is no option"),
            ("--ledger l --by me", "--by and --reason are for --replay"),
            ("--ledger l --checkpoint c", "--checkpoint is for --verify"),
        ];
        for (line, expected) in wrong {
            assert_eq!(read(line), Err(Misuse(expected.to_owned())), "{line}");
        }
    }

    #[test]
    fn traces_are_shown_unless_the_ledger_alone_is_asked_about() {
        let lines = [
            ("--ledger l", true),
            ("--ledger l --verify", false),
            ("--ledger l --verify --trace t", true),
            ("--ledger l --export-checkpoint c", false),
            ("--ledger l --verify --replay", true),
        ];
        for (line, expected) in lines {
            let Ok(Wanted::Look(options)) = read(line) else { panic!("{line}") };
            assert_eq!(options.shows_traces(), expected, "{line}");
        }
    }
}
