//! The macros in the breadth that users need.
#![allow(
    clippy::unused_async,
    clippy::unnecessary_wraps,
    reason = "what is tested is the form of a function, not its need of it"
)]

mod arguments;
mod examples;
mod failures;
mod fragments;
mod functions;
mod hosts;
mod hygiene;
mod keyed;
mod nested;
mod plain_structs;
mod representations;
mod returns;
mod serde_attributes;
mod strict;
mod toolkits;
mod types;

use serde_json::Value;
use tool_runtime::{Runtime, RuntimeBuilder, Tool, ToolCall};

use tool_runtime::prelude::{ToolContext, Uuid};

/// A context as a host would make it.
fn context() -> tool_runtime::contracts::ToolContextBuilder {
    ToolContext::builder(Uuid::from_u128(7), "trace").run_id("run")
}

fn build(builder: RuntimeBuilder) -> Runtime {
    builder.build().expect("the runtime has all it needs")
}

/// Makes a runtime with one tool and no state.
fn runtime<T: Tool>() -> Runtime {
    build(Runtime::builder().tool::<T>())
}

/// Calls, approves, executes, and gives the envelope.
#[track_caller]
fn answer(runtime: &Runtime, name: &str, arguments: &str) -> Value {
    answer_in(runtime, name, arguments, &context().build().expect("a context"))
}

#[track_caller]
fn answer_in(runtime: &Runtime, name: &str, arguments: &str, cx: &ToolContext) -> Value {
    let mut call = runtime.call(name, arguments, cx);
    execute(&mut call)
}

#[track_caller]
fn execute(call: &mut ToolCall) -> Value {
    // A call with invalid arguments has failed already and takes no approval.
    let _ = call.approve("tester");
    let threads =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    let output = threads.expect("a tokio runtime").block_on(call.execute()).json().to_owned();
    serde_json::from_str(&output).expect("an envelope")
}

/// Returns `data`.
#[track_caller]
fn data(runtime: &Runtime, name: &str, arguments: &str) -> Value {
    let envelope = answer(runtime, name, arguments);
    assert_eq!(envelope["status"], "ok", "{envelope:#}");
    envelope["data"].clone()
}

/// Returns `error`.
#[track_caller]
fn error(runtime: &Runtime, name: &str, arguments: &str) -> Value {
    let envelope = answer(runtime, name, arguments);
    assert_eq!(envelope["status"], "error", "{envelope:#}");
    envelope["error"].clone()
}

fn input_schema(runtime: &Runtime, name: &str) -> Value {
    let spec = runtime.spec(name).expect("the tool is listed");
    serde_json::to_value(spec.input_schema()).expect("a schema")
}

fn output_schema(runtime: &Runtime, name: &str) -> Value {
    let spec = runtime.spec(name).expect("the tool is listed");
    serde_json::to_value(spec.output_schema()).expect("a schema")
}
