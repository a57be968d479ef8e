//! Finds the expected type at a byte offset of a text.

use tool_contracts::Violation;

use super::model::{SchemaId, SchemaNode};
use super::types::Types;
use crate::json::{JsonView, pointer};

/// The violation for a value that the schema accepts but a typed reader rejected.
pub(super) fn violation_at(schemas: &[SchemaNode], view: JsonView<'_>, offset: usize) -> Violation {
    let (mut at, mut looking) = (0, inlined(schemas, vec![0]));
    while let Some((index, child)) = child_at(view, at, offset) {
        looking = inlined(schemas, below(schemas, view, &looking, at, (index, child)));
        at = child;
    }
    let received = Types::of(view, view.node(at)).name();
    let expected = expected(schemas, &looking, received);
    Violation::new(pointer(view, at), "type", expected, received)
}

/// The child that contains the byte, or the last one before it.
fn child_at(view: JsonView<'_>, at: u32, offset: usize) -> Option<(usize, u32)> {
    if offset >= view.node(at).end() {
        return None;
    }
    let before = view.children(at).enumerate().take_while(|(_, (_, node))| {
        let start = if node.member_start() > 0 { node.member_start() } else { node.start() };
        start <= offset
    });
    before.last().map(|(index, (id, _))| (index, id))
}

/// All schemas that apply to the same value.
pub(super) fn inlined(schemas: &[SchemaNode], mut all: Vec<SchemaId>) -> Vec<SchemaId> {
    let mut next = 0;
    while let Some(id) = all.get(next) {
        next += 1;
        for id in schemas[*id as usize].inline() {
            if !all.contains(&id) {
                all.push(id);
            }
        }
    }
    all
}

fn below(
    schemas: &[SchemaNode],
    view: JsonView<'_>,
    looking: &[SchemaId],
    parent: u32,
    (index, child): (usize, u32),
) -> Vec<SchemaId> {
    let mut found = Vec::new();
    let object = view.node(parent).kind == crate::json::JsonKind::Object;
    for schema in looking.iter().map(|id| &schemas[*id as usize]) {
        if object {
            let name = view.key(view.node(child));
            found.extend(schema.objects.iter().flat_map(|rules| rules.schemas_for(&name)));
        } else if let Some(rules) = &schema.arrays {
            found.extend(rules.prefix.get(index).copied().or(rules.items));
        }
    }
    found
}

/// The first title, else the format, else the accepted types.
fn expected(schemas: &[SchemaNode], looking: &[SchemaId], received: &str) -> String {
    let all = || looking.iter().map(|id| &schemas[*id as usize]);
    if let Some(titled) = all().find(|schema| schema.title.is_some()) {
        return titled.name();
    }
    let expected = all().next().map_or("any value".to_owned(), SchemaNode::expected);
    match all().find_map(|schema| schema.format.as_ref()) {
        Some(format) => format!("{expected} in the format `{format}`"),
        // The schema states no more than the type, and the value sent is of that type.
        None if expected == received => format!("{expected} that the tool can read"),
        None => expected,
    }
}
