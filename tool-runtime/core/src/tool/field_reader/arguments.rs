//! Deserializes a call's arguments.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use tool_runtime_schema::json::read_seed;

use super::{FieldNames, ReadFields};

/// The index that stands for a name that no field has.
pub const UNKNOWN_FIELD: usize = usize::MAX;

/// The names of a tool's arguments, and whether other fields are accepted.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::exhaustive_structs, reason = "written out by generated code")]
pub struct Fields {
    /// Returns the index in the tuple of the argument with this name, or [`UNKNOWN_FIELD`].
    ///
    /// A function with one `match` takes fewer instructions than a search in a list of names.
    pub index_of: fn(&str) -> usize,
    /// True if undeclared fields are ignored.
    pub open: bool,
}

impl FieldNames for Fields {
    #[inline]
    fn index_of<E: de::Error>(self, name: &str) -> Result<usize, E> {
        match (self.index_of)(name) {
            UNKNOWN_FIELD if !self.open => Err(E::custom("unknown field")),
            index => Ok(index),
        }
    }

    fn index_at<E: de::Error>(self, _: u64) -> Result<usize, E> {
        Err(E::custom("a field without a name"))
    }

    fn duplicate<E: de::Error>(self, _: usize) -> E {
        E::custom("a field twice")
    }

    fn missing<E: de::Error>(self, _: usize) -> E {
        E::custom("a field is missing")
    }

    fn ends_before<E: de::Error>(self, index: usize) -> E {
        self.missing(index)
    }
}

/// Deserializes a complete text, which must be one object; an error never quotes the text's names
/// or values at its top level.
pub(crate) fn read<'de, A: ReadFields<'de>>(
    text: &'de str,
    fields: Fields,
    defaults: A::Defaults,
) -> serde_json::Result<A> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let arguments = read_seed(Object::<A> { fields, defaults }, &mut reader)?;
    reader.end()?;
    Ok(arguments)
}

struct Object<'de, A: ReadFields<'de>> {
    fields: Fields,
    defaults: A::Defaults,
}

impl<'de, A: ReadFields<'de>> DeserializeSeed<'de> for Object<'de, A> {
    type Value = A;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<A, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de, A: ReadFields<'de>> Visitor<'de> for Object<'de, A> {
    type Value = A;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<A, M::Error> {
        A::from_map(map, self.fields, self.defaults)
    }
}

/// The text of a `&str` parameter: borrowed from the call's own text unless it contains escapes.
#[derive(Debug, Clone)]
pub struct Text<'de>(Cow<'de, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de> From<&'de str> for Text<'de> {
    fn from(text: &'de str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text))
    }
}

impl Default for Text<'_> {
    fn default() -> Self {
        Self(Cow::Borrowed(""))
    }
}

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}
