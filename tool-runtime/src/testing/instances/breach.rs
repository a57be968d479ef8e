//! Texts that a schema refuses: a valid one with one thing wrong.

use serde_json::{Map, Value, json};

use super::Dice;
use super::array::Items;
use super::document::Document;
use super::facts::{Facts, KINDS, Kind};
use super::number::{Range, beside, number, plain};
use super::object::{declared, required, rules_for};
use super::pattern::is_match;
use super::spot::{Spot, spots};
use crate::json::push_name;

/// What is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Breach {
    /// The text ends too early.
    Truncated,
    /// A property stands twice.
    DuplicateKey,
    /// A required property is absent.
    RequiredAbsent,
    /// There is a property that nobody declared.
    UnknownField,
    /// A value has another type.
    WrongType,
    /// A value is not one of those listed.
    UnknownValue,
    /// A number is below the least.
    BelowRange,
    /// A number is above the greatest.
    AboveRange,
    /// A number is between two multiples.
    NotAMultiple,
    /// A text is too short.
    TooShort,
    /// A text is too long.
    TooLong,
    /// A text does not match its pattern.
    PatternBroken,
    /// There are too few items.
    TooFewItems,
    /// There are too many items.
    TooManyItems,
    /// Two items are the same.
    RepeatedItem,
    /// There are too few properties.
    TooFewProperties,
    /// There are too many properties.
    TooManyProperties,
}

/// A text that the schema refuses, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Broken {
    text: String,
    pointer: String,
    breach: Breach,
}

impl Broken {
    /// Returns the text; not always JSON.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the JSON Pointer to what is wrong.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Says what is wrong there.
    #[must_use]
    pub fn breach(&self) -> Breach {
        self.breach
    }
}

/// The longest text, and the most items, that are made only to be too many.
const LARGEST: usize = 20_000;

/// A change that breaks a value.
struct Change {
    breach: Breach,
    /// Where something else is put.
    at: String,
    value: Value,
    /// What is wrong, where that is not the place itself.
    pointer: String,
    /// Does the schema surely refuse it?
    sure: bool,
}

/// Breaks a valid value at one place.
pub(super) fn broken(document: &Document, valid: &Value, dice: &mut Dice) -> Broken {
    let spots = spots(document, valid);
    let mut changes: Vec<Change> = spots.iter().flat_map(of_spot).collect();
    loop {
        let mut kinds: Vec<Breach> = changes.iter().map(|change| change.breach).collect();
        kinds.extend([Breach::Truncated, Breach::DuplicateKey]);
        kinds.sort_unstable();
        kinds.dedup();
        let kind = dice.pick(&kinds).copied().unwrap_or(Breach::Truncated);
        let textual = match kind {
            Breach::Truncated => Some(truncated(valid, dice)),
            Breach::DuplicateKey => doubled(valid, &spots, dice),
            _ => None,
        };
        if let Some(broken) = textual {
            return broken;
        }
        let of_kind: Vec<usize> =
            (0..changes.len()).filter(|index| changes[*index].breach == kind).collect();
        let Some(index) = dice.pick(&of_kind) else { continue };
        let change = changes.swap_remove(*index);
        let mut value = valid.clone();
        let Some(place) = value.pointer_mut(&change.at) else { continue };
        *place = change.value;
        if change.sure || !document.admits(&value) {
            let Change { breach, pointer, .. } = change;
            return Broken { text: value.to_string(), pointer, breach };
        }
    }
}

fn truncated(valid: &Value, dice: &mut Dice) -> Broken {
    let whole = valid.to_string();
    let ends: Vec<usize> = whole.char_indices().map(|(at, _)| at).collect();
    let cut = dice.pick(&ends).map_or("", |end| &whole[..*end]);
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(cut).is_ok();
    let text = if is_json { String::new() } else { cut.to_owned() };
    Broken { text, pointer: String::new(), breach: Breach::Truncated }
}

