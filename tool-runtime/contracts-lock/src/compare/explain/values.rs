//! Changes of null, of `false`, and of enumerated values, in all notations.

use std::collections::HashSet;

use serde_json::Value;
use tool_runtime_schema::json::comparison_key;

use super::super::subschema::Subschema;
use super::{AcceptanceChange, Explainer, SchemaPair};

/// The deepest nesting of enumerations.
const NESTED: usize = 4;

impl<'s> Explainer<'s> {
    /// Compares whether null is valid in addition to other values, and returns the remaining pair if
    /// it is a separate schema.
    pub(super) fn compare_null(&mut self, pair: SchemaPair<'s>) -> Option<SchemaPair<'s>> {
        if pair.null_compared {
            return None;
        }
        let (before, was) = without_null(pair.before);
        let (after, is) = without_null(pair.after);
        match (was, is) {
            (false, true) => {
                self.record(
                    pair.after,
                    "null-added",
                    AcceptanceChange::Widened,
                    "null is accepted now",
                );
            }
            (true, false) => self.record(
                pair.after,
                "null-removed",
                AcceptanceChange::Narrowed,
                "null is no longer accepted",
            ),
            _ => {}
        }
        let moved = (before.id() != pair.before.id(), after.id() != pair.after.id());
        // The schema around the alternatives carries the annotations.
        let compare_annotations = moved.0 && moved.1;
        let null_compared = (was && !moved.0) || (is && !moved.1);
        (moved.0 || moved.1).then_some(SchemaPair {
            before,
            after,
            compare_annotations,
            null_compared,
            ..pair
        })
    }

    /// Compares whether any value is valid.
    pub(super) fn compare_false(&mut self, pair: SchemaPair<'s>) -> bool {
        let never = |subschema: Subschema<'_>| subschema.schema == &Value::Bool(false);
        match (never(pair.before), never(pair.after)) {
            (false, true) => {
                self.record(
                    pair.after,
                    "value-forbidden",
                    AcceptanceChange::Narrowed,
                    "no value is accepted any more",
                );
            }
            (true, false) => {
                self.record(
                    pair.after,
                    "value-allowed",
                    AcceptanceChange::Widened,
                    "a value that was forbidden is accepted now",
                );
            }
            _ => return false,
        }
        true
    }

    /// Compares enumerated values; returns whether there is nothing else to compare.
    pub(super) fn compare_enum(&mut self, pair: SchemaPair<'s>) -> bool {
        let (before, after) = (listed(pair.before), listed(pair.after));
        match (before, after) {
            (None, None) => false,
            (None, Some(_)) => {
                self.record(
                    pair.after,
                    "enum-added",
                    AcceptanceChange::Narrowed,
                    "only listed values are accepted now",
                );
                pair.before.keywords().is_some_and(|map| map.contains_key("oneOf"))
            }
            (Some(_), None) => {
                self.record(
                    pair.after,
                    "enum-removed",
                    AcceptanceChange::Widened,
                    "unlisted values are accepted now",
                );
                pair.before.get("enum").is_none() && pair.before.get("const").is_none()
            }
            (Some(before), Some(after)) => {
                self.compare_values(pair, &before, &after);
                let chosen = |subschema: Subschema<'_>| {
                    subschema.get("enum").is_none() && subschema.get("const").is_none()
                };
                chosen(pair.before) || chosen(pair.after)
            }
        }
    }

    fn compare_values(&mut self, pair: SchemaPair<'s>, before: &[&'s Value], after: &[&'s Value]) {
        let keys = |list: &[&Value]| list.iter().map(|it| comparison_key(it)).collect();
        let (keys_before, keys_after): (HashSet<_>, HashSet<_>) = (keys(before), keys(after));
        let lacks = |keys: &HashSet<String>, value: &Value| !keys.contains(&comparison_key(value));
        for value in after.iter().filter(|value| lacks(&keys_before, value)) {
            let at = pair.after.with_schema(value);
            let message = format!("{value} is accepted as well");
            self.record(at, "enum-value-added", AcceptanceChange::Widened, message);
        }
        for value in before.iter().filter(|value| lacks(&keys_after, value)) {
            let at = pair.before.with_schema(value);
            let message = format!("{value} is no longer accepted");
            self.record(at, "enum-value-removed", AcceptanceChange::Narrowed, message);
        }
    }
}

/// A schema without its alternative `null`.
fn without_null(subschema: Subschema<'_>) -> (Subschema<'_>, bool) {
    let type_list = subschema.get("type").and_then(Value::as_array);
    let typed = type_list.is_some_and(|list| list.len() > 1 && list.contains(&"null".into()));
    if typed || (subschema.get("nullable") == Some(&true.into()) && subschema.get("type").is_some())
    {
        return (subschema, true);
    }
    for word in ["anyOf", "oneOf"] {
        let branches = subschema.list(word);
        if let ([a, b], true) = (branches.as_slice(), subschema.is_only_assertion(word)) {
            match (is_null(*a), is_null(*b)) {
                (true, false) => return (b.resolved(), true),
                (false, true) => return (a.resolved(), true),
                _ => {}
            }
        }
    }
    (subschema, false)
}

fn is_null(subschema: Subschema<'_>) -> bool {
    let subschema = subschema.resolved();
    subschema.get("type") == Some(&"null".into()) && subschema.is_only_assertion("type")
}

/// The accepted values, if the schema is an enumeration.
fn listed(subschema: Subschema<'_>) -> Option<Vec<&Value>> {
    listed_within(subschema, NESTED)
}

fn listed_within(subschema: Subschema<'_>, levels: usize) -> Option<Vec<&Value>> {
    let subschema = subschema.resolved();
    if let Some(value) = subschema.get("const") {
        return Some(vec![value]);
    }
    if let Some(Value::Array(list)) = subschema.get("enum") {
        return Some(list.iter().collect());
    }
    let below = levels.checked_sub(1)?;
    let branches = ["oneOf", "anyOf"].map(|word| subschema.list(word));
    let branches = branches.into_iter().find(|list| !list.is_empty())?;
    let lists: Option<Vec<_>> =
        branches.into_iter().map(|branch| listed_within(branch, below)).collect();
    lists.map(|lists| lists.into_iter().flatten().collect())
}
