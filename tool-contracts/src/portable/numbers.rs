//! Deserialization in which a number is a number, in every build of `serde_json`.
//!
//! With the feature `arbitrary_precision`, which any crate of a build may turn on,
//! `deserialize_any` passes each number that is no 64-bit integer as a map with one private key.
//! The buffers of serde's internally tagged, untagged and flattened types keep that map and
//! refuse it where a number is expected. This wrapper passes the nearest 64-bit float, as
//! `serde_json` does without the feature.

use std::{
    fmt,
    marker::PhantomData,
    num::{FpCategory, ParseFloatError},
};

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer,
    MapAccess, SeqAccess, VariantAccess, Visitor,
    value::{BorrowedStrDeserializer, StringDeserializer},
};
use serde_json::Value;

use super::precision::IS_ARBITRARY;

/// The private key under which `serde_json` passes the text of a number.
const NUMBER_KEY: &str = "$serde_json::private::Number";

/// Selects the deserialization of this build, so that only one of the two is compiled.
struct Precision<const ARBITRARY: bool>;

trait ReadSeed {
    fn read<'de, S, D>(seed: S, from: D) -> Result<S::Value, D::Error>
    where
        S: DeserializeSeed<'de>,
        D: Deserializer<'de>;

    fn read_any<'de, V, D>(visitor: V, from: D) -> Result<V::Value, D::Error>
    where
        V: Visitor<'de>,
        D: Deserializer<'de>;
}

impl ReadSeed for Precision<false> {
    #[inline]
    fn read<'de, S, D>(seed: S, from: D) -> Result<S::Value, D::Error>
    where
        S: DeserializeSeed<'de>,
        D: Deserializer<'de>,
    {
        seed.deserialize(from)
    }

    #[inline]
    fn read_any<'de, V, D>(visitor: V, from: D) -> Result<V::Value, D::Error>
    where
        V: Visitor<'de>,
        D: Deserializer<'de>,
    {
        from.deserialize_any(visitor)
    }
}

impl ReadSeed for Precision<true> {
    fn read<'de, S, D>(seed: S, from: D) -> Result<S::Value, D::Error>
    where
        S: DeserializeSeed<'de>,
        D: Deserializer<'de>,
    {
        seed.deserialize(Plain(from))
    }

    fn read_any<'de, V, D>(visitor: V, from: D) -> Result<V::Value, D::Error>
    where
        V: Visitor<'de>,
        D: Deserializer<'de>,
    {
        from.deserialize_any(AnyValue::<V, false>(visitor))
    }
}

/// Reads a value of any type from a deserializer of `serde_json`; a number is plain, and the parts
/// of an object or array are passed as they are.
#[inline]
pub(crate) fn read_any<'de, V, D>(visitor: V, from: D) -> Result<V::Value, D::Error>
where
    V: Visitor<'de>,
    D: Deserializer<'de>,
{
    Precision::<IS_ARBITRARY>::read_any(visitor, from)
}

/// Reads a value from a deserializer of `serde_json`, with plain numbers.
#[doc(hidden)]
#[inline]
pub fn read<'de, S, D>(seed: S, from: D) -> Result<S::Value, D::Error>
where
    S: DeserializeSeed<'de>,
    D: Deserializer<'de>,
{
    Precision::<IS_ARBITRARY>::read(seed, from)
}

