//! Serializes a parsed JSON document, without a tree of values in between.

use serde::ser::{Error, Serialize, SerializeMap, Serializer};
use tool_runtime_schema::json::{Decimal, JsonKind, JsonNode, JsonView};

/// A node of a parsed document, as a source for any serializer.
///
/// Objects keep the order of their keys. A number with more digits than a 64-bit integer or float
/// holds is an error.
#[derive(Debug, Clone, Copy)]
pub(super) struct JsonSource<'d> {
    view: JsonView<'d>,
    id: u32,
    rounds: bool,
}

impl<'d> JsonSource<'d> {
    /// Returns the whole document.
    pub(super) const fn root(view: JsonView<'d>) -> Self {
        Self { view, id: 0, rounds: false }
    }

    /// Rounds a number with more digits to the nearest float.
    pub(super) const fn rounding(self) -> Self {
        Self { rounds: true, ..self }
    }
}

impl Serialize for JsonSource<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { view, id, rounds } = *self;
        let node = view.node(id);
        let children = || view.children(id).map(|(id, node)| (node, Self { view, id, rounds }));
        match node.kind {
            JsonKind::Null => to.serialize_unit(),
            JsonKind::Bool => to.serialize_bool(view.raw(node).starts_with('t')),
            JsonKind::Number => serialize_number(view, node, rounds, to),
            JsonKind::String => to.serialize_str(&view.string(node)),
            JsonKind::Array => to.collect_seq(children().map(|(_, item)| item)),
            JsonKind::Object => {
                let mut map = to.serialize_map(Some(node.count()))?;
                for (node, value) in children() {
                    map.serialize_entry(&view.key(node), &value)?;
                }
                map.end()
            }
        }
    }
}

fn serialize_number<S: Serializer>(
    view: JsonView<'_>,
    node: &JsonNode,
    rounds: bool,
    to: S,
) -> Result<S::Ok, S::Error> {
    let text = view.raw(node);
    if node.is_digits() && text != "-0" {
        match (text.parse::<u64>(), text.parse::<i64>()) {
            (Ok(number), _) => return to.serialize_u64(number),
            (_, Ok(number)) => return to.serialize_i64(number),
            _ => {}
        }
    }
    match text.parse::<f64>() {
        Ok(number) if rounds && number.is_finite() => to.serialize_f64(number),
        Ok(number) if keeps_digits(view, node, number) => to.serialize_f64(number),
        _ => Err(S::Error::custom("a number has more digits than 64 bits hold")),
    }
}

/// Returns whether the text has no more digits than the shortest text of the float that it is read
/// as.
fn keeps_digits(view: JsonView<'_>, node: &JsonNode, number: f64) -> bool {
    let shortest = || Decimal::read(&number.to_string()).digits().count();
    number.is_finite() && (!node.is_wide() || view.decimal(node).digits().count() <= shortest())
}
