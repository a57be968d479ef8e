//! Writes the messages of a turn with the arguments as the model wrote them.

use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::Turn;
use super::format::ParsedCall;
use crate::json::read;
use crate::limits::Limits;

impl Turn {
    /// Returns the [`messages`](Self::messages) as JSON texts, in which the arguments of each call
    /// are what the model wrote: digits, the order of names and spaces.
    ///
    /// A `serde_json::Value` holds integers of up to 64 bits, and rounds longer ones to a float. In
    /// the dialects that write arguments as an object (Anthropic, Gemini, Bedrock, Ollama) the model
    /// would read the rounded number as its own. Arguments that are not an object, or repeat a name,
    /// are written as in [`messages`](Self::messages).
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
        let arguments: Vec<_> =
            self.calls.iter().filter_map(|call| RawArguments::of(&call.parsed)).collect();
        let numbered = self.messages.iter().enumerate();
        let write = |(at, value): (usize, &Value)| {
            let parts = arguments.iter().filter(|_| at == 0).map(RawArguments::part).collect();
            PatchedValue { value, parts }.to_raw()
        };
        numbered.map(write).collect()
    }
}

/// The arguments of a call as written, and the names and indexes that lead to them.
struct RawArguments<'t> {
    path: Vec<&'t str>,
    raw: &'t RawValue,
}

impl<'t> RawArguments<'t> {
    fn of(call: &'t ParsedCall) -> Option<Self> {
        let arguments = call.arguments.as_str();
        let repeats_names = || {
            let tree = read(arguments, &Limits::WIDEST);
            tree.map_or(true, |tree| !tree.duplicates().is_empty())
        };
        // Read as `messages` reads it, so that both have the arguments or none.
        let is_object = serde_json::from_str::<Value>(arguments).is_ok_and(|it| it.is_object());
        let raw = serde_json::from_str(arguments).ok();
        let path = call.place.as_deref()?.split('/').skip(1).collect();
        raw.filter(|_| is_object && !repeats_names()).map(|raw| Self { path, raw })
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

    fn below(&self, name: &str, value: &'v Value) -> Self {
        let below = |part: &RawPart<'v>| match part.path.split_first() {
            Some((first, path)) if *first == name => Some(RawPart { path, ..*part }),
            _ => None,
        };
        Self { value, parts: self.parts.iter().filter_map(below).collect() }
    }
}

impl Serialize for PatchedValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.parts.as_slice(), self.value) {
            ([], value) => value.serialize(serializer),
            ([RawPart { path: [], raw }, ..], _) => raw.serialize(serializer),
            (_, Value::Object(fields)) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, &self.below(name, value))?;
                }
                map.end()
            }
            (_, Value::Array(items)) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for (at, value) in items.iter().enumerate() {
                    list.serialize_element(&self.below(&at.to_string(), value))?;
                }
                list.end()
            }
            (_, value) => value.serialize(serializer),
        }
    }
}
