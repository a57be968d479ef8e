//! Pairs the branches of a choice before and after a change.

use std::collections::{BTreeSet, HashMap, VecDeque};

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
    let mut pairing = Matched { both: Vec::new(), added: after, removed: before };
    pairing.pair(|a, b| same_assertions(*a, *b));
    pairing.pair_by(|branch| tags(branch).map(|tags| format!("{tags:?}")));
    pairing.pair_by(|branch| only_key(branch).map(str::to_owned));
    pairing.pair_by(|branch| name(branch).map(Value::to_string));
    pairing.pair_by(|branch| word(branch, "type").map(Value::to_string));
    pairing
}

/// Like [`matched`], and then pairs the rest in order, for keywords that apply all branches.
pub(super) fn matched_all<'s>(
    before: Vec<Subschema<'s>>,
    after: Vec<Subschema<'s>>,
) -> Matched<'s> {
    let mut pairing = matched(before, after);
    if pairing.added.len() == pairing.removed.len() {
        pairing.pair(|_, _| true);
    }
    pairing
}

/// Most comparisons of two branches to find those that are equal; others are paired by their names.
const MAX_COMPARISONS: usize = 20_000;

impl<'s> Matched<'s> {
    fn pair(&mut self, fits: impl Fn(&Subschema<'s>, &Subschema<'s>) -> bool) {
        let mut comparisons_left = MAX_COMPARISONS;
        for before in std::mem::take(&mut self.removed) {
            let candidates = &self.added[..self.added.len().min(comparisons_left)];
            let position = candidates.iter().position(|after| fits(&before, after));
            let compared = position.map_or(candidates.len(), |at| at + 1);
            tool_runtime_schema::test_cost::count(compared);
            comparisons_left -= compared;
            match position {
                Some(at) => self.both.push((before, self.added.remove(at))),
                None => self.removed.push(before),
            }
        }
    }

    /// Pairs branches that have the same key, in their order.
    fn pair_by(&mut self, key: impl Fn(Subschema<'s>) -> Option<String>) {
        let mut by_key: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (index, after) in self.added.iter().enumerate() {
            if let Some(key) = key(*after) {
                by_key.entry(key).or_default().push_back(index);
            }
        }
        let mut paired = BTreeSet::new();
        for before in std::mem::take(&mut self.removed) {
            let next = key(before).and_then(|key| by_key.get_mut(&key)?.pop_front());
            match next {
                Some(index) => {
                    paired.insert(index);
                    self.both.push((before, self.added[index]));
                }
                None => self.removed.push(before),
            }
        }
        let mut index = 0..;
        self.added.retain(|_| index.next().is_none_or(|index| !paired.contains(&index)));
    }
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
    let enum_values = word(subschema, "enum").and_then(Value::as_array).map(Vec::as_slice);
    match enum_values {
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
