//! Size limits of schemas that OpenAI enforces.

use std::collections::HashMap;

use serde_json::{Map, Value};
use tool_runtime_schema::schema::subschemas::{SchemaKey, subschemas};

use super::node::MAX_DEPTH;

const MAX_PROPERTIES: usize = 5_000;
const MAX_LEVELS: usize = 10;
const MAX_CHARACTERS: usize = 120_000;
const MAX_VALUES: usize = 1_000;
/// A list with more strings than this has an additional limit on their total length.
const LONG_LIST_VALUES: usize = 250;
const MAX_LONG_LIST_CHARACTERS: usize = 15_000;

/// Names the limit that a schema exceeds.
pub(super) fn too_large(root: &Map<String, Value>) -> Option<&'static str> {
    let mut size = SchemaSize::default();
    size.add(root);
    let levels = LevelFinder { root, known: HashMap::new(), depth: 0 }.levels(root);
    [
        (size.properties > MAX_PROPERTIES, "more than 5000 properties"),
        (levels > MAX_LEVELS, "objects nested deeper than 10 levels"),
        (size.characters > MAX_CHARACTERS, "more than 120000 characters of names and values"),
        (size.values > MAX_VALUES, "more than 1000 values in lists"),
        (size.long_list, "more than 15000 characters in one long list of values"),
    ]
    .into_iter()
    .find_map(|(passed, limit)| passed.then_some(limit))
}

#[derive(Default)]
struct SchemaSize {
    properties: usize,
    characters: usize,
    values: usize,
    long_list: bool,
}

impl SchemaSize {
    fn add(&mut self, keywords: &Map<String, Value>) {
        for (step, schema) in subschemas(keywords) {
            if let SchemaKey::Name(name) = step.key {
                self.properties += usize::from(step.keyword.name == "properties");
                self.characters += name.chars().count();
            }
            if let Value::Object(inner) = schema {
                self.add(inner);
            }
        }
        let Some(Value::Array(listed)) = keywords.get("enum") else { return };
        let length = |value: &Value| value.as_str().map_or(0, |text| text.chars().count());
        let characters: usize = listed.iter().map(length).sum();
        self.values += listed.len();
        self.characters += characters;
        self.long_list |= listed.len() > LONG_LIST_VALUES && characters > MAX_LONG_LIST_CHARACTERS;
    }
}

/// Finds the nesting depth of objects, in which a recursive type counts once.
struct LevelFinder<'v> {
    root: &'v Map<String, Value>,
    /// The levels of the definitions that were read, by reference.
    known: HashMap<&'v str, usize>,
    /// The schemas around the one that is read.
    depth: usize,
}

impl<'v> LevelFinder<'v> {
    fn levels(&mut self, keywords: &'v Map<String, Value>) -> usize {
        // A chain of references may be as long as the schema; then more levels are assumed.
        if self.depth > MAX_DEPTH {
            return MAX_LEVELS + 1;
        }
        self.depth += 1;
        let inner = keywords.iter().map(|(keyword, value)| match value {
            Value::Object(named) if keyword == "properties" => 1 + self.deepest(named.values()),
            Value::Object(schema) if keyword == "items" => self.levels(schema),
            Value::Array(branches) if keyword == "anyOf" => self.deepest(branches.iter()),
            Value::String(text) if keyword == "$ref" => self.referred(text),
            _ => 0,
        });
        let deepest = inner.max().unwrap_or(0);
        self.depth -= 1;
        deepest
    }

    fn deepest(&mut self, schemas: impl Iterator<Item = &'v Value>) -> usize {
        schemas.filter_map(Value::as_object).map(|schema| self.levels(schema)).max().unwrap_or(0)
    }

    fn referred(&mut self, text: &'v str) -> usize {
        if let Some(levels) = self.known.get(text) {
            return *levels;
        }
        self.known.insert(text, 0);
        let name = text.rsplit('/').next().unwrap_or_default();
        let target = self.root.get("$defs").and_then(|named| named.get(name)?.as_object());
        let inner = target.map_or(0, |target| self.levels(target));
        self.known.insert(text, inner);
        inner
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: &Value, limit: Option<&str>) {
        assert_eq!(too_large(schema.as_object().expect("a schema")), limit);
    }

    #[test]
    fn each_limit_is_held() {
        let nested = |levels: usize| {
            (1..levels)
                .fold(json!({"properties": {}}), |inner, _| json!({"properties": {"in": inner}}))
        };
        check(&nested(10), None);
        check(&nested(11), Some("objects nested deeper than 10 levels"));
        let values = |count: usize, length: usize| -> Vec<String> {
            (0..count).map(|at| format!("{at:0length$}")).collect()
        };
        check(&json!({"properties": {"a": {"enum": values(1000, 4)}}}), None);
        let many = json!({"properties": {"a": {"enum": values(1001, 4)}}});
        check(&many, Some("more than 1000 values in lists"));
        let long = json!({"properties": {"a": {"enum": values(300, 51)}}});
        check(&long, Some("more than 15000 characters in one long list of values"));
        check(&json!({"properties": {"a": {"enum": values(200, 80)}}}), None);
    }

    #[test]
    fn the_keywords_of_a_property_that_is_called_like_one_are_no_properties() {
        let many_properties: Value =
            (1..MAX_PROPERTIES).map(|at| (format!("p{at}"), json!({}))).collect();
        check(
            &json!({"properties": {"properties": {"type": "object", "properties": many_properties}}}),
            None,
        );
    }

    #[test]
    fn a_long_chain_of_references_ends() {
        let reference = |at: usize| json!({"$ref": format!("#/$defs/L{at}")});
        let level = |at: usize| (format!("L{at}"), json!({"items": reference(at + 1)}));
        let named: Value = (0..100_000).map(level).collect();
        check(
            &json!({"properties": {"first": reference(0)}, "$defs": named}),
            Some("objects nested deeper than 10 levels"),
        );
    }

    #[test]
    fn a_type_that_holds_itself_ends() {
        let node = json!({"properties": {"next": {"$ref": "#/$defs/Node"}}});
        check(
            &json!({"properties": {"first": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}}),
            None,
        );
    }
}
