//! Which absent properties have a default, and what it is.

use std::collections::HashMap;
use std::ptr;

use serde_json::{Map, Value};

use super::error::CanonicalError;
use super::order::utf16_order;
use super::{Form, canonicalize_at};
use crate::schema::reference;

/// The defaults that a schema shows, at every place that can be reached by name.
///
/// Places are the root, what `properties` and `items` lead to, and what a `$ref` among them points
/// to in the same document. What only a branch of `anyOf`, `oneOf` or `allOf` says is left out,
/// since it may not apply; so is what `additionalProperties` or `prefixItems` say.
#[derive(Debug, Default)]
pub(crate) struct Defaults {
    places: Vec<Place>,
    root: Option<PlaceId>,
}

/// Where a schema applies.
pub(super) type PlaceId = usize;

#[derive(Debug, Default)]
struct Place {
    /// In the order in which they are written.
    properties: Vec<Property>,
    items: Option<PlaceId>,
}

/// A property with a default, or with a place of its own.
#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    /// Its name and its default, as they are written.
    pub(super) member: Option<Vec<u8>>,
    pub(super) place: Option<PlaceId>,
}

impl Defaults {
    /// Gives the defaults of nothing.
    pub(crate) const fn none() -> &'static Self {
        static NONE: Defaults = Defaults { places: Vec::new(), root: None };
        &NONE
    }

    /// Collects what a schema shows.
    ///
    /// A default is filled in turn, so that `"default": {}` stands for what it means. In a schema
    /// that leads back to itself this ends where it comes back.
    pub(crate) fn compile(schema: &Value) -> Self {
        let known = HashMap::new();
        let mut compiler = Compiler { document: schema, known, levels: 0, found: Self::default() };
        compiler.found.root = compiler.place(schema);
        compiler.found
    }

    pub(super) const fn root(&self) -> Option<PlaceId> {
        self.root
    }

    pub(super) fn properties(&self, place: PlaceId) -> &[Property] {
        self.places.get(place).map_or(&[], |place| &place.properties)
    }

    pub(super) fn items(&self, place: PlaceId) -> Option<PlaceId> {
        self.places.get(place)?.items
    }
}

/// The deepest nesting of a schema that is followed; a checker refuses what is deeper.
const DEEPEST: usize = 128;

/// The most bytes that filling may make of one default: a few references that lead to each other can
/// ask for any number.
const LONGEST: usize = 1 << 16;

struct Compiler<'s> {
    document: &'s Value,
    /// By the schema's place in memory; what is in here may still be being compiled.
    known: HashMap<*const Value, PlaceId>,
    levels: usize,
    found: Defaults,
}

impl<'s> Compiler<'s> {
    /// Compiles a schema, unless it is known or nothing can lie in what it describes.
    fn place(&mut self, schema: &'s Value) -> Option<PlaceId> {
        if let Some(known) = self.known.get(&ptr::from_ref(schema)) {
            return Some(*known);
        }
        let parts = self.parts(schema);
        let leads_on =
            |part: &&Map<_, _>| part.contains_key("properties") || part.contains_key("items");
        if self.levels == DEEPEST || !parts.iter().any(leads_on) {
            return None;
        }
        let id = self.found.places.len();
        self.known.insert(ptr::from_ref(schema), id);
        self.found.places.push(Place::default());
        self.levels += 1;
        let properties = self.properties(&parts);
        let items = parts.iter().find_map(|part| part.get("items"));
        let items = items.and_then(|items| self.place(items));
        self.levels -= 1;
        self.found.places[id] = Place { properties, items };
        Some(id)
    }

    /// Gives the schema and what its `$ref` leads to, nearest first.
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

    fn properties(&mut self, parts: &[&'s Map<String, Value>]) -> Vec<Property> {
        let mut found: Vec<Property> = Vec::new();
        let named = parts.iter().filter_map(|part| part.get("properties")?.as_object()).flatten();
        for (name, schema) in named {
            if found.iter().all(|property| property.name != *name) {
                found.extend(self.property(name, schema));
            }
        }
        found.sort_unstable_by(|left, right| utf16_order(&left.name, &right.name));
        found
    }

    fn property(&mut self, name: &str, schema: &'s Value) -> Option<Property> {
        let place = self.place(schema);
        let default = self.parts(schema).into_iter().find_map(|part| part.get("default"));
        let member = default.and_then(|default| self.member(name, default, place));
        let leads_on = place.is_some() || member.is_some();
        leads_on.then(|| Property { name: name.to_owned(), member, place })
    }

    /// Writes a default that is filled in turn, unless that makes too much of it.
    fn member(&self, name: &str, default: &Value, place: Option<PlaceId>) -> Option<Vec<u8>> {
        let filled = self.written(name, default, place).ok()?;
        if filled.len() <= LONGEST { Some(filled) } else { self.written(name, default, None).ok() }
    }

    fn written(
        &self,
        name: &str,
        default: &Value,
        place: Option<PlaceId>,
    ) -> Result<Vec<u8>, CanonicalError> {
        let mut member = Vec::new();
        let of = |place| Form::exact(&self.found, place);
        canonicalize_at(&Value::from(name).to_string(), of(None), &mut member)?;
        member.push(b':');
        canonicalize_at(&default.to_string(), of(place), &mut member)?;
        Ok(member)
    }
}
