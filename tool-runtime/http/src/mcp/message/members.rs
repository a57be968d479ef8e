//! The members of JSON objects as they were sent, without trees of their values.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

/// Members of an object that is written again.
#[derive(Debug, Default)]
pub(super) struct Members<'b>(pub(super) Vec<(&'static str, Cow<'b, RawValue>)>);

#[derive(Deserialize)]
struct Name<'b>(#[serde(borrow)] Cow<'b, str>);

struct EachMember<F>(F);

/// Gives the members of a JSON object to a function, in their order.
///
/// # Errors
/// The text is not a JSON object.
pub(super) fn each_member<'b>(
    object: &'b [u8],
    each: impl FnMut(&str, &'b RawValue),
) -> serde_json::Result<()> {
    let mut deserializer = serde_json::Deserializer::from_slice(object);
    deserializer.deserialize_map(EachMember(each))?;
    deserializer.end()
}

impl<'b, F: FnMut(&str, &'b RawValue)> Visitor<'b> for EachMember<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'b>>(mut self, mut members: A) -> Result<(), A::Error> {
        while let Some(Name(name)) = members.next_key()? {
            (self.0)(&name, members.next_value()?);
        }
        Ok(())
    }
}

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
