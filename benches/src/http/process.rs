//! A server in its own process, from its parent's view.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::rates::text;

/// The time without processor use after which a server is idle.
const QUIET: Duration = Duration::from_millis(200);

/// A server that runs until its standard input is closed.
pub(super) struct ServerProcess {
    child: Child,
    said: BufReader<ChildStdout>,
    pub(super) port: u16,
}

impl ServerProcess {
    /// Starts a server, and waits until it prints `listening PORT`.
    pub(super) fn start(mut command: Command) -> Result<Self, String> {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(text)?;
        let said = child.stdout.take().ok_or("a server without an output")?;
        let mut server = Self { child, said: BufReader::new(said), port: 0 };
        let line = server.line()?;
        let port = line.strip_prefix("listening ").and_then(|port| port.trim().parse().ok());
        server.port =
            port.ok_or_else(|| format!("a server printed `{line}` instead of its port"))?;
        Ok(server)
    }

    /// Returns its processor time so far, in user space and in the kernel.
    pub(super) fn cpu(&self) -> Result<Duration, String> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).map_err(text)?;
        // The program's name is in brackets and may contain spaces; the times are fields 12 and 13
        // after it.
        let (_, words) = stat.rsplit_once(") ").ok_or("expected a process's state")?;
        let ticks =
            words.split(' ').skip(11).take(2).map(|ticks| ticks.parse::<u64>().map_err(text));
        let ticks = ticks.sum::<Result<u64, _>>()?;
        Ok(Duration::from_millis(ticks * 1_000 / rustix::param::clock_ticks_per_second()))
    }

    /// Waits until it is idle, and returns its processor time.
    pub(super) fn settled(&self) -> Result<Duration, String> {
        let mut cpu = self.cpu()?;
        loop {
            sleep(QUIET);
            let now = self.cpu()?;
            if now.saturating_sub(cpu) * 20 < QUIET {
                return Ok(now);
            }
            cpu = now;
        }
    }

    /// Sends one request and returns the answer's body.
    pub(super) fn ask(&self, request: &str) -> Result<String, String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(text)?;
        stream.write_all(request.as_bytes()).map_err(text)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map_err(text)?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or("an answer without a body")?;
        if !head.starts_with("HTTP/1.1 200 ") {
            return Err(format!("expected a success: {answer}"));
        }
        let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        if is_chunked { joined(body) } else { Ok(body.to_owned()) }
    }

    /// Sends it a line on its standard input, and returns the line that it prints.
    pub(super) fn inquire(&mut self, question: &str) -> Result<String, String> {
        let input = self.child.stdin.as_mut().ok_or("a server without an input")?;
        writeln!(input, "{question}").and_then(|()| input.flush()).map_err(text)?;
        self.line()
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends it SIGTERM.
    pub(super) fn terminate(&self) -> Result<(), String> {
        kill_process(Pid::from_child(&self.child), Signal::TERM).map_err(text)
    }

    /// Waits for its exit for this long, and returns its last line.
    pub(super) fn ended(mut self, within: Duration) -> Result<String, String> {
        let until = Instant::now() + within;
        while self.child.try_wait().map_err(text)?.is_none() {
            if Instant::now() > until {
                return Err(format!("a server has not ended within {within:?}"));
            }
            sleep(Duration::from_millis(5));
        }
        self.last()
    }

    /// Stops it, and returns its last line.
    pub(super) fn end(mut self) -> Result<String, String> {
        drop(self.child.stdin.take());
        self.last()
    }

    fn last(&mut self) -> Result<String, String> {
        let mut last = String::new();
        self.said.read_to_string(&mut last).map_err(text)?;
        let status = self.child.wait().map_err(text)?;
        if status.success() {
            Ok(last)
        } else {
            Err(format!("a server ended with {status}: {last}"))
        }
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        self.said.read_line(&mut line).map_err(text)?;
        Ok(line)
    }
}

/// Joins the chunks of a body (RFC 9112, section 7.1).
fn joined(mut chunks: &str) -> Result<String, String> {
    let mut body = String::new();
    loop {
        let (size, rest) = chunks.split_once("\r\n").ok_or("a chunk without a size")?;
        let size = usize::from_str_radix(size, 16).map_err(text)?;
        if size == 0 {
            return Ok(body);
        }
        body.push_str(rest.get(..size).ok_or("a chunk that is cut")?);
        chunks = rest.get(size + 2..).ok_or("a chunk without an end")?;
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // It has ended already, unless a figure has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
