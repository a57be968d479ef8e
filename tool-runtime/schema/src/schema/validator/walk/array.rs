//! Checks arrays.

use super::super::model::{ContainsRule, SchemaNode};
use super::scalar::sized;
use super::{Document, VerdictMode, Walk};
use crate::json::{JsonNode, first_repeat};

impl<'v> Walk<'v> {
    pub(super) fn array(
        &mut self,
        schema: &'v SchemaNode,
        doc: &Document<'_>,
        at: u32,
        node: &JsonNode,
    ) {
        let Some(rules) = &schema.arrays else { return };
        let count = node.count();
        if count < rules.min {
            self.reject(doc, at, "minItems", || sized("at least", rules.min, "item"));
        }
        if count > rules.max {
            self.reject(doc, at, "maxItems", || sized("at most", rules.max, "item"));
        }
        if !rules.prefix.is_empty() || rules.items.is_some() {
            for (index, (id, _)) in doc.view.children(at).enumerate() {
                if self.is_finished() {
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
        if rules.unique && !self.is_finished() {
            if let Some(repeat) = first_repeat(doc.view, at) {
                self.reject(doc, repeat, "uniqueItems", || {
                    "an item that differs from all others".to_owned()
                });
            }
        }
    }

    fn contains(&mut self, rule: &ContainsRule, doc: &Document<'_>, at: u32) {
        let mut match_count = 0;
        for (id, _) in doc.view.children(at) {
            match_count += usize::from(self.passes(rule.schema, doc, id, VerdictMode::SCHEMA));
            if match_count > rule.max || (match_count >= rule.min && rule.max == usize::MAX) {
                break;
            }
        }
        if match_count < rule.min {
            let name = if rule.min == 1 { "contains" } else { "minContains" };
            self.reject(doc, at, name, || {
                format!("{} that match `contains`", sized("at least", rule.min, "item"))
            });
        }
        if match_count > rule.max {
            self.reject(doc, at, "maxContains", || {
                format!("{} that match `contains`", sized("at most", rule.max, "item"))
            });
        }
    }
}
