//! The transcript of the demonstration, for people.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};
use tool_runtime::agent::{AgentError, ChatReply, LoopEnd, LoopReport, ModelCall, ModelMessage};
use tool_runtime::contracts::act::{ActResult, ToolRequest};
use tool_runtime::contracts::proxy::ProxyResponse;
use tool_runtime::contracts::{CallStatus, ToolErrorDetail};
use tool_runtime::prelude::*;

use crate::demo::conversation::SavedRun;
use crate::servers::{RatesServer, ResponseStatus};
use crate::{DataFolder, Models};

/// The width of a line, in characters.
const WIDTH: usize = 96;

/// Names the servers and the folder of this run.
pub(crate) fn begins(models: &Models, rates: &RatesServer, folder: &DataFolder) {
    let kind = match models {
        Models::Scripted(_) => "scripted, in this process",
        Models::Real { name, .. } => name,
    };
    let kept = if folder.is_temporary() { "removed at the end" } else { "kept" };
    println!("models  {} ({kind})", models.base_url());
    println!("rates   {} (in this process)", rates.url());
    println!("data    {} ({kept})", folder.path().display());
}

pub(crate) fn heading(text: &str) {
    println!("\n{text}\n{}", "-".repeat(text.chars().count()));
}

/// Prints what a person or a model says.
pub(crate) fn says(who: &str, text: &str) {
    print_block(&format!("{who}: "), text);
}

/// Prints a remark on the run itself.
pub(crate) fn note(text: &str) {
    println!("  ({text})");
}

/// Prints the results of the required tools, the figures, and the answer.
pub(crate) fn answered(requests: &[ToolRequest], response: &ProxyResponse) {
    println!("\n  {:<20} {:<16} {:>7} {:>7}  result", "tool", "type", "time", "tokens");
    for (request, result) in requests.iter().zip(response.tool_results()) {
        let name = format!("{}.{}", request.tool_id(), request.function_name());
        println!(
            "  {name:<20} {:<16} {:>4.0} ms {:>7}  {}",
            request.tool_type().as_str(),
            result.execution_time_ms(),
            result.token_estimate(),
            outcome(result)
        );
    }
    figures(response);
    println!();
    let text = response.llm_response().content().as_str().unwrap_or_default();
    says("model", text);
}

fn outcome(result: &ActResult) -> String {
    match (result.error(), result.retry_count()) {
        (Some(error), _) => format!("failed: {error}"),
        (None, 0) => "ok".to_owned(),
        (None, 1) => "ok after 1 retry".to_owned(),
        (None, retries) => format!("ok after {retries} retries"),
    }
}

fn figures(response: &ProxyResponse) {
    let (cost, context) = (response.cost_analysis(), response.context_optimization());
    println!(
        "\n  context  {} tokens before, {} after ({:.0} %), by {}",
        cost.raw_input_tokens(),
        cost.optimized_input_tokens(),
        cost.input_compression_ratio() * 100.0,
        context.method_used().as_str()
    );
    if context.metadata().contains_key("price") {
        println!("  cost     price unknown; the answer has {} tokens", cost.output_tokens());
    } else {
        println!(
            "  cost     ${:.6} in place of ${:.6}: {:.0} % saved; the answer has {} tokens",
            cost.actual_cost(),
            cost.baseline_cost(),
            cost.savings_percentage(),
            cost.output_tokens()
        );
    }
    let time = response.breakdown();
    println!(
        "  time     {:.0} ms: tools {:.0}, context {:.0}, model {:.0}, output {:.1}, rest {:.1}",
        response.total_latency_ms(),
        time.tool_execution_ms(),
        time.context_compression_ms(),
        time.llm_inference_ms(),
        time.output_serialization_ms(),
        time.overhead_ms()
    );
}

/// Prints a conversation from this message on, and how it ended.
pub(crate) fn turns(report: &LoopReport, from: usize) {
    let mut calls: &[ModelCall] = &[];
    for (place, message) in report.messages().iter().enumerate() {
        let is_shown = place >= from;
        match message {
            ModelMessage::Assistant(said) => {
                calls = said.calls();
                calls.iter().filter(|_| is_shown).for_each(print_call);
            }
            ModelMessage::ToolResult { call_id, text, .. } if is_shown => {
                let call = calls.iter().find(|call| call.call_id() == call_id);
                let name = call.map_or("tool", ModelCall::name);
                print_block(&format!("  {name} answers "), &clipped(text));
            }
            _ => {}
        }
    }
    ended(report);
}

