//! Arrays: the number of items, and each item by the rules of its position.

use serde_json::Value;

use super::InstancesError;
use super::document::Part;
use super::facts::Facts;
use super::maker::{Made, Maker, Taste, pointer};

/// The most items that are made where nothing bounds them.
const FEW: usize = 4;
/// The most items that are made because a bound admits them.
const MANY: usize = 64;
/// How often an item is made anew because it is like another.
const TRIES: usize = 30;

/// The rules of an array's items.
pub(super) struct Items<'d> {
    /// By the parts of the schema that speak of them: those of the first items, those of the rest.
    rules: Vec<(Vec<Part<'d>>, Option<Part<'d>>)>,
}

impl<'d> Items<'d> {
    pub(super) fn of(facts: &Facts<'d>) -> Self {
        let rules = facts.parts.iter().map(|part| {
            let tuple = part.schema.get("items").is_some_and(Value::is_array);
            let words = if tuple { ("items", "additionalItems") } else { ("prefixItems", "items") };
            (part.list(words.0), part.child(&[words.1]))
        });
        Self { rules: rules.collect() }
    }

    /// The parts that an item at this place has to satisfy.
    pub(super) fn at(&self, index: usize) -> Vec<Part<'d>> {
        let at = |(first, rest): &(Vec<Part<'d>>, Option<Part<'d>>)| {
            first.get(index).cloned().or_else(|| rest.clone())
        };
        self.rules.iter().filter_map(at).collect()
    }
}

impl<'d> Maker<'d> {
    pub(super) fn array(
        &mut self,
        facts: &Facts<'d>,
        parts: &[Part<'d>],
        levels: u32,
    ) -> Made<Value> {
        let items = Items::of(facts);
        let wanted = wanted(facts);
        let least = facts.at_least("minItems").max(wanted.len());
        let most = facts.at_most("maxItems").unwrap_or(usize::MAX);
        let unique = facts.all("uniqueItems").any(|flag| flag == &Value::Bool(true));
        let room = |index: usize| self.has_room(&items.at(index), levels);
        let most = (least..most.min(least.max(MANY))).find(|index| !room(*index)).unwrap_or(most);
        if least > most {
            return Err(InstancesError::new(
                pointer(parts),
                "it can't have as many items as it must",
            ));
        }
        let count = self.length(least, most, FEW, MANY);
        let mut made = Vec::new();
        for index in 0..count {
            let mut rules = items.at(index);
            // Contained items come last, since the first positions have their own rules.
            rules.extend(wanted.get(count - 1 - index).cloned());
            let item = if unique {
                self.unlike(&made, &rules, levels)?
            } else {
                self.item(&rules, levels).map(Some)?
            };
            match item {
                Some(item) => made.push(item),
                None if made.len() >= least => break,
                None => {
                    let found = "its items can't all be different";
                    return Err(InstancesError::new(pointer(parts), found));
                }
            }
        }
        Ok(Value::Array(made))
    }

    fn item(&mut self, rules: &[Part<'d>], levels: u32) -> Made<Value> {
        if rules.is_empty() {
            Ok(self.anything())
        } else {
            self.value(rules, levels.saturating_sub(1))
        }
    }

    fn unlike(&mut self, made: &[Value], rules: &[Part<'d>], levels: u32) -> Made<Option<Value>> {
        let taste = self.taste;
        for _ in 0..TRIES {
            let item = self.item(rules, levels);
            self.taste = taste;
            let item = item?;
            if !made.contains(&item) {
                return Ok(Some(item));
            }
            // The least value is always the same one.
            self.taste = Taste::Any;
        }
        self.taste = taste;
        Ok(None)
    }

    /// Can a value stand where so few levels are left?
    pub(super) fn has_room(&self, parts: &[Part<'d>], levels: u32) -> bool {
        levels > 0 && parts.iter().all(|part| self.document.fits(part, levels - 1))
    }

    /// Chooses a length: at a bound, or moderate.
    pub(super) fn length(&mut self, least: usize, most: usize, few: usize, many: usize) -> usize {
        if self.is_sparing() {
            return least;
        }
        let longest = if most <= least.saturating_add(many) { most } else { least + few };
        match (self.taste, self.dice.below(5)) {
            (Taste::Most, _) | (_, 0) => longest,
            (_, 1) => least,
            _ => least + self.dice.below(longest.min(least + few) - least + 1),
        }
    }

    /// A value of which nothing is said.
    pub(super) fn anything(&mut self) -> Value {
        if self.is_sparing() {
            return Value::Null;
        }
        let number = self.dice.within(-9, 99);
        let values = [
            Value::Null,
            Value::Bool(true),
            super::number::number(number).unwrap_or_default(),
            Value::from(0.5),
            Value::from(self.words(6)),
            Value::Array(vec![Value::from(1)]),
            Value::Object([("key".to_owned(), Value::from("value"))].into_iter().collect()),
        ];
        self.dice.pick(&values).cloned().unwrap_or_default()
    }
}

/// What has to be contained, once for each time.
fn wanted<'d>(facts: &Facts<'d>) -> Vec<Part<'d>> {
    let mut wanted = Vec::new();
    for part in &facts.parts {
        let Some(contained) = part.child(&["contains"]) else { continue };
        let least = part.schema.get("minContains").and_then(Value::as_u64).unwrap_or(1);
        let times = usize::try_from(least).unwrap_or(MANY).min(MANY);
        wanted.extend(std::iter::repeat_n(contained, times));
    }
    wanted
}
