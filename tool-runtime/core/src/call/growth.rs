//! Linear cost of whole calls with adversarial arguments.

#[path = "../../../schema/src/schema/validator/tests/shapes.rs"]
mod shapes;

use serde_json::{Value, json};
use tool_contracts::{Effect, ToolContext};
use tool_runtime_schema::test_cost;
use uuid::Uuid;

use self::shapes::{grows_in_proportion, roomy, shapes};
use crate::failure::Failure;
use crate::runtime::Runtime;
use crate::tool::CallScope;
use crate::tool::registry::DynamicTool;
use crate::{ToolCall, ToolOutput};

#[test]
fn a_call_with_hostile_arguments_costs_in_proportion_to_their_length() {
    let cx = ToolContext::builder(Uuid::now_v7(), "trace-1").run_id("run-1").build().unwrap();
    for (name, mut schema, text) in shapes() {
        let arguments = |count: usize| {
            let text = text(count);
            if text.starts_with('{') { text } else { format!("{{\"v\":{text}}}") }
        };
        if arguments(1).starts_with("{\"v\"") {
            let defs = schema.as_object_mut().and_then(|schema| schema.remove("$defs"));
            schema = json!({"type": "object", "properties": {"v": schema}});
            if let Some(defs) = defs {
                schema["$defs"] = defs;
            }
        } else {
            schema["type"] = json!("object");
        }
        let tool = DynamicTool::new("take", Effect::Read)
            .description("Takes anything.")
            .input_schema(schema);
        let tool = tool.handler(|_: CallScope| async { Ok::<_, Failure>(1) });
        let runtime = Runtime::builder().dynamic(tool).limits(roomy()).build().unwrap();
        grows_in_proportion(name, |count| {
            let text = arguments(count);
            let (length, steps) = test_cost::measure(|| {
                let mut call = runtime.call("take", text.as_str(), &cx);
                executed(&mut call).json().len()
            });
            assert!(length < 256 * 1024 + 2 * text.len(), "{name}: {length} bytes");
            steps
        });
    }
}

fn executed(call: &mut ToolCall) -> &ToolOutput {
    let executor = tokio::runtime::Builder::new_current_thread().enable_time().build();
    executor.expect("it starts").block_on(call.execute())
}

#[test]
fn arguments_of_a_refused_call_are_repeated_up_to_a_bound() {
    let cx = ToolContext::builder(Uuid::now_v7(), "trace-1").run_id("run-1").build().unwrap();
    let schema = json!({"type": "object", "properties": {"k": {"type": "integer"}}});
    let tool = DynamicTool::new("take", Effect::Read).description("Takes.").input_schema(schema);
    let tool = tool.handler(|_: CallScope| async { Ok::<_, Failure>(1) });
    let runtime = Runtime::builder().dynamic(tool).build().unwrap();
    for (name, length, expected) in
        [("take", 1_000, false), ("take", 100_000, true), ("tkae", 100_000, true)]
    {
        let text = json!({"k": "x".repeat(length)}).to_string();
        let mut call = runtime.call(name, text.as_str(), &cx);
        let answer: Value = serde_json::from_str(executed(&mut call).json()).unwrap();
        assert_eq!(answer["input"].is_null(), expected, "{name} {length}");
    }
}
