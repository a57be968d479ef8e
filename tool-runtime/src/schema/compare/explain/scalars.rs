//! Types, limits, texts.

use serde_json::Number;

use super::super::alike::equal;
use super::super::shape::{Kind, Numbers, is_numeric};
use super::super::words;
use super::{Effect, Explainer, Pair};
use crate::schema::reference::escaped;

/// Limits: the keyword, whether raising it narrows, and the rules for one that is added, removed,
/// raised and lowered.
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
    pub(super) fn types(&mut self, pair: Pair<'s>) {
        let (Ok(before), Ok(after)) = (Kind::read(pair.before), Kind::read(pair.after)) else {
            return self.note_soft("type", "undecided", Effect::Unclear);
        };
        let (wider, narrower) = (covers(&after, &before), covers(&before, &after));
        let (rule, effect) = match (wider, narrower) {
            (true, true) => return,
            (true, false) => ("type-widened", Effect::Widened),
            (false, true) => ("type-narrowed", Effect::Narrowed),
            (false, false) => ("type-changed", Effect::Unclear),
        };
        let message = format!("{} became {}", names(&before), names(&after));
        self.note("/type", rule, effect, message);
    }

    pub(super) fn limits(&mut self, pair: Pair<'s>) {
        for (word, lower, rules) in LIMITS {
            if !pair.differs(word) {
                continue;
            }
            let (before, after) = pair.values(word);
            let numbers = (before.and_then(|v| v.as_number()), after.and_then(|v| v.as_number()));
            let known =
                |value: Option<&serde_json::Value>| value.is_none_or(serde_json::Value::is_number);
            if !known(before) || !known(after) {
                self.note_soft(word, "undecided", Effect::Unclear);
                continue;
            }
            let (at, raised) = match numbers {
                (None, _) => (0, lower),
                (_, None) => (1, !lower),
                (Some(before), Some(after)) if less(before, after) => (2, true),
                _ => (3, false),
            };
            let effect = if raised == lower { Effect::Narrowed } else { Effect::Widened };
            let said =
                |number: Option<&Number>| number.map_or("none".to_owned(), Number::to_string);
            let message = format!("`{word}` went from {} to {}", said(numbers.0), said(numbers.1));
            self.note(&format!("/{word}"), rules[at], effect, message);
        }
        self.steps(pair);
    }

    fn steps(&mut self, pair: Pair<'s>) {
        if pair.differs("multipleOf") {
            let rules = ["multiple-of-added", "multiple-of-removed", "multiple-of-changed"];
            self.keyword(pair, "multipleOf", rules, Effect::Unclear);
        }
    }

    /// Notes a keyword that narrows by being there.
    pub(super) fn keyword(
        &mut self,
        pair: Pair<'s>,
        word: &str,
        rules: [&'static str; 3],
        changed: Effect,
    ) {
        let (rule, effect, what) = match pair.values(word) {
            (None, None) => return,
            (None, _) => (rules[0], Effect::Narrowed, "is new"),
            (_, None) => (rules[1], Effect::Widened, "is gone"),
            _ => (rules[2], changed, "has changed"),
        };
        self.note(&format!("/{word}"), rule, effect, format!("`{word}` {what}"));
    }

    pub(super) fn texts(&mut self, pair: Pair<'s>) {
        if pair.differs("pattern") {
            if pair.values("pattern").0.is_some() && pair.values("pattern").1.is_some() {
                self.note_soft("pattern", "pattern-changed", Effect::Unclear);
            } else {
                let rules = ["pattern-added", "pattern-removed", "pattern-changed"];
                self.keyword(pair, "pattern", rules, Effect::Unclear);
            }
        }
        let unique = |value: Option<&serde_json::Value>| value.is_some_and(|v| v == true);
        match (unique(pair.values("uniqueItems").0), unique(pair.values("uniqueItems").1)) {
            (false, true) => {
                let message = "items must differ now";
                self.note("/uniqueItems", "unique-items-added", Effect::Narrowed, message);
            }
            (true, false) => {
                let message = "items may be equal now";
                self.note("/uniqueItems", "unique-items-removed", Effect::Widened, message);
            }
            _ => {}
        }
    }

    pub(super) fn formats(&mut self, pair: Pair<'s>) {
        let format = |value: Option<&'s serde_json::Value>| {
            let name = value.and_then(|value| value.as_str());
            name.filter(|name| words::is_parsed(name) || is_numeric(name))
        };
        let (before, after) = pair.values("format");
        let (before, after) = (format(before), format(after));
        if before == after {
            return;
        }
        let numeric = [before, after].into_iter().flatten().all(is_numeric);
        let effect = if numeric { number_format(pair) } else { Effect::Unclear };
        let (rule, effect) = match (before, after, effect) {
            (_, _, Effect::Same) => return,
            (_, _, Effect::Widened) => ("format-widened", effect),
            (_, _, Effect::Narrowed) => ("format-narrowed", effect),
            (None, _, _) => ("format-added", Effect::Narrowed),
            (_, None, _) => ("format-removed", Effect::Widened),
            _ => ("format-changed", Effect::Unclear),
        };
        let said = |name: Option<&str>| name.unwrap_or("none").to_owned();
        let message = format!("`format` went from {} to {}", said(before), said(after));
        self.note("/format", rule, effect, message);
    }

    /// Keywords that nobody here knows.
    pub(super) fn foreign(&mut self, pair: Pair<'s>) {
        let owners = [pair.before, pair.after];
        let all = owners.into_iter().filter_map(super::Part::keywords).flat_map(|map| map.keys());
        let foreign: std::collections::BTreeSet<_> =
            all.filter(|word| words::is_foreign(word)).collect();
        for word in foreign.into_iter().filter(|word| pair.differs(word)) {
            self.note_soft(&escaped(word), "undecided", Effect::Unclear);
        }
    }
}

/// Who reads the number, before and after.
fn number_format(pair: Pair<'_>) -> Effect {
    let read = |part: super::Part<'_>| {
        let kinds = Kind::read(part).ok()?;
        let whole = kinds.contains(&Kind::Integer);
        let typed = whole || (kinds.contains(&Kind::Number) && kinds.len() < Kind::ALL.len());
        let format = part.get("format").and_then(|value| value.as_str()).filter(|_| typed);
        Numbers::read(part, whole, format).ok()
    };
    let (Some(before), Some(after)) = (read(pair.before), read(pair.after)) else {
        return Effect::Unclear;
    };
    match (before.outreads(&after), after.outreads(&before)) {
        (false, false) => Effect::Same,
        (false, true) => Effect::Widened,
        (true, false) => Effect::Narrowed,
        (true, true) => Effect::Unclear,
    }
}

/// Are all types of the other among these? Null is compared elsewhere.
fn covers(kinds: &[Kind], other: &[Kind]) -> bool {
    other.iter().all(|kind| {
        *kind == Kind::Null
            || kinds.contains(kind)
            || (*kind == Kind::Integer && kinds.contains(&Kind::Number))
    })
}

fn names(kinds: &[Kind]) -> String {
    let all = kinds.len() == Kind::ALL.len();
    let named: Vec<_> = kinds.iter().filter(|k| **k != Kind::Null).map(|k| k.name()).collect();
    if all { "any type".to_owned() } else { named.join(" or ") }
}

fn less(a: &Number, b: &Number) -> bool {
    !equal(&a.clone().into(), &b.clone().into()) && a.as_f64() < b.as_f64()
}
