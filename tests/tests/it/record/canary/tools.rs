//! Careless tools: whatever they say, they say all that they were sent.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_runtime::contracts::ErrorCode;
use tool_runtime::prelude::*;
use tool_runtime::{EvidenceRecorder, FailureCode, RuntimeBuilder};

use super::marks::{EDITED, Kind, Mark, PERSON, RECEIPT, STRANGER, quote};

/// How somebody logs in.
#[ai_type]
#[derive(Debug)]
pub(super) struct Login {
    /// Who.
    #[arg(pii)]
    name: String,
    /// By what.
    #[arg(secret)]
    pin: String,
    /// By what else, if at all.
    #[arg(secret)]
    spare: Option<String>,
    /// Anything else.
    note: String,
}

/// How somebody pays.
#[ai_type]
#[derive(Debug)]
#[serde(rename_all = "snake_case")]
pub(super) enum Payment {
    /// By card.
    Card(#[arg(secret)] String, u8),
    /// By bill.
    Bill {
        /// To whom.
        #[arg(pii)]
        to: String,
    },
}

/// What opens a door.
#[ai_type]
#[derive(Debug)]
pub(super) struct House {
    /// Its code.
    #[arg(secret)]
    key: String,
}

/// All that is nested.
#[ai_type]
#[derive(Debug)]
pub(super) struct Sent {
    /// A number.
    #[arg(secret)]
    code: u64,
    /// Who.
    login: Login,
    /// Who else.
    logins: Vec<Login>,
    /// What people are called.
    #[arg(pii)]
    labels: Vec<String>,
    /// Who pays what.
    payments: BTreeMap<String, Payment>,
    /// What opens what.
    keys: BTreeMap<String, House>,
    /// Anything else.
    note: String,
}

/// What came of it.
#[ai_type]
#[derive(Debug)]
pub(super) struct Answer {
    /// For whom.
    #[arg(pii)]
    person: String,
    /// What proves it.
    #[arg(secret)]
    receipt: String,
    /// Which run it was.
    run: u32,
}

/// What is said to somebody.
#[ai_type]
#[derive(Debug)]
pub(super) struct Greeting {
    /// To whom.
    #[arg(pii)]
    person: String,
    /// What else.
    note: String,
}

/// Counts the runs, and holds up what blocks.
#[derive(Debug, Default)]
pub(super) struct ToolRuns {
    runs: AtomicU32,
    flaws: AtomicU32,
    held_up: Mutex<Option<Receiver<()>>>,
}

impl ToolRuns {
    /// Does as it is told.
    fn act(&self, act: &str, said: String) -> Result<Answer, Careless> {
        let run = self.runs.fetch_add(1, Ordering::Relaxed) + 1;
        match act {
            "fail" => Err(Careless::new(ErrorCode::NotFound, said)),
            "panic" => panic!("{said}"),
            "flaky" if self.flaws.fetch_add(1, Ordering::Relaxed) % 3 < 2 => {
                Err(Careless::new(ErrorCode::Unavailable, said))
            }
            _ => Ok(Answer {
                person: format!("{PERSON} ({run})"),
                receipt: format!("{RECEIPT}{run}"),
                run,
            }),
        }
    }

    /// Blocks the blocking tool until the sender is dropped.
    pub(super) fn hold_up(&self) -> Sender<()> {
        let (sender, receiver) = channel();
        *self.held_up.lock().unwrap() = Some(receiver);
        sender
    }
}

/// An error that says too much, as does its source.
#[derive(Debug)]
pub(super) struct Careless {
    code: ErrorCode,
    source: Source,
}

impl Careless {
    fn new(code: ErrorCode, said: String) -> Self {
        Self { code, source: Source(said) }
    }
}

impl fmt::Display for Careless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(first_line(&self.source.0))
    }
}

impl std::error::Error for Careless {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

impl ToolFailure for Careless {
    fn failure(&self) -> Failure {
        let said = &self.source.0;
        Failure::from_code(self.code)
            .with_message(said.clone())
            .with_detail("all", json!({"said": [{"again": said}]}))
            .with_endpoint(format!("https://upstream/?all={}", first_line(said)))
            .with_log(first_line(said))
    }

