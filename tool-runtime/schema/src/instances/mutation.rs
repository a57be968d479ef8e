//! Texts that a schema rejects: a valid one with one violation.

use serde_json::{Map, Value, json};

use super::SeededRng;
use super::array::Items;
use super::document::SchemaDocument;
use super::number::{NumberRange, beside, number, plain};
use super::object::{declared, required, rules_for};
use super::pattern::is_match;
use super::positions::{ValuePosition, positions};
use super::rules::{VALUE_KINDS, ValueKind, ValueRules};
use crate::json::push_name;

/// A kind of violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Mutation {
    /// The text ends too early.
    Truncated,
    /// A property appears twice.
    DuplicateKey,
    /// A required property is missing.
    RequiredAbsent,
    /// A property is not declared.
    UnknownField,
    /// A value has the wrong type.
    WrongType,
    /// A value is not one of the listed ones.
    UnknownValue,
    /// A number is below the minimum.
    BelowRange,
    /// A number is above the maximum.
    AboveRange,
    /// A number is not a multiple.
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
    /// Two items are equal.
    RepeatedItem,
    /// There are too few properties.
    TooFewProperties,
    /// There are too many properties.
    TooManyProperties,
}

/// A text that the schema rejects, with its violation.
#[derive(Debug, Clone, PartialEq)]
pub struct InvalidInstance {
    text: String,
    pointer: String,
    mutation: Mutation,
}

impl InvalidInstance {
    /// Returns the text, which may not be JSON.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the JSON Pointer of the violation.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the kind of violation.
    #[must_use]
    pub fn mutation(&self) -> Mutation {
        self.mutation
    }
}

/// The longest text, and the most items, that are made only to exceed a bound.
const MAX_EXCESS: usize = 20_000;

/// A change that breaks a value.
struct Replacement {
    mutation: Mutation,
    /// The pointer at which the value is replaced.
    at: String,
    value: Value,
    /// The pointer of the violation, if it differs.
    pointer: String,
    /// True if the schema certainly rejects the change.
    sure: bool,
}

/// Makes one change that violates the schema.
pub(super) fn invalid(
    document: &SchemaDocument,
    valid: &Value,
    rng: &mut SeededRng,
) -> InvalidInstance {
    let positions = positions(document, valid);
    let mut changes = replacements(&positions);
    loop {
        let mut kinds: Vec<Mutation> = changes.iter().map(|change| change.mutation).collect();
        kinds.extend([Mutation::Truncated, Mutation::DuplicateKey]);
        kinds.sort_unstable();
        kinds.dedup();
        let kind = rng.pick(&kinds).copied().unwrap_or(Mutation::Truncated);
        let textual = match kind {
            Mutation::Truncated => Some(truncated(valid, rng)),
            Mutation::DuplicateKey => with_duplicate_key(valid, &positions, rng),
            Mutation::RequiredAbsent
            | Mutation::UnknownField
            | Mutation::WrongType
            | Mutation::UnknownValue
            | Mutation::BelowRange
            | Mutation::AboveRange
            | Mutation::NotAMultiple
            | Mutation::TooShort
            | Mutation::TooLong
            | Mutation::PatternBroken
            | Mutation::TooFewItems
            | Mutation::TooManyItems
            | Mutation::RepeatedItem
            | Mutation::TooFewProperties
            | Mutation::TooManyProperties => None,
        };
        if let Some(invalid) = textual {
            return invalid;
        }
        let of_kind: Vec<usize> =
            (0..changes.len()).filter(|index| changes[*index].mutation == kind).collect();
        let Some(index) = rng.pick(&of_kind) else { continue };
        let change = changes.swap_remove(*index);
        let mut value = valid.clone();
        let Some(place) = value.pointer_mut(&change.at) else { continue };
        // The call decides about a `null`: for an optional property it means that it is left out.
        let is_sure = change.sure && !change.value.is_null();
        *place = change.value;
        if is_sure || !document.admits_arguments(&value) {
            let Replacement { mutation, pointer, .. } = change;
            return InvalidInstance { text: value.to_string(), pointer, mutation };
        }
    }
}

/// Returns changes of a value that each violate one rule, picked at random.
pub(super) fn violations(
    document: &SchemaDocument,
    value: &Value,
    count: usize,
    rng: &mut SeededRng,
) -> Vec<Value> {
    let positions = positions(document, value);
    let mut changes = replacements(&positions);
    rng.shuffle(&mut changes);
    let apply = |change: Replacement| {
        let mut violating = value.clone();
        *violating.pointer_mut(&change.at)? = change.value;
        Some(violating)
    };
    changes.into_iter().take(count).filter_map(apply).collect()
}

