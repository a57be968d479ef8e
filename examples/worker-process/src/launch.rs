//! Starts a program with its limits.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Pid;
use tokio::process::{Child, Command};

use crate::error::WorkerError;

/// The program that runs another one in namespaces of its own, with its arguments.
const UNSHARE: [&str; 4] = ["unshare", "--net", "--map-root-user", "--"];

/// All that is needed to start a program. `Debug` shows no argument and no variable.
#[derive(Clone)]
pub(crate) struct Launch {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) environment: BTreeMap<OsString, OsString>,
    pub(crate) current_dir: Option<PathBuf>,
    pub(crate) memory_limit: Option<u64>,
    pub(crate) cpu_seconds: Option<u64>,
    pub(crate) network: bool,
    pub(crate) start_timeout: Duration,
    pub(crate) line_limit: usize,
}

impl Launch {
    /// Starts the program as the leader of a new process group.
    pub(crate) async fn spawn(&self) -> Result<(Child, Pid), WorkerError> {
        if !self.network {
            self.check_namespaces().await?;
        }
        let mut command = self.command(&self.program);
        command.args(&self.args).stdin(Stdio::piped()).stdout(Stdio::piped());
        if let Some(directory) = &self.current_dir {
            command.current_dir(directory);
        }
        let child = command.stderr(Stdio::piped()).process_group(0).spawn().map_err(|error| {
            WorkerError::start(format!("`{}`: {error}", self.program.to_string_lossy()))
        })?;
        let id = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let group = id.ok_or_else(|| WorkerError::start("the system gave it no process id"))?;
        // `unshare` becomes the program by `exec`, so that the limits reach the program here too.
        self.limit(group)?;
        Ok((child, group))
    }

    /// Makes sure that the system can give the program a network namespace.
    async fn check_namespaces(&self) -> Result<(), WorkerError> {
        let mut command = self.command("true".as_ref());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.status().await {
            Ok(status) if status.success() => Ok(()),
            Ok(_) | Err(_) => Err(WorkerError::start(
                "this system gives it no network namespace; install `unshare` of util-linux and \
                 allow user namespaces, or let it use the network",
            )),
        }
    }

    /// Returns the command that runs a program, in a network namespace if it has no network.
    fn command(&self, program: &OsStr) -> Command {
        let mut command = if self.network {
            Command::new(program)
        } else {
            let [unshare, options @ ..] = UNSHARE;
            let mut command = Command::new(unshare);
            command.args(options).arg(program);
            command
        };
        command.env_clear().envs(&self.environment).kill_on_drop(true);
        command
    }

    #[cfg(target_os = "linux")]
    fn limit(&self, id: Pid) -> Result<(), WorkerError> {
        use rustix::process::{Resource, Rlimit, prlimit};

        let limits = [(Resource::As, self.memory_limit), (Resource::Cpu, self.cpu_seconds)];
        for (resource, limit) in limits {
            let Some(limit) = limit else { continue };
            let limit = Rlimit { current: Some(limit), maximum: Some(limit) };
            prlimit(Some(id), resource, limit).map_err(|error| {
                WorkerError::start(format!("its limits cannot be set: {error}"))
            })?;
        }
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    fn limit(&self, _id: Pid) -> Result<(), WorkerError> {
        match (self.memory_limit, self.cpu_seconds) {
            (None, None) => Ok(()),
            _ => Err(WorkerError::start("limits of memory and processor time need Linux")),
        }
    }
}

/// Shows the program and its limits: arguments and variables may be secrets.
impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("program", &self.program)
            .field("memory_limit", &self.memory_limit)
            .field("cpu_seconds", &self.cpu_seconds)
            .field("network", &self.network)
            .finish_non_exhaustive()
    }
}
