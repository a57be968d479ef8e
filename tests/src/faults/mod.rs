//! Keyed writes in processes that are killed: nothing runs twice, and no success is lost.
//!
//! A child process executes keyed writes through the whole runtime, on a store in a file, against a
//! log of effects outside of it. It is killed at one of its [`Point`]s, or at any time, and later
//! ones repeat its keys. In the end the log and the answers are held against each other.

mod child;
mod log;
mod point;
mod series;
mod shop;
mod store;
mod tally;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use self::child::{ORDERS, Report, play};
pub use self::log::{Effect, EffectLog};
pub use self::point::{Point, Trap, TrapKind};
pub use self::series::{Plan, run};
pub use self::tally::Tally;

/// How long a key is held without a sign of life, unless said.
const LEASE: Duration = Duration::from_millis(250);

/// What a child process does.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Orders {
    /// Where the store and the log of effects are.
    pub folder: PathBuf,
    /// The keys to write under, all at once.
    pub keys: Vec<String>,
    /// Whether its tool can find out what became of an earlier run.
    pub reconciles: bool,
    /// Whether the log refuses those who were taken over.
    pub keeps_fences: bool,
    /// Whether it repeats a call that is still running elsewhere, until it is answered.
    pub patient: bool,
    /// How long it holds a key without a sign of life.
    pub lease: Duration,
    /// Where it is killed or stopped, if anywhere.
    pub trap: Option<Trap>,
}

impl Orders {
    /// Starts with orders to write once under each key.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>, keys: Vec<String>) -> Self {
        Self {
            folder: folder.into(),
            keys,
            reconciles: true,
            keeps_fences: true,
            patient: false,
            lease: LEASE,
            trap: None,
        }
    }
}

/// How this program is started again as a child: it has to call [`play`] then.
#[derive(Debug, Clone)]
pub struct Program {
    path: PathBuf,
    arguments: Vec<OsString>,
}

impl Program {
    /// Names this very program, and the arguments that lead to [`play`].
    ///
    /// # Errors
    /// The system does not say where the program is.
    pub fn this(arguments: &[&str]) -> std::io::Result<Self> {
        let arguments = arguments.iter().map(OsString::from).collect();
        Ok(Self { path: std::env::current_exe()?, arguments })
    }

    /// Makes the command that starts a child with these orders; its input and its reports
    /// are piped.
    ///
    /// # Errors
    /// The orders cannot be written as JSON.
    pub fn child(&self, orders: &Orders) -> serde_json::Result<Command> {
        let mut command = Command::new(&self.path);
        command
            .args(&self.arguments)
            .env(ORDERS, serde_json::to_string(orders)?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        Ok(command)
    }
}
