//! The schemas of a caller's tools.

use serde_json::{Map, Value, json};
use tool_contracts::{Effect, ToolSpec};
use tool_runtime_schema::Limits;
use tool_runtime_schema::schema::Coerce;

use super::DocumentInput;
use super::components::Components;
use super::names;
use super::reference::schema_ref;

/// The metadata of a dry run.
const DRY_RUN_META: &str = "ToolDryRunMeta";
/// The metadata of a write that ran.
const RUN_META: &str = "ToolRunMeta";

/// The request and success bodies of calls.
pub(crate) struct CallBodies {
    /// The body of a call.
    pub(super) request: Value,
    /// The body of its success, one of these.
    pub(super) successes: Vec<Value>,
}

impl CallBodies {
    /// Returns the schema of a success, or of one of other answers.
    pub(super) fn success_or(&self, others: &[Value]) -> Value {
        match &[&self.successes, others].concat()[..] {
            [only] => only.clone(),
            answers => json!({ "oneOf": answers }),
        }
    }
}

/// Adds the tools' schemas to the components.
pub(super) fn add(input: &DocumentInput<'_>, components: &mut Components) -> CallBodies {
    let (mut requests, mut successes, mut mapping) = (Vec::new(), Vec::new(), Map::new());
    if input.tools.iter().any(|tool| tool.effect() != Effect::Read) {
        add_metas(components);
    }
    for tool in &input.tools {
        let request = request(input, tool, components);
        mapping.insert(tool.name().to_owned(), request["$ref"].clone());
        requests.push(request);
        add_successes(tool, components, &mut successes);
    }
    if requests.is_empty() {
        return CallBodies {
            request: schema_ref("CallRequest"),
            successes: vec![schema_ref("CallSuccess")],
        };
    }
    let discriminator = json!({"propertyName": "tool_name", "mapping": mapping});
    let request = json!({"oneOf": requests, "discriminator": discriminator});
    CallBodies { request: components.add("ToolCall", request), successes }
}

fn request(input: &DocumentInput<'_>, tool: &ToolSpec, components: &mut Components) -> Value {
    let name = tool.name();
    let arguments =
        components.adopt_taken(&format!("{}Input", names::for_tool(name)), tool.input_schema());
    let may_be_left_out = input
        .app
        .runtime
        .registered(name)
        .is_some_and(|tool| tool.input.check("{}", &Limits::new(), Coerce::Off).is_admitted());
    let mut request = copied(components, "CallRequest");
    describe(&mut request, tool);
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
    components.add(&format!("{}Call", names::for_tool(name)), request.into())
}

fn add_successes(tool: &ToolSpec, components: &mut Components, successes: &mut Vec<Value>) {
    let name = names::for_tool(tool.name());
    // A copy, since generators do not merge the type of a text with a constant.
    let mut audit = copied(components, "Audit");
    property(&mut audit, "tool_name", json!({"type": "string", "const": tool.name()}));
    audit.remove("examples");
    let audit = components.add(&format!("{name}Audit"), audit.into());
    let mut success = copied(components, "CallSuccess");
    describe(&mut success, tool);
    property(&mut success, "audit", audit);
    let Some(output) = tool.output_schema() else {
        return successes.push(components.add(&format!("{name}Answer"), success.into()));
    };
    let output = components.adopt(&format!("{name}Output"), output);
    if tool.effect() != Effect::Read {
        // The tool chooses the form of a dry run's output.
        let mut dry_run = success.clone();
        property(&mut dry_run, "meta", schema_ref(DRY_RUN_META));
        require(&mut dry_run, "meta");
        successes.push(components.add(&format!("{name}DryRunAnswer"), dry_run.into()));
        property(&mut success, "meta", json!({"anyOf": [schema_ref(RUN_META), {"type": "null"}]}));
    }
    property(&mut success, "output", output);
    successes.push(components.add(&format!("{name}Answer"), success.into()));
}

/// Adds the metadata of a write, by which the answers of dry runs differ from others.
fn add_metas(components: &mut Components) {
    let mut dry_run = copied(components, "ToolResultMeta");
    let mut run = dry_run.clone();
    property(&mut dry_run, "dry_run", json!({"type": "boolean", "const": true}));
    require(&mut dry_run, "dry_run");
    property(&mut run, "dry_run", json!({"type": "null"}));
    for (name, mut meta) in [(DRY_RUN_META, dry_run), (RUN_META, run)] {
        meta.remove("examples");
        components.add(name, meta.into());
    }
}

fn copied(components: &Components, name: &str) -> Map<String, Value> {
    components.get(name).and_then(Value::as_object).cloned().unwrap_or_default()
}

fn describe(schema: &mut Map<String, Value>, tool: &ToolSpec) {
    schema.insert("description".to_owned(), tool.description().into());
    // They are examples of another tool.
    schema.remove("examples");
}

fn require(schema: &mut Map<String, Value>, name: &str) {
    if let Value::Array(required) = schema.entry("required").or_insert_with(|| json!([])) {
        required.push(name.into());
    }
}

fn property(schema: &mut Map<String, Value>, name: &str, value: Value) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert(name.to_owned(), value);
    }
}
