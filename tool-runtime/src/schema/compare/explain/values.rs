//! Null, nothing at all, and lists of values, in all the forms in which they are written.

use serde_json::Value;

use super::super::alike::equal;
use super::super::part::Part;
use super::{Effect, Explainer, Pair};

/// How many lists of values may lie within each other.
const NESTED: usize = 4;

impl<'s> Explainer<'s> {
    /// Compares whether null passes beside the rest, and returns the rest if that is a place of
    /// its own.
    pub(super) fn nulls(&mut self, pair: Pair<'s>) -> Option<Pair<'s>> {
        if pair.bare {
            return None;
        }
        let (before, was) = without_null(pair.before);
        let (after, is) = without_null(pair.after);
        match (was, is) {
            (false, true) => self.note("", "null-added", Effect::Widened, "null passes now"),
            (true, false) => self.note("", "null-removed", Effect::Narrowed, "null passes no more"),
            _ => {}
        }
        let moved = (before.id() != pair.before.id(), after.id() != pair.after.id());
        // What is told of a value is told outside of the alternatives, too.
        let told = moved.0 && moved.1;
        let bare = (was && !moved.0) || (is && !moved.1);
        (moved.0 || moved.1).then_some(Pair { before, after, told, bare, ..pair })
    }

    /// Compares whether anything passes at all.
    pub(super) fn forbids(&mut self, pair: Pair<'s>) -> bool {
        let never = |part: Part<'_>| part.schema == &Value::Bool(false);
        match (never(pair.before), never(pair.after)) {
            (false, true) => {
                self.note("", "value-forbidden", Effect::Narrowed, "nothing passes any more");
            }
            (true, false) => {
                self.note("", "value-allowed", Effect::Widened, "what was forbidden may pass");
            }
            _ => return false,
        }
        true
    }

    /// Compares lists of values; says whether there is nothing else to compare.
    pub(super) fn values(&mut self, pair: Pair<'s>) -> bool {
        let (before, after) = (listed(pair.before), listed(pair.after));
        match (before, after) {
            (None, None) => false,
            (None, Some(_)) => {
                self.note("", "enum-added", Effect::Narrowed, "only listed values pass now");
                pair.before.keywords().is_some_and(|map| map.contains_key("oneOf"))
            }
            (Some(_), None) => {
                self.note("", "enum-removed", Effect::Widened, "not only listed values pass now");
                pair.before.get("enum").is_none() && pair.before.get("const").is_none()
            }
            (Some(before), Some(after)) => {
                self.compare_values(&before, &after);
                let chosen =
                    |part: Part<'_>| part.get("enum").is_none() && part.get("const").is_none();
                chosen(pair.before) || chosen(pair.after)
            }
        }
    }

    fn compare_values(&mut self, before: &[&Value], after: &[&Value]) {
        let lacks = |list: &[&Value], value: &Value| !list.iter().any(|other| equal(other, value));
        for value in after.iter().filter(|value| lacks(before, value)) {
            let message = format!("{value} may be sent as well");
            self.note("/enum", "enum-value-added", Effect::Widened, message);
        }
        for value in before.iter().filter(|value| lacks(after, value)) {
            let message = format!("{value} is no longer among the values");
            self.note("/enum", "enum-value-removed", Effect::Narrowed, message);
        }
    }
}

/// A schema without the null that passes beside it.
fn without_null(part: Part<'_>) -> (Part<'_>, bool) {
    let listed = part.get("type").and_then(Value::as_array);
    let typed = listed.is_some_and(|list| list.len() > 1 && list.contains(&"null".into()));
    if typed || (part.get("nullable") == Some(&true.into()) && part.get("type").is_some()) {
        return (part, true);
    }
    for word in ["anyOf", "oneOf"] {
        let branches = part.list(word);
        if let ([a, b], true) = (branches.as_slice(), part.is_alone(word)) {
            match (is_null(*a), is_null(*b)) {
                (true, false) => return (b.settled(), true),
                (false, true) => return (a.settled(), true),
                _ => {}
            }
        }
    }
    (part, false)
}

fn is_null(part: Part<'_>) -> bool {
    let part = part.settled();
    part.get("type") == Some(&"null".into()) && part.is_alone("type")
}

/// The values that alone pass, if the schema is a list of them.
fn listed(part: Part<'_>) -> Option<Vec<&Value>> {
    listed_within(part, NESTED)
}

fn listed_within(part: Part<'_>, levels: usize) -> Option<Vec<&Value>> {
    let part = part.settled();
    if let Some(value) = part.get("const") {
        return Some(vec![value]);
    }
    if let Some(Value::Array(list)) = part.get("enum") {
        return Some(list.iter().collect());
    }
    let below = levels.checked_sub(1)?;
    let branches = ["oneOf", "anyOf"].map(|word| part.list(word));
    let branches = branches.into_iter().find(|list| !list.is_empty())?;
    let lists: Option<Vec<_>> =
        branches.into_iter().map(|branch| listed_within(branch, below)).collect();
    lists.map(|lists| lists.into_iter().flatten().collect())
}
