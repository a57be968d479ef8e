//! Arrays.

use super::super::model::{Contains, Schema};
use super::scalar::sized;
use super::{Doc, Question, Walk};
use crate::json::{Node, first_repeat};

impl<'v> Walk<'v> {
    pub(super) fn array(&mut self, schema: &'v Schema, doc: &Doc<'_>, at: u32, node: &Node) {
        let Some(rules) = &schema.arrays else { return };
        let count = node.count();
        if count < rules.min {
            self.refuse(doc, at, "minItems", || sized("at least", rules.min, "item"));
        }
        if count > rules.max {
            self.refuse(doc, at, "maxItems", || sized("at most", rules.max, "item"));
        }
        if !rules.prefix.is_empty() || rules.items.is_some() {
            for (index, (id, _)) in doc.view.children(at).enumerate() {
                if self.is_over() {
                    return;
                }
                if let Some(schema) = rules.prefix.get(index).copied().or(rules.items) {
                    self.value(schema, doc, id);
                }
            }
        }
        if let Some(contains) = &rules.contains {
            self.contains(contains, doc, at);
        }
        if rules.unique && !self.is_over() {
            if let Some(repeat) = first_repeat(doc.view, at) {
                self.refuse(doc, repeat, "uniqueItems", || "an item unlike all others".to_owned());
            }
        }
    }

    fn contains(&mut self, rule: &Contains, doc: &Doc<'_>, at: u32) {
        let mut found = 0;
        for (id, _) in doc.view.children(at) {
            found += usize::from(self.passes(rule.schema, doc, id, Question::SCHEMA));
            if found > rule.max || (found >= rule.min && rule.max == usize::MAX) {
                break;
            }
        }
        if found < rule.min {
            let name = if rule.min == 1 { "contains" } else { "minContains" };
            self.refuse(doc, at, name, || {
                format!("{} as `contains` describes", sized("at least", rule.min, "item"))
            });
        }
        if found > rule.max {
            self.refuse(doc, at, "maxContains", || {
                format!("{} as `contains` describes", sized("at most", rule.max, "item"))
            });
        }
    }
}
