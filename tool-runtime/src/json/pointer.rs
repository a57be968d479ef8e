//! Where a node is, as a JSON Pointer (RFC 6901).

use std::fmt::Write as _;

use super::tree::{Kind, View};

/// The most characters of one property name that are repeated in a pointer.
const LONGEST: usize = 64;

/// The pointer to a node.
pub(crate) fn pointer(view: View<'_>, id: u32) -> String {
    pointers(view, &[id]).pop().unwrap_or_default()
}

/// The pointers to nodes that are sorted by place, in one walk.
pub(crate) fn pointers(view: View<'_>, sorted: &[u32]) -> Vec<String> {
    let mut found = Vec::with_capacity(sorted.len());
    let mut rest = sorted;
    descend(view, 0, &mut rest, &mut String::new(), &mut found);
    found
}

fn descend(view: View<'_>, id: u32, rest: &mut &[u32], path: &mut String, found: &mut Vec<String>) {
    let end = view.node(id).next();
    while let Some((_, later)) = rest.split_first().filter(|(first, _)| **first == id) {
        found.push(path.clone());
        *rest = later;
    }
    let named = view.node(id).kind == Kind::Object;
    for (index, (child, node)) in view.children(id).enumerate() {
        match rest.first() {
            Some(wanted) if *wanted < end => {
                if *wanted >= node.next() {
                    continue;
                }
            }
            _ => return,
        }
        let length = path.len();
        if named {
            push_name(path, &view.key(node));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(path, "/{index}");
        }
        descend(view, child, rest, path, found);
        path.truncate(length);
    }
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
