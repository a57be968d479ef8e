//! The schema as a whole: its references, its depth, and the validation of its parts.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

use super::InstancesError;
use super::generator::{Generator, ValueSize};
use crate::Limits;
use crate::json::normalized;
use crate::schema::subschemas::{SchemaKeyword, SchemaRole};
use crate::schema::{Coerce, Validator, reference};

/// A schema, prepared for making instances.
pub(super) struct SchemaDocument {
    root: Value,
    whole: Validator,
    /// Validators of parts, by pointer; none for a part that cannot be compiled by itself.
    parts: Mutex<HashMap<String, Option<Arc<Validator>>>>,
}

/// A part of the document: its schema and its pointer.
#[derive(Debug, Clone)]
pub(super) struct SchemaPart<'d> {
    pub(super) schema: &'d Value,
    pub(super) at: String,
}

/// The deepest nesting of an instance.
pub(super) const MAX_LEVELS: u32 = 12;

/// The most references that are followed without a level of nesting between them.
const MAX_HOPS: u32 = 64;

impl SchemaDocument {
    pub(super) fn new(root: &Value) -> Result<Self, InstancesError> {
        let root = normalized(root.clone());
        let root_validator = Validator::compile(&root)?;
        let document = Self { root, whole: root_validator, parts: Mutex::default() };
        if !document.fits(&document.part(), MAX_LEVELS) {
            let message = format!("it needs more than {MAX_LEVELS} levels, or nests without end");
            return Err(InstancesError::new("", message));
        }
        Ok(document)
    }

    pub(super) fn make(&self, wanted_size: ValueSize, seed: u64) -> Result<Value, InstancesError> {
        Generator::new(self, wanted_size, seed).make()
    }

    pub(super) fn part(&self) -> SchemaPart<'_> {
        SchemaPart { schema: &self.root, at: String::new() }
    }

    pub(super) fn admits(&self, value: &Value) -> bool {
        self.admits_text(&value.to_string())
    }

    pub(super) fn admits_text(&self, text: &str) -> bool {
        self.whole.check(text, &limits(), Coerce::Off).is_admitted()
    }

    /// Returns whether a call of a tool of the program accepts a value as its arguments: `null` for
    /// an optional property means that it is left out, which the schema alone rejects.
    pub(super) fn admits_arguments(&self, value: &Value) -> bool {
        self.whole.check_arguments(&value.to_string(), &limits(), Coerce::Off).is_admitted()
    }

    /// Returns whether a part admits a value; none if it cannot be compiled by itself.
    pub(super) fn part_admits(&self, part: &SchemaPart<'_>, value: &Value) -> Option<bool> {
        if part.at.is_empty() {
            return Some(self.admits(value));
        }
        let cached_validator =
            self.parts.lock().unwrap_or_else(PoisonError::into_inner).get(&part.at).cloned();
        let validator = cached_validator.unwrap_or_else(|| {
            let made = self.alone(part.schema).map(Arc::new);
            let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
            parts.insert(part.at.clone(), made.clone());
            made
        })?;
        Some(validator.check(&value.to_string(), &limits(), Coerce::Off).is_admitted())
    }

    /// Compiles a part together with the definitions that it may reference.
    fn alone(&self, part: &Value) -> Option<Validator> {
        let Value::Object(keywords) = part else { return Validator::compile(part).ok() };
        let mut keywords = keywords.clone();
        for keyword in SchemaKeyword::with_role(SchemaRole::Definition) {
            if let Some(definitions) = self.root.get(keyword.name) {
                keywords.insert(keyword.name.to_owned(), definitions.clone());
            }
        }
        Validator::compile(&Value::Object(keywords)).ok()
    }

    pub(super) fn marks_sensitivity(&self) -> bool {
        self.whole.has_secrets() || self.whole.has_personal()
    }

    pub(super) fn target(&self, reference: &str) -> Option<SchemaPart<'_>> {
        let at = reference::pointer(reference)?;
        Some(SchemaPart { schema: self.root.pointer(&at)?, at })
    }

    /// Returns whether a value exists with no more levels of nesting than this.
    ///
    /// Returns true if it cannot decide. It never follows more levels than this.
    pub(super) fn fits(&self, part: &SchemaPart<'_>, levels: u32) -> bool {
        self.fits_within(part, levels, MAX_HOPS, &mut HashMap::new())
    }

    fn fits_within(
        &self,
        part: &SchemaPart<'_>,
        levels: u32,
        hops: u32,
        known: &mut HashMap<(String, u32), bool>,
    ) -> bool {
        let keywords = match part.schema {
            Value::Object(keywords) => keywords,
            other => return other != &Value::Bool(false),
        };
        if keywords.contains_key("const") || keywords.contains_key("enum") {
            return true;
        }
        let key = (part.at.clone(), levels);
        if let Some(known) = known.get(&key) {
            return *known;
        }
        if hops == 0 {
            return false;
        }
        let mut fits =
            |part: &SchemaPart<'_>, levels| self.fits_within(part, levels, hops - 1, known);
        let target = keywords.get("$ref").and_then(Value::as_str).and_then(|to| self.target(to));
        let is_all_of_met =
            target.into_iter().chain(part.list("allOf")).all(|part| fits(&part, levels));
        let mut some = |keyword| {
            let branches = part.list(keyword);
            branches.is_empty() || branches.iter().any(|part| fits(part, levels))
        };
        let result = is_all_of_met && some("anyOf") && some("oneOf") && {
            let inner = needed(part, keywords);
            let nests = is_nesting(keywords);
            (!nests || levels > 0) && inner.iter().all(|part| levels > 0 && fits(part, levels - 1))
        };
        known.insert(key, result);
        result
    }
}

