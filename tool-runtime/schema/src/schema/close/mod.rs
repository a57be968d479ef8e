//! Closes input-schema objects that do not restrict unnamed properties.

mod group;
mod inline;
mod names;
mod nested;

use std::collections::BTreeSet;
use std::ops::Range;

use schemars::Schema;
use serde_json::{Map, Value};

use self::group::is_structural;
pub(super) use self::group::{in_place, restricts_unnamed};
use self::names::has_rules;
pub(super) use self::names::{ListedNames, RuleNeeds, UnmetRule};
use self::nested::CombinedSchemas;
use super::exclusive::are_exclusive;
use super::findings::IsClosed;
use super::reference::{escaped, pointer};
use super::subschemas::{SchemaKey, SchemaKeyword, SchemaRole, for_each_subschema_mut};

/// Accepts properties that a type does not declare; `#[ai_type(open)]` applies it.
#[doc(hidden)]
pub fn open(schema: &mut Schema) {
    schema.ensure_object().entry("additionalProperties").or_insert(Value::Bool(true));
}

/// The number of branches of one `anyOf` that describe one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceReading {
    /// A Rust type reads a value as exactly one branch.
    OneBranch,
    /// JSON Schema: a value may match several branches, and has the properties of all of them.
    AnyBranches,
}

/// Most schemas that are visited or copied for one document; a larger one stays open.
const MAX_STEPS: usize = 200_000;
/// Values that are read in the time of one step.
const READS_PER_STEP: usize = 16;

/// Rejects unknown properties in every object that declares some and does not restrict others.
///
/// Without this, serde silently drops an unknown property, such as a misspelt option. The root is
/// closed even if it declares no property: it is the argument object of a tool without parameters.
///
/// A property is known if any schema that applies to the object declares it: the object's own, the
/// target of its `$ref`, and the branches of its combinators. An object stays open if a rule
/// requires a property that none of them declares, or none that applies together with the rule, and
/// if it has `propertyNames` and no list of names.
pub fn close(schema: &mut Value, choices: ChoiceReading) -> IsClosed {
    let document = schema.clone();
    if let Value::Object(root) = schema {
        root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    let mut closer = Closer {
        document: &document,
        choices,
        steps_left: MAX_STEPS,
        depth: 0,
        combined: CombinedSchemas::default(),
    };
    closer.root(schema);
    closer.add_combined_definitions(schema);
    if closer.is_exhausted() {
        *schema = document;
        return IsClosed::TooLarge;
    }
    remove_unused_definitions(&document, schema);
    IsClosed::Yes
}

/// Deepest nesting of schemas that is followed.
const MAX_DEPTH: usize = 160;

struct Closer<'s> {
    /// The schema as it was written, which references point into.
    document: &'s Value,
    choices: ChoiceReading,
    steps_left: usize,
    depth: usize,
    combined: CombinedSchemas,
}

