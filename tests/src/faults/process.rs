//! A child process of a campaign: starting, reading, suspending, continuing and waiting.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{CampaignError, ChildTask, Program};

/// The longest time without output of a child that is neither suspended nor killed.
const MAX_SILENCE: Duration = Duration::from_secs(60);

/// A child and its output; dropping it kills the child.
pub(super) struct Process {
    child: Child,
    lines: Receiver<String>,
    /// Set once the child was waited for, since its id may be reused afterwards.
    ended: bool,
}

/// The result of waiting for a child.
#[derive(Debug)]
pub(super) enum WaitEnd {
    /// The child ended.
    Ended(ExitStatus),
    /// The child wrote the expected line.
    Line,
    /// The time limit was reached.
    TimedOut,
}

impl Process {
    /// Starts a child with this task.
    pub(super) fn start(program: &Program, task: &ChildTask) -> Result<Self, CampaignError> {
        let mut child = program.child(task)?.spawn()?;
        let output = child.stdout.take().ok_or("a child has a pipe")?;
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Ok(Self { child, lines, ended: false })
    }

    /// Reads the child's output until it writes `word`, ends, or `limit` is over.
    pub(super) fn wait_for(
        &mut self,
        word: Option<&str>,
        limit: Duration,
        mut read_line: impl FnMut(&str),
    ) -> Result<WaitEnd, CampaignError> {
        let until = Instant::now() + limit;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if Some(line.as_str()) == word => return Ok(WaitEnd::Line),
                Ok(line) => read_line(&line),
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.child.wait()?;
                    self.ended = true;
                    return Ok(WaitEnd::Ended(status));
                }
                Err(RecvTimeoutError::Timeout) => return Ok(WaitEnd::TimedOut),
            }
        }
    }

    /// Reads the child's output until it ends.
    pub(super) fn end(&mut self, read_line: impl FnMut(&str)) -> Result<ExitStatus, CampaignError> {
        match self.wait_for(None, MAX_SILENCE, read_line)? {
            WaitEnd::Ended(status) => Ok(status),
            WaitEnd::Line | WaitEnd::TimedOut => {
                self.kill()?;
                Err("a child did not end".into())
            }
        }
    }

    /// Kills the child.
    pub(super) fn kill(&mut self) -> Result<(), CampaignError> {
        Ok(self.child.kill()?)
    }

    /// Suspends the child until it is [continued](Self::go_on).
    pub(super) fn stop(&self) -> Result<(), CampaignError> {
        self.signal(Signal::STOP)
    }

    /// Sends a signal, unless the child has ended.
    fn signal(&self, signal: Signal) -> Result<(), CampaignError> {
        if self.ended {
            return Ok(());
        }
        Ok(kill_process(Pid::from_child(&self.child), signal)?)
    }

    /// Continues a suspended child.
    pub(super) fn go_on(&mut self) -> Result<(), CampaignError> {
        self.signal(Signal::CONT)?;
        if let Some(input) = self.child.stdin.as_mut() {
            // A child that was not suspended at a point reads nothing.
            let _ = input.write_all(b"\n");
        }
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns whether a child was killed by its task or its parent.
pub(super) fn was_killed(status: ExitStatus) -> bool {
    status.signal() == Some(Signal::KILL.as_raw())
}
