//! Closes the values within a value: its properties and its items.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Closer;
use super::group::{in_place, is_structural};
use super::inline::conjoin;
use crate::schema::subschemas::{
    SchemaKey, SchemaRole, for_each_subschema_mut, subschemas_with_role,
};

/// Visits the schemas of a value's properties and items.
pub(super) fn for_each_nested(
    keywords: &mut Map<String, Value>,
    visit: &mut impl FnMut(&mut Value),
) {
    for_each_subschema_mut(keywords, &mut |step, inner| {
        if matches!(step.keyword.role, SchemaRole::Property | SchemaRole::Item) {
            visit(inner);
        }
    });
}

/// A schema of a property, or of the items, in one of the parts of a value.
struct NestedSchema {
    /// The location below the value's own schema.
    pointer: String,
    /// The branches that must apply: the pointer of each choice, and the index.
    branches: Vec<(String, usize)>,
    applies: Applies,
}

/// The condition under which a part of a value's schema applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Applies {
    Always,
    Sometimes,
    /// It decides whether other parts apply.
    AsCondition,
}

/// The nested schemas of all parts.
#[derive(Default)]
struct NestedSchemas {
    /// By property, `/properties/…`, or `/items`.
    by_value: BTreeMap<String, Vec<NestedSchema>>,
    /// Those of values that other keywords may describe, too.
    others: Vec<String>,
    /// Parts that describe properties or items.
    structural: usize,
}

impl Closer<'_> {
    /// Closes the nested values of a value that only one schema describes.
    pub(super) fn nested_values(&mut self, keywords: &mut Map<String, Value>) {
        for_each_nested(keywords, &mut |nested| self.value(nested));
    }

    /// Closes the nested values of a value that several schemas describe.
    pub(super) fn nested_values_of_parts(&mut self, schema: &mut Value) {
        let mut nested = NestedSchemas::default();
        nested.collect(schema, "", &[], Applies::Always);
        let is_ambiguous = nested.structural > 1
            && nested.others.iter().any(|at| schema.pointer(at).is_some_and(Value::is_object));
        for at in nested.others {
            match schema.pointer_mut(&at) {
                Some(other) if is_ambiguous => self.open_copy(other, 0),
                Some(other) => self.value(other),
                None => {}
            }
        }
        for (key, schemas) in nested.by_value {
            if is_ambiguous {
                self.leave_open(schema, &schemas);
            } else {
                self.nested_value(schema, &key, &schemas);
            }
            if self.is_exhausted() {
                return;
            }
        }
    }

    fn nested_value(&mut self, schema: &mut Value, key: &str, schemas: &[NestedSchema]) {
        let mut describes = |nested: &NestedSchema| {
            schema.pointer(&nested.pointer).is_some_and(|it| self.is_structural(it))
        };
        if !schemas.iter().any(&mut describes) {
            return;
        }
        let has_condition = schemas.iter().any(|nested| nested.applies == Applies::AsCondition);
        if !has_condition && are_exclusive(schemas) {
            for nested in schemas {
                schema.pointer_mut(&nested.pointer).into_iter().for_each(|it| self.value(it));
            }
        } else if schemas.iter().any(|nested| nested.applies == Applies::Always) {
            self.close_together(schema, key, schemas);
        } else {
            self.leave_open(schema, schemas);
        }
    }

    fn leave_open(&mut self, schema: &mut Value, schemas: &[NestedSchema]) {
        for nested in schemas {
            schema.pointer_mut(&nested.pointer).into_iter().for_each(|it| self.open_copy(it, 0));
        }
    }

    /// Closes a property or the items by all schemas that may apply to it.
    fn close_together(&mut self, schema: &mut Value, key: &str, schemas: &[NestedSchema]) {
        let mut together = Map::new();
        let mut possible = Vec::new();
        for nested in schemas {
            let Some(place) = schema.pointer_mut(&nested.pointer) else { continue };
            match nested.applies {
                Applies::Always => conjoin(&mut together, std::mem::replace(place, true.into())),
                Applies::Sometimes | Applies::AsCondition => {
                    possible.push(place.clone());
                    self.open_copy(place, 0);
                }
            }
        }
        if !possible.is_empty() {
            possible.push(true.into());
            conjoin(&mut together, json!({ "anyOf": possible }));
        }
        let together = self.closed_together(Value::Object(together));
        let Value::Object(own) = schema else { return };
        match key.strip_prefix("/properties/") {
            Some(name) => {
                let name = name.replace("~1", "/").replace("~0", "~");
                let properties = own.entry("properties").or_insert_with(|| json!({}));
                if let Value::Object(properties) = properties {
                    properties.insert(name, together);
                }
            }
            None => drop(own.insert("items".to_owned(), together)),
        }
    }
}

