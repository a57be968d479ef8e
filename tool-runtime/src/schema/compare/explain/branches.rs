//! Which branch of a choice has become which.

use serde_json::Value;

use super::super::alike::alike;
use super::super::part::Part;

/// Branches of both sides, paired.
#[derive(Default)]
pub(super) struct Matched<'s> {
    pub(super) both: Vec<(Part<'s>, Part<'s>)>,
    pub(super) added: Vec<Part<'s>>,
    pub(super) removed: Vec<Part<'s>>,
}

/// Pairs branches by what tells them apart, the surest sign first.
pub(super) fn matched<'s>(before: Vec<Part<'s>>, after: Vec<Part<'s>>) -> Matched<'s> {
    let mut found = Matched { both: Vec::new(), added: after, removed: before };
    found.pair(|a, b| alike(*a, *b));
    found.pair(|a, b| same(tags(*a), tags(*b)));
    found.pair(|a, b| same(only_key(*a), only_key(*b)));
    found.pair(|a, b| same(name(*a), name(*b)));
    found.pair(|a, b| same(word(*a, "type"), word(*b, "type")));
    found
}

/// Pairs also what is left, in order, where each branch counts for all values.
pub(super) fn matched_all<'s>(before: Vec<Part<'s>>, after: Vec<Part<'s>>) -> Matched<'s> {
    let mut found = matched(before, after);
    if found.added.len() == found.removed.len() {
        found.pair(|_, _| true);
    }
    found
}

impl<'s> Matched<'s> {
    fn pair(&mut self, fits: impl Fn(&Part<'s>, &Part<'s>) -> bool) {
        for before in std::mem::take(&mut self.removed) {
            match self.added.iter().position(|after| fits(&before, after)) {
                Some(at) => self.both.push((before, self.added.remove(at))),
                None => self.removed.push(before),
            }
        }
    }
}

fn same<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
    a.is_some_and(|a| b.is_some_and(|b| a == b))
}

/// The properties whose value is a constant.
fn tags(part: Part<'_>) -> Option<Vec<(&str, &Value)>> {
    let properties = part.settled().named("properties").into_iter();
    let tags: Vec<_> =
        properties.filter_map(|(name, part)| Some((name, constant(part.settled())?))).collect();
    (!tags.is_empty()).then_some(tags)
}

fn constant(part: Part<'_>) -> Option<&Value> {
    let listed = word(part, "enum").and_then(Value::as_array).map(Vec::as_slice);
    match listed {
        Some([only]) => Some(only),
        _ => word(part, "const"),
    }
}

/// The one property of an externally tagged variant.
fn only_key(part: Part<'_>) -> Option<&str> {
    match part.settled().named("properties").as_slice() {
        [(name, _)] => Some(name),
        _ => None,
    }
}

fn name(part: Part<'_>) -> Option<&Value> {
    word(part, "$ref").or_else(|| word(part, "title"))
}

fn word<'s>(part: Part<'s>, word: &str) -> Option<&'s Value> {
    part.keywords()?.get(word)
}
