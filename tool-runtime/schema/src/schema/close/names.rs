//! Collects the names that the schemas of one value list, and the rules that need other names.
//!
//! A closed object accepts only listed names, so a rule that requires another one would reject every
//! value. Of branches that exclude each other, only one lists its names.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use serde_json::{Map, Value};

use super::MAX_DEPTH;
use super::group::{admits_unnamed, in_place, restricts_unnamed};
use crate::schema::exclusive::are_exclusive_for_objects;
use crate::schema::reference::pointer;
use crate::schema::subschemas::SchemaStep;

/// The most values that are read to compare the branches of one schema.
const MAX_READS: usize = 100_000;

/// A rule that no value can follow if unknown properties are rejected.
#[derive(Debug, Clone)]
pub(in crate::schema) struct UnmetRule<'s> {
    /// The location of the schema that contains the rule.
    pub(in crate::schema) at: Rc<str>,
    pub(in crate::schema) needs: RuleNeeds<'s>,
}

/// The properties without which a rule rejects an object.
#[derive(Debug, Clone)]
pub(in crate::schema) enum RuleNeeds<'s> {
    /// The rule requires or depends on this property.
    Name(&'s str),
    /// `minProperties` is larger than the number of names that are listed where it applies.
    Count { least: u64, listed: BTreeSet<&'s str>, branch_names: usize },
}

impl<'s> UnmetRule<'s> {
    fn is_unmet(&mut self, names: &BTreeSet<&'s str>) -> bool {
        match &mut self.needs {
            RuleNeeds::Name(name) => !names.contains(name),
            RuleNeeds::Count { least, listed, branch_names } => {
                listed.extend(names);
                ((listed.len() + *branch_names) as u64) < *least
            }
        }
    }
}

/// The names that the schemas of one value list.
#[derive(Debug, Clone, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is one property of the schemas")]
pub(in crate::schema) struct ListedNames<'s> {
    /// Names that are listed whichever branch applies.
    names: BTreeSet<&'s str>,
    /// The least number of further names, which differ from branch to branch.
    branch_names: usize,
    /// Other names are accepted, too, whichever branch applies.
    admits_unnamed: bool,
    rejects_objects: bool,
    unmet: Vec<UnmetRule<'s>>,
    /// Names that any part lists.
    names_of_parts: BTreeSet<&'s str>,
    has_open_part: bool,
    /// A part that could be closed has `properties`.
    has_properties: bool,
    has_property_names: bool,
}

impl<'s> ListedNames<'s> {
    pub(in crate::schema) fn new(
        document: &'s Value,
        keywords: &'s Map<String, Value>,
        at: &str,
    ) -> Self {
        let mut search =
            NameSearch { document, targets: HashMap::new(), depth: 0, reads_left: MAX_READS };
        let mut listed_names = search.schema(keywords, at);
        listed_names.has_properties |= keywords.contains_key("properties");
        if listed_names.is_limited_by_names_alone() {
            listed_names.unmet.clear();
        }
        listed_names
    }

    /// Returns whether the schema itself, or a part that could be closed, has `properties`.
    pub(in crate::schema) const fn has_properties(&self) -> bool {
        self.has_properties
    }

    /// Returns whether no part says which properties the object has.
    pub(super) fn is_empty(&self) -> bool {
        self.names_of_parts.is_empty() && !self.has_open_part && !self.has_property_names
    }

    /// Returns whether the object has to accept unknown properties: otherwise a rule would reject
    /// every value, or `propertyNames` would have no name to check.
    pub(super) fn needs_unlisted(&self) -> bool {
        !self.unmet.is_empty() || self.is_limited_by_names_alone()
    }

    fn is_limited_by_names_alone(&self) -> bool {
        self.has_property_names && self.names_of_parts.is_empty()
    }

    pub(in crate::schema) fn unmet_rules(&self) -> &[UnmetRule<'s>] {
        &self.unmet
    }

    /// Returns whether any part lists the name.
    pub(in crate::schema) fn has_name_in_a_branch(&self, name: &str) -> bool {
        self.names_of_parts.contains(name)
    }

