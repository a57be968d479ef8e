//! Replaces the names of properties that a dialect does not accept, and restores them.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;
use tool_runtime_schema::Limits;
use tool_runtime_schema::json::{JsonKind, JsonNode, JsonView, equals_value, read};
use tool_runtime_schema::schema::subschemas::{
    SchemaKeyword, SchemaRole, SchemaStep, subschemas_with_role,
};

use super::edits::TextEdits;
use super::names;
use super::provider_schema::Definitions;

/// A schema of which some properties are declared under other names.
#[derive(Debug, Clone)]
pub(super) struct RenamedProperties {
    /// The tool's own schema.
    schema: Value,
}

impl RenamedProperties {
    pub(super) fn new(schema: Value) -> Self {
        Self { schema }
    }

    /// Gives each renamed property its own name; all other bytes stay.
    ///
    /// A text that is not JSON, or repeats a property, is returned unchanged.
    pub(super) fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.rename(text, str::to_owned)
    }

    /// Gives each property its declared name; all other bytes stay.
    ///
    /// A text that is not JSON, or repeats a property, is returned unchanged.
    pub(super) fn declare<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.rename(text, names::property)
    }

    fn rename<'t>(&self, text: &'t str, new_name: fn(&str) -> String) -> Cow<'t, str> {
        let Ok(tree) = read(text, &Limits::WIDEST) else { return Cow::Borrowed(text) };
        if !tree.duplicates().is_empty() {
            return Cow::Borrowed(text);
        }
        let mut renamer = Renamer {
            new_name,
            definitions: Definitions::new(&self.schema),
            view: tree.view(text),
            edits: TextEdits::default(),
        };
        renamer.value(0, &[&self.schema]);
        renamer.edits.apply(text)
    }
}

struct Renamer<'s, 't> {
    /// Returns the new name for a name in the tool's schema.
    new_name: fn(&str) -> String,
    definitions: Definitions<'s>,
    view: JsonView<'t>,
    edits: TextEdits,
}

/// The schemas that apply to one value, or may apply.
#[derive(Default)]
struct ApplicableSchemas<'s> {
    list: Vec<&'s Value>,
    /// Visited schemas by address.
    seen: HashSet<*const Value>,
}

