//! Changes values near the limits that schemas name.

use serde_json::{Map, Value, json};
use tool_runtime_schema::instances::SeededRng;
use tool_runtime_schema::json::normalized;
use tool_runtime_schema::schema::subschemas::for_each_schema_mut;

/// The longest string.
const MAX_LENGTH: usize = 2_048;
/// The most values of a list that come before all others.
const SHORT_LIST: usize = 8;
/// A name that schemas are unlikely to know.
const UNNAMED: &str = "other";

/// Values and names by which a value is changed at random.
pub(super) struct SchemaEdits {
    values: Vec<Value>,
    names: Vec<String>,
}

impl SchemaEdits {
    /// Collects the values at and near the limits of schemas, and the names of properties.
    pub(super) fn new(schemas: [&Value; 2]) -> Self {
        let ordinary = json!([
            null, true, false, 0, 1, 2, 3, -1, 0.5, 1.5, 0.123_456_789, 1e30, 1e300, "", "a", "A",
            "0", "ab", "a b", "-", "example", [], [1], [1, 1], {}, {UNNAMED: 1}
        ]);
        let values = ordinary.as_array().cloned().unwrap_or_default();
        let mut edits = Self { values, names: vec![UNNAMED.to_owned()] };
        for schema in schemas {
            for_each_schema_mut(&mut normalized(schema.clone()), &mut |keywords| {
                edits.collect(keywords);
            });
        }
        edits
    }

    fn collect(&mut self, keywords: &Map<String, Value>) {
        for (keyword, value) in keywords {
            match (keyword.as_str(), value) {
                ("const", value) => self.values.push(value.clone()),
                // The first values are tried as they are, and a short list says most.
                ("enum", Value::Array(listed)) if listed.len() <= SHORT_LIST => {
                    drop(self.values.splice(0..0, listed.iter().cloned()));
                }
                ("enum", Value::Array(listed)) => self.values.extend(listed.iter().cloned()),
                ("required", Value::Array(names)) => {
                    self.names.extend(names.iter().filter_map(Value::as_str).map(str::to_owned));
                }
                (
                    "properties" | "dependentRequired" | "dependentSchemas" | "dependencies",
                    Value::Object(named),
                ) => {
                    self.names.extend(named.keys().cloned());
                }
                (
                    "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf",
                    Value::Number(limit),
                ) => self.values.extend(near(limit)),
                ("minLength" | "maxLength", limit) => {
                    let limit = limit.as_u64().and_then(|limit| usize::try_from(limit).ok());
                    let limit = limit.filter(|limit| *limit < MAX_LENGTH);
                    let lengths = limit.into_iter().flat_map(|it| it.saturating_sub(1)..=it + 1);
                    self.values.extend(lengths.map(|length| Value::from("a".repeat(length))));
                }
                _ => {}
            }
        }
    }

    /// The values that are put into others.
    pub(super) fn values(&self) -> &[Value] {
        &self.values
    }

    /// Changes one part of a value.
    pub(super) fn apply(&self, mut value: Value, rng: &mut SeededRng) -> Value {
        self.edit(&mut value, rng);
        value
    }

    fn edit(&self, value: &mut Value, rng: &mut SeededRng) {
        let descends = rng.below(3) > 0;
        match value {
            Value::Object(properties) if descends && !properties.is_empty() => {
                let at = rng.below(properties.len());
                properties.values_mut().nth(at).into_iter().for_each(|inner| self.edit(inner, rng));
            }
            Value::Array(items) if descends && !items.is_empty() => {
                let at = rng.below(items.len());
                self.edit(&mut items[at], rng);
            }
            Value::Object(properties) if !rng.once_in(3) => {
                let name = rng.pick(&self.names).cloned().unwrap_or_default();
                properties.insert(name, self.value(rng));
            }
            Value::Array(items) if !rng.once_in(3) => items.push(self.value(rng)),
            other => *other = self.value(rng),
        }
    }

    fn value(&self, rng: &mut SeededRng) -> Value {
        rng.pick(&self.values).cloned().unwrap_or_default()
    }
}

/// A limit, and the numbers next to it.
fn near(limit: &serde_json::Number) -> Vec<Value> {
    if let Some(at) = limit.as_i64() {
        let integers = [Some(at), at.checked_sub(1), at.checked_add(1), at.checked_mul(2)];
        return integers.into_iter().flatten().map(Value::from).collect();
    }
    let float = limit.as_f64().into_iter();
    float
        .flat_map(|at| [at, at.floor(), at.ceil(), at - 0.25, at + 0.25])
        .map(Value::from)
        .collect()
}
