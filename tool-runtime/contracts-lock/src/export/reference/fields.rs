//! Lists the fields of a schema.

use serde_json::{Map, Value};
use tool_runtime_schema::schema::reference::pointer;

use super::markdown::code;

/// The deepest nesting of listed fields.
const DEEPEST: usize = 4;

/// A field at any depth.
pub(super) struct SchemaField {
    /// Its path, such as `address.lines[]`.
    pub(super) path: String,
    pub(super) kind: String,
    pub(super) required: bool,
    pub(super) default: Option<Value>,
    pub(super) rules: Vec<String>,
    pub(super) text: String,
}

/// Lists the fields of an object, or of the objects in a list, required fields first.
pub(super) fn fields(root: &Value) -> Vec<SchemaField> {
    let mut lister = FieldLister { root, fields: Vec::new() };
    lister.inside(root, "", DEEPEST);
    lister.fields
}

struct FieldLister<'s> {
    root: &'s Value,
    fields: Vec<SchemaField>,
}

impl<'s> FieldLister<'s> {
    fn inside(&mut self, schema: &'s Value, path: &str, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let schema = resolved(schema, self.root);
        if let Some(items) = schema.get("items") {
            self.inside(items, &format!("{path}[]"), depth + 1);
        }
        for branch in branches(schema).filter(|branch| !is_null(branch)) {
            self.inside(branch, path, depth);
        }
        let Some(Value::Object(properties)) = schema.get("properties") else { return };
        let required = |name: &str| {
            let required_names = schema.get("required").and_then(Value::as_array);
            required_names.is_some_and(|required_names| required_names.iter().any(|it| it == name))
        };
        let mut sorted: Vec<_> = properties.iter().collect();
        sorted.sort_by_key(|(name, _)| (!required(name), name.as_str()));
        for (name, property) in sorted {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            if self.fields.iter().any(|field| field.path == path) {
                continue;
            }
            self.fields.push(self.field(path.clone(), property, required(name)));
            self.inside(property, &path, depth);
        }
    }

    fn field(&self, path: String, schema: &Value, required: bool) -> SchemaField {
        let target = resolved(schema, self.root);
        let word = |word: &str| schema.get(word).or_else(|| target.get(word));
        let text = word("description").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut rules = target.as_object().map(rules).unwrap_or_default();
        if let Some(sensitivity) = word("x-sensitivity").and_then(Value::as_str) {
            rules.push(if sensitivity == "secret" { "secret" } else { "personal" }.to_owned());
        }
        if let Some(mark) = word("x-spends") {
            let currency = mark.get("currency").and_then(Value::as_str);
            rules.push(currency.map_or("spends".to_owned(), |code| format!("spends {code}")));
        }
        let aliases = word("x-aliases").and_then(Value::as_array).into_iter().flatten();
        let aliases: Vec<_> = aliases.filter_map(Value::as_str).map(code).collect();
        if !aliases.is_empty() {
            rules.push(format!("also named {}", aliases.join(", ")));
        }
        let default = word("default").cloned();
        SchemaField { path, kind: kind(schema, self.root), required, default, rules, text }
    }
}

/// Names the type of the values that a schema accepts.
pub(super) fn kind(schema: &Value, root: &Value) -> String {
    named(schema, root, DEEPEST)
}

fn named(schema: &Value, root: &Value, depth: usize) -> String {
    let schema = resolved(schema, root);
    let Some(depth) = depth.checked_sub(1) else { return "any".to_owned() };
    if let Some(Value::Array(values)) = schema.get("enum") {
        return one_of(values.iter());
    }
    if let Some(value) = schema.get("const") {
        return code(&value.to_string());
    }
    let kinds: Vec<_> = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.and_then(Value::as_str).into_iter().collect(),
    };
    if kinds.is_empty() {
        return describe_branches(schema, root, depth);
    }
    let words = kinds.into_iter().map(|kind| match (kind, schema.get("items")) {
        ("array", Some(items)) if items.is_object() => {
            format!("list of {}", named(items, root, depth))
        }
        ("array", _) => "list".to_owned(),
        (kind, _) => kind.to_owned(),
    });
    words.collect::<Vec<_>>().join(" or ")
}

fn describe_branches(schema: &Value, root: &Value, depth: usize) -> String {
    let constants: Option<Vec<_>> = branches(schema).map(|branch| branch.get("const")).collect();
    match constants {
        Some(constants) if !constants.is_empty() => return one_of(constants.into_iter()),
        _ => {}
    }
    let mut words: Vec<_> = branches(schema).map(|branch| named(branch, root, depth)).collect();
    words.dedup();
    if words.is_empty() { "any".to_owned() } else { words.join(" or ") }
}

fn one_of<'v>(values: impl Iterator<Item = &'v Value>) -> String {
    values.map(|value| code(&value.to_string())).collect::<Vec<_>>().join(" or ")
}

fn branches(schema: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|word| schema.get(word));
    lists.filter_map(Value::as_array).flatten()
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

/// Resolves a chain of references; a cycle stops at its current schema.
fn resolved<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let mut schema = schema;
    for _ in 0..DEEPEST {
        let reference = schema.get("$ref").and_then(Value::as_str).and_then(pointer);
        match reference.and_then(|pointer| root.pointer(&pointer)) {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}

const BOUNDS: [(&str, &str, &str); 4] = [
    ("minimum", "maximum", ""),
    ("minLength", "maxLength", " characters"),
    ("minItems", "maxItems", " items"),
    ("minProperties", "maxProperties", " entries"),
];

const OTHERS: [(&str, &str); 5] = [
    ("exclusiveMinimum", "more than "),
    ("exclusiveMaximum", "less than "),
    ("multipleOf", "a multiple of "),
    ("format", "format "),
    ("pattern", "pattern "),
];

/// Lists the rules for a value, apart from its type.
fn rules(keywords: &Map<String, Value>) -> Vec<String> {
    let bounded = BOUNDS.iter().filter_map(|(min, max, unit)| {
        Some(match (keywords.get(*min), keywords.get(*max)) {
            (Some(min), Some(max)) => format!("{min} to {max}{unit}"),
            (Some(min), None) => format!("{min}{unit} or more"),
            (None, Some(max)) => format!("{max}{unit} or less"),
            (None, None) => return None,
        })
    });
    let others = OTHERS.iter().filter_map(|(word, text)| {
        let value = keywords.get(*word).filter(|value| !is_width(value))?;
        Some(match value.as_str() {
            Some(value) => format!("{text}{}", code(value)),
            None => format!("{text}{value}"),
        })
    });
    let unique = keywords.get("uniqueItems") == Some(&Value::Bool(true));
    bounded.chain(others).chain(unique.then(|| "unique items".to_owned())).collect()
}

/// Numeric widths are not listed, because the bounds state the same.
fn is_width(format: &Value) -> bool {
    let widths = ["int", "uint", "float", "double"];
    format.as_str().is_some_and(|format| widths.iter().any(|width| format.starts_with(width)))
}
