//! Puts secrets back into arguments that a person edited and that show them masked.

use std::collections::HashMap;

use tool_contracts::Violation;

use super::mask::MASK;
use crate::json::{JsonKind, JsonView, OpaqueNodes, pointer};
use crate::test_cost;

/// A text with its secrets.
#[derive(Clone, Copy)]
pub(super) struct SecretText<'d> {
    pub(super) view: JsonView<'d>,
    pub(super) secrets: &'d OpaqueNodes,
}

/// Replaces each mask in a secret of the edited text by the secret that the held text has at the
/// same place; none if there is no mask.
///
/// # Errors
/// Returns a violation for each mask that stands for no secret of the held text. A mask in an array
/// whose items may have been moved stands for none, since it could be the secret of another item.
pub(super) fn unmasked(
    edited: SecretText<'_>,
    held: SecretText<'_>,
) -> Result<Option<String>, Vec<Violation>> {
    let masks: Vec<u32> = edited.masks().collect();
    if masks.is_empty() {
        return Ok(None);
    }
    let counterparts = Counterparts::new(edited, held);
    let (mut text, mut copied_to) = (String::with_capacity(edited.view.text.len()), 0);
    let mut violations: Vec<Violation> = Vec::new();
    for mask in masks {
        let node = edited.view.node(mask);
        let Some(secret) = counterparts.secret_for(mask) else {
            let pointer = pointer(edited.view, edited.secrets.visible(mask));
            let violation = Violation::new(pointer, "masked", EXPECTED, "string").with_hint(HINT);
            if !violations.contains(&violation) && violations.len() < MAX_VIOLATIONS {
                violations.push(violation);
            }
            continue;
        };
        text.push_str(&edited.view.text[copied_to..node.start()]);
        text.push_str(held.view.raw(held.view.node(secret)));
        copied_to = node.end();
    }
    text.push_str(&edited.view.text[copied_to..]);
    if violations.is_empty() { Ok(Some(text)) } else { Err(violations) }
}

const EXPECTED: &str = "the secret itself";
const HINT: &str = "`***` stands for a secret that the call has at the same place, and it has none \
                    there, or its items were moved";

/// The most violations that are listed.
const MAX_VIOLATIONS: usize = 64;

impl SecretText<'_> {
    /// The masks in secrets, in text order.
    fn masks(&self) -> impl Iterator<Item = u32> + '_ {
        let nodes = |secret: u32| secret..self.view.node(secret).next();
        self.secrets.nodes().flat_map(nodes).filter(|id| self.is_mask(*id))
    }

    fn is_mask(&self, id: u32) -> bool {
        let node = self.view.node(id);
        test_cost::count(1);
        node.kind == JsonKind::String
            && self.secrets.contains(id)
            && self.view.string(node) == MASK.trim_matches('"')
    }
}

/// The values of the held text at the places of the edited text's values.
struct Counterparts<'d> {
    edited: SecretText<'d>,
    held: SecretText<'d>,
    /// By the node of the edited text.
    nodes: Vec<Option<u32>>,
}

impl<'d> Counterparts<'d> {
    fn new(edited: SecretText<'d>, held: SecretText<'d>) -> Self {
        let mut nodes = vec![None; edited.view.nodes.len()];
        nodes[0] = Some(0);
        let mut counterparts = Self { edited, held, nodes };
        for (id, node) in (0..).zip(edited.view.nodes) {
            let Some(same) = counterparts.nodes[id as usize] else { continue };
            if held.view.node(same).kind != node.kind {
                continue;
            }
            match node.kind {
                JsonKind::Object => counterparts.add_properties(id, same),
                JsonKind::Array => counterparts.add_items(id, same),
                JsonKind::Null | JsonKind::Bool | JsonKind::Number | JsonKind::String => {}
            }
        }
        counterparts
    }

    /// The secret that a mask stands for.
    fn secret_for(&self, mask: u32) -> Option<u32> {
        self.nodes[mask as usize].filter(|same| self.held.secrets.contains(*same))
    }

    fn add_properties(&mut self, id: u32, same: u32) {
        let view = self.held.view;
        let names: HashMap<_, _> =
            view.children(same).map(|(held, node)| (view.key(node), held)).collect();
        for (property, node) in self.edited.view.children(id) {
            self.nodes[property as usize] = names.get(&self.edited.view.key(node)).copied();
        }
    }

    /// Items have no names. An item is taken for the one with the same index where nothing was
    /// moved: all items look the same, or all but this one, and further ones may be at the end.
    fn add_items(&mut self, id: u32, same: u32) {
        let items = self.edited.view.children(id).map(|(item, _)| item);
        let held_items = self.held.view.children(same).map(|(item, _)| item);
        let pairs: Vec<(u32, u32)> = items.zip(held_items).collect();
        let counts = [self.edited.view.node(id).count(), self.held.view.node(same).count()];
        let edits: Vec<bool> =
            pairs.iter().map(|(item, held)| !self.looks_the_same(*item, *held)).collect();
        let edit_count = edits.iter().filter(|is_edited| **is_edited).count();
        let is_same_length = counts[0] == counts[1];
        let is_only_longer = counts[0] > counts[1] && edit_count == 0;
        for ((item, held), is_edited) in pairs.into_iter().zip(edits) {
            let is_in_place = is_only_longer || is_same_length && (!is_edited || edit_count == 1);
            if is_in_place {
                self.nodes[item as usize] = Some(held);
            }
        }
    }

    /// Returns whether two values are equal, each mask being equal to a secret.
    fn looks_the_same(&self, id: u32, same: u32) -> bool {
        let (edited, held) = (self.edited.view, self.held.view);
        let (node, held_node) = (edited.node(id), held.node(same));
        if self.edited.is_mask(id) && self.held.secrets.contains(same) {
            return true;
        }
        if node.kind != held_node.kind || node.count() != held_node.count() {
            return false;
        }
        match node.kind {
            JsonKind::Null => true,
            JsonKind::Bool | JsonKind::Number => edited.raw(node) == held.raw(held_node),
            JsonKind::String => edited.string(node) == held.string(held_node),
            JsonKind::Array => {
                let mut pairs = edited.children(id).zip(held.children(same));
                pairs.all(|((item, _), (held, _))| self.looks_the_same(item, held))
            }
            JsonKind::Object => {
                let names: HashMap<_, _> =
                    held.children(same).map(|(id, node)| (held.key(node), id)).collect();
                edited.children(id).all(|(property, node)| {
                    let held_id = names.get(&edited.key(node));
                    held_id.is_some_and(|held_id| self.looks_the_same(property, *held_id))
                })
            }
        }
    }
}
