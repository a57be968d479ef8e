//! The location of a node as a JSON Pointer (RFC 6901).

use std::fmt::Write as _;
use std::iter::successors;
use std::ops::Range;

use super::tree::JsonView;
use crate::test_cost;

/// The most characters of each property name in a pointer.
const MAX_NAME_CHARS: usize = 64;

/// The most bytes of a pointer; deeper segments are omitted.
const MAX_POINTER_BYTES: usize = 1_024;

/// The pointer to a node: names of up to 64 characters each, at most 1 KiB in total, `…` for the
/// rest.
///
/// Walks from the node to the root, so that the cost is independent of the node's siblings.
#[must_use]
pub fn pointer(view: JsonView<'_>, id: u32) -> String {
    let climb = successors(Some(id), |id| view.node(*id).parent());
    let mut way: Vec<u32> = climb.collect();
    way.pop();
    let mut path = String::new();
    for id in way.into_iter().rev() {
        if path.len() > MAX_POINTER_BYTES {
            path.push_str("/…");
            break;
        }
        let node = view.node(id);
        if node.is_property() {
            push_name(&mut path, &view.key(node));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(path, "/{}", node.index());
        }
    }
    test_cost::count(1 + path.len());
    path
}

/// The values whose contents no pointer may name, such as the secrets of a text.
#[derive(Debug, Default)]
pub struct OpaqueNodes {
    /// The node of each value and of everything below it, in text order; none contains another.
    ranges: Vec<Range<u32>>,
}

impl OpaqueNodes {
    /// No value is opaque.
    pub const NONE: Self = Self { ranges: Vec::new() };

    /// Takes the nodes of the values, which are in text order and do not nest.
    pub fn new(view: JsonView<'_>, nodes: impl Iterator<Item = u32>) -> Self {
        Self { ranges: nodes.map(|id| id..view.node(id).next()).collect() }
    }

    /// Returns the node that a pointer to `id` may name: the opaque value that contains it, else
    /// the node itself.
    #[must_use]
    pub fn visible(&self, id: u32) -> u32 {
        self.range_with(id).map_or(id, |range| range.start)
    }

    /// Returns whether the node is an opaque value, or inside of one.
    #[must_use]
    pub fn contains(&self, id: u32) -> bool {
        self.range_with(id).is_some()
    }

    /// The nodes of the opaque values, in text order.
    pub fn nodes(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranges.iter().map(|range| range.start)
    }

    fn range_with(&self, id: u32) -> Option<&Range<u32>> {
        let after = self.ranges.partition_point(|range| range.start <= id);
        self.ranges.get(after.checked_sub(1)?).filter(|range| range.contains(&id))
    }
}

/// Appends a property's name to a pointer, truncated.
pub fn push_name(path: &mut String, name: &str) {
    path.push('/');
    for (at, character) in name.chars().enumerate() {
        match character {
            _ if at == MAX_NAME_CHARS => return path.push('…'),
            '~' => path.push_str("~0"),
            '/' => path.push_str("~1"),
            other => path.push(other),
        }
    }
}
