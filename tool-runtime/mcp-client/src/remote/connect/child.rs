//! A server that runs as a process of the host, on its standard streams.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tool_runtime_core::log::log_event;
use tool_runtime_schema::redact;

use super::group::ProcessGroup;
use super::{AttemptError, server_text};
use crate::remote::error::{RemoteError, RemoteErrorKind};

/// The variables of the host that a server gets: what programs need to run, and no credentials. They
/// are those that the official clients pass on.
const INHERITED: &[&str] = &[
    "HOME",
    "LANG",
    "LC_ALL",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    // Windows.
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "USERNAME",
    "USERPROFILE",
];

/// The most bytes of a line of the standard error stream.
const MAX_LINE: u64 = 2_048;

/// A program, its arguments and its environment. `Debug` shows the program only: arguments and
/// variables may be credentials.
#[derive(Clone)]
pub(in super::super) struct ServerCommand {
    program: OsString,
    arguments: Vec<OsString>,
    variables: BTreeMap<OsString, OsString>,
    folder: Option<PathBuf>,
    inherits_all: bool,
    exit_timeout: Duration,
}

/// The default time to wait for a process to exit, before it is asked to end and again before it is
/// killed.
const EXIT: Duration = Duration::from_secs(3);

/// The process of a server. It is killed when this is dropped, with those that it has started.
pub(super) struct ServerProcess {
    child: Child,
    group: ProcessGroup,
    last_line: Arc<Mutex<String>>,
    /// Ends with the standard error stream.
    log: JoinHandle<()>,
    exit_timeout: Duration,
}

impl ServerCommand {
    pub(in super::super) fn new(program: OsString, arguments: Vec<OsString>) -> Self {
        let variables = BTreeMap::new();
        let (folder, inherits_all) = (None, false);
        Self { program, arguments, variables, folder, inherits_all, exit_timeout: EXIT }
    }

    pub(in super::super) fn set_exit_timeout(&mut self, timeout: Duration) {
        self.exit_timeout = timeout;
    }

    pub(in super::super) fn set_variable(&mut self, name: OsString, value: OsString) {
        self.variables.insert(name, value);
    }

    pub(in super::super) fn set_folder(&mut self, folder: PathBuf) {
        self.folder = Some(folder);
    }

    pub(in super::super) fn inherit_all(&mut self) {
        self.inherits_all = true;
    }

    /// Starts the process, with its standard streams for the protocol and its errors for the log.
    pub(super) fn spawn(
        &self,
        name: &str,
    ) -> Result<(ServerProcess, ChildStdout, ChildStdin), RemoteError> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if !self.inherits_all {
            command.env_clear();
            let inherited =
                INHERITED.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
            command.envs(inherited);
        }
        command.envs(&self.variables);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let cannot_start = |why: String| {
            let program = self.program.to_string_lossy();
            let message = format!("the server `{program}` cannot be started: {why}");
            RemoteError::new(RemoteErrorKind::Connection, message)
        };
        ProcessGroup::begin(&mut command);
        let mut child = command.spawn().map_err(|error| cannot_start(error.to_string()))?;
        let group = ProcessGroup::new(&child);
        let streams = (child.stdout.take(), child.stdin.take(), child.stderr.take());
        let (Some(stdout), Some(stdin), Some(stderr)) = streams else {
            return Err(cannot_start("it has no standard streams".to_owned()));
        };
        let last_line = Arc::default();
        let log = tokio::spawn(log_lines(stderr, name.to_owned(), Arc::clone(&last_line)));
        let exit_timeout = self.exit_timeout;
        Ok((ServerProcess { child, group, last_line, log, exit_timeout }, stdout, stdin))
    }
}

impl ServerProcess {
    /// Adds the exit status and the last line of the process to the error of a handshake.
    pub(super) async fn ended_early(mut self, mut failed: AttemptError) -> AttemptError {
        let last_line = Arc::clone(&self.last_line);
        let patience = Duration::from_millis(500);
        let exited = self.end_within(patience).await;
        // The process may have ended before its last line was read. A process that left its group may
        // keep the stream open.
        let _ = timeout(patience, &mut self.log).await;
        let line = last_line.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let status = exited.map(|status| format!("; its process ended with {status}"));
        let wrote = Some(line).filter(|line| !line.is_empty());
        let wrote = wrote.map(|line| format!("; the last line that it wrote: {line}"));
        let details = status.into_iter().chain(wrote).collect::<String>();
        failed.error = RemoteError::new(failed.error.kind(), format!("{}{details}", failed.error));
        failed
    }

    /// Waits for the end of the process, whose standard input is closed: it is asked to end after its
    /// time, and killed after the same time again.
    pub(super) async fn end(&mut self) {
        self.end_within(self.exit_timeout).await;
    }

    async fn end_within(&mut self, patience: Duration) -> Option<std::process::ExitStatus> {
        let exit_result = timeout(patience, self.child.wait()).await;
        // The processes that it has started may not have read the end of its input.
        self.group.terminate();
        if let Ok(exit_result) = exit_result {
            return exit_result.ok();
        }
        if timeout(patience, self.child.wait()).await.is_err() {
            // A process that has just ended cannot be killed, and needs not be.
            drop(self.child.kill().await);
        }
        None
    }
}

/// Logs the lines of a server's standard error stream, and remembers the last one.
async fn log_lines(stream: ChildStderr, name: String, last: Arc<Mutex<String>>) {
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        // A longer line is logged in pieces.
        match (&mut reader).take(MAX_LINE).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = server_text(String::from_utf8_lossy(&line).trim());
        if text.is_empty() {
            continue;
        }
        let text = redact::log_text(&text).into_owned();
        log_event!(debug, server = %name, line = %text, "a server wrote to its standard error stream");
        *last.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }
}

impl fmt::Debug for ServerCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command").field("program", &self.program).finish_non_exhaustive()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_program_that_does_not_end_is_killed_after_its_own_time() {
        let script = ["-c", "trap '' TERM; sleep 600"].map(OsString::from).to_vec();
        let mut command = ServerCommand::new("sh".into(), script);
        command.set_exit_timeout(Duration::from_millis(10));
        let (mut process, output, input) = command.spawn("far").expect("there is a shell");
        drop((output, input));
        // The default takes longer than this.
        let exit_result = timeout(Duration::from_secs(5), process.end()).await;
        exit_result.expect("it is killed");
        assert!(process.child.try_wait().is_ok_and(|status| status.is_some()));
    }
}
