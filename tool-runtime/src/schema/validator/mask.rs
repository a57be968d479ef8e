//! The text as it may be shown: secrets, and what the schema does not know, replaced.

use std::ops::Range;

use super::locate::inlined;
use super::model::{Additional, Schema, SchemaId};
use super::types::Types;
use crate::json::{Kind, Node, View};

/// What stands in place of a value.
const MASK: &str = "\"***\"";

/// Masks every value that a secret schema may look at, in doubt also more: whether the schema's
/// branches accept the value makes no difference.
pub(super) fn masked(schemas: &[Schema], view: View<'_>) -> String {
    let mut mask = Mask { schemas, view, spans: Vec::new() };
    mask.value(&[0], 0);
    let mut text = String::with_capacity(view.text.len());
    let mut done = 0;
    for span in mask.spans {
        text.push_str(&view.text[done..span.start]);
        text.push_str(MASK);
        done = span.end;
    }
    text.push_str(&view.text[done..]);
    text
}

struct Mask<'a> {
    schemas: &'a [Schema],
    view: View<'a>,
    /// In the order of the text, none within another.
    spans: Vec<Range<usize>>,
}

impl<'a> Mask<'a> {
    fn schema(&self, id: SchemaId) -> &'a Schema {
        &self.schemas[id as usize]
    }

    fn value(&mut self, schemas: &[SchemaId], at: u32) {
        let node = self.view.node(at);
        let all = inlined(self.schemas, schemas.to_vec());
        if all.iter().any(|id| self.schema(*id).secret) || self.is_disguised(&all, node) {
            self.spans.push(node.start()..node.end());
            return;
        }
        match node.kind {
            Kind::Object => self.object(&all, at),
            Kind::Array if all.iter().any(|id| self.schema(*id).hides) => self.array(&all, at),
            _ => {}
        }
    }

    /// Has a value another type than the place where a secret would lie in it, as JSON in a string
    /// has?
    fn is_disguised(&self, all: &[SchemaId], node: &Node) -> bool {
        let kind = Types::of_kind(node.kind);
        let scalar = !matches!(node.kind, Kind::Array | Kind::Object);
        all.iter().any(|id| {
            let schema = self.schema(*id);
            let rules = (schema.objects.is_some(), schema.arrays.is_some());
            let fits = match node.kind {
                Kind::Object => rules.0,
                Kind::Array => rules.1,
                _ => false,
            };
            let own = schema.hides && (rules.0 || rules.1);
            own && !fits && !(scalar && node.kind != Kind::String && schema.types.meets(kind))
        })
    }

    fn object(&mut self, all: &[SchemaId], at: u32) {
        let rules: Vec<_> = all.iter().filter_map(|id| self.schema(*id).objects.as_ref()).collect();
        let closing = rules.iter().any(|rules| {
            rules.additional == Additional::Closed
                || rules.properties.iter().any(|property| property.schema.is_some())
        });
        for (id, child) in self.view.children(at) {
            let name = self.view.key(child);
            let mut schemas: Vec<SchemaId> = Vec::new();
            for rules in &rules {
                schemas.extend(rules.schemas_for(&name));
            }
            let open = |id: &SchemaId| self.schema(*id).is_open();
            let declared = rules.iter().any(|rules| rules.find(&name).is_some());
            if closing && !declared && schemas.iter().all(open) {
                self.spans.push(child.start()..child.end());
            } else if !schemas.is_empty() {
                self.value(&schemas, id);
            }
        }
    }

    fn array(&mut self, all: &[SchemaId], at: u32) {
        for (index, (id, _)) in self.view.children(at).enumerate() {
            let mut schemas = Vec::new();
            for rules in all.iter().filter_map(|id| self.schema(*id).arrays.as_ref()) {
                schemas.extend(rules.prefix.get(index).copied().or(rules.items));
                schemas.extend(rules.contains.iter().map(|contains| contains.schema));
            }
            if !schemas.is_empty() {
                self.value(&schemas, id);
            }
        }
    }
}
