//! Checks numbers, strings and lists of allowed values.

use std::cmp::Ordering;

use super::super::model::{AllowedValues, SchemaNode};
use super::super::number::{NumberBounds, NumberReader, NumberValue, is_multiple};
use super::super::types::Types;
use super::edit::TextEdit;
use super::{Document, Walk};
use crate::json::{JsonKind, JsonNode, equals_value};

impl<'v> Walk<'v> {
    pub(super) fn number(
        &mut self,
        schema: &'v SchemaNode,
        doc: &Document<'_>,
        at: u32,
        node: &JsonNode,
    ) {
        if schema.reader != NumberReader::Any {
            self.mark_precision_checked(doc, at, node);
            if !self.precision(schema.reader, doc, at, node) {
                return;
            }
            if let NumberReader::Integer(_) = schema.reader {
                self.normalize_integer(doc, at, node);
            }
        }
        if let Some(bounds) = &schema.numbers {
            self.bounds(bounds, doc, at, node);
        }
    }

    /// Records a number that its type cannot represent exactly.
    pub(super) fn precision(
        &mut self,
        reader: NumberReader,
        doc: &Document<'_>,
        at: u32,
        node: &JsonNode,
    ) -> bool {
        let keeps = !self.check_precision || reader.keeps(doc.view, node);
        if !keeps {
            self.reject(doc, at, "precision", || reader.expected());
        }
        keeps
    }

    /// Records that a schema has checked the precision of a number.
    pub(super) fn mark_precision_checked(&mut self, doc: &Document<'_>, at: u32, node: &JsonNode) {
        if node.is_wide() && doc.id == 0 && !self.quiet {
            self.precision_checked.push(at);
        }
    }

    /// Rewrites a whole number as plain digits.
    fn normalize_integer(&mut self, doc: &Document<'_>, at: u32, node: &JsonNode) {
        let plain = node.is_digits() && !(node.is_negative() && doc.view.raw(node) == "-0");
        if plain || self.quiet {
            return;
        }
        let decimal = doc.view.decimal(node);
        let digits = decimal.magnitude().unwrap_or_default().to_string();
        let sign = if decimal.is_negative() && !decimal.is_zero() { "-" } else { "" };
        self.edits.push(TextEdit::normalized_integer(at, node, format!("{sign}{digits}")));
    }

    fn bounds(&mut self, bounds: &NumberBounds, doc: &Document<'_>, at: u32, node: &JsonNode) {
        let value = NumberValue::from_node(doc.view, node);
        let rows = [
            (&bounds.min, "minimum", "at least", Ordering::Less, false),
            (&bounds.max, "maximum", "at most", Ordering::Greater, false),
            (&bounds.above, "exclusiveMinimum", "more than", Ordering::Greater, true),
            (&bounds.below, "exclusiveMaximum", "less than", Ordering::Less, true),
        ];
        for (limit, rule, words, order, wanted) in rows {
            let Some(limit) = limit else { continue };
            if (limit.order(value) == order) != wanted {
                self.reject(doc, at, rule, || format!("{words} {}", limit.text));
            }
        }
        if let Some(step) = &bounds.step {
            if !is_multiple(&doc.view.decimal(node), step) {
                self.reject(doc, at, "multipleOf", || format!("a multiple of {}", step.text));
            }
        }
    }

    pub(super) fn string(
        &mut self,
        schema: &'v SchemaNode,
        doc: &Document<'_>,
        at: u32,
        node: &JsonNode,
    ) {
        let Some(rules) = &schema.strings else { return };
        let text = doc.view.string(node);
        // A character has one to four bytes, so most lengths need no counting.
        if text.len() < rules.min || text.len() > rules.max || text.len() / 4 < rules.min {
            let length = text.chars().count();
            if length < rules.min {
                self.reject(doc, at, "minLength", || sized("at least", rules.min, "character"));
            }
            if length > rules.max {
                self.reject(doc, at, "maxLength", || sized("at most", rules.max, "character"));
                // The pattern is the most expensive rule, and the text is invalid already.
                return;
            }
        }
        if let Some(pattern) = &rules.pattern {
            if !self.is_finished() && self.may_match(&text) && !pattern.is_match(&text) {
                self.reject(doc, at, "pattern", || format!("text that matches `{pattern}`"));
            }
        }
    }

    pub(super) fn check_allowed_values(
        &mut self,
        values: &'v AllowedValues,
        doc: &Document<'_>,
        at: u32,
        node: &JsonNode,
    ) {
        let is_allowed = if node.kind == JsonKind::String {
            let text = doc.view.string(node);
            values.strings.binary_search_by(|value| (**value).cmp(&text)).is_ok()
        } else {
            values.others.iter().any(|value| equals_value(doc.view, at, value))
        };
        if !is_allowed {
            self.reject(doc, at, values.rule, || values.expected.to_string());
        }
    }
}

/// A size in words: `at least 2 items`.
pub(super) fn sized(words: &str, size: usize, thing: &str) -> String {
    let plural = match (size, thing) {
        (1, _) => thing.to_owned(),
        (_, "property") => "properties".to_owned(),
        _ => format!("{thing}s"),
    };
    format!("{words} {size} {plural}")
}

/// The types that a value may have, with or without coercion.
pub(super) fn candidate_types(doc: &Document<'_>, node: &JsonNode, coerce: bool) -> Types {
    let types = Types::from_node(doc.view, node);
    if coerce { types.or(types.coercible_to()) } else { types }
}
