//! Collects the defaults of absent properties, and the aliases of present ones, from a schema.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ptr;

use serde_json::{Map, Value};

use super::error::CanonicalError;
use super::order::utf16_order;
use super::{CanonicalForm, canonicalize_at};
use crate::schema::reference;

/// The defaults of a schema, for every object that can be reached by name.
///
/// Objects are reached through `properties`, `items`, and `$ref`s within the document. Branches of
/// `anyOf`, `oneOf` and `allOf` have no defaults here, because they may not apply;
/// `additionalProperties` and `prefixItems` are ignored.
///
/// An alias of a property (`x-aliases`) is replaced by the declared name, also in those branches: a
/// branch that does not apply has no property of that name.
#[derive(Debug, Default)]
pub struct Defaults {
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
    /// Declared names, by alias.
    aliases: BTreeMap<String, String>,
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
    #[must_use]
    #[doc(hidden)]
    pub const fn none() -> &'static Self {
        static NONE: Defaults = Defaults { objects: Vec::new(), root: None };
        &NONE
    }

    /// Collects the defaults of a schema.
    ///
    /// Defaults are completed by the defaults below them: `"default": {}` becomes the full object.
    /// In a recursive schema, completion stops at the recursion.
    #[must_use]
    #[doc(hidden)]
    pub fn compile(schema: &Value) -> Self {
        let known_ids = HashMap::new();
        let defaults = Self::default();
        let mut compiler = DefaultsCompiler {
            document: schema,
            known: known_ids,
            levels: 0,
            fills: true,
            found: defaults,
        };
        compiler.found.root = compiler.defaults_id(schema);
        compiler.found
    }

    pub(super) const fn root(&self) -> Option<DefaultsId> {
        self.root
    }

    pub(super) fn properties(&self, defaults_id: DefaultsId) -> &[DefaultedProperty] {
        self.objects.get(defaults_id).map_or(&[], |object| &object.properties)
    }

    /// The declared name of a property that may be written by an alias.
    pub(super) fn declared_name(&self, defaults_id: DefaultsId, name: &str) -> Option<&str> {
        self.objects.get(defaults_id)?.aliases.get(name).map(String::as_str)
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
    /// By the schema's address and `fills`; an entry may still be incomplete.
    known: HashMap<(*const Value, bool), DefaultsId>,
    levels: usize,
    /// Defaults are collected; false in a branch, which may not apply.
    fills: bool,
    found: Defaults,
}

impl<'s> DefaultsCompiler<'s> {
    /// Compiles a schema, unless it is compiled already or describes neither properties nor items.
    fn defaults_id(&mut self, schema: &'s Value) -> Option<DefaultsId> {
        let key = (ptr::from_ref(schema), self.fills);
        if let Some(known) = self.known.get(&key) {
            return Some(*known);
        }
        let parts = self.parts(schema);
        let branches = self.branches(&parts);
        let leads_on =
            |part: &&Map<_, _>| part.contains_key("properties") || part.contains_key("items");
        if self.levels == MAX_DEPTH || !parts.iter().chain(&branches).any(leads_on) {
            return None;
        }
        let id = self.found.objects.len();
        self.known.insert(key, id);
        self.found.objects.push(ObjectDefaults::default());
        self.levels += 1;
        self.found.objects[id] = self.object(&parts, &branches);
        self.levels -= 1;
        Some(id)
    }

    fn object(
        &mut self,
        parts: &[&'s Map<String, Value>],
        branches: &[&'s Map<String, Value>],
    ) -> ObjectDefaults {
        let mut properties = Vec::new();
        self.add_properties(parts, &mut properties);
        let mut items = self.items(parts);
        let fills = std::mem::replace(&mut self.fills, false);
        self.add_properties(branches, &mut properties);
        items = items.or_else(|| self.items(branches));
        self.fills = fills;
        properties.sort_unstable_by(|left, right| utf16_order(&left.name, &right.name));
        ObjectDefaults { properties, items, aliases: aliases(parts.iter().chain(branches)) }
    }

    fn items(&mut self, parts: &[&'s Map<String, Value>]) -> Option<DefaultsId> {
        let items = parts.iter().find_map(|part| part.get("items"))?;
        self.defaults_id(items)
    }

    /// The schemas that may apply to the same value by `allOf`, `anyOf` and `oneOf`.
    fn branches(&self, parts: &[&'s Map<String, Value>]) -> Vec<&'s Map<String, Value>> {
        let mut seen: HashSet<_> = parts.iter().map(|part| ptr::from_ref(*part)).collect();
        let (mut branches, mut open) = (Vec::new(), parts.to_vec());
        while let Some(next) = open.pop() {
            let lists = ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|word| next.get(word));
            for branch in lists.filter_map(Value::as_array).flatten() {
                for part in self.parts(branch) {
                    if seen.insert(ptr::from_ref(part)) {
                        branches.push(part);
                        open.push(part);
                    }
                }
            }
        }
        branches
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

    fn add_properties(
        &mut self,
        parts: &[&'s Map<String, Value>],
        properties: &mut Vec<DefaultedProperty>,
    ) {
        let mut names: HashSet<_> = properties.iter().map(|known| known.name.clone()).collect();
        for (name, schema) in properties_of(parts.iter()) {
            if !names.contains(name) {
                if let Some(property) = self.property(name, schema) {
                    names.insert(name.clone());
                    properties.push(property);
                }
            }
        }
    }

    fn property(&mut self, name: &str, schema: &'s Value) -> Option<DefaultedProperty> {
        let defaults_id = self.defaults_id(schema);
        let parts = if self.fills { self.parts(schema) } else { Vec::new() };
        let default = parts.into_iter().find_map(|part| part.get("default"));
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

fn properties_of<'p, 's: 'p>(
    parts: impl Iterator<Item = &'p &'s Map<String, Value>>,
) -> impl Iterator<Item = (&'s String, &'s Value)> {
    parts.filter_map(|part| part.get("properties")?.as_object()).flatten()
}

/// The declared names of aliases, without those that are declared too, or belong to two names.
fn aliases<'p, 's: 'p>(
    parts: impl Iterator<Item = &'p &'s Map<String, Value>> + Clone,
) -> BTreeMap<String, String> {
    let declared: BTreeSet<_> =
        properties_of(parts.clone()).map(|(name, _)| name.as_str()).collect();
    let mut by_alias: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, schema) in properties_of(parts) {
        let alias_names = schema.get("x-aliases").and_then(Value::as_array).into_iter().flatten();
        for alias in alias_names.filter_map(Value::as_str).filter(|alias| !declared.contains(alias))
        {
            by_alias.entry(alias).or_default().insert(name);
        }
    }
    let unique = by_alias.into_iter().filter(|(_, names)| names.len() == 1);
    unique
        .flat_map(|(alias, names)| {
            names.into_iter().map(move |name| (alias.to_owned(), name.to_owned()))
        })
        .collect()
}