    fn codes() -> &'static [FailureCode] {
        &[]
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The source of an error.
#[derive(Debug)]
pub(super) struct Source(String);

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Source {}

/// Returns all values of a call.
fn said(cx: &ToolContext, token: &str, arguments: &str) -> String {
    quote(|mark: &Mark| match (mark.kind, mark.text) {
        // It may contain the values from before a person changed them.
        (Kind::Secret, EDITED) => token == EDITED,
        (Kind::Credential, _) => cx.auth().is_some(),
        (Kind::Stranger, _) => arguments.contains(STRANGER),
        (kind, _) => !matches!(kind, Kind::Key | Kind::Answered),
    })
}

/// Pays somebody.
#[ai_tool(effect = "write", version = "1.0.0", idempotent)]
async fn pay(
    cx: &ToolContext,
    tool_runs: &Arc<ToolRuns>,
    dry_run: &DryRun,
    meta: &MetaRecorder,
    /// What happens.
    act: String,
    /// What proves who asks.
    #[arg(secret)]
    token: String,
    /// Whom.
    #[arg(pii)]
    person: String,
    /// Everything else.
    sent: Sent,
) -> Result<Answer, Careless> {
    let _ = (dry_run.is_active(), person);
    meta.warning(said(cx, &token, ""));
    // A careful tool's log, with types that mask themselves.
    tracing::info!(?sent.login, ?sent.payments, ?sent.keys, "paying");
    if act == "hang" {
        std::future::pending::<()>().await;
    }
    tool_runs.act(&act, said(cx, &token, ""))
}

/// Orders something, if a person allows it.
#[ai_tool(effect = "write", version = "1.0.0")]
async fn order(
    cx: &ToolContext,
    tool_runs: &Arc<ToolRuns>,
    dry_run: &DryRun,
    /// What happens.
    act: String,
    /// What proves who asks.
    #[arg(secret)]
    token: String,
    /// For whom.
    #[arg(pii)]
    person: String,
    /// Everything else.
    sent: Sent,
) -> Result<Answer, Careless> {
    let _ = (dry_run.is_active(), person, sent);
    tool_runs.act(&act, said(cx, &token, ""))
}

/// Looks somebody up, at once.
#[ai_tool(effect = "read", version = "1.0.0", evidence)]
fn look(
    cx: &ToolContext,
    tool_runs: &Arc<ToolRuns>,
    meta: &MetaRecorder,
    evidence: &EvidenceRecorder,
    progress: &Progress,
    /// What happens.
    act: String,
    /// What proves who asks.
    #[arg(secret)]
    token: String,
    /// Whom.
    #[arg(pii)]
    person: String,
    /// Everything else.
    sent: Sent,
) -> Result<Answer, Careless> {
    let _ = (person, sent);
    evidence.rule("ruleset_version", "7");
    progress.report(0.5, said(cx, &token, ""));
    meta.warning(said(cx, &token, ""));
    tool_runs.act(&act, said(cx, &token, ""))
}

/// Greets somebody; nothing here is secret, so that all of it is sealed.
#[ai_tool(effect = "read", version = "1.0.0", evidence)]
async fn greet(
    tool_runs: &Arc<ToolRuns>,
    /// Whom.
    #[arg(pii)]
    person: String,
    /// Anything else.
    note: String,
) -> Greeting {
    let run = tool_runs.runs.fetch_add(1, Ordering::Relaxed);
    Greeting { person: format!("{person} ({run})"), note }
}

/// Looks somebody up, and remembers.
#[ai_tool(effect = "read", version = "1.0.0", ttl = "60s")]
async fn remember(
    cx: &ToolContext,
    tool_runs: &Arc<ToolRuns>,
    /// What happens.
    act: String,
    /// What proves who asks.
    #[arg(secret)]
    token: String,
    /// Whom.
    #[arg(pii)]
    person: String,
    /// Everything else.
    sent: Sent,
) -> Result<Answer, Careless> {
    let _ = (person, sent);
    tool_runs.act(&act, said(cx, &token, ""))
}

/// Digs somebody up, which takes a thread.
#[ai_tool(effect = "read", version = "1.0.0", blocking, evidence, unknown_fields = "ignore")]
fn dig(
    cx: &ToolContext,
    tool_runs: &Arc<ToolRuns>,
    /// What happens.
    act: String,
    /// What proves who asks.
    #[arg(secret)]
    token: String,
    /// Whom.
    #[arg(pii)]
    person: String,
    /// Everything else.
    sent: Sent,
) -> Result<Answer, Careless> {
    let _ = person;
    tracing::trace!(?sent.login, ?sent.payments, ?sent.keys, "digging");
    if act == "hang" {
        let held_up = tool_runs.held_up.lock().unwrap().take();
        // The blocker releases it by being dropped.
        let _ = held_up.map(|held_up| held_up.recv());
    }
    tool_runs.act(&act, said(cx, &token, ""))
}

/// A tool with a hand-written schema.
fn relay(tool_runs: &Arc<ToolRuns>) -> DynamicTool {
    let tool_runs = tool_runs.clone();
    DynamicTool::new("relay", Effect::Read)
        .description("Passes on what it is given.")
        .input_schema(schema())
        .output_schema(answer())
        .admit_unknown_fields()
        .evidence()
        .handler(move |call: CallScope| {
            let tool_runs = tool_runs.clone();
            async move {
                let arguments: Value = call.parse()?;
                let act = arguments["act"].as_str().unwrap_or_default();
                let token = arguments["token"].as_str().unwrap_or_default();
                let said = said(call.cx(), token, call.arguments());
                tool_runs.act(act, said).map_err(|error| error.failure())
            }
        })
}

/// Returns the schema that the macro would make of the parameters.
fn schema() -> Value {
    let secret = json!({"type": ["string", "integer"], "x-sensitivity": "secret"});
    let personal = json!({"type": "string", "x-sensitivity": "pii"});
    let login = json!({"type": "object", "additionalProperties": true, "properties": {
        "name": {"$ref": "#/$defs/personal"}, "pin": {"$ref": "#/$defs/secret"},
        "spare": {"anyOf": [{"$ref": "#/$defs/secret"}, {"type": "null"}]},
    }});
    json!({
        "type": "object",
        "required": ["act"],
        "properties": {
            "act": {"type": "string"},
            "token": {"allOf": [{"$ref": "#/$defs/secret"}]},
            "person": {"$ref": "#/$defs/personal"},
            "sent": {"type": "object", "additionalProperties": true, "properties": {
                "code": {"$ref": "#/$defs/secret"},
                "login": {"$ref": "#/$defs/login"},
                "logins": {"type": "array", "items": {"$ref": "#/$defs/login"}},
                "labels": {"type": "array", "x-sensitivity": "pii"},
                "payments": {"type": "object", "additionalProperties": {"oneOf": [
                    {"type": "object", "additionalProperties": false, "properties": {
                        "card": {"type": "array", "prefixItems": [{"$ref": "#/$defs/secret"}]},
                    }},
                    {"type": "object", "additionalProperties": false, "properties": {
                        "bill": {"type": "object", "additionalProperties": {"$ref": "#/$defs/personal"}},
                    }},
                ]}},
                "keys": {"type": "object", "patternProperties": {"^ho": {"x-sensitivity": "secret"}}},
            }},
        },
        "$defs": {"secret": secret, "personal": personal, "login": login},
    })
}

fn answer() -> Value {
    json!({"type": "object", "properties": {
        "person": {"x-sensitivity": "pii"},
        "receipt": {"x-sensitivity": "secret"},
    }})
}

/// A runtime's tools; calls of `order` need approval.
pub(super) fn builder(tool_runs: &Arc<ToolRuns>) -> RuntimeBuilder {
    Runtime::builder()
        .tool::<PayTool>()
        .tool::<OrderTool>()
        .tool::<LookTool>()
        .tool::<GreetTool>()
        .tool::<RememberTool>()
        .tool::<DigTool>()
        .dynamic(relay(tool_runs))
        .state(tool_runs.clone())
        .permission("pay", Permission::Allow)
}
