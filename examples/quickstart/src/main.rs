//! A tour of the main features: tools over real data, called as models really call them.
//!
//! Run it with `cargo run -p quickstart`. It prints a tool's schema, a call before and after it runs, a batch
//! with a write, and the model's view of a rejected call.

mod show;
#[cfg(test)]
mod tests;
mod world;

use std::error::Error;

use tool_runtime::contracts::ToolCallRequest;
use tool_runtime::prelude::*;
use tool_runtime::serde_json::value::RawValue;

use crate::show::Show;
use crate::world::World;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().toolkit(World::default()).build()?;
    let cx = ToolContext::builder(Uuid::now_v7(), "trace-quickstart").run_id("run-1").build()?;
    let show = Show::to_stdout();

    show.heading("What a model is told of a tool");
    let spec = runtime.spec("world.find_zones").ok_or("the toolkit has this tool")?;
    show.schema(&spec);

    show.heading("A call exists before it runs");
    let arguments = r#"{"code":"EUR"}"#;
    let mut call = runtime.call("world.currency", arguments, &cx);
    show.call(&call);
    call.execute().await;
    show.call(&call);

    show.heading("The envelope, with a slip mended (\"3\" is no number)");
    let mut call = runtime.call("world.find_zones", r#"{"query":"pacific","limit":"3"}"#, &cx);
    show.envelope(call.execute().await);

    show.heading("A batch: reads side by side, the write asks a person first");
    let mut calls = runtime.call_all(&turn()?, &cx);
    for call in calls.iter_mut().filter(|call| call.tool().is_some_and(asks)) {
        show.asking(&call.preview(), "jane");
        call.approve("jane")?;
    }
    for output in runtime.execute_all(&mut calls).await {
        show.answer(output);
    }

    show.heading("Refused, and what the model reads");
    for (name, arguments) in REFUSED {
        show.refused(&runtime.call(name, arguments, &cx));
    }
    Ok(())
}

fn asks(tool: &tool_runtime::contracts::ToolSpec) -> bool {
    tool.permission() == Permission::Ask
}

/// The calls of one model turn.
fn turn() -> Result<Vec<ToolCallRequest>, Box<dyn Error>> {
    let calls = [
        ("call_1", "world.time_in", r#"{"zone":"Asia/Tokyo","at":"2026-03-29T01:30:00Z"}"#),
        ("call_2", "world.time_in", r#"{"zone":"Europe/Berlin","at":"2026-03-29T01:30:00Z"}"#),
        (
            "call_3",
            "world.schedule",
            r#"{"title":"Stand-up","zone":"Europe/Berlin","at":"2026-03-30T09:00:00"}"#,
        ),
        ("call_4", "world.currency", r#"{"code":"JPY"}"#),
    ];
    let request = |(id, name, arguments): (&str, &str, &str)| {
        Ok(ToolCallRequest::new(id, name, RawValue::from_string(arguments.to_owned())?))
    };
    calls.into_iter().map(request).collect()
}

/// Calls with mistakes that models make.
const REFUSED: [(&str, &str); 6] = [
    ("world.timein", r#"{"zone":"Asia/Tokyo"}"#),
    ("world.find_zones", r#"{"querry":"tokyo","limit":500}"#),
    ("world.schedule", r#"{"title":"Stand-up","zone":["Europe/Berlin"],"at":20260330}"#),
    ("world.currency", r#"{"code":"EUR","code":"USD"}"#),
    ("world.currency", r#"{"code":"EU"#),
    ("world.schedule", r#"{"title":"Stand-up","zone":"Europe/Berlin","diary":{}}"#),
];
