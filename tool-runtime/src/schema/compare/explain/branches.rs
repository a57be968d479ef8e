//! Pairs the branches of a choice before and after a change.

use serde_json::Value;

use super::super::equality::same_assertions;
use super::super::subschema::Subschema;

/// The paired and unpaired branches of both sides.
#[derive(Default)]
pub(super) struct Matched<'s> {
    pub(super) both: Vec<(Subschema<'s>, Subschema<'s>)>,
    pub(super) added: Vec<Subschema<'s>>,
    pub(super) removed: Vec<Subschema<'s>>,
}

/// Pairs branches by their distinguishing features, the most reliable first.
pub(super) fn matched<'s>(before: Vec<Subschema<'s>>, after: Vec<Subschema<'s>>) -> Matched<'s> {
    let mut found = Matched { both: Vec::new(), added: after, removed: before };
    found.pair(|a, b| same_assertions(*a, *b));
    found.pair(|a, b| same(tags(*a), tags(*b)));
    found.pair(|a, b| same(only_key(*a), only_key(*b)));
    found.pair(|a, b| same(name(*a), name(*b)));
    found.pair(|a, b| same(word(*a, "type"), word(*b, "type")));
    found
}

/// Like [`matched`], and then pairs the rest in order, for keywords that apply all branches.
pub(super) fn matched_all<'s>(
    before: Vec<Subschema<'s>>,
    after: Vec<Subschema<'s>>,
) -> Matched<'s> {
    let mut found = matched(before, after);
    if found.added.len() == found.removed.len() {
        found.pair(|_, _| true);
    }
    found
}

impl<'s> Matched<'s> {
    fn pair(&mut self, fits: impl Fn(&Subschema<'s>, &Subschema<'s>) -> bool) {
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
fn tags(subschema: Subschema<'_>) -> Option<Vec<(&str, &Value)>> {
    let properties = subschema.resolved().subschema_map("properties").into_iter();
    let tags: Vec<_> = properties
        .filter_map(|(name, subschema)| Some((name, constant(subschema.resolved())?)))
        .collect();
    (!tags.is_empty()).then_some(tags)
}

fn constant(subschema: Subschema<'_>) -> Option<&Value> {
    let listed = word(subschema, "enum").and_then(Value::as_array).map(Vec::as_slice);
    match listed {
        Some([only]) => Some(only),
        _ => word(subschema, "const"),
    }
}

/// The one property of an externally tagged variant.
fn only_key(subschema: Subschema<'_>) -> Option<&str> {
    match subschema.resolved().subschema_map("properties").as_slice() {
        [(name, _)] => Some(name),
        _ => None,
    }
}

fn name(subschema: Subschema<'_>) -> Option<&Value> {
    word(subschema, "$ref").or_else(|| word(subschema, "title"))
}

fn word<'s>(subschema: Subschema<'s>, word: &str) -> Option<&'s Value> {
    subschema.keywords()?.get(word)
}
