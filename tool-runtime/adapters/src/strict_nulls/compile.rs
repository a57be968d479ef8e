//! Reads a strict declaration with its marks.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tool_runtime_schema::json::JsonKind;
use tool_runtime_schema::schema::reference::escaped;

use super::schema::{NodeId, PlainSchema, StrictChoice, StrictNode, StrictProperty, StrictSchema};

/// The mark of a property for which `null` stands for its absence.
pub(crate) const OMITTED_AS_NULL: &str = "x-omitted-as-null";

const KINDS: [(&str, JsonKind); 7] = [
    ("null", JsonKind::Null),
    ("boolean", JsonKind::Bool),
    ("integer", JsonKind::Number),
    ("number", JsonKind::Number),
    ("string", JsonKind::String),
    ("array", JsonKind::Array),
    ("object", JsonKind::Object),
];

impl StrictSchema {
    /// Reads a declaration, and takes the marks out of it.
    pub(crate) fn take(declaration: &mut Map<String, Value>) -> Self {
        let mut definitions = declaration.remove("$defs");
        let mut compiler =
            AlternativesCompiler { nodes: vec![StrictNode::empty()], definitions: BTreeMap::new() };
        let definition_entries =
            || definitions.as_ref().and_then(Value::as_object).into_iter().flatten();
        for (name, _) in definition_entries() {
            let id = compiler.reserve();
            compiler.definitions.insert(format!("#/$defs/{name}"), id);
        }
        compiler.nodes[0] = compiler.keywords(declaration, "");
        for (name, schema) in
            definitions.as_mut().and_then(Value::as_object_mut).into_iter().flatten()
        {
            let id = compiler.definitions.get(&format!("#/$defs/{name}")).copied();
            let node = compiler.node(schema, &format!("/$defs/{}", escaped(name)));
            if let Some(reserved) = id.and_then(|id| compiler.nodes.get_mut(id)) {
                *reserved = node;
            }
        }
        declaration.extend(definitions.map(|definitions| ("$defs".to_owned(), definitions)));
        Self { nodes: compiler.nodes }
    }
}

struct AlternativesCompiler {
    nodes: Vec<StrictNode>,
    /// The definitions by reference.
    definitions: BTreeMap<String, NodeId>,
}

impl AlternativesCompiler {
    fn reserve(&mut self) -> NodeId {
        self.nodes.push(StrictNode::empty());
        self.nodes.len() - 1
    }

    fn add(&mut self, schema: &mut Value, at: &str) -> NodeId {
        let id = self.reserve();
        self.nodes[id] = self.node(schema, at);
        id
    }

    fn node(&mut self, schema: &mut Value, at: &str) -> StrictNode {
        schema.as_object_mut().map_or_else(StrictNode::empty, |schema| self.keywords(schema, at))
    }

    fn keywords(&mut self, schema: &mut Map<String, Value>, at: &str) -> StrictNode {
        let reference = schema.get("$ref").and_then(Value::as_str);
        if let Some(target) = reference.and_then(|text| self.definitions.get(text)) {
            return choice(at, vec![*target]);
        }
        if let Some(Value::Array(branches)) = schema.get_mut("anyOf") {
            let place = |index: usize| format!("{at}/anyOf/{index}");
            let numbered = branches.iter_mut().enumerate();
            return choice(at, numbered.map(|(at, branch)| self.add(branch, &place(at))).collect());
        }
        let values = schema.get("enum").and_then(Value::as_array).cloned();
        let properties = self.properties(schema, at);
        let items = schema.get_mut("items").map(|items| self.add(items, &format!("{at}/items")));
        StrictNode::Plain(PlainSchema {
            kinds: kinds(schema, values.as_deref()),
            values,
            properties,
            items,
        })
    }

    fn properties(
        &mut self,
        schema: &mut Map<String, Value>,
        at: &str,
    ) -> BTreeMap<String, StrictProperty> {
        let property_schemas = schema.get_mut("properties").and_then(Value::as_object_mut);
        let mut properties = BTreeMap::new();
        for (name, schema) in property_schemas.into_iter().flatten() {
            let mark = schema.as_object_mut().and_then(|schema| schema.remove(OMITTED_AS_NULL));
            let schema = self.add(schema, &format!("{at}/properties/{}", escaped(name)));
            let property = StrictProperty { schema, is_omitted_as_null: mark.is_some() };
            properties.insert(name.clone(), property);
        }
        properties
    }
}

fn choice(at: &str, branches: Vec<NodeId>) -> StrictNode {
    StrictNode::Choice(StrictChoice { pointer: at.to_owned(), branches })
}

/// The kinds of values that a schema admits.
fn kinds(schema: &Map<String, Value>, values: Option<&[Value]>) -> Vec<JsonKind> {
    let is_named = |name: &str| match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(|own| own == name),
        Some(own) => own == name,
        None => true,
    };
    let is_listed = |kind: JsonKind| {
        values.is_none_or(|values| values.iter().any(|value| kind_of(value) == kind))
    };
    let mut kinds: Vec<_> =
        KINDS.into_iter().filter(|(name, _)| is_named(name)).map(|(_, kind)| kind).collect();
    kinds.dedup();
    kinds.retain(|kind| is_listed(*kind));
    kinds
}

pub(super) fn kind_of(value: &Value) -> JsonKind {
    match value {
        Value::Null => JsonKind::Null,
        Value::Bool(_) => JsonKind::Bool,
        Value::Number(_) => JsonKind::Number,
        Value::String(_) => JsonKind::String,
        Value::Array(_) => JsonKind::Array,
        Value::Object(_) => JsonKind::Object,
    }
}

impl StrictNode {
    /// A schema that no value matches.
    fn empty() -> Self {
        Self::Plain(PlainSchema {
            kinds: Vec::new(),
            values: None,
            properties: BTreeMap::new(),
            items: None,
        })
    }
}