/// Cuts the text off before its end. The text of an object stays non-empty, since an empty text of
/// arguments means `{}`.
fn truncated(valid: &Value, rng: &mut SeededRng) -> InvalidInstance {
    let valid_json = valid.to_string();
    let has_end_mark = valid_json.starts_with(['{', '[', '"']);
    let is_json = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    let prefixes = valid_json.char_indices().skip(1).map(|(end, _)| &valid_json[..end]);
    let broken: Vec<&str> = prefixes.filter(|text| has_end_mark || !is_json(text)).collect();
    let text = rng.pick(&broken).copied().unwrap_or_default().to_owned();
    InvalidInstance { text, pointer: String::new(), mutation: Mutation::Truncated }
}

/// Writes one property twice.
fn with_duplicate_key(
    valid: &Value,
    positions: &[ValuePosition<'_, '_>],
    rng: &mut SeededRng,
) -> Option<InvalidInstance> {
    let filled = |position: &&ValuePosition<'_, '_>| {
        position.value.as_object().is_some_and(|map| !map.is_empty())
    };
    let objects: Vec<&ValuePosition<'_, '_>> = positions.iter().filter(filled).collect();
    let position = rng.pick(&objects)?;
    let map = position.value.as_object()?;
    let names: Vec<&String> = map.keys().collect();
    let name = rng.pick(&names)?;
    // A unique value marks the position until the text is written.
    let mark = format!("mark-{:016x}", rng.next_u64());
    let mut marked = valid.clone();
    *marked.pointer_mut(&position.pointer)? = Value::from(mark.as_str());
    let member = format!("{}:{}", Value::from(name.as_str()), map[name.as_str()]);
    let object = format!("{{{member},{}", position.value.to_string().strip_prefix('{')?);
    let text = marked.to_string().replace(&Value::from(mark).to_string(), &object);
    let mut pointer = position.pointer.clone();
    push_name(&mut pointer, name);
    Some(InvalidInstance { text, pointer, mutation: Mutation::DuplicateKey })
}

/// Returns the changes of all positions that each violate a rule there.
fn replacements(positions: &[ValuePosition<'_, '_>]) -> Vec<Replacement> {
    positions.iter().flat_map(violations_at).collect()
}

/// Returns the changes of one position that violate its rules.
fn violations_at(position: &ValuePosition<'_, '_>) -> Vec<Replacement> {
    let mut changes = Vec::new();
    for (value_rules, sure) in [(&position.sure, true), (&position.chosen, false)] {
        if value_rules.parts.is_empty() {
            continue;
        }
        let mut add = |mutation, value, name: Option<&str>| {
            let mut pointer = position.pointer.clone();
            if let Some(name) = name {
                push_name(&mut pointer, name);
            }
            changes.push(Replacement {
                mutation,
                at: position.pointer.clone(),
                value,
                pointer,
                sure,
            });
        };
        mistyped(value_rules, &mut add);
        unlisted(value_rules, position.value, &mut add);
        match position.value {
            Value::Number(_) => numbers(value_rules, position.value, &mut add),
            Value::String(text) => texts(value_rules, text, &mut add),
            Value::Array(items) => arrays(value_rules, items, &mut add),
            Value::Object(map) => objects(value_rules, map, &mut add),
            _ => {}
        }
    }
    changes
}

type Add<'a> = dyn FnMut(Mutation, Value, Option<&str>) + 'a;

fn mistyped(value_rules: &ValueRules<'_>, add: &mut Add<'_>) {
    let admitted = value_rules.kinds();
    for kind in VALUE_KINDS.into_iter().filter(|kind| !admitted.contains(kind)) {
        let value = match kind {
            ValueKind::Null => Value::Null,
            ValueKind::Bool => Value::Bool(true),
            ValueKind::Integer => json!(1),
            ValueKind::Fraction => json!(0.5),
            ValueKind::Text => json!("text"),
            ValueKind::Array => json!([]),
            ValueKind::Object => json!({}),
        };
        add(Mutation::WrongType, value, None);
    }
}

fn unlisted(value_rules: &ValueRules<'_>, value: &Value, add: &mut Add<'_>) {
    let Some(enumerated) = value_rules.enumerated() else { return };
    let other = match value {
        Value::String(text) => json!(format!("{text}-unlisted")),
        Value::Number(found) => json!(found.as_i64().unwrap_or(0).wrapping_add(7)),
        Value::Bool(flag) => json!(!flag),
        Value::Null => return,
        Value::Array(_) => json!(["unlisted"]),
        Value::Object(_) => json!({"unlisted": true}),
    };
    if !enumerated.contains(&&other) {
        add(Mutation::UnknownValue, other, None);
    }
}

