//! Writes the messages of a turn with the arguments as the model wrote them.

use std::collections::HashMap;

use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tool_runtime_schema::Limits;
use tool_runtime_schema::json::{from_text, read};

use super::Turn;
use super::format::ParsedCall;

impl Turn {
    /// Returns the [`messages`](Self::messages) as JSON texts, in which the arguments of each call
    /// are what the model wrote: digits, the order of names and spaces. In everything else that they
    /// repeat, such as the provider's own items, integers have all their digits.
    ///
    /// A `serde_json::Value` holds integers of up to 64 bits, and rounds longer ones to a float, so
    /// that the model would read the rounded number as its own. Arguments that are not an object are
    /// written as in [`messages`](Self::messages), and of those that repeat a name the last is.
    ///
    /// ```
    /// use tool_runtime::adapters::{Adapter, Dialect};
    ///
    /// let call = r#"{"type":"tool_use","id":"a","name":"pay","input":{"to":12345678901234567890123}}"#;
    /// let response = format!(r#"{{"content":[{call}],"stop_reason":"tool_use"}}"#);
    /// let turn = Adapter::new(Dialect::Anthropic, &[]).read(&response)?;
    /// assert!(turn.raw_messages()[0].get().contains(r#""input":{"to":12345678901234567890123}"#));
    /// # Ok::<(), tool_runtime::adapters::ReadError>(())
    /// ```
    #[must_use]
    pub fn raw_messages(&self) -> Vec<Box<RawValue>> {
        let arguments = self.calls.iter().filter_map(|call| WrittenPart::from_call(&call.parsed));
        let integers = self.wide_integers.iter().map(|integer| WrittenPart {
            message: integer.message,
            path: integer.path.iter().map(String::as_str).collect(),
            raw: &integer.digits,
        });
        // Arguments come first, since they are written whole.
        let raw: Vec<_> = arguments.chain(integers).collect();
        let numbered = self.messages.iter().enumerate();
        let write = |(at, value): (usize, &Value)| {
            let parts = raw.iter().filter(|part| part.message == at).map(WrittenPart::part);
            PatchedValue { value, parts: parts.collect() }.to_raw()
        };
        numbered.map(write).collect()
    }
}

/// A part of a message as it was written, and the names and indexes that lead to it.
struct WrittenPart<'t> {
    /// The index of the message.
    message: usize,
    path: Vec<&'t str>,
    raw: &'t RawValue,
}

impl<'t> WrittenPart<'t> {
    /// The arguments of a call.
    fn from_call(call: &'t ParsedCall) -> Option<Self> {
        let arguments = call.arguments.as_str();
        let repeats_names = || {
            let tree = read(arguments, &Limits::WIDEST);
            tree.map_or(true, |tree| !tree.duplicates().is_empty())
        };
        // Read as `messages` reads it, so that both have the arguments or none.
        let is_object = from_text::<Value>(arguments).is_ok_and(|it| it.is_object());
        let raw = serde_json::from_str(arguments).ok();
        let path = call.place.as_deref()?.split('/').skip(1).collect();
        raw.filter(|_| is_object && !repeats_names()).map(|raw| Self { message: 0, path, raw })
    }

    fn part(&self) -> RawPart<'_> {
        RawPart { path: &self.path, raw: self.raw }
    }
}

/// A part of a value to write as this text.
#[derive(Clone, Copy)]
struct RawPart<'t> {
    path: &'t [&'t str],
    raw: &'t RawValue,
}

/// A value of which some parts are written as other texts.
struct PatchedValue<'v> {
    value: &'v Value,
    parts: Vec<RawPart<'v>>,
}

impl<'v> PatchedValue<'v> {
    fn to_raw(&self) -> Box<RawValue> {
        to_raw_value(self).expect("JSON is written to memory as JSON")
    }

    /// The parts below this value by the name or index that leads to them.
    fn below(&self) -> HashMap<&'v str, Vec<RawPart<'v>>> {
        let mut below: HashMap<_, Vec<_>> = HashMap::new();
        for part in &self.parts {
            if let Some((first, path)) = part.path.split_first() {
                below.entry(*first).or_default().push(RawPart { path, ..*part });
            }
        }
        below
    }
}

impl Serialize for PatchedValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.parts.as_slice(), self.value) {
            ([], value) => value.serialize(serializer),
            ([RawPart { path: [], raw }, ..], _) => raw.serialize(serializer),
            (_, Value::Object(fields)) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                let mut below = self.below();
                for (name, value) in fields {
                    let parts = below.remove(name.as_str()).unwrap_or_default();
                    map.serialize_entry(name, &PatchedValue { value, parts })?;
                }
                map.end()
            }
            (_, Value::Array(items)) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                let mut below = self.below();
                for (at, value) in items.iter().enumerate() {
                    let parts = below.remove(at.to_string().as_str()).unwrap_or_default();
                    list.serialize_element(&PatchedValue { value, parts })?;
                }
                list.end()
            }
            (_, value) => value.serialize(serializer),
        }
    }
}
