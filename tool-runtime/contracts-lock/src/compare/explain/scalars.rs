//! Changes of types, limits and strings.

use serde_json::Number;

use super::super::equality::equal;
use super::super::keywords;
use super::super::shape::{JsonType, NumberConstraints, is_numeric};
use super::{AcceptanceChange, Explainer, PART_CHANGED, SchemaPair};

/// Limits: the keyword, whether raising it narrows, and the rules for an added, removed, raised
/// and lowered limit.
const LIMITS: [(&str, bool, [&str; 4]); 12] = [
    ("minimum", true, ["minimum-added", "minimum-removed", "minimum-raised", "minimum-lowered"]),
    ("maximum", false, ["maximum-added", "maximum-removed", "maximum-raised", "maximum-lowered"]),
    (
        "exclusiveMinimum",
        true,
        [
            "exclusive-minimum-added",
            "exclusive-minimum-removed",
            "exclusive-minimum-raised",
            "exclusive-minimum-lowered",
        ],
    ),
    (
        "exclusiveMaximum",
        false,
        [
            "exclusive-maximum-added",
            "exclusive-maximum-removed",
            "exclusive-maximum-raised",
            "exclusive-maximum-lowered",
        ],
    ),
    (
        "minLength",
        true,
        ["min-length-added", "min-length-removed", "min-length-raised", "min-length-lowered"],
    ),
    (
        "maxLength",
        false,
        ["max-length-added", "max-length-removed", "max-length-raised", "max-length-lowered"],
    ),
    (
        "minItems",
        true,
        ["min-items-added", "min-items-removed", "min-items-raised", "min-items-lowered"],
    ),
    (
        "maxItems",
        false,
        ["max-items-added", "max-items-removed", "max-items-raised", "max-items-lowered"],
    ),
    (
        "minContains",
        true,
        [
            "min-contains-added",
            "min-contains-removed",
            "min-contains-raised",
            "min-contains-lowered",
        ],
    ),
    (
        "maxContains",
        false,
        [
            "max-contains-added",
            "max-contains-removed",
            "max-contains-raised",
            "max-contains-lowered",
        ],
    ),
    (
        "minProperties",
        true,
        [
            "min-properties-added",
            "min-properties-removed",
            "min-properties-raised",
            "min-properties-lowered",
        ],
    ),
    (
        "maxProperties",
        false,
        [
            "max-properties-added",
            "max-properties-removed",
            "max-properties-raised",
            "max-properties-lowered",
        ],
    ),
];

impl<'s> Explainer<'s> {
    /// Compares the types, without null.
    pub(super) fn compare_types(&mut self, pair: SchemaPair<'s>) {
        let (Ok(before), Ok(after)) = (JsonType::read(pair.before), JsonType::read(pair.after))
        else {
            return self.record_unproven(pair.part("type"), "type", PART_CHANGED);
        };
        let (wider, narrower) = (covers(&after, &before), covers(&before, &after));
        let (rule, effect) = match (wider, narrower) {
            (true, true) => return,
            (true, false) => ("type-widened", AcceptanceChange::Widened),
            (false, true) => ("type-narrowed", AcceptanceChange::Narrowed),
            (false, false) => ("type-changed", AcceptanceChange::Unclear),
        };
        let message = format!("{} became {}", names(&before), names(&after));
        self.record(pair.part("type"), rule, effect, message);
    }

    pub(super) fn compare_limits(&mut self, pair: SchemaPair<'s>) {
        for (word, lower, rules) in LIMITS {
            if !pair.differs(word) {
                continue;
            }
            let (before, after) = pair.values(word);
            let numbers = (before.and_then(|v| v.as_number()), after.and_then(|v| v.as_number()));
            let is_numeric =
                |value: Option<&serde_json::Value>| value.is_none_or(serde_json::Value::is_number);
            if !is_numeric(before) || !is_numeric(after) {
                self.record_unproven(pair.part(word), word, PART_CHANGED);
                continue;
            }
            let (at, raised) = match numbers {
                (None, _) => (0, lower),
                (_, None) => (1, !lower),
                (Some(before), Some(after)) if less(before, after) => (2, true),
                _ => (3, false),
            };
            let effect = if raised == lower {
                AcceptanceChange::Narrowed
            } else {
                AcceptanceChange::Widened
            };
            let said =
                |number: Option<&Number>| number.map_or("none".to_owned(), Number::to_string);
            let message = format!("`{word}` went from {} to {}", said(numbers.0), said(numbers.1));
            self.record(pair.part(word), rules[at], effect, message);
        }
        self.compare_multiple_of(pair);
    }

    fn compare_multiple_of(&mut self, pair: SchemaPair<'s>) {
        if pair.differs("multipleOf") {
            let rules = ["multiple-of-added", "multiple-of-removed", "multiple-of-changed"];
            self.compare_keyword(pair, "multipleOf", rules, AcceptanceChange::Unclear);
        }
    }

