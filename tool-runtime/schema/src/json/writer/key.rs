//! Writes the keys of maps: texts, and what `serde_json` writes as a text.

use std::fmt::Display;

use serde::ser::{Error as _, Impossible, Serialize, Serializer};
use serde_json::{Error, Result};

use super::JsonWriter;

/// A serializer of one key.
pub(super) struct KeyWriter<'w, 'j>(pub(super) &'w mut JsonWriter<'j>);

#[cold]
fn no_text() -> Error {
    Error::custom("key must be a string")
}

macro_rules! in_quotes {
    ($($method:ident $type:ty)*) => {$(
        fn $method(self, value: $type) -> Result<()> {
            self.0.json.push(b'"');
            (&mut *self.0).$method(value)?;
            self.0.json.push(b'"');
            Ok(())
        }
    )*};
}

macro_rules! floats {
    ($($method:ident $type:ty)*) => {$(
        fn $method(self, value: $type) -> Result<()> {
            if !value.is_finite() {
                return Err(Error::custom("float key must be finite (got NaN or +/-inf)"));
            }
            self.0.json.push(b'"');
            (&mut *self.0).$method(value)?;
            self.0.json.push(b'"');
            Ok(())
        }
    )*};
}

impl Serializer for KeyWriter<'_, '_> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Impossible<(), Error>;
    type SerializeTuple = Impossible<(), Error>;
    type SerializeTupleStruct = Impossible<(), Error>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = Impossible<(), Error>;
    type SerializeStruct = Impossible<(), Error>;
    type SerializeStructVariant = Impossible<(), Error>;

    in_quotes! {
        serialize_bool bool
        serialize_i8 i8
        serialize_i16 i16
        serialize_i32 i32
        serialize_i64 i64
        serialize_i128 i128
        serialize_u8 u8
        serialize_u16 u16
        serialize_u32 u32
        serialize_u64 u64
        serialize_u128 u128
    }
    floats! {
        serialize_f32 f32
        serialize_f64 f64
    }

    fn serialize_char(self, key: char) -> Result<()> {
        self.0.serialize_char(key)
    }

    fn serialize_str(self, key: &str) -> Result<()> {
        self.0.serialize_str(key)
    }

    fn collect_str<T: Display + ?Sized>(self, key: &T) -> Result<()> {
        self.0.collect_str(key)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.0.serialize_str(variant)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, key: &T) -> Result<()> {
        key.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        key: &T,
    ) -> Result<()> {
        key.serialize(self)
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<()> {
        Err(no_text())
    }

    fn serialize_none(self) -> Result<()> {
        Err(no_text())
    }

    fn serialize_unit(self) -> Result<()> {
        Err(no_text())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        Err(no_text())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<()> {
        Err(no_text())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq> {
        Err(no_text())
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple> {
        Err(no_text())
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct> {
        Err(no_text())
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        Err(no_text())
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap> {
        Err(no_text())
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct> {
        Err(no_text())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant> {
        Err(no_text())
    }
}
