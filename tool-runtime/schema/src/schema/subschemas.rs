//! The keywords that hold schemas, and the visitors of all schemas of a document.
//!
//! Visitors follow no references, and visit no values that merely look like schemas, such as the
//! value of `const`.

use std::fmt;

use serde_json::{Map, Value};

use super::reference::escaped;

/// A keyword that holds schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaKeyword {
    pub name: &'static str,
    pub form: SchemaForm,
    pub role: SchemaRole,
}

/// The form in which a keyword holds schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaForm {
    One,
    List,
    /// One schema; up to draft 2019-09, also a list.
    OneOrList,
    /// A map from names to schemas.
    Map,
    /// A map from names to schemas, or to lists of names.
    MapOrNames,
}

/// The values that the schemas of a keyword describe, seen from the value of the whole schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaRole {
    /// The same value.
    InPlace,
    /// The same value, which is rejected if it matches.
    Negated,
    /// Properties.
    Property,
    /// Items.
    Item,
    /// Items, some of which must match.
    SomeItems,
    /// Names of properties.
    PropertyName,
    /// The value that a text encodes.
    Content,
    /// None: only references lead to the schemas.
    Definition,
}

const fn keyword(name: &'static str, form: SchemaForm, role: SchemaRole) -> SchemaKeyword {
    SchemaKeyword { name, form, role }
}

/// All keywords that hold schemas, of draft 4 and later, in the order in which they are visited.
static KEYWORDS: [SchemaKeyword; 22] = [
    keyword("if", SchemaForm::One, SchemaRole::InPlace),
    keyword("then", SchemaForm::One, SchemaRole::InPlace),
    keyword("else", SchemaForm::One, SchemaRole::InPlace),
    keyword("allOf", SchemaForm::List, SchemaRole::InPlace),
    keyword("anyOf", SchemaForm::List, SchemaRole::InPlace),
    keyword("oneOf", SchemaForm::List, SchemaRole::InPlace),
    keyword("dependentSchemas", SchemaForm::Map, SchemaRole::InPlace),
    keyword("dependencies", SchemaForm::MapOrNames, SchemaRole::InPlace),
    keyword("not", SchemaForm::One, SchemaRole::Negated),
    keyword("properties", SchemaForm::Map, SchemaRole::Property),
    keyword("patternProperties", SchemaForm::Map, SchemaRole::Property),
    keyword("additionalProperties", SchemaForm::One, SchemaRole::Property),
    keyword("unevaluatedProperties", SchemaForm::One, SchemaRole::Property),
    keyword("prefixItems", SchemaForm::List, SchemaRole::Item),
    keyword("items", SchemaForm::OneOrList, SchemaRole::Item),
    keyword("additionalItems", SchemaForm::One, SchemaRole::Item),
    keyword("unevaluatedItems", SchemaForm::One, SchemaRole::Item),
    keyword("contains", SchemaForm::One, SchemaRole::SomeItems),
    keyword("propertyNames", SchemaForm::One, SchemaRole::PropertyName),
    keyword("contentSchema", SchemaForm::One, SchemaRole::Content),
    keyword("$defs", SchemaForm::Map, SchemaRole::Definition),
    keyword("definitions", SchemaForm::Map, SchemaRole::Definition),
];

/// The deepest nesting of schemas that is visited. A document that was read from text is less deep,
/// and the validator refuses a deeper one.
const MAX_DEPTH: usize = 512;

