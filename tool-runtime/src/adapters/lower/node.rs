//! One schema of a document: references, and which way it is said.

use serde_json::{Map, Value, json};

use super::normal::{is_annotation, normal, types};
use super::profile::References;
use super::{Lowering, below};
use crate::adapters::names;
use crate::schema::reference;

/// How often a type that holds itself is said in itself.
const UNROLLED: usize = 2;
/// The most schemas that one tool's may become, where types are said in place.
pub(super) const MOST_NODES: usize = 5_000;
/// The deepest nesting that is followed.
pub(super) const DEEPEST: usize = 96;

impl Lowering<'_> {
    /// Says the schema of one value.
    pub(super) fn node(&mut self, schema: &Value, at: &str) -> Value {
        self.nodes += 1;
        if self.nodes > MOST_NODES || self.depth > DEEPEST {
            self.lose(at, "type", "too large to be said: any value");
            return self.any(at);
        }
        self.depth += 1;
        let said = match schema {
            Value::Object(keywords) => self.keywords(normal(keywords), at),
            Value::Bool(false) => self.never(at),
            _ => self.any(at),
        };
        self.depth -= 1;
        said
    }

    fn keywords(&mut self, keywords: Map<String, Value>, at: &str) -> Value {
        if let Some(text) = keywords.get("$ref").and_then(Value::as_str) {
            let text = text.to_owned();
            return self.reference(keywords, &text, at);
        }
        if self.profile.whole { self.whole(&keywords, at) } else { self.subset(keywords, at) }
    }

    fn never(&mut self, at: &str) -> Value {
        if self.profile.whole {
            return json!({ "not": {} });
        }
        self.lose(at, "false", "any value");
        self.any(at)
    }

    fn reference(&mut self, mut keywords: Map<String, Value>, text: &str, at: &str) -> Value {
        let Some(target) = self.definitions.at(text) else {
            self.lose(at, "$ref", "points nowhere: any value");
            return self.any(at);
        };
        let asserts = keywords.keys().any(|word| word != "$ref" && !is_annotation(word));
        if asserts && !self.profile.whole {
            let combined = self.combined(keywords, at);
            return self.subset(combined, at);
        }
        let kept = match self.profile.references {
            References::Kept => true,
            References::KeptIfFinite => !self.definitions.is_recursive(text),
            References::Inlined => false,
        };
        keywords.remove("$ref");
        if kept {
            if target.get("title").is_some() {
                // It is said once, where the type is.
                keywords.remove("title");
            }
            let name = self.named(text);
            let reference = json!({ "$ref": format!("#/$defs/{name}") });
            return self.beside(reference, &keywords, asserts, at);
        }
        if self.inlined.iter().filter(|open| *open == text).count() >= UNROLLED {
            return self.unrolled(target, at);
        }
        let place = reference::pointer(text).unwrap_or_default();
        self.inlined.push(text.to_owned());
        let said = match target {
            Value::Object(target) if !asserts => {
                let mut target = target.clone();
                target.extend(keywords.clone());
                self.node(&Value::Object(target), &place)
            }
            target => {
                let said = self.node(target, &place);
                self.beside(said, &keywords, asserts, at)
            }
        };
        self.inlined.pop();
        said
    }

    /// What is said of a value beside what its type says.
    fn beside(
        &mut self,
        said: Value,
        keywords: &Map<String, Value>,
        asserts: bool,
        at: &str,
    ) -> Value {
        let mut further =
            if self.profile.whole { self.whole(keywords, at) } else { self.annotations(keywords) };
        match further.as_object_mut() {
            Some(words) if !words.is_empty() => {
                let word = if asserts { "allOf" } else { "anyOf" };
                match words.get_mut(word).and_then(Value::as_array_mut) {
                    Some(branches) => branches.push(said),
                    None => drop(words.insert(word.to_owned(), json!([said]))),
                }
                further
            }
            _ => said,
        }
    }

    /// Ends a type that holds itself: any value of its kind.
    fn unrolled(&mut self, target: &Value, at: &str) -> Value {
        self.lose(at, "$ref", "holds itself: any value of its type from the third level on");
        let mut kinds = target.as_object().map(types).unwrap_or_default();
        match kinds.len() {
            0 => json!({}),
            1 => json!({ "type": kinds.remove(0) }),
            _ => json!({ "type": kinds }),
        }
    }

    /// The name in `$defs` of what a reference points to.
    fn named(&mut self, text: &str) -> String {
        let place = reference::pointer(text).unwrap_or_default();
        if let Some(name) = self.names.get(&place) {
            return name.clone();
        }
        let last = place.rsplit('/').next().filter(|last| !last.is_empty()).unwrap_or("Arguments");
        let wanted = names::property(&last.replace("~1", "/").replace("~0", "~"));
        let taken = |name: &String| self.names.values().any(|known| known == name);
        let mut name = wanted.clone();
        let mut count = 1;
        while taken(&name) {
            count += 1;
            name = format!("{wanted}_{count}");
        }
        self.names.insert(place.clone(), name.clone());
        self.waiting.push(place);
        name
    }

    /// Says everything that is referred to, until nothing new is.
    pub(super) fn definitions(&mut self) -> Map<String, Value> {
        let mut said = Map::new();
        while let Some(place) = self.waiting.pop() {
            let Some(target) = self.definitions.root().pointer(&place) else { continue };
            let name = self.names.get(&place).cloned().unwrap_or_default();
            let schema = self.node(target, &place);
            said.insert(name, schema);
        }
        said
    }

    /// Says the schemas of an object's properties, by the names that the dialect takes.
    pub(super) fn properties(
        &mut self,
        named: &Map<String, Value>,
        at: &str,
    ) -> Map<String, Value> {
        let mut said = Map::new();
        for (name, schema) in named {
            let schema = self.node(schema, &below(at, &["properties", name]));
            said.insert(self.property_name(name), schema);
        }
        said
    }

    pub(super) fn property_name(&mut self, name: &str) -> String {
        if !self.profile.property_names {
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
