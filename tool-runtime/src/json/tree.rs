//! The nodes of one JSON text, in the order in which they stand in it.

use std::borrow::Cow;

use super::number::Decimal;
use super::text::unescape;
use crate::steps;

/// What a node is, as far as its first byte tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

/// One value with its place in the text, and its name if it is a property.
///
/// Nodes lie in document order, so that the first child of node `i` is `i + 1` and `next` is the
/// first node after everything inside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Where the property's name begins; 0 for what is no property.
    pub(super) key_start: u32,
    /// Where the property's name ends; for an item of an array its index.
    pub(super) key_end: u32,
    pub(super) next: u32,
    /// The array or object that it stands in; of the root, no node's place.
    pub(super) parent: u32,
    pub(super) count: u32,
    pub(crate) kind: Kind,
    pub(super) flags: u8,
}

/// The place of no node: outside of every array and object.
pub(super) const NO_NODE: u32 = u32::MAX;

/// The string has an escape in it.
pub(super) const ESCAPED: u8 = 1;
/// The property's name has an escape in it.
pub(super) const KEY_ESCAPED: u8 = 2;
/// The number has a fraction or an exponent.
pub(super) const FRACTION: u8 = 4;
/// The number may have more digits than a reader keeps.
pub(super) const WIDE: u8 = 8;
/// The number has a minus sign.
pub(super) const NEGATIVE: u8 = 16;

impl Node {
    /// How many items or properties it has.
    pub(crate) const fn count(&self) -> usize {
        self.count as usize
    }

    pub(crate) const fn start(&self) -> usize {
        self.start as usize
    }

    pub(crate) const fn end(&self) -> usize {
        self.end as usize
    }

    /// Where the property begins: at the quote before its name.
    pub(crate) const fn member_start(&self) -> usize {
        (self.key_start as usize).saturating_sub(1)
    }

    /// The array or object that it stands in; none for the root.
    pub(crate) fn parent(&self) -> Option<u32> {
        (self.parent != NO_NODE).then_some(self.parent)
    }

    /// Its place among the items of its array; meaningless for properties.
    pub(crate) const fn index(&self) -> u32 {
        self.key_end
    }

    /// Does it stand in an object, under a name?
    pub(crate) const fn is_property(&self) -> bool {
        self.key_start > 0
    }

    /// The first node after this one and everything in it.
    pub(crate) const fn next(&self) -> u32 {
        self.next
    }

    /// Is it a number without fraction and exponent?
    pub(crate) const fn is_digits(&self) -> bool {
        self.flags & FRACTION == 0
    }

    /// Has the number more digits than any reader is sure to keep, or an exponent?
    pub(crate) const fn is_wide(&self) -> bool {
        self.flags & WIDE != 0
    }

    pub(crate) const fn is_negative(&self) -> bool {
        self.flags & NEGATIVE != 0
    }

    /// Is it a number that needs a closer look: many digits, an exponent, a minus sign?
    pub(crate) const fn is_odd(&self) -> bool {
        self.flags & (WIDE | NEGATIVE) != 0
    }

    pub(crate) const fn is_escaped(&self) -> bool {
        self.flags & ESCAPED != 0
    }

    pub(crate) const fn is_key_escaped(&self) -> bool {
        self.flags & KEY_ESCAPED != 0
    }
}

/// What one pass over a text found.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(super) nodes: Vec<Node>,
    /// The names that stand twice or more in one object; a bounded number of them.
    pub(super) duplicates: Vec<Repeat>,
    /// Is any number wide?
    pub(super) wide: bool,
}

impl Tree {
    pub(crate) fn view<'d>(&'d self, text: &'d str) -> View<'d> {
        View { text, nodes: &self.nodes }
    }

    pub(crate) fn duplicates(&self) -> &[Repeat] {
        &self.duplicates
    }

    pub(crate) const fn has_wide_numbers(&self) -> bool {
        self.wide
    }
}

/// A name that stands more than once in one object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Repeat {
    /// The second property of that name.
    pub(crate) node: u32,
    /// How often the name stands in the object.
    pub(crate) times: u32,
}

/// The nodes beside the text that they lie in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'d> {
    pub(crate) text: &'d str,
    pub(crate) nodes: &'d [Node],
}

impl<'d> View<'d> {
    pub(crate) fn node(self, id: u32) -> &'d Node {
        &self.nodes[id as usize]
    }

    /// The node's text, as written.
    pub(crate) fn raw(self, node: &Node) -> &'d str {
        &self.text[node.start()..node.end()]
    }

    /// The text of a string node.
    pub(crate) fn string(self, node: &Node) -> Cow<'d, str> {
        let raw = &self.text[node.start() + 1..node.end() - 1];
        steps::count(raw.len() / 64);
        if node.is_escaped() { Cow::Owned(unescape(raw)) } else { Cow::Borrowed(raw) }
    }

    /// The name of a property.
    pub(crate) fn key(self, node: &Node) -> Cow<'d, str> {
        let raw = self.raw_key(node);
        steps::count(1 + raw.len() / 64);
        if node.is_key_escaped() { Cow::Owned(unescape(raw)) } else { Cow::Borrowed(raw) }
    }

    /// The name of a property, as written between its quotes.
    pub(crate) fn raw_key(self, node: &Node) -> &'d str {
        if !node.is_property() {
            return "";
        }
        &self.text[node.key_start as usize..node.key_end as usize]
    }

    /// The number's value; meaningless for other nodes.
    pub(crate) fn decimal(self, node: &Node) -> Decimal<'d> {
        Decimal::read(self.raw(node))
    }

    /// Is the number a whole one, however it is written?
    pub(crate) fn is_integral(self, node: &Node) -> bool {
        node.is_digits() || self.decimal(node).is_integer()
    }

    /// The items or properties of a node, in order.
    pub(crate) fn children(self, id: u32) -> Children<'d> {
        Children { nodes: self.nodes, next: id + 1, left: self.node(id).count }
    }

    /// The last property with that name.
    pub(crate) fn property(self, id: u32, name: &str) -> Option<u32> {
        if self.node(id).kind != Kind::Object {
            return None;
        }
        self.children(id).filter(|(_, node)| self.key(node) == name).last().map(|(id, _)| id)
    }
}

/// Goes through the children of one node.
#[derive(Debug, Clone)]
pub(crate) struct Children<'d> {
    nodes: &'d [Node],
    next: u32,
    left: u32,
}

impl<'d> Iterator for Children<'d> {
    type Item = (u32, &'d Node);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        steps::count(1);
        let id = self.next;
        let node = self.nodes.get(id as usize)?;
        self.next = node.next;
        Some((id, node))
    }
}
