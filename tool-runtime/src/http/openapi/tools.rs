//! The schemas of a caller's tools.

use serde_json::{Map, Value, json};
use tool_contracts::{Effect, ToolSpec};

use super::DocumentInput;
use super::components::Components;
use super::reference::of;
use crate::Limits;
use crate::schema::Coerce;

/// The request and success bodies of calls.
pub(in crate::http) struct CallBodies {
    /// The body of a call.
    pub(super) request: Value,
    /// The body of its success.
    pub(super) success: Value,
}

/// Adds the tools' schemas to the components.
pub(super) fn add(input: &DocumentInput<'_>, components: &mut Components) -> CallBodies {
    let (mut requests, mut successes, mut mapping) = (Vec::new(), Vec::new(), Map::new());
    for tool in &input.tools {
        let request = request(input, tool, components);
        mapping.insert(tool.name().to_owned(), request["$ref"].clone());
        requests.push(request);
        successes.push(success(tool, components));
    }
    if requests.is_empty() {
        return CallBodies { request: of("CallRequest"), success: of("CallSuccess") };
    }
    let discriminator = json!({"propertyName": "tool_name", "mapping": mapping});
    CallBodies {
        request: json!({"oneOf": requests, "discriminator": discriminator}),
        success: json!({"oneOf": successes}),
    }
}

fn request(input: &DocumentInput<'_>, tool: &ToolSpec, components: &mut Components) -> Value {
    let name = tool.name();
    let arguments = components.adopt_taken(&format!("{name}.input"), tool.input_schema());
    let may_be_left_out = input
        .app
        .runtime
        .registered(name)
        .is_some_and(|tool| tool.input.check("{}", &Limits::new(), Coerce::Off).is_admitted());
    let mut request = copied(components, "CallRequest");
    describe(&mut request, tool, "Call of");
    if let Some(toolkit) = tool.toolkit() {
        let described = format!(
            "{}\n\nToolkit `{}`: {}",
            tool.description(),
            toolkit.name(),
            toolkit.description()
        );
        request.insert("description".to_owned(), described.into());
    }
    let is = json!({"type": "string", "const": name});
    let (arguments, required) = if may_be_left_out {
        (json!({"anyOf": [arguments, {"type": "null"}]}), json!(["tool_name"]))
    } else {
        (arguments, json!(["tool_name", "input"]))
    };
    property(&mut request, "tool_name", is);
    property(&mut request, "input", arguments);
    request.insert("required".to_owned(), required);
    components.add(&format!("{name}.call"), request.into())
}

fn success(tool: &ToolSpec, components: &mut Components) -> Value {
    let name = tool.name();
    let mut success = copied(components, "CallSuccess");
    describe(&mut success, tool, "Answer of");
    if let Some(output) = tool.output_schema() {
        let output = components.adopt(&format!("{name}.output"), output);
        if tool.effect() == Effect::Read {
            property(&mut success, "output", output);
        } else {
            success.insert("anyOf".to_owned(), output_or_dry_run(&output));
        }
    }
    let is = json!({"properties": {"tool_name": {"const": name}}});
    property(&mut success, "audit", json!({"allOf": [of("Audit"), is]}));
    components.add(&format!("{name}.answer"), success.into())
}

/// Admits a dry run's output, whose form the tool chooses, beside the declared output.
fn output_or_dry_run(output: &Value) -> Value {
    let shown = json!({"properties": {"dry_run": {"const": true}}, "required": ["dry_run"]});
    json!([
        {"properties": {"output": output}},
        {"properties": {"meta": shown}, "required": ["meta"]},
    ])
}

fn copied(components: &Components, name: &str) -> Map<String, Value> {
    components.get(name).and_then(Value::as_object).cloned().unwrap_or_default()
}

fn describe(schema: &mut Map<String, Value>, tool: &ToolSpec, what: &str) {
    let title = tool.title().unwrap_or_else(|| tool.name());
    schema.insert("title".to_owned(), format!("{what} {title}").into());
    schema.insert("description".to_owned(), tool.description().into());
    // They are examples of another tool.
    schema.remove("examples");
}

fn property(schema: &mut Map<String, Value>, name: &str, value: Value) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert(name.to_owned(), value);
    }
}
