//! A fault campaign of keyed writes: no write runs twice, and no success is lost.
//!
//! A child process executes keyed writes through the whole runtime, on a store in a file or on a PostgreSQL
//! server, against an external log of effects. A fault hits it, later children repeat its keys, and at the end the
//! log and the answers are compared.
//!
//! | fault | module |
//! | --- | --- |
//! | the process is killed at one of its [`Point`]s, or at any time | [`kills`] |
//! | the process is suspended for longer than its lease, and continues | [`zombies`] |
//! | the wall clock is set forward and back | [`clock_steps`] |
//! | each of them, while tools pay under budgets | [`budgets`] |
//! | bytes of the store's file change between two processes | [`damage`] |
//! | the ledger's file is replaced by an older copy, or removed | [`rollbacks`] |

pub mod budgets;
mod child;
pub mod clock_steps;
mod counts;
pub mod damage;
pub mod kills;
mod ledgers;
mod log;
mod point;
mod process;
pub mod rollbacks;
mod shop;
mod store;
mod writes;
pub mod zombies;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use self::budgets::Limits;
pub use self::child::{Report, TASK_VARIABLE, play};
pub use self::counts::FaultCounts;
pub use self::log::{Downstream, Effect, EffectLog};
pub use self::point::{Point, Trap, TrapKind};
pub use self::shop::WriteTool;

/// An error of the campaign itself: a process that cannot be started, or a child that fails.
pub type CampaignError = Box<dyn std::error::Error + Send + Sync>;

/// The default lease of a key.
const LEASE: Duration = Duration::from_millis(250);

/// The task of a child process.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChildTask {
    /// The folder of the store and the log of effects.
    pub folder: PathBuf,
    /// The keys to write, concurrently.
    pub keys: Vec<String>,
    /// The tool that the child writes with.
    pub tool: WriteTool,
    /// The repeats that the log rejects.
    pub downstream: Downstream,
    /// True if the child repeats a call that is running elsewhere until the repeat is answered.
    pub patient: bool,
    /// The lease of its keys.
    pub lease: Duration,
    /// The limits under which its tools pay.
    pub limits: Limits,
    /// The point at which it is killed or suspended, if any.
    pub trap: Option<Trap>,
    /// Steps of the wall clock after its first writes, each with the following writes.
    pub clock_steps: Vec<ClockStep>,
}

/// A step of the wall clock, and the writes that follow it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockStep {
    /// The wall clock's offset from true time afterwards, in seconds.
    pub offset: i64,
    /// The keys to write, concurrently.
    pub keys: Vec<String>,
}

impl ChildTask {
    /// Makes a task that writes once under each key.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>, keys: Vec<String>) -> Self {
        Self {
            folder: folder.into(),
            keys,
            tool: WriteTool::Reconciling,
            downstream: Downstream::Fences,
            patient: false,
            lease: LEASE,
            limits: Limits::SMALL,
            trap: None,
            clock_steps: Vec::new(),
        }
    }
}

/// The command that starts this program as a child; the program has to call [`play`].
#[derive(Debug, Clone)]
pub struct Program {
    path: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
}

impl Program {
    /// Returns this program with the arguments that lead to [`play`].
    ///
    /// # Errors
    /// The system does not report the program's path.
    pub fn this(arguments: &[&str]) -> std::io::Result<Self> {
        let arguments = arguments.iter().map(OsString::from).collect();
        let (path, environment) = (std::env::current_exe()?, Vec::new());
        Ok(Self { path, arguments, environment })
    }

    /// Puts the children's stores on a PostgreSQL server, in a schema for each series.
    #[must_use]
    pub fn with_postgres(mut self, url: &str) -> Self {
        self.environment.push((child::POSTGRES_VARIABLE.into(), url.into()));
        self
    }

    /// Returns the URL of the server that has the children's stores, if one has.
    fn postgres(&self) -> Option<&str> {
        let variable = self.environment.iter().find(|(name, _)| name == child::POSTGRES_VARIABLE);
        variable.and_then(|(_, url)| url.to_str())
    }

    /// Makes the command that starts a child with this task; its input and output are piped.
    ///
    /// # Errors
    /// The task cannot be serialized.
    pub fn child(&self, task: &ChildTask) -> serde_json::Result<Command> {
        let mut command = Command::new(&self.path);
        command
            .args(&self.arguments)
            .env(TASK_VARIABLE, serde_json::to_string(task)?)
            .env("FAKETIME_TIMESTAMP_FILE", clock_steps::file(&task.folder))
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        Ok(command)
    }
}