fn numbers(value_rules: &ValueRules<'_>, value: &Value, add: &mut Add<'_>) {
    let range = NumberRange::new(value_rules);
    let is_integral = !value_rules.kinds().contains(&ValueKind::Fraction);
    let (min, max) = range.integers(value_rules);
    let beyond = |bound: Option<super::number::NumberBound>, above: bool| {
        let bound = bound?;
        plain(if bound.within { beside(bound.at, above) } else { bound.at })
    };
    let (below, above) = if is_integral {
        (min.checked_sub(1).and_then(number), max.checked_add(1).and_then(number))
    } else {
        (beyond(range.min, false), beyond(range.max, true))
    };
    if let Some(value) = below {
        add(Mutation::BelowRange, value, None);
    }
    if let Some(value) = above {
        add(Mutation::AboveRange, value, None);
    }
    for step in &range.steps {
        let between = match (is_integral, value.as_i64()) {
            (true, Some(found)) if step.whole().is_some_and(|step| step > 1) => {
                found.checked_add(1).map(Value::from)
            }
            (true, _) => None,
            (false, _) => value.as_f64().and_then(|found| plain(found + step.size() / 2.0)),
        };
        if let Some(value) = between {
            add(Mutation::NotAMultiple, value, None);
        }
    }
}

fn texts(value_rules: &ValueRules<'_>, text: &str, add: &mut Add<'_>) {
    let min = value_rules.at_least("minLength");
    if let Some(short) = min.checked_sub(1).filter(|short| *short < MAX_EXCESS) {
        add(
            Mutation::TooShort,
            text.chars().chain(filler()).take(short).collect::<String>().into(),
            None,
        );
    }
    if let Some(max) = value_rules.at_most("maxLength").filter(|max| *max < MAX_EXCESS) {
        add(
            Mutation::TooLong,
            text.chars().chain(filler()).take(max + 1).collect::<String>().into(),
            None,
        );
    }
    for pattern in value_rules.texts("pattern") {
        let long = format!("{text}\u{1}");
        for wrong in ["", "!", "\u{1}", "0", "a", &long] {
            if !is_match(pattern, wrong) {
                add(Mutation::PatternBroken, wrong.into(), None);
            }
        }
    }
}

fn filler() -> impl Iterator<Item = char> {
    std::iter::repeat('a')
}

fn arrays(value_rules: &ValueRules<'_>, items: &[Value], add: &mut Add<'_>) {
    let min = value_rules.at_least("minItems");
    if let Some(few) = min.checked_sub(1) {
        add(Mutation::TooFewItems, items.iter().take(few).cloned().collect(), None);
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
    if let Some(max) = value_rules.at_most("maxItems").filter(|max| *max < MAX_EXCESS) {
        add(Mutation::TooManyItems, filled(max + 1), None);
    }
    let closed =
        Items::new(value_rules).at(items.len()).iter().any(|part| part.schema == &json!(false));
    if closed {
        add(Mutation::TooManyItems, filled(items.len() + 1), None);
    }
    if let (Some(first), true) =
        (items.first(), value_rules.all("uniqueItems").any(|u| u == &json!(true)))
    {
        let repeated = items.iter().chain([first]).cloned().collect();
        add(Mutation::RepeatedItem, repeated, Some(&items.len().to_string()));
    }
}

fn objects(value_rules: &ValueRules<'_>, map: &Map<String, Value>, add: &mut Add<'_>) {
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
    for name in required(value_rules) {
        let is_listed = |list: &Value| list.as_array().is_some_and(|l| l.contains(&json!(name)));
        if value_rules.all("required").any(is_listed) {
            add(Mutation::RequiredAbsent, without(&[name]), Some(name));
        }
    }
    let strange = undeclared_name(value_rules);
    let closed = |part: &super::document::SchemaPart<'_>| part.schema == &json!(false);
    if rules_for(value_rules, &strange).iter().any(closed) {
        add(Mutation::UnknownField, with(&strange), Some(&strange));
    }
    let min = value_rules.at_least("minProperties");
    if let Some(few) = min.checked_sub(1) {
        let fewer_properties: Map<String, Value> = map.clone().into_iter().take(few).collect();
        add(Mutation::TooFewProperties, Value::Object(fewer_properties), None);
    }
    if let Some(max) = value_rules.at_most("maxProperties").filter(|max| *max < MAX_EXCESS) {
        let mut many = map.clone();
        let value = map.values().next().cloned().unwrap_or(Value::Null);
        let names = (0..).map(|index| format!("more{index}"));
        names.take(max + 1).for_each(|name| drop(many.insert(name, value.clone())));
        add(Mutation::TooManyProperties, Value::Object(many), None);
    }
}

/// Makes an undeclared name that looks plausible.
fn undeclared_name(value_rules: &ValueRules<'_>) -> String {
    let declared = declared(value_rules);
    let near = declared.first().map_or_else(|| "extra".to_owned(), |name| format!("{name}_extra"));
    if declared.contains(near.as_str()) { format!("{near}_undeclared") } else { near }
}