/// Reads a complete text, with plain numbers.
///
/// # Errors
/// The text is not exactly one JSON value, or the value is no `T`.
#[doc(hidden)]
pub fn from_text<'de, T: serde::Deserialize<'de>>(text: &'de str) -> serde_json::Result<T> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = read(PhantomData::<T>, &mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Reads a complete text in bytes, with plain numbers.
///
/// # Errors
/// The bytes are not exactly one JSON value, or the value is no `T`.
#[doc(hidden)]
pub fn from_bytes<'de, T: serde::Deserialize<'de>>(text: &'de [u8]) -> serde_json::Result<T> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let value = read(PhantomData::<T>, &mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Reads a value, with plain numbers.
///
/// # Errors
/// The value is no `T`.
#[doc(hidden)]
pub fn from_value<T: DeserializeOwned>(value: Value) -> serde_json::Result<T> {
    read(PhantomData::<T>, value)
}

/// Passes plain numbers: around a deserializer, an access, a seed, or a visitor whose value has a
/// type that it asked for.
struct Plain<T>(T);

/// A visitor of a value of any type, which may be a number. With `DEEP` the numbers in an object's
/// fields are plain too.
struct AnyValue<V, const DEEP: bool>(V);

macro_rules! deserializer_methods {
    ($($method:ident($($argument:ident: $type:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(
            self,
            $($argument: $type,)*
            visitor: V,
        ) -> Result<V::Value, D::Error> {
            self.0.$method($($argument,)* Plain(visitor))
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Plain<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(AnyValue::<V, true>(visitor))
    }

    deserializer_methods! {
        deserialize_bool()
        deserialize_i8()
        deserialize_i16()
        deserialize_i32()
        deserialize_i64()
        deserialize_i128()
        deserialize_u8()
        deserialize_u16()
        deserialize_u32()
        deserialize_u64()
        deserialize_u128()
        deserialize_f32()
        deserialize_f64()
        deserialize_char()
        deserialize_str()
        deserialize_string()
        deserialize_bytes()
        deserialize_byte_buf()
        deserialize_option()
        deserialize_unit()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_seq()
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_map()
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
        deserialize_identifier()
        deserialize_ignored_any()
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

macro_rules! scalar_visits {
    ($($method:ident: $type:ty)*) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.0.$method(value)
        }
    )*};
}

macro_rules! visits {
    () => {
        type Value = V::Value;

        fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.expecting(to)
        }

        scalar_visits! {
            visit_bool: bool
            visit_i8: i8
            visit_i16: i16
            visit_i32: i32
            visit_i64: i64
            visit_i128: i128
            visit_u8: u8
            visit_u16: u16
            visit_u32: u32
            visit_u64: u64
            visit_u128: u128
            visit_f32: f32
            visit_f64: f64
            visit_char: char
            visit_str: &str
            visit_borrowed_str: &'de str
            visit_string: String
            visit_bytes: &[u8]
            visit_borrowed_bytes: &'de [u8]
            visit_byte_buf: Vec<u8>
        }

        fn visit_none<E: Error>(self) -> Result<V::Value, E> {
            self.0.visit_none()
        }

        fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
            self.0.visit_unit()
        }

        fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<V::Value, D::Error> {
            self.0.visit_some(Plain(from))
        }

        fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<V::Value, D::Error> {
            self.0.visit_newtype_struct(Plain(from))
        }

        fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
            self.0.visit_seq(Plain(items))
        }

        fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<V::Value, A::Error> {
            self.0.visit_enum(Plain(variant))
        }
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Plain<V> {
    visits!();

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(Plain(fields))
    }
}

impl<'de, V: Visitor<'de>, const DEEP: bool> Visitor<'de> for AnyValue<V, DEEP> {
    visits!();

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<V::Value, A::Error> {
        let first = fields.next_key_seed(FirstKey)?;
        if let Some(FirstKeyText::Number) = first {
            let text: String = fields.next_value()?;
            return self.0.visit_f64(nearest(&text).map_err(A::Error::custom)?);
        }
        self.0.visit_map(AfterFirstKey::<A, DEEP> { first, fields })
    }
}

/// Parses a number; one beyond the range of floats is an error, as for `serde_json`.
fn nearest(text: &str) -> Result<f64, &'static str> {
    const OUT_OF_RANGE: &str = "number out of range";
    let number: f64 = text.parse().map_err(|_: ParseFloatError| OUT_OF_RANGE)?;
    match number.classify() {
        FpCategory::Nan | FpCategory::Infinite => Err(OUT_OF_RANGE),
        FpCategory::Zero | FpCategory::Subnormal | FpCategory::Normal => Ok(number),
    }
}

/// Reads the first key of a map, and tells an object's key from the mark of a number.
///
/// Both may have the same text. `serde_json` answers a request for an option with `some` for the
/// key of an object, and with the text itself for the mark.
struct FirstKey;

enum FirstKeyText<'de> {
    Number,
    Borrowed(&'de str),
    Owned(String),
}

impl<'de> DeserializeSeed<'de> for FirstKey {
    type Value = FirstKeyText<'de>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<FirstKeyText<'de>, D::Error> {
        from.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for FirstKey {
    type Value = FirstKeyText<'de>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a key")
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<FirstKeyText<'de>, D::Error> {
        from.deserialize_str(ObjectKey)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<FirstKeyText<'de>, E> {
        if text == NUMBER_KEY {
            Ok(FirstKeyText::Number)
        } else {
            ObjectKey.visit_borrowed_str(text)
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<FirstKeyText<'de>, E> {
        ObjectKey.visit_str(text)
    }
}

struct ObjectKey;

impl<'de> Visitor<'de> for ObjectKey {
    type Value = FirstKeyText<'de>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a key")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<FirstKeyText<'de>, E> {
        Ok(FirstKeyText::Borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<FirstKeyText<'de>, E> {
        self.visit_string(text.to_owned())
    }

    fn visit_string<E: Error>(self, text: String) -> Result<FirstKeyText<'de>, E> {
        Ok(FirstKeyText::Owned(text))
    }
}

/// The fields of an object whose first key has been read.
struct AfterFirstKey<'de, A, const DEEP: bool> {
    first: Option<FirstKeyText<'de>>,
    fields: A,
}

impl<'de, A: MapAccess<'de>, const DEEP: bool> MapAccess<'de> for AfterFirstKey<'de, A, DEEP> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        match self.first.take() {
            Some(FirstKeyText::Borrowed(text)) => {
                seed.deserialize(BorrowedStrDeserializer::new(text)).map(Some)
            }
            Some(FirstKeyText::Owned(text)) => {
                let text: StringDeserializer<A::Error> = text.into_deserializer();
                seed.deserialize(text).map(Some)
            }
            Some(FirstKeyText::Number) | None => self.fields.next_key_seed(seed),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        if DEEP {
            self.fields.next_value_seed(Plain(seed))
        } else {
            self.fields.next_value_seed(seed)
        }
    }

    fn size_hint(&self) -> Option<usize> {
        let first = usize::from(self.first.is_some());
        self.fields.size_hint().map(|others| others.saturating_add(first))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Plain<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Plain(from))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Plain<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(Plain(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Plain<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(Plain(seed))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(Plain(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Plain<A> {
    type Error = A::Error;
    type Variant = Plain<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let (value, contents) = self.0.variant_seed(Plain(seed))?;
        Ok((value, Plain(contents)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Plain<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.0.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.0.newtype_variant_seed(Plain(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.0.tuple_variant(len, Plain(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.0.struct_variant(fields, Plain(visitor))
    }
}
