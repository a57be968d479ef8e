//! Random schemas of tools, whose calls are written under each dialect's declaration and read back.
//!
//! The description of each property says whether the tool requires it, as a careful author writes it,
//! so that a call is written as a model writes it that knows what it wants to say: an optional
//! property is left out, or `null` where the declaration requires it, and a required one never.

use serde_json::{Map, Value, json};
use tool_runtime::adapters::{Adapter, Dialect};
use tool_runtime::contracts::{Effect, ToolSpec};
use tool_runtime::testing::Instances;

use super::{check_written, declared, declared_property, is_valid, target};
use crate::rng::SeededRng;

/// The calls that are written for each schema.
const CALLS: u64 = 4;

/// What became of random schemas in one dialect.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomCounts {
    /// Schemas with at least one value.
    pub schemas: usize,
    /// Schemas that are declared strict.
    pub strict: usize,
    /// Calls that came back unchanged.
    pub calls: usize,
}

/// Declares the tools of some seeds, and sends calls of each through a dialect and back.
///
/// # Errors
/// A call cannot be written under its declaration, or comes back changed; with the seed.
pub fn round_trips(
    dialect: Dialect,
    seeds: impl IntoIterator<Item = u64>,
) -> Result<RandomCounts, String> {
    let mut counts = RandomCounts::default();
    for seed in seeds {
        let schema = schema(seed);
        // Some schemas contradict themselves.
        let Ok(instances) = Instances::of(&schema) else { continue };
        let spec = ToolSpec::builder("random.tool", Effect::Write).input_schema(schema.clone());
        let spec = spec.build().map_err(|error| format!("seed {seed}: {error}"))?;
        let adapter = Adapter::new(dialect, [&spec]);
        counts.schemas += 1;
        counts.strict += usize::from(adapter.tools()[0].is_strict());
        for call in 0..CALLS {
            let arguments = instances.valid(call);
            round_trip(&adapter, (spec.name(), &schema), &arguments)
                .map_err(|what| format!("seed {seed}, call {call}: {what}\n{schema}"))?;
            counts.calls += 1;
        }
    }
    Ok(counts)
}

fn round_trip(
    adapter: &Adapter,
    (tool, schema): (&str, &Value),
    arguments: &Value,
) -> Result<(), String> {
    let declared = declared(adapter.dialect(), adapter.declarations());
    let root = &declared[0].schema;
    let writer = CallWriter { root, strict: adapter.tools()[0].is_strict() };
    let written = writer
        .written(root, arguments)
        .ok_or_else(|| format!("{arguments} cannot be written under {root}"))?;
    check_written(adapter, &declared, (tool, schema), arguments, &written)
}

/// Writes calls as a model does that knows which properties the tool requires.
struct CallWriter<'d> {
    root: &'d Value,
    /// True if `null` stands for an omitted property.
    strict: bool,
}

impl<'d> CallWriter<'d> {
    fn written(&self, schema: &'d Value, value: &Value) -> Option<Value> {
        let parts = self.parts(schema, value)?;
        match value {
            Value::Object(fields) => self.object(schema, &parts, fields),
            Value::Array(items) => {
                let inner = parts.iter().find_map(|part| part.get("items"));
                let item = |item| match inner {
                    Some(inner) => self.written(inner, item),
                    None => Some(Value::clone(item)),
                };
                items.iter().map(item).collect()
            }
            other => Some(other.clone()),
        }
    }