impl Closer<'_> {
    fn root(&mut self, schema: &mut Value) {
        self.value(schema);
        let Value::Object(root) = schema else { return };
        let listed_names = ListedNames::new(self.document, root, "");
        let accepts_none = listed_names.is_empty() && !listed_names.needs_unlisted();
        if accepts_none && !restricts_unnamed(root) {
            root.insert(closing_keyword(root).to_owned(), false.into());
        }
    }

    /// Counts a visited schema; returns false if there are too many.
    fn step(&mut self) -> bool {
        crate::test_cost::count(1);
        self.steps_left = self.steps_left.saturating_sub(1);
        self.steps_left > 0
    }

    const fn is_exhausted(&self) -> bool {
        self.steps_left == 0
    }

    /// Closes the schema of a value to which no other schema applies.
    fn value(&mut self, schema: &mut Value) {
        if !schema.is_object() || !self.step() {
            return;
        }
        if self.depth == MAX_DEPTH {
            self.steps_left = 0;
            return;
        }
        self.depth += 1;
        self.object(schema);
        self.depth -= 1;
    }

    fn object(&mut self, schema: &mut Value) {
        let Value::Object(keywords) = schema else { return };
        for_each_subschema_mut(keywords, &mut |step, schema| {
            if step.keyword.role == SchemaRole::Definition {
                self.value(schema);
            }
        });
        self.open_conditions(keywords);
        match self.composition(keywords) {
            Composition::Plain => self.plain(keywords),
            Composition::Nothing => {}
            Composition::Branches(word, range) => {
                let branches = keywords.get_mut(word).and_then(Value::as_array_mut);
                let branches = branches.and_then(|branches| branches.get_mut(range));
                branches.into_iter().flatten().for_each(|branch| self.value(branch));
            }
            Composition::Several => self.several(schema),
        }
    }

    /// Finds which schemas describe the properties and items of a value.
    fn composition(&mut self, keywords: &Map<String, Value>) -> Composition {
        let mut structural: Vec<(&'static str, SchemaKey<'_>)> = Vec::new();
        let mut part_count = 0;
        for (step, part) in in_place(keywords) {
            part_count += 1;
            let described = match step.keyword.name {
                "$ref" => self.target(keywords).is_some_and(|target| self.is_structural(target)),
                _ => self.is_structural(part),
            };
            if described {
                structural.push((step.keyword.name, step.key));
            }
        }
        if part_count == 0 {
            return Composition::Plain;
        }
        let Some((word, key)) = structural.first().copied() else {
            return if is_structural(keywords) {
                Composition::Several
            } else {
                Composition::Nothing
            };
        };
        if is_structural(keywords) || structural.iter().any(|(other, _)| *other != word) {
            return Composition::Several;
        }
        // Rules beside the schemas that are closed alone may need what those do not list.
        let has_rules = has_rules(keywords) || part_count > structural.len();
        if has_rules && ListedNames::new(self.document, keywords, "").needs_unlisted() {
            return Composition::Several;
        }
        match (word, key) {
            // The definition is closed where it stands.
            ("$ref", _) => Composition::Nothing,
            ("allOf", SchemaKey::Index(index)) if structural.len() == 1 => {
                Composition::Branches(word, index..index + 1)
            }
            ("anyOf" | "oneOf", _) if self.closes_each_branch(keywords, word, structural.len()) => {
                let branches = keywords.get(word).and_then(Value::as_array);
                Composition::Branches(word, 0..branches.map_or(0, Vec::len))
            }
            _ => Composition::Several,
        }
    }

    /// Returns whether each branch of a choice, which alone declares properties, is closed by itself.
    fn closes_each_branch(
        &mut self,
        keywords: &Map<String, Value>,
        word: &str,
        structural: usize,
    ) -> bool {
        let Some(Value::Array(branches)) = keywords.get(word) else { return false };
        let refers = |branch: &Value| branch.get("$ref").is_some();
        // Branches that are written in place are closed together, by `unevaluatedProperties`.
        branches.iter().any(refers)
            && (structural == 1
                || word == "oneOf"
                || self.choices == ChoiceReading::OneBranch
                || self.are_exclusive(branches))
    }

    /// Returns whether no value is valid by two of the branches. Reading them counts, since they
    /// may refer to large definitions.
    fn are_exclusive(&mut self, branches: &[Value]) -> bool {
        let (document, steps_left) = (self.document, &mut self.steps_left);
        are_exclusive(document, branches, &mut |values| {
            *steps_left = steps_left.saturating_sub(values / READS_PER_STEP);
            *steps_left > 0
        })
    }

    fn is_structural(&mut self, schema: &Value) -> bool {
        let Value::Object(keywords) = schema else { return false };
        if !self.step() {
            return false;
        }
        if is_structural(keywords) {
            return true;
        }
        if self.depth == MAX_DEPTH {
            self.steps_left = 0;
            return false;
        }
        self.depth += 1;
        let target = self.target(keywords);
        let is_structural = target.is_some_and(|target| self.is_structural(target))
            || in_place(keywords)
                .any(|(step, part)| step.keyword.name != "$ref" && self.is_structural(part));
        self.depth -= 1;
        is_structural
    }

    fn plain(&mut self, keywords: &mut Map<String, Value>) {
        let listed_names = ListedNames::new(self.document, keywords, "");
        let stays_open = restricts_unnamed(keywords) || listed_names.needs_unlisted();
        self.nested_values(keywords);
        if keywords.contains_key("properties") && !stays_open {
            keywords.insert("additionalProperties".to_owned(), false.into());
        }
    }

    /// Closes a value that several schemas describe.
    fn several(&mut self, schema: &mut Value) {
        let Value::Object(keywords) = schema else { return };
        let listed_names = ListedNames::new(self.document, keywords, "");
        let closes = listed_names.has_properties() && !listed_names.needs_unlisted();
        self.inline_references(keywords);
        self.nested_values_of_parts(schema);
        let Value::Object(keywords) = schema else { return };
        if !closes || restricts_unnamed(keywords) {
            return;
        }
        keywords.insert(closing_keyword(keywords).to_owned(), false.into());
    }
}