/// Prints the end of a conversation, from the answers to the calls that waited.
pub(crate) fn turns_after_the_decision(report: &LoopReport) {
    let is_call = |message: &ModelMessage| matches!(message, ModelMessage::Assistant(_));
    let asked = report.messages().iter().rposition(is_call).unwrap_or_default();
    let before = &report.messages()[..asked];
    turns(report, before.iter().rposition(is_call).map_or(0, |place| place + 1));
}

fn print_call(call: &ModelCall) {
    print_block("model calls ", &format!("{} {}", call.name(), call.arguments()));
}

fn ended(report: &LoopReport) {
    match report.end() {
        LoopEnd::Answered(reply) => says("model", reply.text()),
        LoopEnd::Suspended(_) => {}
        LoopEnd::Stopped(cause) => note(&format!("stopped: {}", cause.as_str())),
        _ => note("ended"),
    }
    let usage = report.usage();
    note(&format!(
        "{} turns, {} calls, {} tokens read, {} written",
        report.turns(),
        report.calls(),
        usage.input_tokens,
        usage.output_tokens
    ));
}

/// Says that a run waits, and how it is kept.
pub(crate) fn suspended(saved: &SavedRun, bytes: usize) {
    for pending in saved.run.pending() {
        note(&format!("{} waits for a person; the run is kept in {bytes} bytes", pending.tool()));
    }
}

/// Shows a call to its approver: the tool, the arguments, and what a dry run would do.
///
/// # Errors
/// The call waits no longer; the text says why.
pub(crate) fn waiting(call: &ToolCall) -> Result<(), String> {
    if call.status() != CallStatus::Pending {
        let error = call.output().and_then(ToolOutput::error);
        return Err(error.map_or("the call waits no longer", ToolErrorDetail::message).to_owned());
    }
    let preview = call.preview();
    println!(
        "\n  {} ({}) waits for a person:",
        preview.title().unwrap_or("a call"),
        preview.name()
    );
    print_arguments(preview.arguments().unwrap_or_default());
    print_block("    a dry run answers ", preview.answer().unwrap_or("nothing"));
    Ok(())
}

/// Prints arguments as a person reads them: each by its name, and texts with their lines.
fn print_arguments(json: &str) {
    let arguments: Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
    for (name, value) in arguments {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut lines = text.lines();
        println!("    {name}: {}", lines.next().unwrap_or_default());
        lines.for_each(|line| println!("      {line}"));
    }
}

pub(crate) fn how_to_continue(file: &Path, folder: &DataFolder) {
    println!("\nAnother process continues it, when a person has approved:");
    println!(
        "  cargo run -p proxy-agent -- --data-dir {} --resume {} --approve NAME",
        folder.path().display(),
        file.display()
    );
}

pub(crate) fn busy(responses: &[ResponseStatus], took: Duration, pieces: &[String]) {
    println!("  busy     the server answered {}; {}", statuses(responses), seconds(took));
    let text = pieces.concat();
    print_block("           ", &format!("streamed in {} pieces: {text}", pieces.len()));
}

pub(crate) fn broken(responses: &[ResponseStatus], reply: &ChatReply) {
    println!("  broken   the server answered {}", statuses(responses));
    print_block("           ", &format!("{} took over: {}", reply.model(), reply.text()));
}

pub(crate) fn slow(error: &AgentError, took: Duration) {
    let attempts = &error.details()["attempts"];
    println!("  slow     given up after {attempts} attempts; {}", seconds(took));
    print_block("           ", &error.to_string());
}

fn statuses(responses: &[ResponseStatus]) -> String {
    let number = |status: &ResponseStatus| match status {
        Some(status) => status.as_u16().to_string(),
        None => "nothing".to_owned(),
    };
    responses.iter().map(number).collect::<Vec<_>>().join(", ")
}

fn seconds(took: Duration) -> String {
    format!("{:.1} s", took.as_secs_f64())
}

/// Shortens a tool's answer to a few lines.
fn clipped(text: &str) -> String {
    const LENGTH: usize = 200;
    let text = serde_json::from_str(text).unwrap_or_else(|_| text.to_owned());
    let text = text.replace('\n', " ");
    match text.char_indices().nth(LENGTH) {
        None => text,
        Some((end, _)) => format!("{} …", &text[..end]),
    }
}

/// Prints a text in lines of the transcript's width, each indented as far as the first one's label.
fn print_block(label: &str, text: &str) {
    let indent = label.chars().count();
    let mut line = label.to_owned();
    for word in text.split_whitespace() {
        let length = line.chars().count() + 1 + word.chars().count();
        if length > WIDTH && line.chars().count() > indent {
            println!("{line}");
            line = " ".repeat(indent);
        }
        if !line.ends_with(' ') {
            line.push(' ');
        }
        line.push_str(word);
    }
    println!("{line}");
}
