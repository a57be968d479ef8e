//! Property names that stand twice in one object.

use std::collections::HashSet;

use super::tree::{Tree, View};

/// The most that one text reports.
const MOST: usize = 64;
/// Up to here, comparing is cheaper than hashing.
const FEW: usize = 24;

/// Adds the object's repeated properties to the tree's list.
pub(super) fn collect_duplicates(tree: &mut Tree, text: &str, object: u32) {
    let view = View { text, nodes: &tree.nodes };
    let repeated = if is_plain(view, object) {
        if !has_collision(view, object) {
            return;
        }
        compared(view, object)
    } else {
        hashed(view, object)
    };
    let room = MOST.saturating_sub(tree.duplicates.len());
    tree.duplicates.extend(repeated.into_iter().take(room));
}

/// Few properties, and none with an escape in its name?
fn is_plain(view: View<'_>, object: u32) -> bool {
    view.node(object).count() <= FEW
        && view.children(object).all(|(_, node)| !node.is_key_escaped())
}

/// Do two names look alike at a glance?
fn has_collision(view: View<'_>, object: u32) -> bool {
    let bytes = view.text.as_bytes();
    let mut seen = 0_u64;
    for (_, node) in view.children(object) {
        let (start, end) = (node.key_start as usize, node.key_end as usize);
        let last = if end > start { bytes[end - 1] } else { 0 };
        let glance = usize::from(bytes[start]) * 7 + usize::from(last) * 5 + (end - start) * 11;
        let bit = 1_u64 << (glance & 63);
        if seen & bit != 0 {
            return true;
        }
        seen |= bit;
    }
    false
}

fn compared(view: View<'_>, object: u32) -> Vec<u32> {
    let mut names = [""; FEW];
    let mut repeated = Vec::new();
    for (at, (id, node)) in view.children(object).enumerate().take(FEW) {
        let name = view.raw_key(node);
        if names[..at].contains(&name) {
            repeated.push(id);
        }
        names[at] = name;
    }
    repeated
}

fn hashed(view: View<'_>, object: u32) -> Vec<u32> {
    let mut names = HashSet::with_capacity(view.node(object).count());
    let repeats = view.children(object).filter(|(_, node)| !names.insert(view.key(node)));
    repeats.map(|(id, _)| id).take(MOST).collect()
}
