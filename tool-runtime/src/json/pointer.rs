//! The location of a node as a JSON Pointer (RFC 6901).

use std::fmt::Write as _;
use std::iter::successors;

use super::tree::JsonView;
use crate::steps;

/// The most characters of each property name in a pointer.
const MAX_NAME_CHARS: usize = 64;

/// The most bytes of a pointer; deeper segments are omitted.
const MAX_POINTER_BYTES: usize = 1_024;

/// The pointer to a node: names of up to 64 characters each, at most 1 KiB in total, `…` for the
/// rest.
///
/// Walks from the node to the root, so that the cost is independent of the node's siblings.
pub(crate) fn pointer(view: JsonView<'_>, id: u32) -> String {
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
    steps::count(1 + path.len());
    path
}

/// Appends a property's name to a pointer, truncated.
pub(crate) fn push_name(path: &mut String, name: &str) {
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
