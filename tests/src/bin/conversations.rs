//! Runs one turn of a conversation for a client that uses a provider's own types.
//!
//! Each line of the standard input is `{"dialect":…,"whole":…}` with a response's body as text,
//! `{"dialect":…,"events":[…]}` with the data of streamed events, or `{"dialect":…,"wire":…}` with the
//! bytes of a stream in hexadecimal. Each line of the output describes the turn that was read, the
//! results of its calls, and the messages of the next request, as values and as raw texts. A line with `rules` asks for the fields
//! of a request instead. `strict` and `custom` are options of the adapter.

use std::error::Error;
use std::io::{self, BufRead, Write};

use serde::Deserialize;
use serde_json::{Value, json};
use tool_runtime::adapters::{
    Adapter, CallRules, CustomToolFormat, Delta, Dialect, ReadError, ToolChoice, Turn,
};
use tool_runtime::prelude::*;
use tool_runtime::{Attachment, AttachmentError, Attachments};

/// A response to read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    dialect: String,
    #[serde(default)]
    whole: Option<String>,
    #[serde(default)]
    events: Vec<String>,
    #[serde(default)]
    wire: Option<String>,
    #[serde(default)]
    rules: Option<Rules>,
    #[serde(default)]
    strict: bool,
    /// Declares `run_sql` as a custom tool.
    #[serde(default)]
    custom: bool,
}

/// The rules for the calls of a request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    choice: String,
    #[serde(default)]
    parallel: Option<bool>,
    #[serde(default)]
    allowed: Option<Vec<String>>,
}

/// The things that are searched.
#[derive(Debug)]
struct Content;

/// Looks things up.
#[ai_toolkit]
impl Content {
    /// Searches the published content.
    #[ai_tool(effect = "read")]
    #[allow(clippy::unused_self, reason = "a toolkit's tool has it")]
    fn search(
        &self,
        /// Words to look for.
        query: &str,
        /// Most hits to return.
        #[arg(default = 10, range(1..=50))]
        limit: u32,
    ) -> Vec<String> {
        vec![format!("{query} {limit}")]
    }
}

/// Deletes everything.
#[ai_tool(effect = "destructive")]
fn delete_all(dry_run: &DryRun) -> bool {
    !dry_run.is_active()
}

/// Answers.
#[ai_tool(effect = "read")]
fn ping() -> bool {
    true
}

/// Draws.
#[ai_tool(effect = "read")]
fn picture(attachments: &Attachments) -> Result<bool, AttachmentError> {
    let picture = Attachment::bytes("image/png", *b"PNG").with_name("chart.png");
    attachments.add(picture.with_description("A chart."))?;
    let terms = Attachment::bytes("application/pdf", *b"PDF").with_name("terms 1.pdf");
    attachments.add(terms)?;
    attachments.add(Attachment::text("text/csv", "id,total").with_name("orders.csv"))?;
    attachments.add(Attachment::link("image/png", "https://example.org/a.png"))?;
    Ok(true)
}

/// Runs a query.
#[ai_tool(effect = "read")]
fn run_sql(
    /// One statement.
    #[arg(pattern = "^SELECT .+$")]
    statement: String,
) -> usize {
    statement.len()
}

fn main() -> Result<(), Box<dyn Error>> {
    let executor = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let tools = Runtime::builder().toolkit(Content).tool::<DeleteAllTool>().tool::<PingTool>();
    let runtime = tools.tool::<PictureTool>().tool::<RunSqlTool>().build()?;
    for line in io::stdin().lock().lines() {
        let line: Line = serde_json::from_str(&line?)?;
        let held = executor.block_on(hold(&runtime, &line))?;
        writeln!(io::stdout(), "{held}")?;
    }
    Ok(())
}