/// Schemas of values that several parts describe, by their text. Recursive types reach one again.
#[derive(Debug, Default)]
pub(super) struct CombinedSchemas {
    by_text: BTreeMap<String, usize>,
    schemas: Vec<CombinedSchema>,
}

#[derive(Debug, Default)]
struct CombinedSchema {
    name: String,
    schema: Value,
    is_referenced: bool,
}

impl Closer<'_> {
    /// Closes a schema that combines several; a combination that contains itself gets a definition.
    fn closed_together(&mut self, mut together: Value) -> Value {
        let text = together.to_string();
        let reference = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
        if let Some(index) = self.combined.by_text.get(&text) {
            let combined_schema = &mut self.combined.schemas[*index];
            combined_schema.is_referenced = true;
            return reference(&combined_schema.name);
        }
        let index = self.combined.schemas.len();
        let combined = CombinedSchema { name: self.unused_name(), ..CombinedSchema::default() };
        self.combined.by_text.insert(text, index);
        self.combined.schemas.push(combined);
        self.value(&mut together);
        let combined = &mut self.combined.schemas[index];
        combined.schema = together.clone();
        if combined.is_referenced { reference(&combined.name) } else { together }
    }

    /// A name that no definition of the document has.
    fn unused_name(&self) -> String {
        let number = self.combined.schemas.len() + 1;
        let taken =
            |name: &str| self.document.get("$defs").is_some_and(|it| it.get(name).is_some());
        let mut name = format!("Combined{number}");
        while taken(&name) {
            name.push('_');
        }
        name
    }

    /// Adds the definitions of combinations that are referenced.
    pub(super) fn add_combined_definitions(&mut self, schema: &mut Value) {
        let combined = std::mem::take(&mut self.combined).schemas;
        let Value::Object(root) = schema else { return };
        for combined in combined.into_iter().filter(|combined| combined.is_referenced) {
            let definitions = root.entry("$defs").or_insert_with(|| json!({}));
            if let Value::Object(definitions) = definitions {
                definitions.insert(combined.name, combined.schema);
            }
        }
    }
}

/// Returns whether at most one of the schemas applies.
fn are_exclusive(schemas: &[NestedSchema]) -> bool {
    if schemas.len() < 2 {
        return true;
    }
    let first = |nested: &NestedSchema| nested.branches.first().cloned();
    let mut branches: Vec<_> = schemas.iter().filter_map(first).collect();
    let count = branches.len();
    branches.sort_unstable();
    branches.dedup();
    let one_choice = branches.windows(2).all(|pair| pair[0].0 == pair[1].0);
    count == schemas.len() && branches.len() == count && one_choice
}

impl NestedSchemas {
    fn collect(
        &mut self,
        schema: &Value,
        at: &str,
        branches: &[(String, usize)],
        applies: Applies,
    ) {
        let Value::Object(keywords) = schema else { return };
        self.structural += usize::from(is_structural(keywords));
        let nested = subschemas_with_role(keywords, SchemaRole::Property)
            .chain(subschemas_with_role(keywords, SchemaRole::Item));
        for (step, inner) in nested {
            let pointer = format!("{at}{step}");
            let is_items = step.keyword.name == "items" && step.key == SchemaKey::Only;
            if step.keyword.name == "properties" || is_items && inner.is_object() {
                let nested = NestedSchema { pointer, branches: branches.to_vec(), applies };
                self.by_value.entry(step.to_string()).or_default().push(nested);
            } else {
                self.others.push(pointer);
            }
        }
        for (step, part) in in_place(keywords).filter(|(step, _)| step.keyword.name != "$ref") {
            let place = format!("{at}{step}");
            let branch = match (step.keyword.name, step.key) {
                (word @ ("oneOf" | "anyOf"), SchemaKey::Index(index)) => {
                    Some((format!("{at}/{word}"), index))
                }
                ("then", _) => Some((format!("{at}/if"), 0)),
                ("else", _) => Some((format!("{at}/if"), 1)),
                _ => None,
            };
            let applies = match (step.keyword.name, applies) {
                ("if", _) => Applies::AsCondition,
                ("allOf", applies) | (_, applies @ Applies::AsCondition) => applies,
                (_, Applies::Always | Applies::Sometimes) => Applies::Sometimes,
            };
            let branches: Vec<_> = branches.iter().cloned().chain(branch).collect();
            self.collect(part, &place, &branches, applies);
        }
    }
}
