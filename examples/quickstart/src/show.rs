//! The quickstart's output: short, and coloured only on a terminal.

use std::env;
use std::io::{IsTerminal, stdout};

use tool_runtime::contracts::{CallStatus, ToolSpec};
use tool_runtime::serde_json::{self, Value};
use tool_runtime::{Preview, ToolCall, ToolOutput};

/// Prints to the standard output.
pub(crate) struct Show {
    colour: bool,
}

#[derive(Clone, Copy)]
enum Ink {
    Heading = 1,
    Quiet = 2,
    Bad = 31,
    Good = 32,
    Name = 36,
}

impl Show {
    /// Uses colour on a terminal, unless the user has disabled it.
    pub(crate) fn to_stdout() -> Self {
        Self { colour: stdout().is_terminal() && env::var_os("NO_COLOR").is_none() }
    }

    fn ink(&self, ink: Ink, text: &str) -> String {
        if self.colour { format!("\x1b[{}m{text}\x1b[0m", ink as u8) } else { text.to_owned() }
    }

    pub(crate) fn heading(&self, text: &str) {
        println!("\n{}", self.ink(Ink::Heading, text));
    }

    pub(crate) fn schema(&self, spec: &ToolSpec) {
        let effect = spec.effect().as_str();
        println!("  {} ({effect}): {}", self.ink(Ink::Name, spec.name()), spec.description());
        let schema = serde_json::to_string_pretty(spec.input_schema()).unwrap_or_default();
        for line in schema.lines() {
            println!("    {}", self.ink(Ink::Quiet, line));
        }
    }

    /// Shows a call and its status.
    pub(crate) fn call(&self, call: &ToolCall) {
        let name = self.ink(Ink::Name, call.name());
        println!("  {:<9} {name} {}", self.status(call.status()), call.input());
        if let Some(data) = call.output().and_then(ToolOutput::data_json) {
            println!("            → {data}");
        }
    }

    fn status(&self, status: CallStatus) -> String {
        let text = format!("{:<9}", status.as_str());
        match status {
            CallStatus::Executed => self.ink(Ink::Good, &text),
            CallStatus::Pending | CallStatus::Executing => self.ink(Ink::Quiet, &text),
            _ => self.ink(Ink::Bad, &text),
        }
    }

    pub(crate) fn envelope(&self, output: &ToolOutput) {
        let envelope: Value = serde_json::from_str(output.json()).unwrap_or_default();
        for part in ["status", "input", "data", "meta"] {
            println!("  {:<7} {}", self.ink(Ink::Quiet, &format!("{part:<7}")), envelope[part]);
        }
    }

    pub(crate) fn asking(&self, preview: &Preview<'_>, approver: &str) {
        println!("  {} {preview}", self.ink(Ink::Heading, "May this run?"));
        println!("  {} says yes", self.ink(Ink::Name, approver));
    }

    pub(crate) fn answer(&self, output: &ToolOutput) {
        match (output.data_json(), output.error()) {
            (Some(data), _) => println!("  {} {data}", self.ink(Ink::Good, "ok   ")),
            (_, Some(error)) => println!("  {} {}", self.ink(Ink::Bad, "error"), error.message()),
            _ => {}
        }
    }

    pub(crate) fn refused(&self, call: &ToolCall) {
        let name = self.ink(Ink::Name, call.name());
        println!("  {name} {}", self.ink(Ink::Quiet, call.input()));
        if let Some(error) = call.output().and_then(ToolOutput::error) {
            let code = self.ink(Ink::Bad, error.code().unwrap_or("?"));
            println!("    {code}: {}", error.message());
        }
    }
}
