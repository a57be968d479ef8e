//! The nodes of one JSON text, in document order.

use std::borrow::Cow;

use super::number::Decimal;
use super::text::unescape;
use crate::test_cost;

/// The type of a node, by its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum JsonKind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

/// One value with its position in the text, and its name if it is a property.
///
/// Nodes are stored in document order: the first child of node `i` is `i + 1`, and `next` is the
/// first node after its last descendant.
#[derive(Debug, Clone, Copy)]
pub struct JsonNode {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Start of the property's name; 0 if the node is not a property.
    pub(super) key_start: u32,
    /// End of the property's name; the index if the node is an array item.
    pub(super) key_end: u32,
    pub(super) next: u32,
    /// The enclosing array or object; `NO_NODE` for the root.
    pub(super) parent: u32,
    pub(super) count: u32,
    pub kind: JsonKind,
    pub(super) flags: u8,
}

/// The parent of the root.
pub(super) const NO_NODE: u32 = u32::MAX;

/// The string contains an escape.
pub(super) const ESCAPED: u8 = 1;
/// The property's name contains an escape.
pub(super) const KEY_ESCAPED: u8 = 2;
/// The number has a fraction or an exponent.
pub(super) const FRACTION: u8 = 4;
/// The number may have more digits than a 64-bit float preserves.
pub(super) const WIDE: u8 = 8;
/// The number has a minus sign.
pub(super) const NEGATIVE: u8 = 16;

impl JsonNode {
    /// The number of items or properties.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count as usize
    }

    #[must_use]
    pub const fn start(&self) -> usize {
        self.start as usize
    }

    #[must_use]
    pub const fn end(&self) -> usize {
        self.end as usize
    }

    /// The start of the property: the opening quote of its name.
    #[must_use]
    pub const fn member_start(&self) -> usize {
        (self.key_start as usize).saturating_sub(1)
    }

    /// The enclosing array or object; `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<u32> {
        (self.parent != NO_NODE).then_some(self.parent)
    }

    /// The index in the array; meaningless for properties.
    #[must_use]
    pub const fn index(&self) -> u32 {
        self.key_end
    }

    /// Returns whether the node is a property of an object.
    #[must_use]
    pub const fn is_property(&self) -> bool {
        self.key_start > 0
    }

    /// The first node after this one and its descendants.
    #[must_use]
    pub const fn next(&self) -> u32 {
        self.next
    }

    /// Returns whether the number has neither fraction nor exponent.
    #[must_use]
    pub const fn is_digits(&self) -> bool {
        self.flags & FRACTION == 0
    }

    /// Returns whether the number may have more digits than a reader preserves, or has an exponent.
    #[must_use]
    pub const fn is_wide(&self) -> bool {
        self.flags & WIDE != 0
    }

    #[must_use]
    pub const fn is_negative(&self) -> bool {
        self.flags & NEGATIVE != 0
    }

    /// Returns whether the number needs a closer check: many digits, an exponent, or a minus sign.
    #[must_use]
    pub const fn needs_exact_check(&self) -> bool {
        self.flags & (WIDE | NEGATIVE) != 0
    }

    #[must_use]
    pub const fn is_escaped(&self) -> bool {
        self.flags & ESCAPED != 0
    }

    #[must_use]
    pub const fn is_key_escaped(&self) -> bool {
        self.flags & KEY_ESCAPED != 0
    }
}

/// The parsed nodes of one text.
#[derive(Debug)]
pub struct JsonTree {
    pub(super) nodes: Vec<JsonNode>,
    /// Names that occur more than once in one object, up to a limit.
    pub(super) duplicates: Vec<DuplicateKey>,
    /// True if any number is wide.
    pub(super) wide: bool,
}

impl JsonTree {
    #[must_use]
    pub fn view<'d>(&'d self, text: &'d str) -> JsonView<'d> {
        JsonView { text, nodes: &self.nodes }
    }

    #[must_use]
    pub fn duplicates(&self) -> &[DuplicateKey] {
        &self.duplicates
    }

    #[must_use]
    pub const fn has_wide_numbers(&self) -> bool {
        self.wide
    }
}

/// A name that occurs more than once in one object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DuplicateKey {
    /// The second property of that name.
    pub node: u32,
    /// The number of occurrences in the object.
    pub times: u32,
}

/// The nodes together with their text.
#[derive(Debug, Clone, Copy)]
pub struct JsonView<'d> {
    pub text: &'d str,
    pub nodes: &'d [JsonNode],
}

impl<'d> JsonView<'d> {
    #[must_use]
    pub fn node(self, id: u32) -> &'d JsonNode {
        &self.nodes[id as usize]
    }

    /// The node's text, as written.
    #[must_use]
    pub fn raw(self, node: &JsonNode) -> &'d str {
        &self.text[node.start()..node.end()]
    }

    /// The decoded contents of a string node.
    #[must_use]
    pub fn string(self, node: &JsonNode) -> Cow<'d, str> {
        let raw = &self.text[node.start() + 1..node.end() - 1];
        test_cost::count(raw.len() / 64);
        if node.is_escaped() { Cow::Owned(unescape(raw)) } else { Cow::Borrowed(raw) }
    }

    /// The name of a property.
    #[must_use]
    pub fn key(self, node: &JsonNode) -> Cow<'d, str> {
        let raw = self.raw_key(node);
        test_cost::count(1 + raw.len() / 64);
        if node.is_key_escaped() { Cow::Owned(unescape(raw)) } else { Cow::Borrowed(raw) }
    }

    /// The name of a property, as written between its quotes.
    #[must_use]
    pub fn raw_key(self, node: &JsonNode) -> &'d str {
        if !node.is_property() {
            return "";
        }
        &self.text[node.key_start as usize..node.key_end as usize]
    }

    /// The value of a number; meaningless for other nodes.
    #[must_use]
    pub fn decimal(self, node: &JsonNode) -> Decimal<'d> {
        Decimal::read(self.raw(node))
    }

    /// Returns whether the number is whole, in any notation.
    #[must_use]
    pub fn is_integral(self, node: &JsonNode) -> bool {
        node.is_digits() || self.decimal(node).is_integer()
    }

    /// The items or properties of a node, in order.
    #[must_use]
    pub fn children(self, id: u32) -> Children<'d> {
        Children { nodes: self.nodes, next: id + 1, left: self.node(id).count }
    }

    /// The last property with that name.
    #[must_use]
    pub fn property(self, id: u32, name: &str) -> Option<u32> {
        if self.node(id).kind != JsonKind::Object {
            return None;
        }
        self.children(id).filter(|(_, node)| self.key(node) == name).last().map(|(id, _)| id)
    }
}

/// Iterator over the children of a node.
#[derive(Debug, Clone)]
pub struct Children<'d> {
    nodes: &'d [JsonNode],
    next: u32,
    left: u32,
}

impl<'d> Iterator for Children<'d> {
    type Item = (u32, &'d JsonNode);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        test_cost::count(1);
        let id = self.next;
        let node = self.nodes.get(id as usize)?;
        self.next = node.next;
        Some((id, node))
    }
}