impl SchemaKeyword {
    /// Returns the keyword with this name, if it holds schemas.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        KEYWORDS.iter().find(|keyword| keyword.name == name)
    }

    /// Lists the keywords whose schemas have this role.
    pub fn with_role(role: SchemaRole) -> impl Iterator<Item = &'static Self> {
        KEYWORDS.iter().filter(move |keyword| keyword.role == role)
    }

    /// Returns whether the keyword with this name holds definitions.
    #[must_use]
    pub fn holds_definitions(name: &str) -> bool {
        Self::named(name).is_some_and(|keyword| keyword.role == SchemaRole::Definition)
    }

    /// Returns whether the keyword with this name holds schemas that make no value invalid.
    #[must_use]
    pub fn is_annotation(name: &str) -> bool {
        Self::named(name).is_some_and(|keyword| {
            matches!(keyword.role, SchemaRole::Definition | SchemaRole::Content)
        })
    }

    /// Returns whether the result of the schema decides what else is valid, so that a narrower
    /// schema may accept more.
    #[must_use]
    pub fn is_condition(&self) -> bool {
        matches!(self.role, SchemaRole::Negated | SchemaRole::SomeItems) || self.name == "if"
    }

    /// Returns whether the keyword maps names to schemas.
    #[must_use]
    pub const fn is_map(&self) -> bool {
        matches!(self.form, SchemaForm::Map | SchemaForm::MapOrNames)
    }

    /// Lists the schemas in a value of the keyword.
    pub fn schemas<'s>(
        &'static self,
        value: &'s Value,
    ) -> impl Iterator<Item = (SchemaStep<'s>, &'s Value)> {
        use SchemaForm::{List, Map, MapOrNames, One, OneOrList};
        let (one, list, map) = match (self.form, value) {
            (OneOrList | List, Value::Array(list)) => (None, list.as_slice(), None),
            (Map | MapOrNames, Value::Object(map)) => (None, [].as_slice(), Some(map)),
            (One | OneOrList, value) => (Some(value), [].as_slice(), None),
            (List | Map | MapOrNames, _) => (None, [].as_slice(), None),
        };
        let one = one.into_iter().map(|schema| (SchemaKey::Only, schema));
        let list = list.iter().enumerate().map(|(at, schema)| (SchemaKey::Index(at), schema));
        let map = map.into_iter().flatten();
        let map = map.map(|(name, schema)| (SchemaKey::Name(name), schema));
        let schemas = one.chain(list).chain(map).filter(move |(_, schema)| !self.is_names(schema));
        schemas.map(move |(key, schema)| (SchemaStep { keyword: self, key }, schema))
    }

    /// Visits the schemas in a value of the keyword.
    pub fn for_each_schema_mut(
        &'static self,
        value: &mut Value,
        visit: &mut impl FnMut(SchemaStep<'_>, &mut Value),
    ) {
        use SchemaForm::{List, Map, MapOrNames, One, OneOrList};
        let mut visit = |key: SchemaKey<'_>, schema: &mut Value| {
            if !self.is_names(schema) {
                visit(SchemaStep { keyword: self, key }, schema);
            }
        };
        match (self.form, value) {
            (OneOrList | List, Value::Array(list)) => {
                let numbered = list.iter_mut().enumerate();
                numbered.for_each(|(at, schema)| visit(SchemaKey::Index(at), schema));
            }
            (Map | MapOrNames, Value::Object(map)) => {
                map.iter_mut().for_each(|(name, schema)| visit(SchemaKey::Name(name), schema));
            }
            (One | OneOrList, schema) => visit(SchemaKey::Only, schema),
            (List | Map | MapOrNames, _) => {}
        }
    }

    fn is_names(&self, schema: &Value) -> bool {
        self.form == SchemaForm::MapOrNames && schema.is_array()
    }
}

/// The step from a schema to one directly within it. Displays as the end of a JSON Pointer, such as
/// `/properties/name`.
#[derive(Debug, Clone, Copy)]
pub struct SchemaStep<'s> {
    pub keyword: &'static SchemaKeyword,
    pub key: SchemaKey<'s>,
}

/// The place of a schema in the value of its keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaKey<'s> {
    /// The value is the schema.
    Only,
    Index(usize),
    Name(&'s str),
}

impl fmt::Display for SchemaStep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key {
            SchemaKey::Only => write!(f, "/{}", self.keyword.name),
            SchemaKey::Index(index) => write!(f, "/{}/{index}", self.keyword.name),
            SchemaKey::Name(name) => write!(f, "/{}/{}", self.keyword.name, escaped(name)),
        }
    }
}

/// The location of a schema in its document. Displays as a JSON Pointer (RFC 6901).
#[derive(Debug, Default)]
pub struct SchemaPath<'s>(Vec<SchemaStep<'s>>);

impl<'s> SchemaPath<'s> {
    /// Lists the steps, outermost first.
    pub fn steps(&self) -> impl Iterator<Item = SchemaStep<'s>> {
        self.0.iter().copied()
    }
}

impl fmt::Display for SchemaPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|step| step.fmt(f))
    }
}

/// Lists the schemas directly within a schema.
pub fn subschemas(keywords: &Map<String, Value>) -> impl Iterator<Item = (SchemaStep<'_>, &Value)> {
    let present =
        KEYWORDS.iter().filter_map(|keyword| Some((keyword, keywords.get(keyword.name)?)));
    present.flat_map(|(keyword, value)| keyword.schemas(value))
}

/// Lists the schemas directly within a schema that have a role.
pub fn subschemas_with_role(
    keywords: &Map<String, Value>,
    role: SchemaRole,
) -> impl Iterator<Item = (SchemaStep<'_>, &Value)> {
    subschemas(keywords).filter(move |(step, _)| step.keyword.role == role)
}

