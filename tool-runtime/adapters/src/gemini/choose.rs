//! Writes the field `toolConfig`.

use serde_json::{Map, Value, json};

use crate::format::{CallChoice, DeclaredTool, UnsupportedRule};

/// Only the modes `ANY` and `VALIDATED` take a list of functions; in the latter, the model may answer
/// without a call, as in `AUTO`.
pub(super) fn write(
    choice: &CallChoice<'_>,
    parallel: Option<bool>,
    fields: &mut Map<String, Value>,
) -> Result<(), UnsupportedRule> {
    UnsupportedRule::without_parallel_calls(parallel)?;
    let among = |mode: &str, tools: &[&DeclaredTool]| {
        let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
        json!({ "mode": mode, "allowedFunctionNames": names })
    };
    let config = match choice {
        CallChoice::Auto { allowed: None } => json!({ "mode": "AUTO" }),
        CallChoice::Auto { allowed: Some(tools) } => among("VALIDATED", tools),
        CallChoice::Required { allowed: None } => json!({ "mode": "ANY" }),
        CallChoice::Required { allowed: Some(tools) } => among("ANY", tools),
        CallChoice::None => json!({ "mode": "NONE" }),
        CallChoice::Tool(tool) => among("ANY", &[tool]),
    };
    fields.insert("toolConfig".to_owned(), json!({ "functionCallingConfig": config }));
    Ok(())
}
