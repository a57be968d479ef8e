//! The transcript of the conversation, for people.

use tool_runtime::contracts::envelope::ResponseError;
use tool_runtime::contracts::{
    EvidenceSource, ToolErrorDetail, ToolErrorMeta, ToolResultMeta, Trace,
};
use tool_runtime::policy::ApprovalRequest;
use tool_runtime::prelude::*;
use tool_runtime::{Preview, serde_json};

use crate::files::Files;
use crate::orders::Order;
use crate::outline::outline;

/// Lists the tools that a model may call.
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

/// Prints a note on the previous output.
pub(crate) fn note(text: &str) {
    println!("  ({text})");
}

/// Shows the model's request: the whole envelope once, later only its changes.
pub(crate) fn request(request: &RequestEnvelope, whole: bool) {
    let key = request.idempotency_key().unwrap_or("none");
    if !whole {
        return println!("request {}, key {key}", request.request_id());
    }
    println!("request {}", request.request_id());
    let actor = format!("{} {}", request.actor().kind(), request.actor().id());
    let client = request.client().map(|client| format!("{} {}", client.app(), client.version()));
    let span = request.trace().map(Trace::span_id);
    let fields = [
        ("actor", Some(&*actor)),
        ("user_id", request.user_id()),
        ("session_id", request.session_id()),
        ("locale", request.locale()),
        ("currency", request.currency()),
        ("timezone", request.timezone()),
        ("client", client.as_deref()),
        ("span", span),
        ("idempotency_key", Some(key)),
    ];
    for (name, value) in fields {
        println!("  {name}: {}", value.unwrap_or("none"));
    }
    if request.dry_run() {
        println!("  dry_run: true");
    }
}

/// Shows a call as the model sent it.
pub(crate) fn call(name: &str, arguments: &str) {
    println!("\nmodel → {name} {arguments}");
}

/// Shows a call that needs approval.
pub(crate) fn question(request: &ApprovalRequest<'_>) {
    match request.refused_edit() {
        Some(refused) => note(refused.message()),
        None => shown(request.preview(), request.dry_run()),
    }
}

/// Shows the preview of a call, with its dry run's answer.
pub(crate) fn shown(preview: Preview<'_>, dry_run: Option<&ToolOutput>) {
    println!("\nMay this run? {}", preview.title().unwrap_or(preview.name()));
    print!("{}", outline(preview.arguments().unwrap_or_default(), 2));
    if let Some(plan) = dry_run.and_then(ToolOutput::data_json) {
        print!("It would come to\n{}", outline(plan, 2));
    }
    if let Some(error) = dry_run.and_then(ToolOutput::error) {
        println!("It would fail\n  {}: {}", code(error), error.message());
    }
}

/// Shows an answer: the response envelope, field by field.
pub(crate) fn answer(name: &str, answer: &ResponseEnvelope) {
    println!("\n{name} → ok: {}", answer.is_ok());
    match answer.as_result() {
        Ok(data) => success(data.get()),
        Err(error) => failure(error),
    }
    for warning in answer.warnings() {
        println!("  warning: {warning}");
    }
    if let Some(seconds) = answer.ttl_seconds() {
        println!("  ttl_seconds: {seconds}");
    }
    if let Some(evidence) = answer.evidence() {
        let files = evidence.sources().iter().filter(|source| source.kind() == "file");
        let names: Vec<_> = files.map(EvidenceSource::name).collect();
        println!("  evidence: {}\n    of {}", evidence.snapshot_id(), names.join(", "));
    }
    receipts(answer);
}

/// Shows the file of a ticket, and the command to decide about it.
pub(crate) fn waits(files: &Files) {
    let (ticket, database) = (files.ticket(), files.database().display());
    let ticket = ticket.display();
    println!("\nThe ticket is in {ticket}. Decide about it in another process:");
    println!("  storefront --db {database} --resume {ticket} --approve NAME");
}

/// Shows the file of the records, and the command to inspect it.
pub(crate) fn recorded(files: &Files) {
    if let Some(ledger) = files.ledger() {
        println!(
            "\nEvery call is on the record. Look back at them, and see what would differ today:"
        );
        println!("  trace --ledger {} --replay", ledger.display());
    }
}

/// Shows the orders of the order service at the end.
pub(crate) fn orders(orders: &[Order], traces: &[Option<String>]) {
    let count = orders.len();
    println!("\nThe order service has {count} {}.", if count == 1 { "order" } else { "orders" });
    for (order, trace) in orders.iter().zip(traces) {
        let skus: Vec<_> = order.skus.iter().map(ToString::to_string).collect();
        println!("  {} for {}, to {}", skus.join(" "), order.total, order.ship_to);
        if let Some(trace) = trace {
            println!("    traceparent: {trace}");
        }
    }
}

fn success(data: &str) {
    print!("{}", titled("data", data));
}

fn failure(error: &ResponseError) {
    println!("  error: {}: {}", code(error.as_detail()), error.message());
    // The message lists the violations already.
    let details = error.as_detail().details().filter(|it| !it.contains_key("violations"));
    if let Some(details) = details {
        print!("{}", titled("details", &serde_json::to_string(details).unwrap_or_default()));
    }
}

/// Writes a member of the envelope under its name.
fn titled(name: &str, json: &str) -> String {
    let text = outline(json, 4);
    match text.strip_suffix('\n') {
        Some(line) if !line.contains('\n') && !line.contains(": ") => {
            format!("  {name}: {}\n", line.trim_start())
        }
        _ => format!("  {name}:\n{text}"),
    }
}

/// Shows the facts in the envelope's `meta`.
fn receipts(answer: &ResponseEnvelope) {
    let meta = serde_json::to_value(answer).unwrap_or_default()["meta"].take();
    if !answer.is_ok() {
        let meta = serde_json::from_value::<ToolErrorMeta>(meta).ok();
        return attempts(meta.and_then(|meta| meta.attempts()));
    }
    let Ok(meta) = serde_json::from_value::<ToolResultMeta>(meta) else { return };
    for slip in meta.coercions() {
        note(&format!("mended: {} was {}, not {}", slip.pointer(), slip.from(), slip.to()));
    }
    for place in meta.edits() {
        note(&format!("edited: {place}"));
    }
    attempts(meta.attempts());
    if meta.cache_hit() == Some(true) {
        note("cache hit: the answer is from the cache, nothing ran");
    }
    if meta.replayed() {
        note("replayed: the answer that was given before, nothing ran");
    }
    if meta.dry_run() {
        note("dry run: nothing was done");
    }
}

fn attempts(attempts: Option<u32>) {
    if let Some(attempts) = attempts.filter(|tries| *tries > 1) {
        note(&format!("attempts: {attempts}"));
    }
}

fn code(error: &ToolErrorDetail) -> &str {
    error.code().unwrap_or("?")
}

fn summary(description: &str) -> &str {
    description.lines().next().unwrap_or_default()
}