/// Returns the parts that every value requires.
fn needed<'d>(part: &SchemaPart<'d>, keywords: &'d Map<String, Value>) -> Vec<SchemaPart<'d>> {
    let may_be_other = keywords.get("type").is_some_and(|types| match types {
        Value::Array(types) => types.iter().any(|name| name != "object" && name != "array"),
        name => name != "object" && name != "array",
    });
    if may_be_other {
        return Vec::new();
    }
    let required = keywords.get("required").and_then(Value::as_array).into_iter().flatten();
    let names = required.filter_map(Value::as_str);
    let properties = names.filter_map(|name| part.child(&["properties", name]));
    let least = keywords.get("minItems").and_then(Value::as_u64).unwrap_or(0);
    let prefix = part.list("prefixItems");
    let has_further_items = u64::try_from(prefix.len()).is_ok_and(|count| count < least);
    let items = part.child(&["items"]).filter(|part| has_further_items && !part.schema.is_array());
    let prefix = prefix.into_iter().zip(0..least).map(|(part, _)| part);
    properties.chain(prefix).chain(items).collect()
}

/// Returns whether only an object or an array is admitted.
fn is_nesting(keywords: &Map<String, Value>) -> bool {
    keywords.get("type").is_some_and(|name| name == "object" || name == "array")
}

impl<'d> SchemaPart<'d> {
    /// Returns the part at a path below this one, if there is one.
    pub(super) fn child(&self, path: &[&str]) -> Option<SchemaPart<'d>> {
        let schema = path.iter().try_fold(self.schema, |at, name| match at {
            Value::Array(list) => list.get(name.parse::<usize>().ok()?),
            at => at.get(name),
        })?;
        let at = path.iter().fold(self.at.clone(), |at, name| at + "/" + &reference::escaped(name));
        Some(SchemaPart { schema, at })
    }

    /// Returns the parts in a keyword's list.
    pub(super) fn list(&self, keyword: &str) -> Vec<SchemaPart<'d>> {
        let count = self.schema.get(keyword).and_then(Value::as_array).map_or(0, Vec::len);
        (0..count).filter_map(|index| self.child(&[keyword, &index.to_string()])).collect()
    }
}

fn limits() -> Limits {
    Limits::new()
}

impl fmt::Debug for SchemaDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchemaDocument").field("root", &self.root).finish_non_exhaustive()
    }
}
