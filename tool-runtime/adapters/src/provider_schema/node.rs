//! Converts one schema of a document, and its references.

use serde_json::{Map, Value, json};
use tool_runtime_schema::schema::reference;

use super::normalize::{is_annotation, normalize, types};
use super::profile::ReferenceSupport;
use super::{SchemaConverter, below};
use crate::names;

/// The most schemas that one tool's schema may become by inlining.
pub(super) const MAX_NODES: usize = 5_000;
/// The consequence for references whose targets are too large together.
const TOO_LARGE: &str = "too large with all references: replaced by any value of its type";
/// The deepest nesting that is followed.
pub(super) const MAX_DEPTH: usize = 96;

impl SchemaConverter<'_> {
    /// Converts the schema of one value.
    pub(super) fn node(&mut self, schema: &Value, at: &str) -> Value {
        self.nodes += 1;
        if self.nodes > MAX_NODES || self.depth > MAX_DEPTH {
            self.record_loss(at, "type", "too large: replaced by any value");
            return self.any(at);
        }
        self.depth += 1;
        let lowered = match schema {
            Value::Object(keywords) => self.keywords(normalize(keywords), at),
            Value::Bool(false) => self.never(at),
            _ => self.any(at),
        };
        self.depth -= 1;
        lowered
    }

    fn keywords(&mut self, keywords: Map<String, Value>, at: &str) -> Value {
        if let Some(text) = keywords.get("$ref").and_then(Value::as_str) {
            let text = text.to_owned();
            return self.reference(keywords, &text, at);
        }
        if self.profile.full_schema {
            self.full_schema(&keywords, at)
        } else {
            self.subset(keywords, at)
        }
    }

    fn never(&mut self, at: &str) -> Value {
        if self.profile.full_schema {
            return json!({ "not": {} });
        }
        self.record_loss(at, "false", "any value");
        self.any(at)
    }

    fn reference(&mut self, mut keywords: Map<String, Value>, text: &str, at: &str) -> Value {
        let Some(target) = self.definitions.at(text) else {
            self.record_loss(at, "$ref", "unresolved: replaced by any value");
            return self.any(at);
        };
        let asserts = keywords.keys().any(|keyword| keyword != "$ref" && !is_annotation(keyword));
        if asserts && !self.profile.full_schema {
            let combined = self.combined(keywords, at);
            return self.subset(combined, at);
        }
        let is_reference_kept = match self.profile.references {
            ReferenceSupport::Kept => true,
            ReferenceSupport::KeptIfAcyclic => !self.facts().is_recursive(text),
            ReferenceSupport::Inlined => false,
        };
        keywords.remove("$ref");
        if is_reference_kept {
            if target.get("title").is_some() {
                // The title is written once, in the definition.
                keywords.remove("title");
            }
            let name = self.named(text);
            let reference = json!({ "$ref": format!("#/$defs/{name}") });
            return self.beside(reference, &keywords, asserts, at);
        }
        let open_levels = self.inlined.iter().filter(|open| *open == text).count();
        let ends = match self.inlined_levels {
            0 => !self.inlined.is_empty() || self.facts().is_recursive(text),
            levels => open_levels >= levels,
        };
        if ends {
            return self.end_recursion(target, at);
        }
        if !target.as_object().is_none_or(|target| self.budget.spend(target, 1)) {
            self.is_cut = true;
            return self.end_reference(target, at, TOO_LARGE);
        }
        self.inlines = true;
        let place = reference::pointer(text).unwrap_or_default();
        self.inlined.push(text.to_owned());
        let lowered = match target {
            Value::Object(target) if !asserts => {
                let mut target = target.clone();
                target.extend(keywords.clone());
                self.node(&Value::Object(target), &place)
            }
            target => {
                let lowered = self.node(target, &place);
                self.beside(lowered, &keywords, asserts, at)
            }
        };
        self.inlined.pop();
        lowered
    }

    /// Combines a reference with its sibling keywords.
    fn beside(
        &mut self,
        lowered: Value,
        keywords: &Map<String, Value>,
        asserts: bool,
        at: &str,
    ) -> Value {
        let mut further = if self.profile.full_schema {
            self.full_schema(keywords, at)
        } else {
            self.annotations(keywords)
        };
        match further.as_object_mut() {
            Some(words) if !words.is_empty() => {
                let keyword = if asserts { "allOf" } else { "anyOf" };
                match words.get_mut(keyword).and_then(Value::as_array_mut) {
                    Some(branches) => branches.push(lowered),
                    None => drop(words.insert(keyword.to_owned(), json!([lowered]))),
                }
                further
            }
            _ => lowered,
        }
    }

    /// Ends a recursive type: any value of its JSON type.
    fn end_recursion(&mut self, target: &Value, at: &str) -> Value {
        self.block_strict(at, "$ref", "a recursive type");
        let consequence = match self.inlined_levels {
            0 => TOO_LARGE,
            1 => "recursive: replaced by any value of its type from the second level on",
            _ => "recursive: replaced by any value of its type from the third level on",
        };
        self.end_reference(target, at, consequence)
    }

    /// Replaces a reference by any value of its target's JSON type.
    fn end_reference(&mut self, target: &Value, at: &str, consequence: &str) -> Value {
        self.block_strict(at, "$ref", consequence);
        self.record_loss(at, "$ref", consequence);
        let mut kinds = target.as_object().map(types).unwrap_or_default();
        match kinds.len() {
            0 => json!({}),
            1 => json!({ "type": kinds.remove(0) }),
            _ => json!({ "type": kinds }),
        }
    }

    /// The name in `$defs` of a reference's target.
    fn named(&mut self, text: &str) -> String {
        let place = reference::pointer(text).unwrap_or_default();
        if let Some(name) = self.names.get(&place) {
            return name.clone();
        }
        let last = place.rsplit('/').next().filter(|last| !last.is_empty()).unwrap_or("Arguments");
        let wanted = names::property(&last.replace("~1", "/").replace("~0", "~"));
        let mut count = self.name_counts.get(&wanted).copied().unwrap_or(1);
        let mut name = if count == 1 { wanted.clone() } else { format!("{wanted}_{count}") };
        while !self.taken_names.insert(name.clone()) {
            tool_runtime_schema::test_cost::count(1);
            count += 1;
            name = format!("{wanted}_{count}");
        }
        self.name_counts.insert(wanted, count);
        self.names.insert(place.clone(), name.clone());
        self.pending.push(place);
        name
    }

    /// Converts all referenced schemas, including those that they reference.
    pub(super) fn definitions(&mut self) -> Map<String, Value> {
        let mut lowered = Map::new();
        while let Some(place) = self.pending.pop() {
            let Some(target) = self.definitions.root().pointer(&place) else { continue };
            let name = self.names.get(&place).cloned().unwrap_or_default();
            let schema = self.node(target, &place);
            lowered.insert(name, schema);
        }
        lowered
    }

    /// Converts the schemas of an object's properties, with names that the dialect accepts.
    pub(super) fn properties(
        &mut self,
        named: &Map<String, Value>,
        at: &str,
    ) -> Map<String, Value> {
        let mut lowered = Map::new();
        for (name, schema) in named {
            let schema = self.node(schema, &below(at, &["properties", name]));
            lowered.insert(self.property_name(name), schema);
        }
        lowered
    }

    pub(super) fn property_name(&mut self, name: &str) -> String {
        if !self.profile.restricts_property_names {
            return name.to_owned();
        }
        let wire = names::property(name);
        self.renamed |= wire != name;
        wire
    }

    pub(super) fn property_names(&mut self, names: &Value) -> Value {
        let names = names.as_array().into_iter().flatten().filter_map(Value::as_str);
        Value::Array(names.map(|name| self.property_name(name).into()).collect())
    }
}
