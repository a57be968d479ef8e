//! Changes of annotations, which do not affect validity.

use serde_json::Value;

use super::super::equality::equal;
use super::super::keywords;
use super::super::shape::is_numeric;
use super::super::subschema::Subschema;
use super::super::{Compatibility, SchemaReader};
use super::{Explainer, Severity};

impl<'s> Explainer<'s> {
    pub(super) fn compare_annotations(&mut self, before: Subschema<'s>, after: Subschema<'s>) {
        for word in annotation_keywords(before).into_iter().chain(annotation_keywords(after)) {
            let (old, new) = (find(before, word), find(after, word));
            let same = old.zip(new).is_some_and(|(old, new)| equal(old.0, new.0));
            if same || !is_annotation(word, old, new) {
                continue;
            }
            let (rule, compatibility) = self.annotation_rule(word, old.is_some(), new.is_some());
            let at = new.or(old).map_or(after, |(value, owner)| owner.of(value));
            let severity = Severity::Decided(compatibility);
            self.add(at, rule, severity, format!("`{word}` has changed"));
        }
    }

    fn annotation_rule(&self, word: &str, old: bool, new: bool) -> (&'static str, Compatibility) {
        let pick = |rules: [&'static str; 3]| match (old, new) {
            (false, _) => rules[0],
            (_, false) => rules[1],
            _ => rules[2],
        };
        match word {
            "default" => {
                let rule = pick(["default-added", "default-removed", "default-changed"]);
                let filled = self.reader == SchemaReader::Callee;
                (rule, if filled { Compatibility::Compatible } else { Compatibility::None })
            }
            "x-sensitivity" => {
                let rules = ["sensitivity-added", "sensitivity-removed", "sensitivity-changed"];
                (pick(rules), Compatibility::Compatible)
            }
            _ => {
                let named = keywords::ANNOTATIONS.iter().find(|(known, _)| *known == word);
                (named.map_or("annotation-changed", |(_, rule)| rule), Compatibility::None)
            }
        }
    }
}

/// The keywords of a schema, and of its `$ref` target, that may be annotations.
fn annotation_keywords(subschema: Subschema<'_>) -> Vec<&str> {
    let owners = [subschema, subschema.resolved()];
    let words = owners.into_iter().filter_map(Subschema::keywords).flat_map(|map| map.keys());
    words.map(String::as_str).filter(|word| may_be_annotation(word)).collect()
}

fn may_be_annotation(word: &str) -> bool {
    let structural = matches!(word, "$schema" | "$defs" | "definitions");
    word == "format" || (!keywords::asserts(word) && !structural)
}

/// A keyword of the schema itself or of its `$ref` target.
fn find<'s>(subschema: Subschema<'s>, word: &str) -> Option<(&'s Value, Subschema<'s>)> {
    let owners = [subschema, subschema.resolved()];
    owners.into_iter().find_map(|owner| owner.get(word).map(|value| (value, owner)))
}

/// `format` is an annotation unless readers parse the value by it.
fn is_annotation(
    word: &str,
    old: Option<(&Value, Subschema<'_>)>,
    new: Option<(&Value, Subschema<'_>)>,
) -> bool {
    word != "format"
        || [old, new].into_iter().flatten().all(|(value, _)| {
            value
                .as_str()
                .is_some_and(|name| !keywords::is_parsed_format(name) && !is_numeric(name))
        })
}
