//! The approver of the draft order: a person at the terminal, or an approver named demo.

use std::io::{self, BufRead, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::spawn_blocking;
use tool_runtime::policy::{ApprovalRequest, Approver, Decision, async_trait};

use crate::transcript;

/// Approves every call, which the transcript shows.
#[derive(Debug)]
pub(crate) struct Demo;

/// Asks a person, and reads the answer as a line.
#[derive(Debug)]
pub(crate) struct Prompt<R>(Arc<Mutex<R>>);

impl<R: BufRead + Send + 'static> Prompt<R> {
    pub(crate) fn new(lines: R) -> Self {
        Self(Arc::new(Mutex::new(lines)))
    }
}

#[async_trait]
impl Approver for Demo {
    async fn decide(&self, request: &ApprovalRequest<'_>) -> Decision {
        transcript::question(request);
        transcript::note("demo approves; no person was asked");
        Decision::approve("demo")
    }
}

#[async_trait]
impl<R: BufRead + Send + 'static> Approver for Prompt<R> {
    async fn decide(&self, request: &ApprovalRequest<'_>) -> Decision {
        transcript::question(request);
        let lines = Arc::clone(&self.0);
        let read = move || ask(&mut *lines.lock().unwrap_or_else(PoisonError::into_inner));
        match spawn_blocking(read).await {
            Ok(Ok(decision)) => decision,
            // The input has ended: the call waits behind a ticket.
            _ => Decision::defer(),
        }
    }
}

/// Asks until the answer is valid.
fn ask(lines: &mut impl BufRead) -> io::Result<Decision> {
    loop {
        match line(lines, "[y]es, [n]o or [e]dit? ")?.as_str() {
            "y" => return Ok(Decision::approve("terminal")),
            "n" => return Ok(Decision::decline("terminal", line(lines, "Why not? ")?)),
            "e" => {
                let arguments = line(lines, "Arguments, as JSON: ")?;
                return Ok(Decision::approve("terminal").with_arguments(arguments));
            }
            _ => {}
        }
    }
}

fn line(lines: &mut impl BufRead, prompt: &str) -> io::Result<String> {
    print!("  {prompt}");
    io::stdout().flush()?;
    let mut line = String::new();
    if lines.read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim().to_owned())
}