/// Writes one property twice.
fn doubled(valid: &Value, spots: &[Spot<'_, '_>], dice: &mut Dice) -> Option<Broken> {
    let filled = |spot: &&Spot<'_, '_>| spot.value.as_object().is_some_and(|map| !map.is_empty());
    let objects: Vec<&Spot<'_, '_>> = spots.iter().filter(filled).collect();
    let spot = dice.pick(&objects)?;
    let map = spot.value.as_object()?;
    let names: Vec<&String> = map.keys().collect();
    let name = dice.pick(&names)?;
    // A value that stands nowhere else marks the place until the text is written.
    let mark = format!("mark-{:016x}", dice.next());
    let mut marked = valid.clone();
    *marked.pointer_mut(&spot.pointer)? = Value::from(mark.as_str());
    let member = format!("{}:{}", Value::from(name.as_str()), map[name.as_str()]);
    let object = format!("{{{member},{}", spot.value.to_string().strip_prefix('{')?);
    let text = marked.to_string().replace(&Value::from(mark).to_string(), &object);
    let mut pointer = spot.pointer.clone();
    push_name(&mut pointer, name);
    Some(Broken { text, pointer, breach: Breach::DuplicateKey })
}

/// Every way to break one place by what is said of it.
fn of_spot(spot: &Spot<'_, '_>) -> Vec<Change> {
    let mut changes = Vec::new();
    for (facts, sure) in [(&spot.sure, true), (&spot.chosen, false)] {
        if facts.parts.is_empty() {
            continue;
        }
        let mut add = |breach, value, name: Option<&str>| {
            let mut pointer = spot.pointer.clone();
            if let Some(name) = name {
                push_name(&mut pointer, name);
            }
            changes.push(Change { breach, at: spot.pointer.clone(), value, pointer, sure });
        };
        mistyped(facts, &mut add);
        unlisted(facts, spot.value, &mut add);
        match spot.value {
            Value::Number(_) => numbers(facts, spot.value, &mut add),
            Value::String(text) => texts(facts, text, &mut add),
            Value::Array(items) => arrays(facts, items, &mut add),
            Value::Object(map) => objects(facts, map, &mut add),
            _ => {}
        }
    }
    changes
}

type Add<'a> = dyn FnMut(Breach, Value, Option<&str>) + 'a;

fn mistyped(facts: &Facts<'_>, add: &mut Add<'_>) {
    let admitted = facts.kinds();
    for kind in KINDS.into_iter().filter(|kind| !admitted.contains(kind)) {
        let value = match kind {
            Kind::Null => Value::Null,
            Kind::Bool => Value::Bool(true),
            Kind::Integer => json!(1),
            Kind::Fraction => json!(0.5),
            Kind::Text => json!("text"),
            Kind::Array => json!([]),
            Kind::Object => json!({}),
        };
        add(Breach::WrongType, value, None);
    }
}

fn unlisted(facts: &Facts<'_>, value: &Value, add: &mut Add<'_>) {
    let Some(listed) = facts.listed() else { return };
    let other = match value {
        Value::String(text) => json!(format!("{text}-unlisted")),
        Value::Number(found) => json!(found.as_i64().unwrap_or(0).wrapping_add(7)),
        Value::Bool(flag) => json!(!flag),
        Value::Null => return,
        Value::Array(_) => json!(["unlisted"]),
        Value::Object(_) => json!({"unlisted": true}),
    };
    if !listed.contains(&&other) {
        add(Breach::UnknownValue, other, None);
    }
}

fn numbers(facts: &Facts<'_>, value: &Value, add: &mut Add<'_>) {
    let range = Range::of(facts);
    let whole = !facts.kinds().contains(&Kind::Fraction);
    let (least, most) = range.integers(facts);
    let beyond = |bound: Option<super::number::Bound>, above: bool| {
        let bound = bound?;
        plain(if bound.within { beside(bound.at, above) } else { bound.at })
    };
    let (below, above) = if whole {
        (least.checked_sub(1).and_then(number), most.checked_add(1).and_then(number))
    } else {
        (beyond(range.least, false), beyond(range.most, true))
    };
    if let Some(value) = below {
        add(Breach::BelowRange, value, None);
    }
    if let Some(value) = above {
        add(Breach::AboveRange, value, None);
    }
    for step in &range.steps {
        let between = match (whole, value.as_i64()) {
            (true, Some(found)) if step.whole().is_some_and(|step| step > 1) => {
                found.checked_add(1).map(Value::from)
            }
            (true, _) => None,
            (false, _) => value.as_f64().and_then(|found| plain(found + step.size() / 2.0)),
        };
        if let Some(value) = between {
            add(Breach::NotAMultiple, value, None);
        }
    }
}

