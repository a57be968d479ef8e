//! Changes of annotations, which do not affect validity, and of aliases, which do.

use std::collections::BTreeSet;

use serde_json::Value;
use tool_runtime_schema::schema::subschemas::SchemaKeyword;

use super::super::equality::equal;
use super::super::keywords;
use super::super::shape::is_numeric;
use super::super::subschema::Subschema;
use super::super::{Compatibility, SchemaReader};
use super::{Explainer, Severity};

impl<'s> Explainer<'s> {
    pub(super) fn compare_annotations(&mut self, before: Subschema<'s>, after: Subschema<'s>) {
        self.compare_aliases(before, after);
        for word in annotation_keywords(before).into_iter().chain(annotation_keywords(after)) {
            let (old, new) = (find(before, word), find(after, word));
            let same = old.zip(new).is_some_and(|(old, new)| equal(old.0, new.0));
            if same || !is_annotation(word, old, new) {
                continue;
            }
            let (rule, compatibility) = self.annotation_rule(word, old.is_some(), new.is_some());
            let at = new.or(old).map_or(after, |(value, owner)| owner.with_schema(value));
            let severity = Severity::Decided(compatibility);
            self.add(at, rule, severity, format!("`{word}` has changed"));
        }
    }

    /// Compares the other names by which calls may name a property.
    fn compare_aliases(&mut self, before: Subschema<'s>, after: Subschema<'s>) {
        let (old, new) = (find(before, "x-aliases"), find(after, "x-aliases"));
        let (old_names, new_names) = (aliases(old), aliases(new));
        let sides = [
            (old, &old_names, &new_names, "alias-removed", Compatibility::Breaking, "no longer"),
            (new, &new_names, &old_names, "alias-added", Compatibility::Compatible, "now"),
        ];
        for (list, names, others, rule, compatibility, since) in sides {
            let Some((value, owner)) = list else { continue };
            let compatibility = match self.reader {
                SchemaReader::Callee => compatibility,
                // Answers are written by the declared names.
                SchemaReader::Caller => Compatibility::None,
            };
            for alias in names.difference(others) {
                let message = format!("the alias `{alias}` is {since} accepted");
                self.add(owner.with_schema(value), rule, Severity::Decided(compatibility), message);
            }
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
            "x-spends" | "x-cost" => {
                let rule = pick(["spending-added", "spending-removed", "spending-changed"]);
                // Without its mark, no budget counts what a call spends.
                let counted = if old { Compatibility::Breaking } else { Compatibility::Compatible };
                (rule, counted)
            }
            _ => {
                let annotation = keywords::ANNOTATIONS.iter().find(|(known, _)| *known == word);
                (annotation.map_or("annotation-changed", |(_, rule)| rule), Compatibility::None)
            }
        }
    }
}

fn aliases<'s>(list: Option<(&'s Value, Subschema<'s>)>) -> BTreeSet<&'s str> {
    let names = list.and_then(|(value, _)| value.as_array());
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The keywords of a schema, and of its `$ref` target, that may be annotations.
fn annotation_keywords(subschema: Subschema<'_>) -> Vec<&str> {
    let owners = [subschema, subschema.resolved()];
    let words = owners.into_iter().filter_map(Subschema::keywords).flat_map(|map| map.keys());
    words.map(String::as_str).filter(|word| may_be_annotation(word)).collect()
}

fn may_be_annotation(word: &str) -> bool {
    let structural =
        matches!(word, "$schema" | "x-aliases") || SchemaKeyword::holds_definitions(word);
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
