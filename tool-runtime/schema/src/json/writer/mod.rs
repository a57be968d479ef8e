//! Writes values as compact JSON, byte for byte as `serde_json` does, in fewer instructions.
//!
//! Most of an answer is text. `serde_json` looks up each of its bytes in a table; this writer tests
//! eight bytes at a time for quotes, backslashes and control characters.

mod compound;
mod key;
#[cfg(test)]
mod tests;

use std::fmt::{self, Display, Write as _};
use std::num::FpCategory;

use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};
use serde_json::{Error, Result};

use self::compound::Compound;
use super::scan::special;

/// Writes a value at the end of `json`; returns whether a `null` was written.
///
/// A float that is not finite is written as `null`.
///
/// # Errors
/// The value's own error, or a map's key that is no text. The end of `json` is then incomplete.
pub fn write<T: Serialize + ?Sized>(json: &mut Vec<u8>, value: &T) -> Result<bool> {
    let mut writer = JsonWriter { json, has_nulls: false };
    value.serialize(&mut writer)?;
    Ok(writer.has_nulls)
}

/// A serializer into a buffer.
pub(super) struct JsonWriter<'j> {
    json: &'j mut Vec<u8>,
    has_nulls: bool,
}

impl JsonWriter<'_> {
    fn null(&mut self) {
        self.has_nulls = true;
        self.json.extend_from_slice(b"null");
    }

    fn quoted(&mut self, text: &str) {
        self.json.push(b'"');
        self.fragment(text);
        self.json.push(b'"');
    }

    /// Writes a part of a text, with what has to be escaped.
    fn fragment(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let end = special(bytes, 0);
        if end == bytes.len() {
            self.json.extend_from_slice(bytes);
        } else {
            self.escaped(bytes, end);
        }
    }

    /// Writes a text whose first byte to escape is at `end`.
    #[cold]
    fn escaped(&mut self, bytes: &[u8], mut end: usize) {
        let mut start = 0;
        while let Some(&byte) = bytes.get(end) {
            self.json.extend_from_slice(&bytes[start..end]);
            self.escape(byte);
            start = end + 1;
            end = special(bytes, start);
        }
        self.json.extend_from_slice(&bytes[start..]);
    }

    fn escape(&mut self, byte: u8) {
        let escape = match byte {
            b'"' => CharEscape::Quote,
            b'\\' => CharEscape::ReverseSolidus,
            b'\x08' => CharEscape::Backspace,
            b'\x0C' => CharEscape::FormFeed,
            b'\n' => CharEscape::LineFeed,
            b'\r' => CharEscape::CarriageReturn,
            b'\t' => CharEscape::Tab,
            control => CharEscape::AsciiControl(control),
        };
        self.with(|formatter, json| formatter.write_char_escape(json, escape));
    }

    /// Writes what `serde_json` has a method for.
    fn with(
        &mut self,
        write: impl FnOnce(&mut CompactFormatter, &mut Vec<u8>) -> std::io::Result<()>,
    ) {
        write(&mut CompactFormatter, self.json).expect("a buffer in memory takes every write");
    }

    /// Writes the text of a value that formats itself.
    fn display(&mut self, value: &(impl Display + ?Sized)) -> Result<()> {
        self.json.push(b'"');
        write!(Fragments(self), "{value}").map_err(Error::custom)?;
        self.json.push(b'"');
        Ok(())
    }
}

/// Writes the fragments of one text.
struct Fragments<'w, 'j>(&'w mut JsonWriter<'j>);

impl fmt::Write for Fragments<'_, '_> {
    fn write_str(&mut self, fragment: &str) -> fmt::Result {
        self.0.fragment(fragment);
        Ok(())
    }
}

macro_rules! numbers {
    ($($method:ident $type:ty: $write:ident)*) => {$(
        fn $method(self, value: $type) -> Result<()> {
            self.with(|formatter, json| formatter.$write(json, value));
            Ok(())
        }
    )*};
}

macro_rules! floats {
    ($($method:ident $type:ty: $write:ident)*) => {$(
        fn $method(self, value: $type) -> Result<()> {
            match value.classify() {
                FpCategory::Nan | FpCategory::Infinite => self.null(),
                FpCategory::Zero | FpCategory::Subnormal | FpCategory::Normal => {
                    self.with(|formatter, json| formatter.$write(json, value));
                }
            }
            Ok(())
        }
    )*};
}

impl<'w, 'j> Serializer for &'w mut JsonWriter<'j> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'w, 'j>;
    type SerializeTuple = Compound<'w, 'j>;
    type SerializeTupleStruct = Compound<'w, 'j>;
    type SerializeTupleVariant = Compound<'w, 'j>;
    type SerializeMap = Compound<'w, 'j>;
    type SerializeStruct = Compound<'w, 'j>;
    type SerializeStructVariant = Compound<'w, 'j>;

    numbers! {
        serialize_i8 i8: write_i8
        serialize_i16 i16: write_i16
        serialize_i32 i32: write_i32
        serialize_i64 i64: write_i64
        serialize_i128 i128: write_i128
        serialize_u8 u8: write_u8
        serialize_u16 u16: write_u16
        serialize_u32 u32: write_u32
        serialize_u64 u64: write_u64
        serialize_u128 u128: write_u128
        serialize_bool bool: write_bool
        serialize_bytes &[u8]: write_byte_array
    }
    floats! {
        serialize_f32 f32: write_f32
        serialize_f64 f64: write_f64
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<()> {
        self.quoted(value);
        Ok(())
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<()> {
        self.display(value)
    }

    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.null();
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        self.open_variant(variant);
        value.serialize(&mut *self)?;
        self.json.push(b'}');
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq> {
        Ok(Compound::list(self))
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple> {
        Ok(Compound::list(self))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct> {
        Ok(Compound::list(self))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant> {
        Ok(Compound::list_of_variant(self, variant))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap> {
        Ok(Compound::object(self))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Self::SerializeStruct> {
        Ok(Compound::structure(self, name))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant> {
        Ok(Compound::object_of_variant(self, variant))
    }
}

impl JsonWriter<'_> {
    /// Opens the object around a variant's contents.
    fn open_variant(&mut self, variant: &'static str) {
        self.json.push(b'{');
        self.quoted(variant);
        self.json.push(b':');
    }
}
