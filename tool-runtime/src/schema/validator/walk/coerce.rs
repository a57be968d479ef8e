//! Reading a value of another type without losing anything; see [`Coerce`](super::Coerce).

use std::mem;
use std::rc::Rc;

use super::super::model::Schema;
use super::super::types::Types;
use super::edit::{Edit, Receipts, applied};
use super::{DEEPEST, Doc, Walk};
use crate::json::{Kind, Node, Tree, read};

/// A value as it would have been, had it been sent with another type.
#[derive(Debug)]
pub(super) struct Inner {
    text: String,
    tree: Tree,
    id: u32,
}

impl<'v> Walk<'v> {
    /// Checks the value as one of the schema's types; true if it passes so.
    pub(super) fn coerced(
        &mut self,
        schema: &'v Schema,
        doc: &Doc<'_>,
        at: u32,
        node: &Node,
    ) -> bool {
        if !Types::of_kind(node.kind).coercible().meets(schema.types) || self.levels == DEEPEST {
            return false;
        }
        let Some(inner) = self.inner(doc, at, node) else { return false };
        let view = inner.tree.view(&inner.text);
        let inner_doc = Doc { view, id: inner.id, outer: Some((doc, at)) };
        let root = view.node(0);
        if !schema.types.admits(view, root) {
            return false;
        }
        let edits = self.edits.len();
        let failed = mem::replace(&mut self.failed, false);
        self.levels += 1;
        self.apply(schema, &inner_doc, 0, root);
        self.levels -= 1;
        let passed = !self.failed;
        self.failed |= failed;
        let within = self.edits.split_off(edits);
        if passed && !self.quiet {
            self.claim(doc, at, node);
            let (text, receipts) = applied(view, within);
            let types = Types::of(view, root);
            let number = types.meets(Types::NUMBER) && schema.types.holds(Types::FRACTION);
            let to = if number { "number" } else { types.name() };
            let receipts = if types.meets(Types::NUMBER) { Receipts::default() } else { receipts };
            self.edits.push(Edit::read_as(at, node, text, [doc.received(at), to], receipts));
        }
        passed
    }

    /// What a string holds, or a number as a string. Arrays and objects are kept, as a choice may
    /// ask for them again.
    fn inner(&mut self, doc: &Doc<'_>, at: u32, node: &Node) -> Option<Rc<Inner>> {
        let text = match node.kind {
            Kind::Number => format!("\"{}\"", doc.view.raw(node)),
            _ => doc.view.string(node).into_owned(),
        };
        let first = text.bytes().next()?;
        if !matches!(first, b'{' | b'[') {
            return self.parsed(text).map(Rc::new);
        }
        let memory = self.memory.get_or_insert_default();
        if let Some(known) = memory.inner.get(&(doc.id, at)) {
            return known.clone();
        }
        let parsed = self.parsed(text).map(Rc::new);
        self.memory.get_or_insert_default().inner.insert((doc.id, at), parsed.clone());
        parsed
    }

    /// Reads a text that is exactly one JSON value, without space around it.
    fn parsed(&mut self, text: String) -> Option<Inner> {
        let spaced = |byte: &u8| byte.is_ascii_whitespace();
        let bytes = text.as_bytes();
        if bytes.first().is_none_or(spaced) || bytes.last().is_none_or(spaced) {
            return None;
        }
        let tree = read(&text, &self.limits).ok().filter(|tree| tree.duplicates().is_empty())?;
        self.docs += 1;
        Some(Inner { text, tree, id: self.docs })
    }
}
