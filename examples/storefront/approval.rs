//! Asking a person before something is done.

use std::io::{self, IsTerminal as _, Write as _, stdin, stdout};

use tool_runtime::{ToolCall, ToolOutput};

use crate::transcript::laid_out;

/// Who is asked: a person at the terminal, or nobody.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Approver {
    Terminal,
    Demo,
}

/// What was decided about a call.
#[derive(Debug)]
pub(crate) enum Answer {
    /// It may run.
    Yes { approver: &'static str },
    /// It may not; the model is told why.
    No { feedback: String },
    /// It may with these arguments, once they are rehearsed and shown too.
    Edited { arguments: String },
}

impl Approver {
    /// Takes the terminal, unless nobody is there or `yes` was said to everything.
    pub(crate) fn new(yes: bool) -> Self {
        if !yes && stdin().is_terminal() { Self::Terminal } else { Self::Demo }
    }

    /// Asks whether a call may run, showing what its dry run answered.
    pub(crate) async fn ask(self, rehearsal: &ToolCall) -> io::Result<Answer> {
        println!("\nMay this run? {}", rehearsal.preview());
        if let Some(plan) = rehearsal.output().and_then(ToolOutput::data_json) {
            println!("  It would answer {}", laid_out(plan));
        }
        if matches!(self, Self::Demo) {
            println!("  demo says yes (nobody is asked)");
            return Ok(Answer::Yes { approver: "demo" });
        }
        loop {
            match read("  [y]es, [n]o or [e]dit? ").await?.as_str() {
                "y" => return Ok(Answer::Yes { approver: "terminal" }),
                "n" => return Ok(Answer::No { feedback: read("  Why not? ").await? }),
                "e" => return Ok(Answer::Edited { arguments: read("  Arguments: ").await? }),
                _ => {}
            }
        }
    }
}

/// Asks for one line, off the async threads.
async fn read(prompt: &'static str) -> io::Result<String> {
    let ask = move || {
        print!("{prompt}");
        stdout().flush()?;
        let mut line = String::new();
        if stdin().read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim().to_owned())
    };
    tokio::task::spawn_blocking(ask).await.map_err(io::Error::other)?
}
