//! Lists and objects, and the texts that are JSON already.

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer as _,
};
use serde_json::{Error, Result};

use super::JsonWriter;
use super::key::KeyWriter;

/// The names of structs by which `serde_json` marks a text as JSON for its serializers:
/// that of a `RawValue`, and of a `Number` with the feature `arbitrary_precision`.
const RAW_NAMES: [&str; 2] = ["$serde_json::private::RawValue", "$serde_json::private::Number"];

/// A list or an object whose end is not written.
pub(in crate::json) struct Compound<'w, 'j> {
    writer: &'w mut JsonWriter<'j>,
    is_empty: bool,
    end: End,
}

/// The text that ends a list or an object.
#[derive(Clone, Copy)]
enum End {
    List,
    ListOfVariant,
    Object,
    ObjectOfVariant,
    /// Nothing: the struct is a wrapper of `serde_json` whose only field is raw JSON. Holds the
    /// name of the struct, which is also the name of that field.
    Raw(&'static str),
}

impl<'w, 'j> Compound<'w, 'j> {
    pub(super) fn list(writer: &'w mut JsonWriter<'j>) -> Self {
        writer.json.push(b'[');
        Self { writer, is_empty: true, end: End::List }
    }

    pub(super) fn list_of_variant(writer: &'w mut JsonWriter<'j>, variant: &'static str) -> Self {
        writer.open_variant(variant);
        Self { end: End::ListOfVariant, ..Self::list(writer) }
    }

    pub(super) fn object(writer: &'w mut JsonWriter<'j>) -> Self {
        writer.json.push(b'{');
        Self { writer, is_empty: true, end: End::Object }
    }

    pub(super) fn object_of_variant(writer: &'w mut JsonWriter<'j>, variant: &'static str) -> Self {
        writer.open_variant(variant);
        Self { end: End::ObjectOfVariant, ..Self::object(writer) }
    }

    pub(super) fn structure(writer: &'w mut JsonWriter<'j>, name: &'static str) -> Self {
        if RAW_NAMES.contains(&name) {
            return Self { writer, is_empty: true, end: End::Raw(name) };
        }
        Self::object(writer)
    }

    fn comma(&mut self) {
        if !self.is_empty {
            self.writer.json.push(b',');
        }
        self.is_empty = false;
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.comma();
        value.serialize(&mut *self.writer)
    }

    /// Writes a field's name up to its value.
    fn name(&mut self, name: &'static str) {
        self.comma();
        self.writer.quoted(name);
        self.writer.json.push(b':');
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        if let End::Raw(of) = self.end {
            return self.raw(of, name, value);
        }
        self.name(name);
        value.serialize(&mut *self.writer)
    }

    /// Writes a text that is JSON already, as only `serde_json` can.
    #[cold]
    fn raw<T: Serialize + ?Sized>(
        &mut self,
        of: &'static str,
        name: &'static str,
        text: &T,
    ) -> Result<()> {
        let mut json = serde_json::Serializer::new(&mut *self.writer.json);
        let mut raw = json.serialize_struct(of, 1)?;
        SerializeStruct::serialize_field(&mut raw, name, text)?;
        SerializeStruct::end(raw)
    }

    fn close(self) {
        let end: &[u8] = match self.end {
            End::List => b"]",
            End::ListOfVariant => b"]}",
            End::Object => b"}",
            End::ObjectOfVariant => b"}}",
            End::Raw(_) => b"",
        };
        self.writer.json.extend_from_slice(end);
    }
}

macro_rules! lists {
    ($($trait:ident $method:ident)*) => {$(
        impl $trait for Compound<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.element(value)
            }

            fn end(self) -> Result<()> {
                self.close();
                Ok(())
            }
        }
    )*};
}

lists! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
    SerializeTupleVariant serialize_field
}

macro_rules! structs {
    ($($trait:ident)*) => {$(
        impl $trait for Compound<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<()> {
                self.field(name, value)
            }

            fn end(self) -> Result<()> {
                self.close();
                Ok(())
            }
        }
    )*};
}

structs!(SerializeStruct SerializeStructVariant);

impl SerializeMap for Compound<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.comma();
        key.serialize(KeyWriter(&mut *self.writer))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.writer.json.push(b':');
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<()> {
        self.close();
        Ok(())
    }
}
