//! Writes the values of any deserializer as compact JSON, in their order.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use tool_runtime_schema::json::writer;

/// Compact JSON, read from another format.
#[derive(Debug)]
pub(super) struct JsonText(pub(super) String);

impl<'de> Deserialize<'de> for JsonText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut json = Vec::new();
        JsonSink(&mut json).deserialize(from)?;
        String::from_utf8(json).map(Self).map_err(D::Error::custom)
    }
}

/// The end of a JSON text, where one value is written.
struct JsonSink<'j>(&'j mut Vec<u8>);

impl JsonSink<'_> {
    fn write<T: serde::Serialize + ?Sized, E: Error>(self, value: &T) -> Result<(), E> {
        writer::write(self.0, value).map(drop).map_err(E::custom)
    }

    /// Removes the comma after the last value of a list, and closes the list.
    fn close(self, bracket: u8) {
        if self.0.last() == Some(&b',') {
            self.0.pop();
        }
        self.0.push(bracket);
    }
}

impl<'de> DeserializeSeed<'de> for JsonSink<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonSink<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a value of JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.write(&())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.write(&value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.write(&value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.write(&value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        match Number::from_f64(value) {
            Some(_) => self.write(&value),
            None => Err(E::custom("expected a number that a 64-bit float holds")),
        }
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.write(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.push(b'[');
        while items.next_element_seed(JsonSink(self.0))?.is_some() {
            self.0.push(b',');
        }
        self.close(b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        self.0.push(b'{');
        while fields.next_key_seed(KeySink(self.0))?.is_some() {
            self.0.push(b':');
            fields.next_value_seed(JsonSink(self.0))?;
            self.0.push(b',');
        }
        self.close(b'}');
        Ok(())
    }
}

/// The end of a JSON text, where one key is written.
struct KeySink<'j>(&'j mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for KeySink<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_str(JsonSink(self.0))
    }
}
