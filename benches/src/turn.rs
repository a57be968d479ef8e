//! A turn of an agent with many tools: its request to the model, compared with the conversion of the tools.

use std::sync::Arc;

use serde_json::json;
use tool_runtime::adapters::{Adapter, Dialect};
use tool_runtime::agent::{ChatModel, ChatRequest, OpenAiModel};
use tool_runtime::contracts::{Effect, ToolSpec};

use crate::instructions;

/// The number of tools.
const TOOLS: usize = 200;

/// Prints the instructions of a conversion of all tools, of a request with other tools than the request
/// before, and of a request with the same tools.
///
/// # Errors
/// Valgrind is not installed, or a run failed.
pub fn figures() -> Result<(), String> {
    let count = |work| instructions::count(&["measure-turn", work]);
    let (conversion, first, later) = (count("conversion")?, count("first")?, count("later")?);
    println!("instructions with {TOOLS} tools");
    println!("{:<44}{conversion:>10}", "conversion of the tools");
    println!("{:<44}{first:>10}", "request of the first turn");
    println!("{:<44}{later:>10}", "request of a later turn");
    #[allow(clippy::cast_precision_loss, reason = "counts of instructions are far below 2^52")]
    let ratio = later as f64 / conversion as f64;
    println!("turn: conversion={conversion} first={first} later={later} ratio={ratio:.3}");
    Ok(())
}

/// The code that runs under callgrind. Nothing listens at the address, so that a request is written and
/// then refused.
///
/// # Errors
/// The name of the work is unknown, or the client cannot be made.
pub fn measure(work: &str) -> Result<(), String> {
    let specs: Vec<Arc<ToolSpec>> = (0..TOOLS).map(|number| Arc::new(spec(number))).collect();
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let model = OpenAiModel::builder("http://127.0.0.1:9", "acme/small").max_attempts(1);
    let model = model.build().map_err(|error| error.to_string())?;
    let request = |specs: Vec<Arc<ToolSpec>>| {
        let request = ChatRequest::new("Which orders are late?").with_tools(specs);
        executor.block_on(model.chat(&request)).err()
    };
    match work {
        "conversion" => instructions::measure(|| {
            Some(Adapter::new(Dialect::OpenAiChat, specs.iter().map(|spec| &**spec)))
        }),
        // Specs at another address are other tools.
        "first" => instructions::measure(|| {
            request(specs.iter().map(|spec| Arc::new(ToolSpec::clone(spec))).collect())
        }),
        "later" => instructions::measure(|| request(specs.clone())),
        other => return Err(format!("no work `{other}`: conversion, first, later")),
    }
    Ok(())
}

/// Makes a tool with the schema of a usual search: bounds, a default, a list and a nested object.
fn spec(number: usize) -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "Words to search for.", "minLength": 1, "maxLength": 200},
            "limit": {"type": "integer", "description": "The maximum number of hits.", "minimum": 1, "maximum": 50, "default": 10},
            "tags": {"type": "array", "description": "Only content with all of these tags.", "items": {"type": "string"}, "maxItems": 20},
            "range": {
                "type": "object",
                "properties": {
                    "from": {"type": "string", "format": "date-time"},
                    "to": {"type": "string", "format": "date-time"},
                },
                "required": ["from"],
                "additionalProperties": false,
            },
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    let builder = ToolSpec::builder(format!("content.search_{number}"), Effect::Read)
        .description("Searches the published content of a site.")
        .input_schema(schema);
    builder.build().expect("the contract is complete")
}
