//! Property names that stand twice in one object.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::tree::{Repeat, Tree, View};
use crate::steps;

/// The most names that one text reports; one more tells that there are more.
const MOST: usize = 65;
/// Up to here, comparing is cheaper than hashing.
const FEW: usize = 24;
/// The most names to make room for before any is read.
const FIRST_NAMES: usize = 1024;

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

fn compared(view: View<'_>, object: u32) -> Vec<Repeat> {
    let mut names = [""; FEW];
    let mut repeated: Vec<Repeat> = Vec::new();
    for (at, (id, node)) in view.children(object).enumerate().take(FEW) {
        let name = view.raw_key(node);
        names[at] = name;
        if names[..at].contains(&name) {
            let known = |repeat: &&mut Repeat| view.raw_key(view.node(repeat.node)) == name;
            match repeated.iter_mut().find(known) {
                Some(repeat) => repeat.times += 1,
                None => repeated.push(Repeat { node: id, times: 2 }),
            }
        }
    }
    repeated
}

fn hashed(view: View<'_>, object: u32) -> Vec<Repeat> {
    let mut names = HashMap::with_capacity(view.node(object).count().min(FIRST_NAMES));
    let mut repeated: Vec<Repeat> = Vec::new();
    for (id, node) in view.children(object) {
        steps::count(1);
        let mut known = match names.entry(view.key(node)) {
            Entry::Vacant(first) => {
                first.insert(None);
                continue;
            }
            Entry::Occupied(known) => known,
        };
        if let Some(at) = known.get() {
            if let Some(Repeat { times, .. }) = repeated.get_mut(*at) {
                *times += 1;
            }
        } else {
            known.insert(Some(repeated.len()));
            if repeated.len() < MOST {
                repeated.push(Repeat { node: id, times: 2 });
            }
        }
    }
    repeated
}
