//! Collects the defaults of absent properties from a schema.

use std::collections::HashMap;
use std::ptr;

use serde_json::{Map, Value};

use super::error::CanonicalError;
use super::order::utf16_order;
use super::{CanonicalForm, canonicalize_at};
use crate::schema::reference;

/// The defaults of a schema, for every object that can be reached by name.
///
/// Objects are reached through `properties`, `items`, and `$ref`s within the document. Branches of
/// `anyOf`, `oneOf` and `allOf` are ignored, because they may not apply; so are
/// `additionalProperties` and `prefixItems`.
#[derive(Debug, Default)]
pub(crate) struct Defaults {
    objects: Vec<ObjectDefaults>,
    root: Option<DefaultsId>,
}

/// Index of the defaults for one object or array.
pub(super) type DefaultsId = usize;

#[derive(Debug, Default)]
struct ObjectDefaults {
    /// In the order of their canonical text.
    properties: Vec<DefaultedProperty>,
    items: Option<DefaultsId>,
}

/// A property with a default, or with defaults below it.
#[derive(Debug)]
pub(super) struct DefaultedProperty {
    pub(super) name: String,
    /// Its name and default, in canonical form.
    pub(super) member: Option<Vec<u8>>,
    pub(super) defaults_id: Option<DefaultsId>,
}

impl Defaults {
    /// Returns an empty set of defaults.
    pub(crate) const fn none() -> &'static Self {
        static NONE: Defaults = Defaults { objects: Vec::new(), root: None };
        &NONE
    }

    /// Collects the defaults of a schema.
    ///
    /// Defaults are completed by the defaults below them: `"default": {}` becomes the full object.
    /// In a recursive schema, completion stops at the recursion.
    pub(crate) fn compile(schema: &Value) -> Self {
        let known = HashMap::new();
        let mut compiler =
            DefaultsCompiler { document: schema, known, levels: 0, found: Self::default() };
        compiler.found.root = compiler.defaults_id(schema);
        compiler.found
    }

    pub(super) const fn root(&self) -> Option<DefaultsId> {
        self.root
    }

    pub(super) fn properties(&self, defaults_id: DefaultsId) -> &[DefaultedProperty] {
        self.objects.get(defaults_id).map_or(&[], |object| &object.properties)
    }

    pub(super) fn items(&self, defaults_id: DefaultsId) -> Option<DefaultsId> {
        self.objects.get(defaults_id)?.items
    }
}

/// The deepest nesting that is followed; the validator rejects deeper schemas.
const MAX_DEPTH: usize = 128;

/// The most bytes of one completed default; mutually recursive references could otherwise make it
/// arbitrarily long.
const MAX_DEFAULT_BYTES: usize = 1 << 16;

struct DefaultsCompiler<'s> {
    document: &'s Value,
    /// By the schema's address; an entry may still be incomplete.
    known: HashMap<*const Value, DefaultsId>,
    levels: usize,
    found: Defaults,
}

impl<'s> DefaultsCompiler<'s> {
    /// Compiles a schema, unless it is compiled already or has no defaults.
    fn defaults_id(&mut self, schema: &'s Value) -> Option<DefaultsId> {
        if let Some(known) = self.known.get(&ptr::from_ref(schema)) {
            return Some(*known);
        }
        let parts = self.parts(schema);
        let leads_on =
            |part: &&Map<_, _>| part.contains_key("properties") || part.contains_key("items");
        if self.levels == MAX_DEPTH || !parts.iter().any(leads_on) {
            return None;
        }
        let id = self.found.objects.len();
        self.known.insert(ptr::from_ref(schema), id);
        self.found.objects.push(ObjectDefaults::default());
        self.levels += 1;
        let properties = self.properties(&parts);
        let items = parts.iter().find_map(|part| part.get("items"));
        let items = items.and_then(|items| self.defaults_id(items));
        self.levels -= 1;
        self.found.objects[id] = ObjectDefaults { properties, items };
        Some(id)
    }

    /// The schema and the targets of its `$ref`s, nearest first.
    fn parts(&self, schema: &'s Value) -> Vec<&'s Map<String, Value>> {
        let mut parts: Vec<&Map<_, _>> = Vec::new();
        let mut next = schema.as_object();
        while let Some(part) = next.filter(|part| !parts.iter().any(|seen| ptr::eq(*seen, *part))) {
            parts.push(part);
            let reference = part.get("$ref").and_then(Value::as_str);
            let pointer = reference.and_then(reference::pointer);
            next = pointer.and_then(|pointer| self.document.pointer(&pointer)?.as_object());
        }
        parts
    }

    fn properties(&mut self, parts: &[&'s Map<String, Value>]) -> Vec<DefaultedProperty> {
        let mut found: Vec<DefaultedProperty> = Vec::new();
        let named = parts.iter().filter_map(|part| part.get("properties")?.as_object()).flatten();
        for (name, schema) in named {
            if found.iter().all(|property| property.name != *name) {
                found.extend(self.property(name, schema));
            }
        }
        found.sort_unstable_by(|left, right| utf16_order(&left.name, &right.name));
        found
    }

    fn property(&mut self, name: &str, schema: &'s Value) -> Option<DefaultedProperty> {
        let defaults_id = self.defaults_id(schema);
        let default = self.parts(schema).into_iter().find_map(|part| part.get("default"));
        let member = default.and_then(|default| self.member(name, default, defaults_id));
        let leads_on = defaults_id.is_some() || member.is_some();
        leads_on.then(|| DefaultedProperty { name: name.to_owned(), member, defaults_id })
    }

    /// Writes a completed default, unless it is too long.
    fn member(
        &self,
        name: &str,
        default: &Value,
        defaults_id: Option<DefaultsId>,
    ) -> Option<Vec<u8>> {
        let filled = self.written(name, default, defaults_id).ok()?;
        if filled.len() <= MAX_DEFAULT_BYTES {
            Some(filled)
        } else {
            self.written(name, default, None).ok()
        }
    }

    fn written(
        &self,
        name: &str,
        default: &Value,
        defaults_id: Option<DefaultsId>,
    ) -> Result<Vec<u8>, CanonicalError> {
        let mut member = Vec::new();
        let of = |defaults_id| CanonicalForm::exact(&self.found, defaults_id);
        canonicalize_at(&Value::from(name).to_string(), of(None), &mut member)?;
        member.push(b':');
        canonicalize_at(&default.to_string(), of(defaults_id), &mut member)?;
        Ok(member)
    }
}