    fn object(
        &self,
        schema: &'d Value,
        parts: &[&'d Value],
        fields: &Map<String, Value>,
    ) -> Option<Value> {
        let mut all = Map::new();
        for (name, field) in fields {
            let declared = parts.iter().find_map(|part| declared_property(part, name));
            let (wire, inner) = declared.unwrap_or((name, &Value::Null));
            // Here `null` would say that the property is omitted, unless that is the same.
            let says_omitted = self.strict && field.is_null() && is_optional(inner);
            (!says_omitted || name.starts_with("n_")).then_some(())?;
            all.insert(wire.to_owned(), self.written(inner, field)?);
        }
        // The branches of the arguments themselves are one object.
        let is_root = std::ptr::eq(self.root, schema);
        for (name, property) in parts.iter().flat_map(|part| required(part)) {
            if !all.contains_key(name) {
                (is_root || is_optional(property)).then_some(())?;
                all.insert(name.to_owned(), Value::Null);
            }
        }
        Some(Value::Object(all))
    }

    /// The parts of a schema for a value; of a choice, the first branch under which it can be
    /// written.
    fn parts(&self, schema: &'d Value, value: &Value) -> Option<Vec<&'d Value>> {
        let mut found = vec![schema];
        let listed = |keyword| schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
        for part in target(self.root, schema).into_iter().chain(listed("allOf")) {
            found.extend(self.parts(part, value)?);
        }
        for keyword in ["anyOf", "oneOf"] {
            if schema.get(keyword).is_none() {
                continue;
            }
            let takes = |branch: &&'d Value| {
                let written = self.written(branch, value);
                written.is_some_and(|written| is_valid(self.root, branch, &written))
            };
            found.extend(self.parts(listed(keyword).find(takes)?, value)?);
        }
        Some(found)
    }
}

/// Returns whether the tool does not require a property, as its description says.
fn is_optional(property: &Value) -> bool {
    property["description"].as_str().is_some_and(|text| text.starts_with("Optional"))
}

/// The names and schemas of the properties that a schema requires.
fn required(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let names = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    names.filter_map(|name| Some((name, schema["properties"].get(name)?)))
}

/// The schema of a tool's arguments.
fn schema(seed: u64) -> Value {
    let mut random = RandomSchema { rng: SeededRng::new(seed) };
    let mut root = random.object(3, &NAMES);
    if random.rng.one_in(4) {
        let branches = random.branches(2, &["e", "f", "$g"]);
        root["oneOf"] = branches.into();
        if let Some(keywords) = root.as_object_mut() {
            keywords.remove("additionalProperties");
            keywords.insert("unevaluatedProperties".to_owned(), false.into());
        }
    }
    root["$defs"] =
        json!({ "first": random.object(2, &NAMES), "second": random.branch(1, &NAMES) });
    root
}

const NAMES: [&str; 6] = ["a", "b", "c", "d", "$top", "x y"];

struct RandomSchema {
    rng: SeededRng,
}

impl RandomSchema {
    fn object(&mut self, depth: u32, names: &[&str]) -> Value {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for name in names {
            if self.rng.one_in(2) {
                continue;
            }
            let mut schema = self.value(depth);
            let is_required = self.rng.one_in(2);
            let text = if is_required { "Required." } else { "Optional." };
            schema["description"] = text.into();
            let is_null = schema.get("default") == Some(&Value::Null);
            // No other property has the name of one whose default is `null`.
            let name = if is_null { format!("n_{name}") } else { (*name).to_owned() };
            required.extend(is_required.then(|| Value::from(name.as_str())));
            properties.insert(name, schema);
        }
        let mut object =
            json!({ "type": "object", "properties": properties, "required": required });
        if !self.rng.one_in(12) {
            object["additionalProperties"] = false.into();
        }
        object
    }

    fn value(&mut self, depth: u32) -> Value {
        let kinds = if depth == 0 { 8 } else { 14 };
        match self.rng.below(kinds) {
            0 => json!({ "type": "string", "maxLength": self.rng.below(9) }),
            1 => json!({ "type": "string", "enum": ["x", "y"] }),
            2 => json!({ "const": "x" }),
            3 => json!({ "type": "integer", "minimum": 1, "maximum": 1 + self.rng.below(50) }),
            4 => json!({ "type": "number", "exclusiveMinimum": 0 }),
            5 => json!({ "type": ["boolean", "null"] }),
            6 => json!({ "type": ["string", "null"], "default": null }),
            7 => json!({ "enum": ["x", 1, null] }),
            8 => json!({ "anyOf": [self.value(depth - 1), { "type": "null" }] }),
            9 => json!({ "type": "array", "items": self.value(depth - 1), "maxItems": 3 }),
            10 => self.object(depth - 1, &NAMES),
            11 => {
                let keyword = if self.rng.one_in(2) { "anyOf" } else { "oneOf" };
                json!({ keyword: self.branches(depth - 1, &NAMES[..3]) })
            }
            12 => json!({ "allOf": [{ "type": "integer", "minimum": 2 }, { "maximum": 8 }] }),
            _ => {
                let name = if self.rng.one_in(2) { "first" } else { "second" };
                json!({ "$ref": format!("#/$defs/{name}") })
            }
        }
    }

    /// Objects with few names, some with a tag, so that they overlap often.
    fn branches(&mut self, depth: u32, names: &[&str]) -> Vec<Value> {
        (0..2 + self.rng.below(2)).map(|_| self.branch(depth, names)).collect()
    }

    fn branch(&mut self, depth: u32, names: &[&str]) -> Value {
        let mut branch = self.object(depth, names);
        if self.rng.one_in(2) {
            let tag = ["k", "l", "m"][self.rng.index(3)];
            branch["properties"]["kind"] = json!({ "const": tag, "description": "Required." });
            if let Some(Value::Array(required)) = branch.get_mut("required") {
                required.push("kind".into());
            }
        }
        branch
    }
}
