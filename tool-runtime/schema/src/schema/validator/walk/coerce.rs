//! Converts a value to another type without loss; see [`Coerce`](super::Coerce).

use std::mem;
use std::rc::Rc;

use super::super::model::SchemaNode;
use super::super::types::Types;
use super::edit::{CoercionList, TextEdit, apply_edits};
use super::{Document, MAX_DEPTH, NO_SECRETS, Walk};
use crate::json::{JsonKind, JsonNode, JsonTree, read};

/// A value, parsed as another type than it was sent with.
#[derive(Debug)]
pub(super) struct ParsedValue {
    text: String,
    tree: JsonTree,
    id: u32,
}

impl<'v> Walk<'v> {
    /// Checks the value as one of the schema's types; returns whether it is then valid.
    pub(super) fn coerced(
        &mut self,
        schema: &'v SchemaNode,
        doc: &Document<'_>,
        at: u32,
        node: &JsonNode,
    ) -> bool {
        if !Types::from_kind(node.kind).coercible_to().intersects(schema.types)
            || self.depth == MAX_DEPTH
        {
            return false;
        }
        let Some(inner) = self.inner(doc, at, node) else { return false };
        let view = inner.tree.view(&inner.text);
        let (id, outer) = (inner.id, Some((doc, at)));
        let inner_doc = Document { view, id, outer, secrets: &NO_SECRETS };
        let root = view.node(0);
        if !schema.types.admits(view, root) {
            return false;
        }
        let edits = self.edits.len();
        let failed = mem::replace(&mut self.failed, false);
        self.depth += 1;
        self.apply(schema, &inner_doc, 0, root);
        self.depth -= 1;
        let passed = !self.failed;
        self.failed |= failed;
        let within = self.edits.split_off(edits);
        if passed && !self.quiet {
            self.mark_precision_checked(doc, at, node);
            let (text, coercions) = apply_edits(view, &NO_SECRETS, within);
            let types = Types::from_node(view, root);
            let number = types.intersects(Types::NUMBER) && schema.types.contains(Types::FRACTION);
            let to = if number { "number" } else { types.name() };
            let coercions =
                if types.intersects(Types::NUMBER) { CoercionList::default() } else { coercions };
            self.edits.push(TextEdit::read_as(at, node, text, [doc.received(at), to], coercions));
        }
        passed
    }

    /// The content of a string, or a number as a string. Arrays and objects are cached, because a
    /// choice may ask for them again.
    fn inner(&mut self, doc: &Document<'_>, at: u32, node: &JsonNode) -> Option<Rc<ParsedValue>> {
        let text = match node.kind {
            JsonKind::Number => format!("\"{}\"", doc.view.raw(node)),
            JsonKind::Null
            | JsonKind::Bool
            | JsonKind::String
            | JsonKind::Array
            | JsonKind::Object => doc.view.string(node).into_owned(),
        };
        let first = text.bytes().next()?;
        if !matches!(first, b'{' | b'[') {
            return self.parsed(text).map(Rc::new);
        }
        let cache = self.cache.get_or_insert_default();
        if let Some(known) = cache.inner.get(&(doc.id, at)) {
            return known.clone();
        }
        let parsed = self.parsed(text).map(Rc::new);
        self.cache.get_or_insert_default().inner.insert((doc.id, at), parsed.clone());
        parsed
    }

    /// Parses a text that is exactly one JSON value, without surrounding whitespace.
    fn parsed(&mut self, text: String) -> Option<ParsedValue> {
        let spaced = |byte: &u8| byte.is_ascii_whitespace();
        let bytes = text.as_bytes();
        if bytes.first().is_none_or(spaced) || bytes.last().is_none_or(spaced) {
            return None;
        }
        let tree = read(&text, &self.limits).ok().filter(|tree| tree.duplicates().is_empty())?;
        self.docs += 1;
        Some(ParsedValue { text, tree, id: self.docs })
    }
}
