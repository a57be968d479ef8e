//! The transcript: what a person reads of the conversation.

use tool_runtime::contracts::{ToolErrorDetail, ToolErrorMeta, ToolResultMeta};
use tool_runtime::policy::ApprovalRequest;
use tool_runtime::prelude::*;
use tool_runtime::{Preview, serde_json};

use crate::files::Files;
use crate::orders::Order;
use crate::outline::outline;

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

/// Adds to what was shown last.
pub(crate) fn note(text: &str) {
    println!("  ({text})");
}

/// Shows a call as the model sent it.
pub(crate) fn call(call: &ToolCall) {
    println!("\nmodel → {} {}", call.name(), call.input());
}

/// Shows a call that somebody has to decide about.
pub(crate) fn question(request: &ApprovalRequest<'_>) {
    match request.refused_edit() {
        Some(refused) => note(refused.message()),
        None => shown(request.preview(), request.rehearsal()),
    }
}

/// Shows what a call would do, with its dry run's answer.
pub(crate) fn shown(preview: Preview<'_>, rehearsal: Option<&ToolOutput>) {
    println!("\nMay this run? {}", preview.title().unwrap_or(preview.name()));
    print!("{}", outline(preview.arguments().unwrap_or_default()));
    if let Some(plan) = rehearsal.and_then(ToolOutput::data_json) {
        print!("It would come to\n{}", outline(plan));
    }
    if let Some(error) = rehearsal.and_then(ToolOutput::error) {
        println!("It would fail\n  {}", told(error));
    }
}

/// Shows an answer: the data, or what the model reads of an error.
pub(crate) fn answer(call: &ToolCall) {
    let Some(output) = call.output() else { return };
    println!("\n{} ({})", call.name(), call.status());
    match (output.data_json(), output.error()) {
        (Some(data), _) => {
            print!("{}", outline(data));
            receipts(output);
        }
        (_, Some(error)) => failure(call, output, error),
        _ => {}
    }
}

/// Says where a ticket waits, and how it is decided about.
pub(crate) fn waits(files: &Files) {
    let (ticket, database) = (files.ticket(), files.database().display());
    let ticket = ticket.display();
    println!("\nThe ticket is in {ticket}. Somebody decides about it in another process:");
    println!("  storefront --db {database} --resume {ticket} --approve NAME");
}

/// Says what the order service holds in the end.
pub(crate) fn orders(orders: &[Order]) {
    let count = orders.len();
    println!("\nThe order service has {count} {}.", if count == 1 { "order" } else { "orders" });
    for order in orders {
        let skus: Vec<_> = order.skus.iter().map(ToString::to_string).collect();
        println!("  {} for {}, to {}", skus.join(" "), order.total, order.ship_to);
    }
}

/// Says how an answer came about.
fn receipts(output: &ToolOutput) {
    let Ok(meta) = serde_json::from_str::<ToolResultMeta>(output.meta_json()) else { return };
    for slip in meta.coercions() {
        note(&format!("mended: {} was {}, not {}", slip.pointer(), slip.from(), slip.to()));
    }
    for place in meta.edits() {
        note(&format!("edited: {place}"));
    }
    if let Some(attempts) = meta.attempts() {
        note(&format!("attempts: {attempts}"));
    }
    for warning in meta.warnings() {
        note(&format!("warning: {warning}"));
    }
    if let (Some(true), Some(seconds)) = (meta.cache_hit(), meta.ttl_seconds()) {
        note(&format!("cache hit: good for {seconds} s more"));
    }
    if meta.replayed() {
        note("replayed: the answer that was given before, nothing ran");
    }
    if meta.dry_run() {
        note("dry run: nothing was done");
    }
}

fn failure(call: &ToolCall, output: &ToolOutput, error: &ToolErrorDetail) {
    println!("  {}", told(error));
    // The message of a refusal says every violation already.
    if let (true, Some(details)) = (call.violations().is_empty(), error.details()) {
        let details = serde_json::to_string(details).unwrap_or_default();
        print!("{}", outline(&details));
    }
    let meta = serde_json::from_str::<ToolErrorMeta>(output.meta_json()).ok();
    if let Some(attempts) = meta.and_then(|meta| meta.attempts()).filter(|tries| *tries > 1) {
        note(&format!("attempts: {attempts}"));
    }
}

fn told(error: &ToolErrorDetail) -> String {
    format!("{}: {}", error.code().unwrap_or("?"), error.message())
}

fn summary(description: &str) -> &str {
    description.lines().next().unwrap_or_default()
}
