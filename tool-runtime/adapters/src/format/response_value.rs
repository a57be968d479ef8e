//! A value of a provider's response, and its location.

use std::borrow::Cow;

use serde_json::{Map, Value};
use tool_runtime_schema::Limits;
use tool_runtime_schema::json::{self, JsonKind, JsonNode, JsonTree, JsonView, from_text};

use super::read_error::{ProviderError, ReadError};
use crate::wide_integers;

/// The longest enumerated value of a provider that is repeated in errors.
const MAX_ENUM_VALUE_BYTES: usize = 64;

/// One value of a response. Null is treated as absent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResponseValue<'d> {
    view: JsonView<'d>,
    id: u32,
}

/// Parses a response, or one event of a stream.
///
/// Half of a surrogate pair, which a model may write by an escape, spoils only the call whose
/// arguments contain it: anywhere else it becomes U+FFFD.
pub(crate) fn parse(text: &str, most_bytes: usize) -> Result<JsonTree, ReadError> {
    let limits = Limits::WIDEST.with_max_bytes(most_bytes);
    json::read_with_lone_surrogates(text, &limits).map_err(|malformed| {
        let too_long = malformed.exceeded_bytes().map(|limit| ReadError::TooLong { limit });
        too_long.unwrap_or(ReadError::Malformed(malformed))
    })
}

/// Reads JSON for a provider that reads each number as a float: an integer that a float would round
/// becomes a text. Text that is not JSON becomes a text too.
pub(crate) fn value_for_floats(text: &str) -> Value {
    let read = if wide_integers::may_be_rounded_in(text) {
        let rounded = |digits: &str| {
            wide_integers::is_rounded(digits).then(|| Value::String(digits.to_owned()))
        };
        let tree = parse(text, text.len()).ok();
        tree.and_then(|tree| ResponseValue::root(&tree, text).value_with(rounded).ok())
    } else {
        from_text(text).ok()
    };
    read.unwrap_or_else(|| text.into())
}

impl<'d> ResponseValue<'d> {
    pub(crate) fn root(tree: &'d JsonTree, text: &'d str) -> Self {
        Self { view: tree.view(text), id: 0 }
    }

    pub(crate) fn get(self, name: &str) -> Option<Self> {
        let id = self.view.property(self.id, name)?;
        Some(Self { id, ..self }).filter(|place| place.node().kind != JsonKind::Null)
    }

    /// Returns whether a property is `null`.
    pub(crate) fn is_null(self, name: &str) -> bool {
        let property = self.view.property(self.id, name);
        property.is_some_and(|id| self.view.node(id).kind == JsonKind::Null)
    }

    pub(crate) fn is_list(self) -> bool {
        self.node().kind == JsonKind::Array
    }

    /// A required property.
    pub(crate) fn required(self, name: &str, expected: &'static str) -> Result<Self, ReadError> {
        self.get(name).ok_or_else(|| {
            let mut pointer = self.pointer();
            json::push_name(&mut pointer, name);
            ReadError::Unexpected { pointer, expected, found: "nothing" }
        })
    }

    /// The items of a list.
    pub(crate) fn items(self) -> Result<impl Iterator<Item = Self>, ReadError> {
        self.expect(JsonKind::Array, "a list")?;
        Ok(self.view.children(self.id).map(move |(id, _)| Self { id, ..self }))
    }

    /// The items of an optional list.
    pub(crate) fn list(self, name: &str) -> Result<impl Iterator<Item = Self>, ReadError> {
        let items = self.get(name).map(Self::items).transpose()?;
        Ok(items.into_iter().flatten())
    }

    /// The properties that are not null, except `but`.
    pub(crate) fn fields(self, but: &[&str]) -> Result<Map<String, Value>, ReadError> {
        self.expect(JsonKind::Object, "an object")?;
        let properties = self.view.children(self.id);
        let non_null_fields = properties.filter(|(_, node)| node.kind != JsonKind::Null);
        non_null_fields
            .map(|(id, node)| (self.view.key(node), Self { id, ..self }))
            .filter(|(key, _)| !but.contains(&&**key))
            .map(|(key, place)| Ok((key.into_owned(), place.value()?)))
            .collect()
    }

