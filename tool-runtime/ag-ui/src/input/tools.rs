//! The tools that a client declares.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tool_contracts::{Effect, Problem, ToolSpec};

use super::read_at;
use crate::problem::InputRefusal;

#[derive(Deserialize)]
struct RawTool {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Option<Map<String, Value>>,
}

/// Reads the tools of a client, each with a name of its own.
pub(super) fn read_all(entries: &[&RawValue]) -> Result<Vec<ToolSpec>, InputRefusal> {
    let mut names = HashSet::new();
    let mut specs = Vec::with_capacity(entries.len());
    for (index, raw) in entries.iter().enumerate() {
        let place = format!("tools[{index}]");
        let spec = read(&place, raw)?;
        if !names.insert(spec.name().to_owned()) {
            let message = format!("{place}.name: an earlier tool has the same name; rename one");
            return Err(InputRefusal::invalid(message));
        }
        specs.push(spec);
    }
    Ok(specs)
}

fn read(place: &str, raw: &RawValue) -> Result<ToolSpec, InputRefusal> {
    let expected = "a tool with `name` and `description` as texts, and `parameters`, a JSON Schema \
                    as an object";
    let tool: RawTool = read_at(place, expected, raw.get())?;
    let description = match tool.description.trim() {
        "" => "A tool of the client's application.".to_owned(),
        _ => tool.description,
    };
    let mut parameters = tool.parameters.unwrap_or_default();
    parameters.entry("type").or_insert_with(|| Value::String("object".to_owned()));
    // The effect is the client's own; the strictest one is assumed.
    ToolSpec::builder(tool.name, Effect::Destructive)
        .description(description)
        .input_schema(Value::Object(parameters))
        .build()
        .map_err(|error| {
            let fields: Vec<_> = error.problems().iter().map(Problem::field).collect();
            InputRefusal::invalid(format!(
                "{place}: the fields {} are not those of a tool; a name has 1 to 64 letters, digits, \
                 `_`, `-` or `.`, and `parameters` is the schema of an object",
                fields.join(", ")
            ))
        })
}
