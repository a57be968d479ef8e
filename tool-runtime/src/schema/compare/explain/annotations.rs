//! What a schema tells, and what no instance can break.

use serde_json::Value;

use super::super::alike::equal;
use super::super::part::Part;
use super::super::shape::is_numeric;
use super::super::words;
use super::super::{Compatibility, Reader};
use super::Explainer;

impl<'s> Explainer<'s> {
    pub(super) fn annotations(&mut self, before: Part<'s>, after: Part<'s>) {
        for word in told(before).into_iter().chain(told(after)) {
            let (old, new) = (find(before, word), find(after, word));
            let same = old.zip(new).is_some_and(|(old, new)| equal(old.0, new.0));
            if same || !is_annotation(word, old, new) {
                continue;
            }
            let (rule, class) = self.told_rule(word, old.is_some(), new.is_some());
            let owner = new.map_or(after, |(_, owner)| owner);
            let pointer =
                format!("{}/{}", owner.pointer(), crate::schema::reference::escaped(word));
            self.add(pointer, rule, class, format!("`{word}` has changed"));
        }
    }

    fn told_rule(&self, word: &str, old: bool, new: bool) -> (&'static str, Compatibility) {
        let pick = |rules: [&'static str; 3]| match (old, new) {
            (false, _) => rules[0],
            (_, false) => rules[1],
            _ => rules[2],
        };
        match word {
            "default" => {
                let rule = pick(["default-added", "default-removed", "default-changed"]);
                let filled = self.reader == Reader::Callee;
                (rule, if filled { Compatibility::Compatible } else { Compatibility::None })
            }
            "x-sensitivity" => {
                let rules = ["sensitivity-added", "sensitivity-removed", "sensitivity-changed"];
                (pick(rules), Compatibility::Compatible)
            }
            _ => {
                let named = words::TELLING.iter().find(|(known, _)| *known == word);
                (named.map_or("annotation-changed", |(_, rule)| rule), Compatibility::None)
            }
        }
    }
}

/// The words of a schema, and of what it refers to, that may tell something.
fn told(part: Part<'_>) -> Vec<&str> {
    let owners = [part, part.settled()];
    let words = owners.into_iter().filter_map(Part::keywords).flat_map(|map| map.keys());
    words.map(String::as_str).filter(|word| may_tell(word)).collect()
}

fn may_tell(word: &str) -> bool {
    let structural = matches!(word, "$schema" | "$defs" | "definitions");
    word == "format" || (!words::asserts(word) && !structural)
}

/// What the schema says itself, or what it refers to.
fn find<'s>(part: Part<'s>, word: &str) -> Option<(&'s Value, Part<'s>)> {
    let owners = [part, part.settled()];
    owners.into_iter().find_map(|owner| owner.get(word).map(|value| (value, owner)))
}

/// A format is one where nobody parses by it.
fn is_annotation(
    word: &str,
    old: Option<(&Value, Part<'_>)>,
    new: Option<(&Value, Part<'_>)>,
) -> bool {
    word != "format"
        || [old, new].into_iter().flatten().all(|(value, _)| {
            value.as_str().is_some_and(|name| !words::is_parsed(name) && !is_numeric(name))
        })
}