/// The keyword that rejects the properties which no part of a value's schema declares.
fn closing_keyword(keywords: &Map<String, Value>) -> &'static str {
    let names_more = |schema: &Value| {
        schema
            .as_object()
            .is_some_and(|part| is_structural(part) || in_place(part).next().is_some())
    };
    let mut parts = in_place(keywords);
    let are_rules = parts.all(|(step, part)| {
        !["$ref", "allOf", "anyOf", "oneOf"].contains(&step.keyword.name) && !names_more(part)
    });
    if are_rules { "additionalProperties" } else { "unevaluatedProperties" }
}

/// The schemas that describe the properties and items of one value.
enum Composition {
    /// There is only one schema.
    Plain,
    /// None that is not closed elsewhere.
    Nothing,
    /// Only these branches of a keyword, which do not apply together.
    Branches(&'static str, Range<usize>),
    /// Several schemas together.
    Several,
}

/// Removes the definitions that only inlined references named.
fn remove_unused_definitions(document: &Value, schema: &mut Value) {
    for word in SchemaKeyword::with_role(SchemaRole::Definition).map(|keyword| keyword.name) {
        let Some(Value::Object(named)) = document.get(word) else { continue };
        let (before, after) = (used(document), used(schema));
        let places = named.keys().map(|name| (name, format!("/{word}/{}", escaped(name))));
        let unused: Vec<_> = places
            .filter(|(_, place)| before.contains(place) && !after.contains(place))
            .map(|(name, _)| name.clone())
            .collect();
        let Some(Value::Object(kept)) = schema.get_mut(word) else { continue };
        kept.retain(|name, _| !unused.contains(name));
        if kept.is_empty() && !unused.is_empty() {
            schema.as_object_mut().map(|root| root.remove(word));
        }
    }
}

/// The definitions at the root that can be reached from the schema, by their pointers.
fn used(document: &Value) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let Value::Object(root) = document else { return seen };
    let outside = root.iter().filter(|(word, _)| !SchemaKeyword::holds_definitions(word));
    let mut open: Vec<&Value> = outside.map(|(_, value)| value).collect();
    while let Some(next) = open.pop() {
        match next {
            Value::Object(keywords) => {
                open.extend(keywords.values());
                let place = keywords.get("$ref").and_then(Value::as_str).and_then(pointer);
                let name = place.as_deref().map(definition_of).unwrap_or_default();
                if !name.is_empty() && seen.insert(name.to_owned()) {
                    open.extend(document.pointer(name));
                }
            }
            Value::Array(items) => open.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    seen
}

/// The first two segments of a pointer, which name a definition.
fn definition_of(place: &str) -> &str {
    let end = place.match_indices('/').nth(2).map_or(place.len(), |(at, _)| at);
    &place[..end]
}

#[cfg(test)]
mod tests;
