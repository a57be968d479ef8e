//! A running program, which answers one request after another.

use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use serde::Deserialize;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::error::{WorkerError, describe};
use crate::launch::Launch;
use crate::stderr::{Stderr, StderrReader};

/// The wait for the exit of a program that has closed its output.
const EXIT_PATIENCE: Duration = Duration::from_secs(2);

/// A process and its group. When it is dropped, the whole group is killed.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    group: Pid,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    stderr: StderrReader,
    line_limit: usize,
    last_id: u64,
}

/// The reason for which a process is of no further use.
#[derive(Debug)]
pub(crate) enum Fault {
    /// A pipe is closed: the process ended, or is about to.
    Closed,
    /// The process wrote something else than was expected.
    Protocol(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadyLine {
    ready: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerLine {
    id: u64,
    answer: Value,
}

impl Process {
    /// Starts the program, and waits until it is ready.
    pub(crate) async fn start(launch: &Launch) -> Result<Self, WorkerError> {
        let mut process = Self::spawn(launch).await?;
        let (reason, stderr) = match timeout(launch.start_timeout, process.ready()).await {
            Ok(Ok(())) => return Ok(process),
            Ok(Err(Fault::Protocol(reason))) => (reason, process.kill().await.1),
            Ok(Err(Fault::Closed)) => {
                let (status, stderr) = process.exit().await;
                (format!("it ended before it was ready, {}", describe(status)), stderr)
            }
            Err(_) => {
                let reason = format!("it was not ready within {:?}", launch.start_timeout);
                (reason, process.kill().await.1)
            }
        };
        Err(WorkerError::Start { reason, stderr })
    }

    async fn spawn(launch: &Launch) -> Result<Self, WorkerError> {
        let (mut child, group) = launch.spawn().await?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(stderr)) = pipes else {
            return Err(WorkerError::start("it has no pipes"));
        };
        Ok(Self {
            child,
            group,
            input,
            output: BufReader::new(output),
            stderr: StderrReader::new(stderr),
            line_limit: launch.line_limit,
            last_id: 0,
        })
    }

    async fn ready(&mut self) -> Result<(), Fault> {
        match serde_json::from_slice(&self.read_line().await?) {
            Ok(ReadyLine { ready: true }) => Ok(()),
            Ok(ReadyLine { ready: false }) | Err(_) => {
                Err(Fault::Protocol("its first line must be {\"ready\":true}".to_owned()))
            }
        }
    }

    /// Returns whether the process has ended; it may be asked nothing more.
    pub(crate) fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.group), options), Ok(None))
    }

    /// Writes a request, which is JSON, and reads its answer.
    ///
    /// If the future is dropped, the process must be too, since its answer may still come.
    pub(crate) async fn exchange(&mut self, request: &str) -> Result<Value, Fault> {
        self.last_id += 1;
        let line = format!("{{\"id\":{},\"request\":{request}}}\n", self.last_id);
        self.input.write_all(line.as_bytes()).await.map_err(|_| Fault::Closed)?;
        self.input.flush().await.map_err(|_| Fault::Closed)?;
        let answer: AnswerLine = serde_json::from_slice(&self.read_line().await?)
            .map_err(|_| Fault::Protocol("a line is no answer".to_owned()))?;
        if answer.id != self.last_id {
            return Err(Fault::Protocol("an answer has the id of another request".to_owned()));
        }
        Ok(answer.answer)
    }

    async fn read_line(&mut self) -> Result<Vec<u8>, Fault> {
        let mut line = Vec::new();
        let max_bytes = self.line_limit.saturating_add(1);
        let mut limited = (&mut self.output).take(max_bytes as u64);
        limited.read_until(b'\n', &mut line).await.map_err(|_| Fault::Closed)?;
        if line.last() == Some(&b'\n') {
            Ok(line)
        } else if line.len() == max_bytes {
            Err(Fault::Protocol(format!("a line has more than {} bytes", self.line_limit)))
        } else {
            Err(Fault::Closed)
        }
    }

    /// Ends the process, and says why it failed.
    pub(crate) async fn fail(mut self, fault: Fault) -> WorkerError {
        match fault {
            Fault::Closed => {
                let (status, stderr) = self.exit().await;
                WorkerError::Crashed { status, stderr }
            }
            Fault::Protocol(reason) => {
                let (_, stderr) = self.kill().await;
                WorkerError::Protocol { reason, stderr }
            }
        }
    }

    /// Waits a moment until the process exits by itself, so that its own status is known, and then
    /// kills what is left of its group.
    async fn exit(&mut self) -> (Option<ExitStatus>, Stderr) {
        let group = self.group;
        // The status is left with the system until the group is killed, so that the group's id
        // cannot be another one's by then.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let exited = spawn_blocking(move || waitid(WaitId::Pid(group), options));
        drop(timeout(EXIT_PATIENCE, exited).await);
        self.kill().await
    }

    /// Kills the process group. Returns no status if the host ignores the signals of its children.
    pub(crate) async fn kill(&mut self) -> (Option<ExitStatus>, Stderr) {
        self.kill_group();
        let status = self.child.wait().await.ok();
        (status, self.stderr.finish().await)
    }

    /// Kills the group unless its leader was waited for, after which the id may be another group's.
    fn kill_group(&self) {
        if self.child.id().is_some() {
            // An error means that the group has ended.
            let _ = kill_process_group(self.group, Signal::KILL);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill_group();
    }
}
