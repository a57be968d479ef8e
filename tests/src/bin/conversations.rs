//! Runs one turn of a conversation for a client that uses a provider's own types.
//!
//! Each line of the standard input is `{"dialect":…,"whole":…}` with a response's body as text, or
//! `{"dialect":…,"events":[…]}` with the data of streamed events. Each line of the output
//! describes the turn that was read, the results of its calls, and the messages of the next
//! request.

use std::error::Error;
use std::io::{self, BufRead, Write};

use serde::Deserialize;
use serde_json::{Value, json};
use tool_runtime::adapters::{Adapter, Delta, Dialect, ReadError, Turn};
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
}

/// What is searched.
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

fn main() -> Result<(), Box<dyn Error>> {
    let executor = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let tools = Runtime::builder().toolkit(Content).tool::<DeleteAllTool>().tool::<PingTool>();
    let tools = tools.tool::<PictureTool>();
    let runtime = tools.build()?;
    for line in io::stdin().lock().lines() {
        let line: Line = serde_json::from_str(&line?)?;
        let held = executor.block_on(hold(&runtime, &line))?;
        writeln!(io::stdout(), "{held}")?;
    }
    Ok(())
}

async fn hold(runtime: &Runtime, line: &Line) -> Result<Value, Box<dyn Error>> {
    let dialect = Dialect::ALL.into_iter().find(|dialect| dialect.as_str() == line.dialect);
    let adapter = Adapter::new(dialect.ok_or("no such dialect")?, runtime.specs_for_model());
    let (turn, shown) = match read(&adapter, line) {
        Ok(read) => read,
        Err(error) => return Ok(json!({ "error": error.to_string() })),
    };
    let cx = ToolContext::builder(Uuid::now_v7(), "trace-1").run_id("run-1").build()?;
    let mut calls = turn.open_calls(runtime, &cx);
    for call in calls.iter_mut().filter(|call| call.name() == "delete_all") {
        // A call with invalid arguments has failed already and cannot be declined.
        let _ = call.decline("not on a Friday");
    }
    runtime.execute_all(&mut calls).await;
    let asked = |(asked, call): (&tool_runtime::adapters::RequestedCall, &ToolCall)| {
        json!({ "call_id": asked.call_id(), "name": asked.name(), "arguments": asked.arguments(),
            "status": call.status() })
    };
    Ok(json!({
        "field": adapter.request_field(),
        "declarations": adapter.declarations(),
        "text": turn.text(),
        "shown": shown,
        "stop": format!("{:?}", turn.stop_reason()),
        "calls": turn.calls().iter().zip(&calls).map(asked).collect::<Vec<_>>(),
        "messages": turn.messages(),
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
    for event in &line.events {
        for delta in stream.push(event)? {
            if let Delta::Text(text) = delta {
                shown.push_str(&text);
            }
        }
    }
    Ok((stream.finish()?, shown))
}
