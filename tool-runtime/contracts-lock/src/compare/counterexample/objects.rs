//! Objects at and beside limits.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::super::shape::ObjectConstraints;
use super::super::subschema::AllOf;
use super::candidates::{Candidates, Others};
use super::texts::samples;

/// A name that schemas are unlikely to know.
const UNNAMED: &str = "other";
/// The most names that match patterns.
const MAX_MATCHING: usize = 16;
/// The most properties of an object that is as large as a limit.
const MAX_SIZE: usize = 64;

/// Values for each property that may be present.
type PropertyValues = BTreeMap<String, Vec<Value>>;

impl<'s> Candidates<'s> {
    /// Makes objects that both sides may judge differently: one with the required properties, and
    /// others that differ from it, or from one with all properties, in a single property.
    pub(super) fn objects(
        &mut self,
        own: &ObjectConstraints<'s>,
        others: &[&ObjectConstraints<'s>],
        plain: bool,
    ) -> Vec<Value> {
        let values = self.property_values(own, others, plain);
        let object = |names: &BTreeSet<&str>| -> Map<String, Value> {
            let first = |(name, values): (&String, &Vec<Value>)| {
                let wanted = names.contains(name.as_str());
                values.first().filter(|_| wanted).map(|value| (name.clone(), value.clone()))
            };
            values.iter().filter_map(first).collect()
        };
        let required_names = others.iter().flat_map(|other| &other.required).chain(&own.required);
        let required_object = object(&required_names.copied().collect());
        let mut candidates = vec![required_object.clone(), object(&own.required)];
        if !plain {
            let known_names =
                own.known().into_iter().chain(others.iter().flat_map(|it| it.known()));
            let full_object = object(&known_names.collect());
            candidates.extend(varied(&required_object, &values));
            candidates.extend(full_object.keys().map(|name| without(&full_object, name)));
            candidates.extend(
                sizes(own, others).into_iter().map(|size| sized(&required_object, &values, size)),
            );
            candidates.push(full_object);
        } else if own.min > required_object.len() {
            candidates.push(sized(&required_object, &values, own.min));
        }
        candidates.into_iter().map(Value::Object).collect()
    }

    fn property_values(
        &mut self,
        own: &ObjectConstraints<'s>,
        others: &[&ObjectConstraints<'s>],
        plain: bool,
    ) -> PropertyValues {
        let names = if plain && own.min <= own.required.len() {
            own.required.iter().map(|name| (*name).to_owned()).collect()
        } else {
            self.names(own, others)
        };
        let mut values_by_name = PropertyValues::new();
        for name in names {
            let Some(narrow) = own.property(&name) else { continue };
            let wide: Others<'s> =
                others.iter().filter_map(|other| other.property(&name)).collect();
            let values = if plain { self.plain_values(&narrow) } else { self.part(&narrow, &wide) };
            if !values.is_empty() {
                values_by_name.insert(name, values);
            }
        }
        values_by_name
    }

    /// The names that either side knows, some that match patterns, and one that no side knows.
    fn names(
        &mut self,
        own: &ObjectConstraints<'s>,
        others: &[&ObjectConstraints<'s>],
    ) -> BTreeSet<String> {
        let all_constraints = || others.iter().copied().chain([own]);
        let dependent = all_constraints().flat_map(|it| &it.dependents);
        let dependent = dependent.flat_map(|it| it.required.iter().copied().chain([it.name]));
        let known_names = all_constraints().flat_map(ObjectConstraints::known).chain(dependent);
        let mut names: BTreeSet<String> = known_names.map(str::to_owned).collect();
        let patterns =
            all_constraints().flat_map(|it| &it.layers).flat_map(|layer| &layer.patterns);
        let matching = patterns.flat_map(|(pattern, _)| samples(pattern, &BTreeSet::new()));
        names.extend(matching.take(MAX_MATCHING));
        names.extend(self.admitted_names(own, others));
        names.insert(UNNAMED.to_owned());
        names
    }

    /// Names near the limits of `propertyNames`.
    fn admitted_names(
        &mut self,
        own: &ObjectConstraints<'s>,
        others: &[&ObjectConstraints<'s>],
    ) -> Vec<String> {
        let wide: Vec<AllOf<'s>> = others.iter().map(|other| other.names.clone()).collect();
        if own.names.is_empty() && wide.iter().all(Vec::is_empty) {
            return Vec::new();
        }
        let names = self.values(&own.names, &wide).into_iter();
        let names = names.filter_map(|name| name.as_str().map(str::to_owned));
        names.take(MAX_MATCHING).collect()
    }
}

/// Objects that differ in one property: it is absent, or has another value. The first values of all
/// properties come before the second ones.
fn varied(object: &Map<String, Value>, values: &PropertyValues) -> Vec<Map<String, Value>> {
    let mut variants: Vec<_> = object.keys().map(|name| without(object, name)).collect();
    let longest = values.values().map(Vec::len).max().unwrap_or(0);
    for at in 0..longest {
        for (name, values) in values {
            let Some(value) = values.get(at) else { continue };
            let mut other = object.clone();
            other.insert(name.clone(), value.clone());
            variants.push(other);
        }
    }
    variants
}

fn without(object: &Map<String, Value>, name: &str) -> Map<String, Value> {
    let mut other = object.clone();
    other.remove(name);
    other
}

/// Sizes at and beside the limits.
fn sizes(own: &ObjectConstraints<'_>, others: &[&ObjectConstraints<'_>]) -> BTreeSet<usize> {
    let limits = others.iter().copied().chain([own]).flat_map(|it| [it.min, it.max]);
    let near = limits.flat_map(|it| [it.saturating_sub(1), it, it.saturating_add(1)]);
    near.filter(|size| *size <= MAX_SIZE).collect()
}

/// The object with further properties, up to this size.
fn sized(object: &Map<String, Value>, values: &PropertyValues, size: usize) -> Map<String, Value> {
    let mut sized = object.clone();
    let more = values.iter().filter_map(|(name, values)| Some((name.clone(), values.first()?)));
    let unnamed = values.get(UNNAMED).and_then(|values| values.first());
    let unnamed = (2..=MAX_SIZE).filter_map(|at| Some((format!("{UNNAMED}{at}"), unnamed?)));
    for (name, value) in more.chain(unnamed) {
        if sized.len() >= size {
            break;
        }
        sized.entry(name).or_insert_with(|| value.clone());
    }
    sized
}
