//! Requests and answers in the envelopes that services share, through the runtime.

mod answers;
mod calls;
mod governed;

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_runtime::contracts::envelope::RequestEnvelopeBuilder;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::{CallRecord, Observe, RuntimeBuilder};

/// The default tenant of the calls.
const TENANT: Uuid = Uuid::from_u128(7);
const SECRET: &str = "correct-horse-battery";

/// The error of a booking.
#[derive(Debug, ToolFailure)]
enum SeatError {
    #[failure(
        code = "SEAT_TAKEN",
        type = RETRYABLE,
        message = "seat {seat} is taken",
        retry_after = "2s",
        details(seat)
    )]
    Taken { seat: String },
    #[failure(OUT_OF_STOCK, message = "there is no seat left")]
    Full,
}

/// Finds a seat.
#[ai_tool(effect = "read", version = "1.0.0", ttl = "60s")]
async fn find_seat(
    meta: &MetaRecorder,
    /// Which.
    seat: String,
) -> Result<String, SeatError> {
    match seat.as_str() {
        "taken" => Err(SeatError::Taken { seat }),
        "none" => Err(SeatError::Full),
        _ => {
            meta.warning("the plan is from yesterday");
            Ok(seat)
        }
    }
}

/// Books a seat.
#[ai_tool(effect = "write", version = "1.0.0")]
async fn book_seat(
    log: &Log,
    dry_run: &DryRun,
    /// Which.
    seat: String,
    /// Proves who asks.
    #[arg(default, secret)]
    pin: String,
) -> String {
    let _ = pin;
    if dry_run.is_active() {
        return format!("would book {seat}");
    }
    log.note(format!("booked {seat}"));
    format!("booked {seat}")
}

/// Returns the request's values as the tool sees them.
#[ai_tool(effect = "read")]
async fn tell(cx: &ToolContext) -> Value {
    json!({
        "tenant": cx.tenant_id(), "request": cx.request_id(), "trace": cx.trace_id(),
        "run": cx.run_id(), "user": cx.user_id(), "currency": cx.currency(),
        "dry_run": cx.dry_run(),
    })
}

/// Never ends.
#[ai_tool(effect = "read")]
async fn wait() {
    std::future::pending::<()>().await;
}

/// The effects and the ends of calls. A handle.
#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Observe for Log {
    fn call_ended(&self, record: &CallRecord<'_>) {
        self.note(format!("{} {}", record.tool(), record.status()));
    }
}

fn builder(log: &Log) -> RuntimeBuilder {
    Runtime::builder()
        .tool::<FindSeatTool>()
        .tool::<BookSeatTool>()
        .tool::<TellTool>()
        .tool::<WaitTool>()
        .tenant(TENANT)
        .state(log.clone())
        .observe(log.clone())
}

fn runtime(log: &Log) -> Runtime {
    let allowed = builder(log).permission("book_seat", Permission::Allow);
    allowed.policy(Policy::new()).build().unwrap()
}

fn asks() -> RequestEnvelopeBuilder {
    let actor = Actor::new(ActorType::User, "u_123").unwrap();
    RequestEnvelope::builder("req-7", actor).user_id("u_123")
}

fn request() -> RequestEnvelope {
    asks().build().unwrap()
}

/// Returns the whole response as a value, without its duration.
fn wire(response: &ResponseEnvelope) -> Value {
    let mut value = serde_json::to_value(response).unwrap();
    if let Some(meta) = value.get_mut("meta").and_then(Value::as_object_mut) {
        meta.remove("took_ms");
        if meta.is_empty() {
            value.as_object_mut().unwrap().remove("meta");
        }
    }
    value
}

#[track_caller]
fn code(response: &ResponseEnvelope) -> &str {
    response.error().expect("an error").code().as_str()
}

#[track_caller]
fn details(response: &ResponseEnvelope) -> Value {
    wire(response)["error"]["details"].clone()
}