    fn from_keywords(keywords: &'s Map<String, Value>) -> Self {
        let properties = keywords.get("properties").and_then(Value::as_object);
        let names: BTreeSet<_> =
            properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        let admits_unnamed = admits_unnamed(keywords);
        Self {
            names_of_parts: names.clone(),
            names,
            admits_unnamed,
            rejects_objects: rejects_objects(keywords),
            has_open_part: admits_unnamed,
            has_properties: keywords.contains_key("properties") && !restricts_unnamed(keywords),
            has_property_names: keywords.contains_key("propertyNames"),
            ..Self::default()
        }
    }

    /// Adds a schema that may apply together with this one.
    fn add(&mut self, other: Self) {
        self.names.extend(&other.names);
        self.branch_names += other.branch_names;
        self.admits_unnamed |= other.admits_unnamed;
        self.add_part(other);
    }

    /// Adds schemas of which exactly one applies.
    fn add_one_of(&mut self, branches: Vec<Self>) {
        let mut common: Option<BTreeSet<&str>> = None;
        let mut least: Option<usize> = None;
        let mut has_object = false;
        for branch in branches {
            has_object |= !branch.rejects_objects;
            if !branch.rejects_objects && !branch.admits_unnamed {
                let count = branch.names.difference(&self.names).count() + branch.branch_names;
                least = Some(least.map_or(count, |least| least.min(count)));
                common = Some(match common {
                    Some(common) => common.intersection(&branch.names).copied().collect(),
                    None => branch.names.clone(),
                });
            }
            self.add_part(branch);
        }
        self.admits_unnamed |= has_object && common.is_none();
        let before = self.names.len();
        self.names.extend(common.unwrap_or_default());
        let added = self.names.len() - before;
        self.branch_names += least.unwrap_or_default().saturating_sub(added);
    }

    /// Adds what holds for a value if it holds for a part.
    fn add_part(&mut self, part: Self) {
        self.names_of_parts.extend(part.names_of_parts);
        self.has_open_part |= part.has_open_part;
        self.has_properties |= part.has_properties;
        self.has_property_names |= part.has_property_names;
        self.unmet.extend(part.unmet);
    }

    /// Adds the rules of the schema itself.
    fn add_rules(&mut self, keywords: &'s Map<String, Value>, at: &str) {
        let at: Rc<str> = at.into();
        let names = required_names(keywords).filter(|name| !self.names.contains(name));
        let names: Vec<_> = names.map(RuleNeeds::Name).collect();
        let least = keywords.get("minProperties").and_then(Value::as_u64);
        let count = least.map(|least| RuleNeeds::Count {
            least,
            listed: BTreeSet::new(),
            branch_names: self.branch_names,
        });
        let rules = names.into_iter().chain(count);
        self.unmet.extend(rules.map(|needs| UnmetRule { at: at.clone(), needs }));
    }

    /// Removes the rules that values can follow with the names of this schema.
    fn remove_met_rules(&mut self) {
        let Self { names, admits_unnamed, unmet, .. } = self;
        unmet.retain_mut(|rule| !*admits_unnamed && rule.is_unmet(names));
    }
}

struct NameSearch<'s> {
    document: &'s Value,
    /// The targets of references, by pointer.
    targets: HashMap<String, ListedNames<'s>>,
    depth: usize,
    /// The values that may be read to compare branches, which may refer to large definitions.
    reads_left: usize,
}