    /// Records a keyword whose presence narrows the schema.
    pub(super) fn compare_keyword(
        &mut self,
        pair: SchemaPair<'s>,
        word: &str,
        rules: [&'static str; 3],
        changed: AcceptanceChange,
    ) {
        let (rule, effect, what) = match pair.values(word) {
            (None, None) => return,
            (None, _) => (rules[0], AcceptanceChange::Narrowed, "is new"),
            (_, None) => (rules[1], AcceptanceChange::Widened, "is gone"),
            _ => (rules[2], changed, "has changed"),
        };
        self.record(pair.part(word), rule, effect, format!("`{word}` {what}"));
    }

    pub(super) fn compare_strings(&mut self, pair: SchemaPair<'s>) {
        if pair.differs("pattern") {
            if pair.values("pattern").0.is_some() && pair.values("pattern").1.is_some() {
                self.record_unproven(pair.part("pattern"), "pattern", "pattern-changed");
            } else {
                let rules = ["pattern-added", "pattern-removed", "pattern-changed"];
                self.compare_keyword(pair, "pattern", rules, AcceptanceChange::Unclear);
            }
        }
        let unique = |value: Option<&serde_json::Value>| value.is_some_and(|v| v == true);
        match (unique(pair.values("uniqueItems").0), unique(pair.values("uniqueItems").1)) {
            (false, true) => {
                let message = "items must be unique now";
                self.record(
                    pair.part("uniqueItems"),
                    "unique-items-added",
                    AcceptanceChange::Narrowed,
                    message,
                );
            }
            (true, false) => {
                let message = "items may repeat now";
                self.record(
                    pair.part("uniqueItems"),
                    "unique-items-removed",
                    AcceptanceChange::Widened,
                    message,
                );
            }
            _ => {}
        }
    }

    pub(super) fn compare_formats(&mut self, pair: SchemaPair<'s>) {
        let format = |value: Option<&'s serde_json::Value>| {
            let name = value.and_then(|value| value.as_str());
            name.filter(|name| keywords::is_parsed_format(name) || is_numeric(name))
        };
        let (before, after) = pair.values("format");
        let (before, after) = (format(before), format(after));
        if before == after {
            return;
        }
        let numeric = [before, after].into_iter().flatten().all(is_numeric);
        let effect = if numeric { number_format(pair) } else { AcceptanceChange::Unclear };
        let (rule, effect) = match effect {
            AcceptanceChange::Same => return,
            AcceptanceChange::Widened => ("format-widened", effect),
            AcceptanceChange::Narrowed => ("format-narrowed", effect),
            AcceptanceChange::Unclear => match (before, after) {
                (None, _) => ("format-added", AcceptanceChange::Narrowed),
                (Some(_), None) => ("format-removed", AcceptanceChange::Widened),
                (Some(_), Some(_)) => ("format-changed", AcceptanceChange::Unclear),
            },
        };
        let said = |name: Option<&str>| name.unwrap_or("none").to_owned();
        let message = format!("`format` went from {} to {}", said(before), said(after));
        self.record(pair.part("format"), rule, effect, message);
    }

    /// Compares unknown keywords.
    pub(super) fn compare_unknown_keywords(&mut self, pair: SchemaPair<'s>) {
        let owners = [pair.before, pair.after];
        let all_words =
            owners.into_iter().filter_map(super::Subschema::keywords).flat_map(|map| map.keys());
        let foreign: std::collections::BTreeSet<_> =
            all_words.filter(|word| keywords::is_unknown(word)).collect();
        for word in foreign.into_iter().filter(|word| pair.differs(word)) {
            self.record_unproven(pair.part(word), word, PART_CHANGED);
        }
    }
}

/// The change of a numeric `format`.
fn number_format(pair: SchemaPair<'_>) -> AcceptanceChange {
    let read = |subschema: super::Subschema<'_>| {
        let kinds = JsonType::read(subschema).ok()?;
        let is_integer = kinds.contains(&JsonType::Integer);
        let typed =
            is_integer || (kinds.contains(&JsonType::Number) && kinds.len() < JsonType::ALL.len());
        let format = subschema.get("format").and_then(|value| value.as_str()).filter(|_| typed);
        NumberConstraints::read(subschema, is_integer, format).ok()
    };
    let (Some(before), Some(after)) = (read(pair.before), read(pair.after)) else {
        return AcceptanceChange::Unclear;
    };
    match (before.exceeds_number_type(&after), after.exceeds_number_type(&before)) {
        (false, false) => AcceptanceChange::Same,
        (false, true) => AcceptanceChange::Widened,
        (true, false) => AcceptanceChange::Narrowed,
        (true, true) => AcceptanceChange::Unclear,
    }
}

/// Returns whether these types include all of `other`, apart from null.
fn covers(kinds: &[JsonType], other: &[JsonType]) -> bool {
    other.iter().all(|kind| {
        *kind == JsonType::Null
            || kinds.contains(kind)
            || (*kind == JsonType::Integer && kinds.contains(&JsonType::Number))
    })
}

fn names(kinds: &[JsonType]) -> String {
    let is_any_type = kinds.len() == JsonType::ALL.len();
    let type_names: Vec<_> =
        kinds.iter().filter(|k| **k != JsonType::Null).map(|k| k.name()).collect();
    if is_any_type { "any type".to_owned() } else { type_names.join(" or ") }
}

fn less(a: &Number, b: &Number) -> bool {
    !equal(&a.clone().into(), &b.clone().into()) && a.as_f64() < b.as_f64()
}
