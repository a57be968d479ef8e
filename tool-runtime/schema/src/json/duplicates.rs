//! Finds property names that occur twice in one object.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::tree::{DuplicateKey, JsonTree, JsonView};
use crate::test_cost;

/// The most duplicates of one text, including one that indicates that there are more.
const MAX_DUPLICATES: usize = 65;
/// Up to this number, comparing is faster than hashing.
const LINEAR_SCAN_MAX: usize = 24;
/// The most names to reserve memory for in advance.
const MAX_RESERVED_NAMES: usize = 1024;

/// Adds the object's duplicate properties to the tree's list.
pub(super) fn collect_duplicates(tree: &mut JsonTree, text: &str, object: u32) {
    let view = JsonView { text, nodes: &tree.nodes };
    let repeated = if is_plain(view, object) {
        if !has_collision(view, object) {
            return;
        }
        find_by_comparing(view, object)
    } else {
        find_by_hashing(view, object)
    };
    let room = MAX_DUPLICATES.saturating_sub(tree.duplicates.len());
    tree.duplicates.extend(repeated.into_iter().take(room));
}

/// Returns whether the object has few properties, and none with an escape in its name.
fn is_plain(view: JsonView<'_>, object: u32) -> bool {
    view.node(object).count() <= LINEAR_SCAN_MAX
        && view.children(object).all(|(_, node)| !node.is_key_escaped())
}

/// Returns whether two names have the same length and first byte.
fn has_collision(view: JsonView<'_>, object: u32) -> bool {
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

fn find_by_comparing(view: JsonView<'_>, object: u32) -> Vec<DuplicateKey> {
    let mut names = [""; LINEAR_SCAN_MAX];
    let mut repeated: Vec<DuplicateKey> = Vec::new();
    for (at, (id, node)) in view.children(object).enumerate().take(LINEAR_SCAN_MAX) {
        let name = view.raw_key(node);
        names[at] = name;
        if names[..at].contains(&name) {
            let is_same_name =
                |repeat: &&mut DuplicateKey| view.raw_key(view.node(repeat.node)) == name;
            match repeated.iter_mut().find(is_same_name) {
                Some(repeat) => repeat.times += 1,
                None => repeated.push(DuplicateKey { node: id, times: 2 }),
            }
        }
    }
    repeated
}

fn find_by_hashing(view: JsonView<'_>, object: u32) -> Vec<DuplicateKey> {
    let mut names = HashMap::with_capacity(view.node(object).count().min(MAX_RESERVED_NAMES));
    let mut repeated: Vec<DuplicateKey> = Vec::new();
    for (id, node) in view.children(object) {
        test_cost::count(1);
        let mut entry = match names.entry(view.key(node)) {
            Entry::Vacant(first) => {
                first.insert(None);
                continue;
            }
            Entry::Occupied(known) => known,
        };
        if let Some(at) = entry.get() {
            if let Some(DuplicateKey { times, .. }) = repeated.get_mut(*at) {
                *times += 1;
            }
        } else {
            entry.insert(Some(repeated.len()));
            if repeated.len() < MAX_DUPLICATES {
                repeated.push(DuplicateKey { node: id, times: 2 });
            }
        }
    }
    repeated
}
