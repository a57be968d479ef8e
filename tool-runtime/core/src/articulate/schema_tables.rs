//! Tells by a schema alone that data has no tables.

use std::collections::HashSet;

use schemars::Schema;
use serde_json::{Map, Value};
use tool_runtime_schema::schema::reference;
use tool_runtime_schema::schema::subschemas::{SchemaRole, subschemas};

/// Returns whether data of this schema may contain an array of objects.
///
/// The schema must be one that was generated from a type: properties that it does not name do not
/// occur. Where it leaves a value open, the value may contain a table.
pub(super) fn may_have_tables(schema: &Schema) -> bool {
    let root = schema.as_value();
    !TableSearch { root, visited: HashSet::new() }.has_none(root)
}

/// A search through a schema that follows each reference once.
struct TableSearch<'s> {
    root: &'s Value,
    visited: HashSet<&'s str>,
}

/// The keywords with a list of alternatives.
const UNIONS: [&str; 3] = ["anyOf", "oneOf", "allOf"];

impl<'s> TableSearch<'s> {
    /// Returns whether no value of the schema contains a table.
    fn has_none(&mut self, schema: &'s Value) -> bool {
        let Value::Object(object) = schema else { return schema == &Value::Bool(false) };
        if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
            let target = self.target(reference);
            return !self.visited.insert(reference)
                || target.is_some_and(|target| self.has_none(target));
        }
        let subschemas = Subschemas::new(object);
        subschemas.is_complete()
            && subschemas.items.iter().all(|item| !self.may_be_object(item) && self.has_none(item))
            && subschemas.others.iter().all(|part| self.has_none(part))
    }

    /// Returns whether an item of an array may be an object.
    fn may_be_object(&self, schema: &'s Value) -> bool {
        let Value::Object(object) = schema else { return true };
        let reference = object.get("$ref").and_then(Value::as_str);
        // A reference to a reference counts as an object.
        let target = reference.and_then(|reference| self.target(reference)).unwrap_or(schema);
        match &target["type"] {
            Value::String(name) => name == "object",
            Value::Array(names) => names.iter().any(|name| name == "object"),
            _ => true,
        }
    }

    fn target(&self, reference: &str) -> Option<&'s Value> {
        self.root.pointer(&reference::pointer(reference)?)
    }
}

/// The schemas within a schema.
struct Subschemas<'s> {
    object: &'s Map<String, Value>,
    /// The schemas of the items of an array.
    items: Vec<&'s Value>,
    /// The schemas of properties, and alternatives.
    others: Vec<&'s Value>,
}

impl<'s> Subschemas<'s> {
    fn new(object: &'s Map<String, Value>) -> Self {
        let (mut items, mut others) = (Vec::new(), Vec::new());
        for (step, schema) in subschemas(object) {
            match step.keyword.role {
                SchemaRole::Item => items.push(schema),
                SchemaRole::Property | SchemaRole::InPlace => others.push(schema),
                // They do not say what a value consists of.
                SchemaRole::SomeItems
                | SchemaRole::Negated
                | SchemaRole::PropertyName
                | SchemaRole::Content
                | SchemaRole::Definition => {}
            }
        }
        Self { object, items, others }
    }

    /// Returns whether the schema says what its values consist of.
    fn is_complete(&self) -> bool {
        let is_list = |name: &Value| name == "array";
        let is_open = |name: &Value| {
            (is_list(name) && self.items.is_empty()) || (name == "object" && self.others.is_empty())
        };
        match self.object.get("type") {
            Some(Value::Array(names)) => !names.iter().any(is_open),
            Some(name) => !is_open(name),
            None => {
                let closed = ["enum", "const"];
                closed.iter().chain(&UNIONS).any(|keyword| self.object.contains_key(*keyword))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use schemars::{JsonSchema, SchemaGenerator};

    #[derive(JsonSchema)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Row {
        id: u32,
        name: Option<String>,
    }

    #[track_caller]
    fn check<T: JsonSchema>(expected: bool) {
        let schema = SchemaGenerator::default().into_root_schema_for::<T>();
        assert_eq!(may_have_tables(&schema), expected, "{schema:?}");
    }

    #[test]
    fn a_model_without_an_array_of_objects_has_no_tables() {
        #[derive(JsonSchema)]
        #[allow(dead_code, reason = "only its schema is used")]
        enum Shape {
            Circle { radius: f64 },
            Point,
        }
        #[derive(JsonSchema)]
        #[allow(dead_code, reason = "only its schema is used")]
        struct Order {
            row: Row,
            shape: Shape,
            tags: Vec<String>,
            grid: Vec<Vec<i32>>,
            pair: (u8, String),
            counts: BTreeMap<String, u64>,
            next: Option<Box<Order>>,
        }
        check::<Order>(false);
        check::<u8>(false);
        check::<Vec<Option<String>>>(false);
    }

    #[test]
    fn an_array_of_objects_may_be_a_table_wherever_it_is() {
        #[derive(JsonSchema)]
        #[allow(dead_code, reason = "only its schema is used")]
        struct Page {
            hits: Option<Vec<Row>>,
        }
        check::<Vec<Row>>(true);
        check::<Page>(true);
        check::<BTreeMap<String, Page>>(true);
        check::<BTreeMap<u32, Page>>(true);
        check::<(u8, Row)>(true);
        check::<Vec<Option<Row>>>(true);
    }

    #[test]
    fn an_open_value_may_contain_a_table() {
        #[derive(JsonSchema)]
        #[allow(dead_code, reason = "only its schema is used")]
        struct Open {
            extra: Value,
        }
        check::<Value>(true);
        check::<Open>(true);
        check::<Vec<Value>>(true);
        check::<BTreeMap<String, Value>>(true);
    }
}
