//! Numbers, strings and lists of allowed values.

use std::cmp::Ordering;

use super::super::model::{Schema, Values};
use super::super::number::{Bounds, Reader, Value, is_multiple};
use super::super::types::Types;
use super::edit::Edit;
use super::{Doc, Walk};
use crate::json::{Kind, Node, equals_value};

impl<'v> Walk<'v> {
    pub(super) fn number(&mut self, schema: &'v Schema, doc: &Doc<'_>, at: u32, node: &Node) {
        if schema.reader != Reader::Any {
            self.claim(doc, at, node);
            if !self.precision(schema.reader, doc, at, node) {
                return;
            }
            if let Reader::Integer(_) = schema.reader {
                self.respell(doc, at, node);
            }
        }
        if let Some(bounds) = &schema.numbers {
            self.bounds(bounds, doc, at, node);
        }
    }

    /// Notes a number whose digits its reader would not keep.
    pub(super) fn precision(
        &mut self,
        reader: Reader,
        doc: &Doc<'_>,
        at: u32,
        node: &Node,
    ) -> bool {
        let keeps = !self.digits || reader.keeps(doc.view, node);
        if !keeps {
            self.refuse(doc, at, "precision", || reader.expected());
        }
        keeps
    }

    /// Notes that a schema answers for the digits of a number.
    pub(super) fn claim(&mut self, doc: &Doc<'_>, at: u32, node: &Node) {
        if node.is_wide() && doc.id == 0 && !self.quiet {
            self.claimed.push(at);
        }
    }

    /// Writes a whole number as digits alone.
    fn respell(&mut self, doc: &Doc<'_>, at: u32, node: &Node) {
        let plain = node.is_digits() && !(node.is_negative() && doc.view.raw(node) == "-0");
        if plain || self.quiet {
            return;
        }
        let decimal = doc.view.decimal(node);
        let digits = decimal.magnitude().unwrap_or_default().to_string();
        let sign = if decimal.is_negative() && !decimal.is_zero() { "-" } else { "" };
        self.edits.push(Edit::respelled(at, node, format!("{sign}{digits}")));
    }

    fn bounds(&mut self, bounds: &Bounds, doc: &Doc<'_>, at: u32, node: &Node) {
        let value = Value::of(doc.view, node);
        let rows = [
            (&bounds.min, "minimum", "at least", Ordering::Less, false),
            (&bounds.max, "maximum", "at most", Ordering::Greater, false),
            (&bounds.above, "exclusiveMinimum", "more than", Ordering::Greater, true),
            (&bounds.below, "exclusiveMaximum", "less than", Ordering::Less, true),
        ];
        for (limit, rule, words, order, wanted) in rows {
            let Some(limit) = limit else { continue };
            if (limit.order(value) == order) != wanted {
                self.refuse(doc, at, rule, || format!("{words} {}", limit.text));
            }
        }
        if let Some(step) = &bounds.step {
            if !is_multiple(&doc.view.decimal(node), step) {
                self.refuse(doc, at, "multipleOf", || format!("a multiple of {}", step.text));
            }
        }
    }

    pub(super) fn string(&mut self, schema: &'v Schema, doc: &Doc<'_>, at: u32, node: &Node) {
        let Some(rules) = &schema.strings else { return };
        let text = doc.view.string(node);
        // A character is one to four bytes: most lengths need no counting.
        if text.len() < rules.min || text.len() > rules.max || text.len() / 4 < rules.min {
            let length = text.chars().count();
            if length < rules.min {
                self.refuse(doc, at, "minLength", || sized("at least", rules.min, "character"));
            }
            if length > rules.max {
                self.refuse(doc, at, "maxLength", || sized("at most", rules.max, "character"));
                // A pattern costs more than all other rules, and is of no use for this text.
                return;
            }
        }
        if let Some(pattern) = &rules.pattern {
            if !self.is_over() && self.may_match(&text) && !pattern.is_match(&text) {
                self.refuse(doc, at, "pattern", || format!("text that matches `{pattern}`"));
            }
        }
    }

    pub(super) fn listed(&mut self, values: &'v Values, doc: &Doc<'_>, at: u32, node: &Node) {
        let listed = if node.kind == Kind::String {
            let text = doc.view.string(node);
            values.strings.binary_search_by(|value| (**value).cmp(&text)).is_ok()
        } else {
            values.others.iter().any(|value| equals_value(doc.view, at, value))
        };
        if !listed {
            self.refuse(doc, at, values.rule, || values.expected.to_string());
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

/// The types that a value may be taken for, with or without coercion.
pub(super) fn candidates(doc: &Doc<'_>, node: &Node, coerce: bool) -> Types {
    let types = Types::of(doc.view, node);
    if coerce { types.or(types.coercible()) } else { types }
}