/// Visits the schemas directly within a schema.
pub fn for_each_subschema_mut(
    keywords: &mut Map<String, Value>,
    visit: &mut impl FnMut(SchemaStep<'_>, &mut Value),
) {
    for keyword in &KEYWORDS {
        if let Some(value) = keywords.get_mut(keyword.name) {
            keyword.for_each_schema_mut(value, visit);
        }
    }
}

/// Visits every object schema with its location, outermost first.
pub fn for_each_schema<'s>(
    document: &'s Value,
    visit: &mut impl FnMut(&SchemaPath<'s>, &'s Map<String, Value>),
) {
    if let Value::Object(keywords) = document {
        visit_below(keywords, &mut SchemaPath::default(), visit);
    }
}

fn visit_below<'s>(
    keywords: &'s Map<String, Value>,
    path: &mut SchemaPath<'s>,
    visit: &mut impl FnMut(&SchemaPath<'s>, &'s Map<String, Value>),
) {
    if path.0.len() == MAX_DEPTH {
        return;
    }
    visit(path, keywords);
    for (step, inner) in subschemas(keywords) {
        if let Value::Object(inner) = inner {
            path.0.push(step);
            visit_below(inner, path, visit);
            path.0.pop();
        }
    }
}

/// Returns whether the schema of these keywords, or any object schema within it, passes a test.
pub fn has_schema(
    keywords: &Map<String, Value>,
    mut passes: impl FnMut(&Map<String, Value>) -> bool,
) -> bool {
    has_schema_within(keywords, 0, &mut passes)
}

fn has_schema_within(
    keywords: &Map<String, Value>,
    depth: usize,
    passes: &mut impl FnMut(&Map<String, Value>) -> bool,
) -> bool {
    if depth == MAX_DEPTH {
        return false;
    }
    let mut inner_schemas = subschemas(keywords).filter_map(|(_, schema)| schema.as_object());
    passes(keywords) || inner_schemas.any(|inner| has_schema_within(inner, depth + 1, passes))
}

/// Applies a change to every object schema, innermost first.
pub fn for_each_schema_mut(document: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    change_within(document, 0, change);
}

fn change_within(
    schema: &mut Value,
    depth: usize,
    change: &mut impl FnMut(&mut Map<String, Value>),
) {
    let Value::Object(keywords) = schema else { return };
    if depth == MAX_DEPTH {
        return;
    }
    for_each_subschema_mut(keywords, &mut |_, inner| change_within(inner, depth + 1, change));
    change(keywords);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The locations of all schemas, by shared and by mutable reference.
    fn locations(schema: &Value) -> Vec<String> {
        let (mut locations, mut changed) = (Vec::new(), schema.clone());
        for_each_schema(schema, &mut |path, keywords| {
            assert_eq!(schema.pointer(&path.to_string()).unwrap().as_object(), Some(keywords));
            locations.push(path.to_string());
        });
        for_each_schema_mut(&mut changed, &mut |keywords| {
            keywords.insert("x".into(), 1.into());
        });
        let marked = locations.iter().filter(|at| changed.pointer(at).unwrap().get("x").is_some());
        assert_eq!(marked.count(), locations.len());
        locations.sort();
        locations
    }

    #[test]
    fn every_keyword_leads_to_its_schemas_in_each_of_its_forms() {
        for keyword in &KEYWORDS {
            let (name, inner) = (keyword.name, json!({}));
            let (one, list, map) =
                (json!({name: inner}), json!({name: [inner]}), json!({name: {"a/b": inner}}));
            let at = |end: &str| vec![String::new(), format!("/{name}{end}")];
            let root = vec![String::new()];
            let expected = match keyword.form {
                SchemaForm::One => [at(""), root, at("")],
                SchemaForm::List => [root.clone(), at("/0"), root],
                SchemaForm::OneOrList => [at(""), at("/0"), at("")],
                SchemaForm::Map | SchemaForm::MapOrNames => [root.clone(), root, at("/a~1b")],
            };
            assert_eq!([&one, &list, &map].map(locations), expected, "{name}");
        }
    }

    #[test]
    fn values_and_lists_of_names_are_no_schemas() {
        let schema = json!({
            "const": {"properties": {"a": {}}}, "default": {"not": {}}, "x-more": {"items": {}},
            "dependencies": {"a": ["b"], "c": {"if": {}}},
            "properties": {"const": {"enum": [{"items": {}}]}, "properties": {"type": "object"}},
        });
        let expected = [
            "",
            "/dependencies/c",
            "/dependencies/c/if",
            "/properties/const",
            "/properties/properties",
        ];
        assert_eq!(locations(&schema), expected);
    }

    #[test]
    fn a_document_of_any_depth_is_visited_within_a_bound() {
        let deep = (0..2 * MAX_DEPTH).fold(json!({}), |inner, _| json!({"not": inner}));
        assert_eq!(locations(&deep).len(), MAX_DEPTH);
    }
}
