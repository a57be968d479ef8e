//! The transcript: what a person reads of the conversation.

use serde::de::IgnoredAny;
use tool_runtime::contracts::ToolErrorDetail;
use tool_runtime::prelude::*;
use tool_runtime::serde_json::{self, Value};

use crate::orders::Order;

/// The longest line of JSON before it is broken.
const WIDTH: usize = 100;

/// Lists what a model may call.
pub(crate) fn tools(runtime: &Runtime) {
    println!("The model has these tools:");
    for tool in runtime.specs_for_model() {
        println!("  {:<31} {:<5} {}", tool.name(), tool.effect(), summary(tool.description()));
    }
}

pub(crate) fn says(who: &str, text: &str) {
    println!("\n{who}: {text}");
}

pub(crate) fn happens(text: &str) {
    println!("\n({text})");
}

/// Shows a call as the model sent it.
pub(crate) fn call(call: &ToolCall) {
    println!("\nmodel → {} {}", call.name(), call.input());
}

/// Shows an answer: the data, or what the model reads of an error.
pub(crate) fn answer(call: &ToolCall) {
    let Some(output) = call.output() else { return };
    let dry = if call.cx().dry_run() { ", dry run" } else { "" };
    println!("\n{} ({}{dry})", call.name(), call.status());
    match (output.data_json(), output.error()) {
        (Some(data), _) => {
            println!("  {}", laid_out(data));
            receipts(output);
        }
        (_, Some(error)) => failure(call, error),
        _ => {}
    }
}

/// Says what the order service holds in the end.
pub(crate) fn orders(orders: &[Order]) {
    println!("\nThe order service has {} order(s).", orders.len());
    for order in orders {
        let skus: Vec<_> = order.skus.iter().map(ToString::to_string).collect();
        println!("  {} for {}, to {}", skus.join(" "), order.total, order.ship_to);
    }
}

/// Says which slips of the model were mended, and what a person changed.
fn receipts(output: &ToolOutput) {
    let Ok(envelope) = output.decode::<IgnoredAny, IgnoredAny>() else { return };
    let Ok(result) = envelope.as_result() else { return };
    for slip in result.meta().coercions() {
        println!("  (mended: {} was sent as {}, not {})", slip.pointer(), slip.from(), slip.to());
    }
    for place in result.meta().edits() {
        println!("  (edited: {place})");
    }
}

fn failure(call: &ToolCall, error: &ToolErrorDetail) {
    println!("  {}: {}", error.code().unwrap_or("?"), error.message());
    // The message of a refusal says every violation already.
    if let (true, Some(details)) = (call.violations().is_empty(), error.details()) {
        println!("  {}", wrapped(&Value::Object(details.clone()), 2));
    }
}

fn summary(description: &str) -> &str {
    description.lines().next().unwrap_or_default()
}

/// Breaks JSON into lines where it is long; what is no JSON stays as it is.
pub(crate) fn laid_out(json: &str) -> String {
    serde_json::from_str(json).map_or_else(|_| json.to_owned(), |value| wrapped(&value, 2))
}

fn wrapped(value: &Value, indent: usize) -> String {
    let flat = value.to_string();
    if flat.len() + indent <= WIDTH || is_plain_list(value) {
        return flat;
    }
    let deeper = indent + 2;
    let (open, close, lines): (_, _, Vec<String>) = match value {
        Value::Array(items) => ('[', ']', items.iter().map(|item| wrapped(item, deeper)).collect()),
        Value::Object(fields) => {
            let line = |(key, value): (&String, _)| format!("{key:?}: {}", wrapped(value, deeper));
            ('{', '}', fields.iter().map(line).collect())
        }
        _ => return flat,
    };
    let pad = " ".repeat(deeper);
    let lines = lines.join(&format!(",\n{pad}"));
    format!("{open}\n{pad}{lines}\n{}{close}", " ".repeat(indent))
}

fn is_plain_list(value: &Value) -> bool {
    let nested = |item: &Value| item.is_array() || item.is_object();
    value.as_array().is_some_and(|items| !items.iter().any(nested))
}
