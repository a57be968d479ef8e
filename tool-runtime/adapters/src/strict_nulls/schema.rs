//! The parts of a strict declaration that decide what a `null` means.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;
use tool_runtime_schema::json::JsonKind;

/// A strict declaration, reduced to the parts that distinguish the values of its choices.
///
/// Lengths, bounds and patterns are not among them.
#[derive(Debug, Clone)]
pub(crate) struct StrictSchema {
    /// The first is the schema of the arguments.
    pub(super) nodes: Vec<StrictNode>,
}

/// The index of a schema.
pub(super) type NodeId = usize;

/// One schema of a declaration.
#[derive(Debug, Clone)]
pub(super) enum StrictNode {
    /// Any of these schemas; a reference has one.
    Choice(StrictChoice),
    /// A schema without a choice.
    Plain(PlainSchema),
}

#[derive(Debug, Clone)]
pub(super) struct StrictChoice {
    /// The location in the declaration.
    pub(super) pointer: String,
    pub(super) branches: Vec<NodeId>,
}

#[derive(Debug, Clone)]
pub(super) struct PlainSchema {
    pub(super) kinds: Vec<JsonKind>,
    /// The only values, if they are listed.
    pub(super) values: Option<Vec<Value>>,
    /// All properties; each is required.
    pub(super) properties: BTreeMap<String, StrictProperty>,
    pub(super) items: Option<NodeId>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct StrictProperty {
    pub(super) schema: NodeId,
    /// True if `null` stands for the omitted property.
    pub(super) is_omitted_as_null: bool,
}

impl StrictSchema {
    /// Returns whether `null` stands for an omitted property anywhere.
    pub(crate) fn omits_properties(&self) -> bool {
        let omits = |plain: &PlainSchema| {
            plain.properties.values().any(|property| property.is_omitted_as_null)
        };
        (0..self.nodes.len()).filter_map(|id| self.plain(id)).any(omits)
    }

    pub(super) fn plain(&self, id: NodeId) -> Option<&PlainSchema> {
        match self.nodes.get(id) {
            Some(StrictNode::Plain(plain)) => Some(plain),
            Some(StrictNode::Choice(_)) | None => None,
        }
    }

    /// The schemas without a choice that these stand for, each once.
    pub(super) fn alternatives(&self, ids: impl IntoIterator<Item = NodeId>) -> Vec<NodeId> {
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        let mut open: Vec<NodeId> = ids.into_iter().collect();
        open.reverse();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.nodes.get(id) {
                Some(StrictNode::Plain(_)) => found.push(id),
                Some(StrictNode::Choice(choice)) => open.extend(choice.branches.iter().rev()),
                None => {}
            }
        }
        found
    }

    pub(super) fn admits_null(&self, id: NodeId) -> bool {
        let alternatives = self.alternatives([id]);
        alternatives
            .into_iter()
            .filter_map(|id| self.plain(id))
            .any(|plain| plain.kinds.contains(&JsonKind::Null))
    }
}
