//! Finds the expected type at a byte offset of a text.

use tool_contracts::Violation;

use super::model::{SchemaId, SchemaNode};
use super::number::{IntegerWidth, NumberReader};
use super::types::Types;
use super::walk::{INSIDE_A_SECRET, described_pattern};
use crate::json::{JsonView, OpaqueNodes, pointer};

/// The violation for a value that the schema accepts but a typed reader rejected.
pub(super) fn violation_at(
    schemas: &[SchemaNode],
    view: JsonView<'_>,
    (offset, part): (usize, RejectedPart),
    secrets: &OpaqueNodes,
) -> Violation {
    let (mut at, mut looking) = (0, inlined(schemas, vec![0]));
    while part == RejectedPart::Innermost || view.node(at).end() != offset + 1 {
        let Some((index, child)) = child_at(view, at, offset) else { break };
        if is_in_name(view, child, offset) && !is_declared(schemas, view, &looking, child) {
            let expected = expected_name(schemas, view, &looking, child);
            let place = PointerTarget { view, secrets, id: child };
            return place.violation("propertyNames", expected, "string");
        }
        looking = inlined(schemas, below(schemas, view, &looking, at, (index, child)));
        at = child;
    }
    let received = Types::from_node(view, view.node(at));
    let expected = expected(schemas, &looking, received);
    PointerTarget { view, secrets, id: at }.violation("type", expected, received.name())
}

/// A value that a pointer names, or the secret that contains it.
struct PointerTarget<'d> {
    view: JsonView<'d>,
    secrets: &'d OpaqueNodes,
    id: u32,
}

impl PointerTarget<'_> {
    fn violation(&self, rule: &'static str, expected: String, received: &'static str) -> Violation {
        let visible = self.secrets.visible(self.id);
        let violation = Violation::new(pointer(self.view, visible), rule, expected, received);
        if visible == self.id { violation } else { violation.with_hint(INSIDE_A_SECRET) }
    }
}

/// The part of a text that a typed reader rejected, at the offset where it stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RejectedPart {
    /// The innermost value at the offset.
    Innermost,
    /// The object or array that ends at the offset: its members were read, it was rejected.
    Container,
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

/// Returns whether the offset lies before the colon behind the name of a member.
fn is_in_name(view: JsonView<'_>, child: u32, offset: usize) -> bool {
    let node = view.node(child);
    if node.member_start() == 0 || offset >= node.start() {
        return false;
    }
    let name_end = node.member_start() + view.raw_key(node).len() + 2;
    let colon = view.text.get(name_end..).and_then(|rest| rest.find(':'));
    colon.is_some_and(|colon| offset < name_end + colon)
}

/// Returns whether a schema of the object lists the name, so that no reader rejects it.
fn is_declared(
    schemas: &[SchemaNode],
    view: JsonView<'_>,
    looking: &[SchemaId],
    child: u32,
) -> bool {
    let name = view.key(view.node(child));
    let mut rules = looking.iter().filter_map(|id| schemas[*id as usize].objects.as_ref());
    rules.any(|rules| rules.find(&name).is_some())
}

/// Describes the keys of a map: the range of their integer type, if the map's title names one.
fn expected_name(
    schemas: &[SchemaNode],
    view: JsonView<'_>,
    looking: &[SchemaId],
    child: u32,
) -> String {
    let name = view.key(view.node(child));
    let all_schemas = || looking.iter().map(|id| &schemas[*id as usize]);
    if let Some(width) = all_schemas().find_map(|schema| key_width(schema.title.as_deref()?)) {
        let range = NumberReader::Integer(width).expected();
        return format!("a property whose name is {range}");
    }
    let mut patterns = all_schemas()
        .filter_map(|schema| schema.objects.as_ref())
        .flat_map(|rules| rules.patterns.iter().filter(|(pattern, _)| pattern.is_match(&name)));
    match patterns.next() {
        Some((pattern, _)) => {
            let pattern = described_pattern(pattern);
            format!("a property whose name is {pattern} and that the tool can read")
        }
        None => "a property whose name the tool can read".to_owned(),
    }
}

/// The integer type of a map's keys, from the map's Rust name: `u8` of `BTreeMap<u8, f64>`.
fn key_width(title: &str) -> Option<IntegerWidth> {
    let (map, arguments) = title.split_once('<')?;
    let key = arguments.split(',').next()?.trim();
    let bits = |sign: &str| key.strip_prefix(sign).map(|bits| bits.replace("size", ""));
    let format = match bits("u") {
        Some(bits) => format!("uint{bits}"),
        None => format!("int{}", bits("i")?),
    };
    map.ends_with("Map").then(|| IntegerWidth::named(&format)).flatten()
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
    let mut schema_ids = Vec::new();
    let object = view.node(parent).kind == crate::json::JsonKind::Object;
    for schema in looking.iter().map(|id| &schemas[*id as usize]) {
        if object {
            let name = view.key(view.node(child));
            schema_ids.extend(schema.objects.iter().flat_map(|rules| rules.schemas_for(&name)));
        } else if let Some(rules) = &schema.arrays {
            schema_ids.extend(rules.prefix.get(index).copied().or(rules.items));
        }
    }
    schema_ids
}

/// The first title, else the format, else the accepted types.
fn expected(schemas: &[SchemaNode], looking: &[SchemaId], received: Types) -> String {
    let all_schemas = || looking.iter().map(|id| &schemas[*id as usize]);
    if all_schemas().any(is_duration) {
        return LONGEST_DURATION.to_owned();
    }
    if let Some(title) = all_schemas().find_map(SchemaNode::short_title) {
        return title.to_owned();
    }
    let integer = all_schemas().find_map(|schema| IntegerWidth::named(schema.format.as_ref()?));
    if let Some(width) = integer.filter(|_| received == Types::INTEGER) {
        let range = NumberReader::Integer(width).expected();
        return format!("{range} that the tool can read");
    }
    let first = all_schemas().next();
    let expected = first.map_or("any value".to_owned(), SchemaNode::expected);
    match all_schemas().find_map(|schema| schema.format.as_ref()) {
        Some(format) => format!("{expected} in the format `{format}`"),
        // The schema states no more than the type, and the value sent is of that type.
        None if first.is_none_or(|schema| schema.possible_types.contains(received)) => {
            format!("{expected} that the tool can read")
        }
        None => expected,
    }
}

/// The range that `std::time::Duration` checks over both of its fields, and states in no schema.
const LONGEST_DURATION: &str =
    "a duration of at most 18446744073709551615 seconds and 999999999 nanoseconds in all";

fn is_duration(schema: &SchemaNode) -> bool {
    let declares = |name: &str| schema.objects.as_ref().is_some_and(|o| o.find(name).is_some());
    schema.short_title() == Some("Duration") && declares("secs") && declares("nanos")
}
