//! Where a node is, as a JSON Pointer (RFC 6901).

use std::fmt::Write as _;
use std::iter::successors;

use super::tree::View;
use crate::steps;

/// The most characters of one property name that are repeated in a pointer.
const LONGEST: usize = 64;

/// The most bytes of one pointer: what lies deeper is not named.
const MOST_BYTES: usize = 1_024;

/// The pointer to a node: its names up to 64 characters each, all of it up to 1 KiB, `…` for the rest.
///
/// Climbs from the node to the root, so that its cost does not depend on the node's siblings.
pub(crate) fn pointer(view: View<'_>, id: u32) -> String {
    let climb = successors(Some(id), |id| view.node(*id).parent());
    let mut way: Vec<u32> = climb.collect();
    way.pop();
    let mut path = String::new();
    for id in way.into_iter().rev() {
        if path.len() > MOST_BYTES {
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
    steps::count(1 + path.len());
    path
}

/// The pointers to nodes, in their order.
pub(crate) fn pointers(view: View<'_>, nodes: &[u32]) -> Vec<String> {
    nodes.iter().map(|id| pointer(view, *id)).collect()
}

/// Adds a property's name to a pointer, capped.
pub(crate) fn push_name(path: &mut String, name: &str) {
    path.push('/');
    for (at, character) in name.chars().enumerate() {
        match character {
            _ if at == LONGEST => return path.push('…'),
            '~' => path.push_str("~0"),
            '/' => path.push_str("~1"),
            other => path.push(other),
        }
    }
}