    pub(crate) fn text(self) -> Result<Cow<'d, str>, ReadError> {
        self.expect(JsonKind::String, "a text")?;
        Ok(self.view.string(self.node()))
    }

    /// The text of an optional property.
    pub(crate) fn text_of(self, name: &str) -> Result<Option<String>, ReadError> {
        self.get(name).map(|place| place.text().map(Cow::into_owned)).transpose()
    }

    /// The text of a required property.
    pub(crate) fn required_text(self, name: &str) -> Result<String, ReadError> {
        Ok(self.required(name, "a text")?.text()?.into_owned())
    }

    /// The decoded text in which a lone surrogate stays the escape that it is, so that it is
    /// rejected where the text is read as JSON.
    pub(crate) fn json_text(self) -> Result<Cow<'d, str>, ReadError> {
        self.expect(JsonKind::String, "a text")?;
        let raw = self.raw();
        let inner = &raw[1..raw.len() - 1];
        Ok(if self.node().is_escaped() { json::unescape_pairs(inner).into() } else { inner.into() })
    }

    /// The `json_text` of an optional property.
    pub(crate) fn json_text_of(self, name: &str) -> Result<Option<String>, ReadError> {
        self.get(name).map(|place| place.json_text().map(Cow::into_owned)).transpose()
    }

    /// The `json_text` of a required property.
    pub(crate) fn required_json_text(self, name: &str) -> Result<String, ReadError> {
        Ok(self.required(name, "a text")?.json_text()?.into_owned())
    }

    /// The name of a called function; empty if it is absent or no text.
    ///
    /// A call without a name is answered like one of an unknown name, and spoils no other.
    pub(crate) fn called_name(self) -> String {
        let name = self.get("name").filter(|name| name.is_text());
        name.map(|name| self.view.string(name.node()).into_owned()).unwrap_or_default()
    }

    /// An enumerated value of the provider; `None` if the text does not look like one.
    pub(crate) fn enum_value(self) -> Option<String> {
        let plain =
            |character: char| character.is_ascii_alphanumeric() || "_-.".contains(character);
        let text = match self.node().kind {
            JsonKind::String => self.view.string(self.node()),
            JsonKind::Number => Cow::Borrowed(self.raw()),
            JsonKind::Null | JsonKind::Bool | JsonKind::Array | JsonKind::Object => return None,
        };
        let is_word =
            !text.is_empty() && text.len() <= MAX_ENUM_VALUE_BYTES && text.chars().all(plain);
        is_word.then(|| text.into_owned())
    }

    pub(crate) fn enum_value_of(self, name: &str) -> Option<String> {
        self.get(name).and_then(Self::enum_value)
    }

    /// The text of an optional property that names a thing, such as a model; other values are ignored.
    pub(crate) fn label_of(self, name: &str) -> Option<String> {
        let text = self.get(name).filter(|place| place.is_text())?.text().ok()?;
        (!text.is_empty()).then(|| text.into_owned())
    }

    /// A whole number, such as the index of an event.
    pub(crate) fn number_of(self, name: &str) -> Option<u64> {
        self.get(name).and_then(|place| place.raw().parse().ok())
    }

    pub(crate) fn is(self, name: &str, text: &str) -> bool {
        self.get(name).is_some_and(|place| {
            place.node().kind == JsonKind::String && place.view.string(place.node()) == text
        })
    }

    pub(crate) fn is_true(self, name: &str) -> bool {
        self.get(name).is_some_and(|place| place.raw() == "true")
    }

    pub(crate) fn is_text(self) -> bool {
        self.node().kind == JsonKind::String
    }

    /// The value's raw text.
    pub(crate) fn raw(self) -> &'d str {
        self.view.raw(self.node())
    }

    /// The value, with placeholders for integers beyond 64 bits: see `wide_integers`.
    pub(crate) fn value(self) -> Result<Value, ReadError> {
        let placeholder = |digits: &str| {
            wide_integers::is_wide(digits).then(|| wide_integers::placeholder(digits))
        };
        if wide_integers::may_be_in(self.raw()) {
            return self.value_with(placeholder);
        }
        from_text(self.raw()).or_else(|_| self.value_with(placeholder))
    }

    /// The value with U+FFFD in place of each lone surrogate, and with other values for some
    /// numbers.
    fn value_with(self, number: fn(&str) -> Option<Value>) -> Result<Value, ReadError> {
        let children = || self.view.children(self.id).map(|(id, _)| Self { id, ..self });
        let parse_raw = |value: Self| {
            let text = value.raw();
            from_text(text).map_err(|_| value.unexpected("numbers in a float's range"))
        };
        match self.node().kind {
            JsonKind::String => Ok(self.view.string(self.node()).into()),
            JsonKind::Array => children().map(|child| child.value_with(number)).collect(),
            JsonKind::Object => children()
                .map(|child| {
                    let name = self.view.key(child.node()).into_owned();
                    Ok((name, child.value_with(number)?))
                })
                .collect(),
            JsonKind::Number => number(self.raw()).map_or_else(|| parse_raw(self), Ok),
            JsonKind::Null | JsonKind::Bool => parse_raw(self),
        }
    }

    pub(crate) fn unexpected(self, expected: &'static str) -> ReadError {
        let found = match self.node().kind {
            JsonKind::Null => "null",
            JsonKind::Bool => "a truth value",
            JsonKind::Number => "a number",
            JsonKind::String => "a text",
            JsonKind::Array => "a list",
            JsonKind::Object => "an object",
        };
        ReadError::Unexpected { pointer: self.pointer(), expected, found }
    }

    /// The error for arguments that are streamed in pieces by path.
    pub(crate) fn streamed_by_path(self) -> ReadError {
        ReadError::InPieces { pointer: self.pointer() }
    }

    /// Reads the value of a response's `error`: an object, or only a message.
    pub(crate) fn provider_error(self) -> ProviderError {
        let kind = ["type", "status"].into_iter().find_map(|name| self.enum_value_of(name));
        ProviderError::new(kind, self.enum_value_of("code"))
    }

    fn expect(self, kind: JsonKind, expected: &'static str) -> Result<(), ReadError> {
        if self.node().kind == kind { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn pointer(self) -> String {
        json::pointer(self.view, self.id)
    }

    fn node(self) -> &'d JsonNode {
        self.view.node(self.id)
    }
}