impl<'s> Renamer<'s, '_> {
    fn value(&mut self, id: u32, schemas: &[&'s Value]) {
        let mut applicable = ApplicableSchemas::default();
        for schema in schemas {
            self.collect(id, schema, &mut applicable, 0);
        }
        match self.view.node(id).kind {
            JsonKind::Object => self.object(id, &applicable.list),
            JsonKind::Array => self.array(id, &applicable.list),
            JsonKind::Null | JsonKind::Bool | JsonKind::Number | JsonKind::String => {}
        }
    }

    /// Collects every schema of the same value, through references and branches.
    fn collect(&self, id: u32, schema: &'s Value, into: &mut ApplicableSchemas<'s>, depth: usize) {
        const DEEPEST: usize = 32;
        if depth > DEEPEST || !into.seen.insert(schema) {
            return;
        }
        into.list.push(schema);
        let parts = [SchemaRole::InPlace, SchemaRole::Negated]
            .into_iter()
            .flat_map(|role| with_role(schema, role))
            .filter(|(step, part)| {
                let is_choice = ["anyOf", "oneOf"].contains(&step.keyword.name);
                !is_choice || self.may_match(id, self.definitions.resolved(part))
            })
            .map(|(_, part)| part);
        for part in self.definitions.target(schema).into_iter().chain(parts) {
            self.collect(id, part, into, depth + 1);
        }
    }

    /// Returns whether the value may match a branch, by type, discriminators and properties.
    fn may_match(&self, id: u32, branch: &Value) -> bool {
        let node = self.view.node(id);
        if !admits_kind(branch, node.kind) {
            return false;
        }
        if node.kind != JsonKind::Object {
            return true;
        }
        let mut properties = branch["properties"].as_object().into_iter().flatten();
        let mut required = branch["required"].as_array().into_iter().flatten();
        properties.all(|(name, schema)| {
            self.member(id, name).is_none_or(|member| self.may_be(member, schema))
        }) && required.all(|name| name.as_str().is_none_or(|name| self.member(id, name).is_some()))
    }

    /// Returns whether a property's value may match its schema, by type and listed values.
    fn may_be(&self, member: u32, schema: &Value) -> bool {
        let kind = self.view.node(member).kind;
        let is = |value: &Value| equals_value(self.view, member, value);
        admits_kind(self.definitions.resolved(schema), kind)
            && schema.get("const").is_none_or(is)
            && schema["enum"].as_array().is_none_or(|listed| listed.iter().any(is))
    }

    /// The property with this name in the tool's schema.
    fn member(&self, object: u32, name: &str) -> Option<u32> {
        let written = |key: &str| key == name || key == names::property(name);
        self.view.children(object).find(|(_, node)| written(&self.view.key(node))).map(|(id, _)| id)
    }

    fn object(&mut self, id: u32, schemas: &[&'s Value]) {
        let undeclared: Vec<_> = schemas.iter().flat_map(|schema| undeclared(schema)).collect();
        for (child, node) in self.view.children(id) {
            let declared = declared(&self.view.key(node), schemas);
            if let Some((name, _)) = declared.first() {
                self.rename(node, &(self.new_name)(name));
            }
            let declared = declared.into_iter().map(|(_, schema)| schema);
            self.value(child, &declared.chain(undeclared.iter().copied()).collect::<Vec<_>>());
        }
    }

    fn rename(&mut self, node: &JsonNode, name: &str) {
        if name == self.view.key(node) {
            return;
        }
        let start = node.member_start() + 1;
        let quoted = Value::from(name).to_string();
        let range = start..start + self.view.raw_key(node).len();
        self.edits.replace(range, quoted[1..quoted.len() - 1].to_owned());
    }

    fn array(&mut self, id: u32, schemas: &[&'s Value]) {
        for (at, (child, _)) in self.view.children(id).enumerate() {
            let inner: Vec<_> = schemas.iter().flat_map(|schema| items(schema, at)).collect();
            self.value(child, &inner);
        }
    }
}

/// The name and the schema of a property in each schema that declares it.
fn declared<'s>(key: &str, schemas: &[&'s Value]) -> Vec<(&'s str, &'s Value)> {
    let find = |owner: &&'s Value| {
        let properties = owner["properties"].as_object()?;
        let renamed = || properties.iter().find(|(name, _)| names::property(name) == key);
        let (name, schema) = properties.get_key_value(key).or_else(renamed)?;
        Some((name.as_str(), schema))
    };
    schemas.iter().filter_map(find).collect()
}

/// The schemas of properties that are not declared by their names. Each may apply to any property:
/// the suffix of a declared name shows that it stands for another.
fn undeclared(schema: &Value) -> impl Iterator<Item = &Value> {
    with_role(schema, SchemaRole::Property)
        .filter(|(step, _)| step.keyword.name != "properties")
        .map(|(_, schema)| schema)
}

/// The schemas that may apply to the item at an index.
fn items(schema: &Value, at: usize) -> impl Iterator<Item = &Value> {
    let roles = [SchemaRole::Item, SchemaRole::SomeItems];
    let keywords = roles.into_iter().flat_map(SchemaKeyword::with_role);
    keywords.filter_map(move |keyword| match schema.get(keyword.name)? {
        Value::Array(list) => list.get(at),
        schema => Some(schema),
    })
}

fn with_role(schema: &Value, role: SchemaRole) -> impl Iterator<Item = (SchemaStep<'_>, &Value)> {
    schema.as_object().into_iter().flat_map(move |keywords| subschemas_with_role(keywords, role))
}