async fn hold(runtime: &Runtime, line: &Line) -> Result<Value, Box<dyn Error>> {
    let adapter = adapter(runtime, line)?;
    if let Some(rules) = &line.rules {
        return Ok(match adapter.request_fields(rules.read()) {
            Ok(fields) => fields.into(),
            Err(error) => json!({ "error": error.to_string() }),
        });
    }
    let (turn, shown) = match read(&adapter, line) {
        Ok(read) => read,
        Err(error) => return Ok(json!({ "error": error.to_string() })),
    };
    let cx = ToolContext::builder(Uuid::now_v7(), "trace-1").run_id("run-1").build()?;
    let mut calls = turn.open_calls(runtime, &cx);
    for call in calls.iter_mut().filter(|call| call.name() == "delete_all") {
        // A call with invalid arguments has failed already and cannot be declined.
        let _ = call.decline("boss", "not on a Friday");
    }
    runtime.execute_all(&mut calls).await;
    let asked = |(asked, call): (&tool_runtime::adapters::RequestedCall, &ToolCall)| {
        json!({ "call_id": asked.call_id(), "name": asked.name(), "arguments": asked.arguments(),
            "status": call.status() })
    };
    Ok(json!({
        "field": adapter.request_field(),
        "declarations": adapter.declarations(),
        "usage": usage(&turn),
        "id": turn.response_id(),
        "model": turn.model(),
        "thinking": turn.thinking(),
        "refusal": turn.refusal(),
        "text": turn.text(),
        "shown": shown,
        "stop": format!("{:?}", turn.stop_reason()),
        "calls": turn.calls().iter().zip(&calls).map(asked).collect::<Vec<_>>(),
        "messages": turn.messages(),
        "raw": turn.raw_messages().iter().map(|raw| raw.get()).collect::<Vec<_>>(),
        "answers": adapter.answer_messages(&turn, &calls)?,
    }))
}

/// Reads the response, and returns the text that was visible while it was streamed.
fn read(adapter: &Adapter, line: &Line) -> Result<(Turn, String), ReadError> {
    if let Some(whole) = &line.whole {
        let turn = adapter.read(whole)?;
        let text = turn.text().to_owned();
        return Ok((turn, text));
    }
    let mut stream = adapter.stream();
    let mut shown = String::new();
    let mut deltas = Vec::new();
    for event in &line.events {
        deltas.extend(stream.push(event)?);
    }
    for piece in line.wire.as_deref().map(bytes).unwrap_or_default().chunks(PIECE_BYTES) {
        deltas.extend(stream.push_bytes(piece)?);
    }
    for delta in deltas {
        if let Delta::Text(text) = delta {
            shown.push_str(&text);
        }
    }
    Ok((stream.finish()?, shown))
}

/// The length of the pieces in which a stream's bytes are read.
const PIECE_BYTES: usize = 7;

/// Decodes hexadecimal digits.
fn bytes(digits: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).filter_map(digit).collect()
}

fn adapter(runtime: &Runtime, line: &Line) -> Result<Adapter, Box<dyn Error>> {
    let dialect = Dialect::ALL.into_iter().find(|dialect| dialect.as_str() == line.dialect);
    let mut builder = Adapter::builder(dialect.ok_or("no such dialect")?);
    if line.strict {
        builder = builder.strict(true);
    }
    if line.custom {
        let builder = builder.custom_tool("run_sql", CustomToolFormat::FromSchema);
        return Ok(builder.build(runtime.specs_for_model())?);
    }
    Ok(builder.build(runtime.specs_for_model()))
}

impl Rules {
    fn read(&self) -> CallRules {
        let mut rules = CallRules::new(match self.choice.as_str() {
            "auto" => ToolChoice::Auto,
            "required" => ToolChoice::Required,
            "none" => ToolChoice::None,
            tool => ToolChoice::Tool(tool.to_owned()),
        });
        if let Some(parallel) = self.parallel {
            rules = rules.parallel_calls(parallel);
        }
        match &self.allowed {
            Some(tools) => rules.allowed_tools(tools),
            None => rules,
        }
    }
}

fn usage(turn: &Turn) -> Option<Value> {
    let usage = turn.usage()?;
    Some(json!({ "input": usage.input, "output": usage.output, "cache_read": usage.cache_read,
        "cache_write": usage.cache_write, "reasoning": usage.reasoning }))
}