fn texts(facts: &Facts<'_>, text: &str, add: &mut Add<'_>) {
    let least = facts.at_least("minLength");
    if let Some(short) = least.checked_sub(1).filter(|short| *short < LARGEST) {
        add(
            Breach::TooShort,
            text.chars().chain(filler()).take(short).collect::<String>().into(),
            None,
        );
    }
    if let Some(most) = facts.at_most("maxLength").filter(|most| *most < LARGEST) {
        add(
            Breach::TooLong,
            text.chars().chain(filler()).take(most + 1).collect::<String>().into(),
            None,
        );
    }
    for pattern in facts.texts("pattern") {
        let long = format!("{text}\u{1}");
        for wrong in ["", "!", "\u{1}", "0", "a", &long] {
            if !is_match(pattern, wrong) {
                add(Breach::PatternBroken, wrong.into(), None);
            }
        }
    }
}

fn filler() -> impl Iterator<Item = char> {
    std::iter::repeat('a')
}

fn arrays(facts: &Facts<'_>, items: &[Value], add: &mut Add<'_>) {
    let least = facts.at_least("minItems");
    if let Some(few) = least.checked_sub(1) {
        add(Breach::TooFewItems, items.iter().take(few).cloned().collect(), None);
    }
    let filled = |count: usize| -> Value {
        items
            .iter()
            .cycle()
            .take(count)
            .cloned()
            .chain(std::iter::repeat(Value::Null))
            .take(count)
            .collect()
    };
    if let Some(most) = facts.at_most("maxItems").filter(|most| *most < LARGEST) {
        add(Breach::TooManyItems, filled(most + 1), None);
    }
    let closed = Items::of(facts).at(items.len()).iter().any(|part| part.schema == &json!(false));
    if closed {
        add(Breach::TooManyItems, filled(items.len() + 1), None);
    }
    if let (Some(first), true) =
        (items.first(), facts.all("uniqueItems").any(|u| u == &json!(true)))
    {
        let repeated = items.iter().chain([first]).cloned().collect();
        add(Breach::RepeatedItem, repeated, Some(&items.len().to_string()));
    }
}

fn objects(facts: &Facts<'_>, map: &Map<String, Value>, add: &mut Add<'_>) {
    let without = |names: &[&str]| {
        let mut fewer = map.clone();
        fewer.retain(|name, _| !names.contains(&name.as_str()));
        Value::Object(fewer)
    };
    let with = |name: &str| {
        let mut more = map.clone();
        more.insert(name.to_owned(), json!(true));
        Value::Object(more)
    };
    for name in required(facts) {
        let is_listed = |list: &Value| list.as_array().is_some_and(|l| l.contains(&json!(name)));
        if facts.all("required").any(is_listed) {
            add(Breach::RequiredAbsent, without(&[name]), Some(name));
        }
    }
    let strange = strange_name(facts);
    let closed = |part: &super::document::Part<'_>| part.schema == &json!(false);
    if rules_for(facts, &strange).iter().any(closed) {
        add(Breach::UnknownField, with(&strange), Some(&strange));
    }
    let least = facts.at_least("minProperties");
    if let Some(few) = least.checked_sub(1) {
        let kept: Map<String, Value> = map.clone().into_iter().take(few).collect();
        add(Breach::TooFewProperties, Value::Object(kept), None);
    }
    if let Some(most) = facts.at_most("maxProperties").filter(|most| *most < LARGEST) {
        let mut many = map.clone();
        let value = map.values().next().cloned().unwrap_or(Value::Null);
        let names = (0..).map(|index| format!("more{index}"));
        names.take(most + 1).for_each(|name| drop(many.insert(name, value.clone())));
        add(Breach::TooManyProperties, Value::Object(many), None);
    }
}

/// A name that nobody has declared, but that looks as if somebody might.
fn strange_name(facts: &Facts<'_>) -> String {
    let declared = declared(facts);
    let near = declared.first().map_or_else(|| "extra".to_owned(), |name| format!("{name}_extra"));
    if declared.contains(near.as_str()) { format!("{near}_undeclared") } else { near }
}