fn admits_kind(schema: &Value, kind: JsonKind) -> bool {
    let admits = |name: &Value| match kind {
        JsonKind::Null => name == "null",
        JsonKind::Bool => name == "boolean",
        JsonKind::Number => name == "number" || name == "integer",
        JsonKind::String => name == "string",
        JsonKind::Array => name == "array",
        JsonKind::Object => name == "object",
    };
    match schema.get("type") {
        None => true,
        Some(Value::Array(names)) => names.iter().any(admits),
        Some(name) => admits(name),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: &Value, written: &str, meant: &str) {
        assert_eq!(RenamedProperties::new(schema.clone()).restore(written), meant);
    }

    #[test]
    fn a_property_gets_its_own_name_back_at_every_depth() {
        let schema = json!({"type": "object", "properties": {
            "$top": {"type": "object", "properties": {"@\"of": {"type": "string"}}},
        }});
        let (top, of) = (names::property("$top"), names::property("@\"of"));
        let written = format!(r#"{{ "{top}": {{"{of}": "x"}} }}"#);
        check(&schema, &written, r#"{ "$top": {"@\"of": "x"} }"#);
    }

    #[test]
    fn a_property_below_one_that_is_not_named_gets_its_own_name_back() {
        let inner = json!({"type": "object", "properties": {"$top": {"type": "string"}}});
        let top = names::property("$top");
        let written = format!(r#"{{"p_1":{{"{top}":"x"}}}}"#);
        for rule in [
            json!({"patternProperties": {"^p_": inner}}),
            json!({"additionalProperties": inner}),
            json!({"if": {}, "then": {"properties": {"p_1": inner}}}),
            json!({"if": {"minProperties": 2}, "else": {"properties": {"p_1": inner}}}),
            json!({"dependentSchemas": {"p_1": {"properties": {"p_1": inner}}}}),
            json!({"dependencies": {"p_1": {"properties": {"p_1": inner}}}}),
            json!({"if": {"properties": {"p_1": inner}}}),
            json!({"not": {"properties": {"p_1": inner}}}),
            json!({"unevaluatedProperties": inner}),
        ] {
            check(&rule, &written, r#"{"p_1":{"$top":"x"}}"#);
        }
        let written = format!(r#"[1,{{"{top}":"x"}}]"#);
        for rule in [
            json!({"items": inner}),
            json!({"items": [true, inner]}),
            json!({"items": [true], "additionalItems": inner}),
            json!({"prefixItems": [true, inner]}),
            json!({"prefixItems": [true], "items": inner}),
            json!({"contains": inner}),
        ] {
            check(&rule, &written, r#"[1,{"$top":"x"}]"#);
        }
    }

    #[test]
    fn an_example_gets_the_declared_names_at_every_depth() {
        let schema = json!({"type": "object", "properties": {
            "$top": {"type": "array", "items": {"properties": {"a b": {"type": "string"}}}},
            "plain": {},
        }});
        let renamed = RenamedProperties::new(schema);
        let own = r#"{"$top":[{"a b":"x"}],"plain":1}"#;
        let (top, inner) = (names::property("$top"), names::property("a b"));
        let declared = renamed.declare(own).into_owned();
        assert_eq!(declared, format!(r#"{{"{top}":[{{"{inner}":"x"}}],"plain":1}}"#));
        assert_eq!(renamed.restore(&declared), own);
    }

    #[test]
    fn malformed_arguments_are_left_to_the_reader() {
        let schema = json!({"type": "object", "properties": {"$a": {"type": "integer"}}});
        let name = names::property("$a");
        let twice = format!(r#"{{"{name}":1,"{name}":2}}"#);
        for text in [twice.as_str(), r#"{"a":nul}"#, ""] {
            check(&schema, text, text);
        }
        check(&schema, &format!(r#"{{"{name}":1e999}}"#), r#"{"$a":1e999}"#);
    }

    #[test]
    fn the_branch_that_is_meant_decides() {
        let branch = |kind: &str, name: &str| {
            json!({"type": "object", "required": ["kind"], "properties": {
                "kind": {"const": kind}, name: {"type": "string"},
            }})
        };
        let schema =
            json!({"properties": {"it": {"oneOf": [branch("a", "x y"), branch("b", "x-y")]}}});
        let name = names::property("x y");
        let written = format!(r#"{{"it":{{"kind":"a","{name}":"t"}}}}"#);
        check(&schema, &written, r#"{"it":{"kind":"a","x y":"t"}}"#);
        let other = format!(r#"{{"it":{{"kind":"b","{name}":"t"}}}}"#);
        check(&schema, &other, &other);
    }
}
