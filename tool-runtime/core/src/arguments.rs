//! The raw arguments of a call, from every form that a host may have.

use serde_json::Value;
use serde_json::value::RawValue;
use tool_runtime_schema::Limits;

/// The arguments of a call without arguments.
pub const EMPTY: &str = "{}";

/// Returns how a call without arguments was written: `nothing` (empty or blank) or `null`; `None` for
/// other text.
///
/// Models and SDKs send these in place of `{}`. No argument is lost or guessed by that.
#[must_use]
pub fn written_without_arguments(text: &str, limits: &Limits) -> Option<&'static str> {
    if text.starts_with('{') || text.len() > limits.max_bytes() {
        return None;
    }
    match text.trim_matches([' ', '\t', '\n', '\r']) {
        "" => Some("nothing"),
        "null" => Some("null"),
        _ => None,
    }
}

/// Replaces a text that means no arguments by `{}`; also returns what was written in its place.
pub(crate) fn or_none(text: Box<str>, limits: &Limits) -> (Box<str>, Option<&'static str>) {
    match written_without_arguments(&text, limits) {
        Some(written) => (EMPTY.into(), Some(written)),
        None => (text, None),
    }
}

/// Raw JSON arguments, not looked at yet.
///
/// An empty or blank text and `null` mean `{}`: a call without arguments.
///
/// Made from `&str`, `String`, `&RawValue`, `Box<RawValue>` and `serde_json::Value`. A `Value` has
/// already lost what only the text shows (duplicate keys, digits), so pass text where there is
/// text.
#[derive(Clone)]
pub struct Arguments(Box<str>);

impl Arguments {
    #[must_use]
    pub fn into_text(self) -> Box<str> {
        self.0
    }
}

/// Shows the length only: arguments may hold secrets.
impl std::fmt::Debug for Arguments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Arguments").field("bytes", &self.0.len()).finish()
    }
}

impl From<&str> for Arguments {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<&String> for Arguments {
    fn from(text: &String) -> Self {
        Self(text.as_str().into())
    }
}

impl From<String> for Arguments {
    fn from(text: String) -> Self {
        Self(text.into_boxed_str())
    }
}

impl From<&RawValue> for Arguments {
    fn from(raw: &RawValue) -> Self {
        Self(raw.get().into())
    }
}

impl From<Box<RawValue>> for Arguments {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw.into())
    }
}

impl From<Value> for Arguments {
    fn from(value: Value) -> Self {
        Self(value.to_string().into_boxed_str())
    }
}