impl<'s> NameSearch<'s> {
    fn schema(&mut self, keywords: &'s Map<String, Value>, at: &str) -> ListedNames<'s> {
        crate::test_cost::count(1);
        if self.depth == MAX_DEPTH {
            // A part that is not searched may list any name.
            return ListedNames { admits_unnamed: true, has_open_part: true, ..Default::default() };
        }
        self.depth += 1;
        let mut listed_names = ListedNames::from_keywords(keywords);
        let mut branches: BTreeMap<&str, Vec<ListedNames<'s>>> = BTreeMap::new();
        for (step, part) in in_place(keywords) {
            let names = self.part(step, part, at);
            match step.keyword.name {
                "$ref" | "allOf" => {
                    listed_names.rejects_objects |= names.rejects_objects;
                    listed_names.add(names);
                }
                "dependentSchemas" | "dependencies" => listed_names.add(names),
                choice => branches.entry(choice).or_default().push(names),
            }
        }
        self.depth -= 1;
        for (keyword, branches) in with_conditions(branches) {
            let is_exclusive = keyword != "anyOf"
                || keywords
                    .get(keyword)
                    .and_then(Value::as_array)
                    .is_some_and(|schemas| self.are_exclusive(schemas));
            if is_exclusive {
                listed_names.add_one_of(branches);
            } else {
                for branch in branches {
                    listed_names.add(branch);
                }
            }
        }
        listed_names.add_rules(keywords, at);
        listed_names.remove_met_rules();
        listed_names
    }

    /// Returns whether no object is valid by two of the branches, as far as they can be read.
    fn are_exclusive(&mut self, schemas: &[Value]) -> bool {
        let reads_left = &mut self.reads_left;
        are_exclusive_for_objects(self.document, schemas, &mut |values| {
            *reads_left = reads_left.saturating_sub(values);
            *reads_left > 0
        })
    }

    fn part(&mut self, step: SchemaStep<'_>, part: &'s Value, at: &str) -> ListedNames<'s> {
        match (step.keyword.name, part) {
            ("$ref", text) => self.target(text),
            (_, Value::Object(keywords)) => self.schema(keywords, &format!("{at}{step}")),
            (_, schema) => ListedNames {
                rejects_objects: *schema == Value::Bool(false),
                ..ListedNames::default()
            },
        }
    }

    fn target(&mut self, text: &'s Value) -> ListedNames<'s> {
        let Some(place) = text.as_str().and_then(pointer) else { return ListedNames::default() };
        if let Some(known) = self.targets.get(&place) {
            return known.clone();
        }
        // A schema that refers to itself lists no further names.
        self.targets.insert(place.clone(), ListedNames::default());
        let target = self.document.pointer(&place).and_then(Value::as_object);
        let listed_names = target.map(|target| self.schema(target, &place)).unwrap_or_default();
        self.targets.insert(place, listed_names.clone());
        listed_names
    }
}

/// Replaces `if`, `then` and `else` by the two branches of the condition.
fn with_conditions<'s>(
    mut branches: BTreeMap<&'s str, Vec<ListedNames<'s>>>,
) -> BTreeMap<&'s str, Vec<ListedNames<'s>>> {
    let [test, then, fail] = ["if", "then", "else"]
        .map(|word| branches.remove(word).and_then(|mut schemas| schemas.pop()));
    // Without `if`, the others have no meaning.
    if let Some(mut pass) = test {
        let fail = fail.unwrap_or_default();
        // A name in the condition may decide for the branch that lists it.
        pass.unmet.retain_mut(|rule| !fail.admits_unnamed && rule.is_unmet(&fail.names));
        pass.add(then.unwrap_or_default());
        pass.remove_met_rules();
        branches.insert("if", vec![pass, fail]);
    }
    branches
}

/// Returns whether `type` does not name objects.
fn rejects_objects(keywords: &Map<String, Value>) -> bool {
    match keywords.get("type") {
        Some(Value::String(name)) => name != "object",
        Some(Value::Array(names)) => names.iter().all(|name| name != "object"),
        Some(_) | None => false,
    }
}

/// Returns whether the rules of one schema need properties.
pub(super) fn has_rules(keywords: &Map<String, Value>) -> bool {
    keywords.contains_key("minProperties") || required_names(keywords).next().is_some()
}

/// The names that the rules of one schema require or depend on.
fn required_names(keywords: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let required = keywords.get("required").and_then(Value::as_array).into_iter().flatten();
    let dependents = ["dependentRequired", "dependentSchemas", "dependencies"].into_iter();
    let dependents = dependents
        .filter_map(|keyword| keywords.get(keyword)?.as_object())
        .flatten()
        .flat_map(|(name, names)| {
            let names = names.as_array().into_iter().flatten().filter_map(Value::as_str);
            names.chain([name.as_str()])
        });
    required.filter_map(Value::as_str).chain(dependents)
}
