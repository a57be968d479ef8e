//! Deserializes the fields of an object into a tuple, without a derived type.
//!
//! A derived deserializer is a few hundred lines that the compiler checks once per type. This code
//! is checked once per number of fields, and generated code is a tuple of types and the names.

mod arguments;
mod structs;

use std::fmt;

use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use tool_runtime_schema::schema::AbsentField;

pub(crate) use self::arguments::read;
pub use self::arguments::{Fields, Text, UNKNOWN_FIELD};
pub use self::structs::{StructFields, read_struct};

/// The names of an object's fields, and the errors of reading them.
pub trait FieldNames: Copy {
    /// Returns the index in the tuple of the field with this name, or [`UNKNOWN_FIELD`] if fields
    /// of other names are ignored.
    ///
    /// # Errors
    /// No field has this name, and fields of other names are not accepted.
    fn index_of<E: de::Error>(self, name: &str) -> Result<usize, E>;

    /// Returns the index of a field that a format other than JSON identifies by its position.
    ///
    /// # Errors
    /// Like [`index_of`](Self::index_of).
    fn index_at<E: de::Error>(self, position: u64) -> Result<usize, E>;

    /// The error of a field that occurs twice.
    fn duplicate<E: de::Error>(self, index: usize) -> E;

    /// The error of a missing field.
    fn missing<E: de::Error>(self, index: usize) -> E;

    /// The error of a sequence that ends before this field.
    fn ends_before<E: de::Error>(self, index: usize) -> E;
}

/// A tuple that is deserialized from the fields of an object.
#[diagnostic::on_unimplemented(
    message = "these fields cannot be read: a type of `{Self}` does not read JSON",
    note = "write `#[ai_type]` over the types of owned parameters and of fields"
)]
pub trait ReadFields<'de>: Sized {
    /// The default of each field: an optional function per element.
    type Defaults;

    /// Reads the fields of an object.
    ///
    /// # Errors
    /// Returns an error for an unknown, duplicate, missing or mistyped field.
    fn from_map<M: MapAccess<'de>>(
        map: M,
        names: impl FieldNames,
        defaults: Self::Defaults,
    ) -> Result<Self, M::Error>;

    /// Reads the fields by their positions, as formats without names write them.
    ///
    /// # Errors
    /// Returns an error for a missing or mistyped field.
    fn from_sequence<S: SeqAccess<'de>>(
        sequence: S,
        names: impl FieldNames,
        defaults: Self::Defaults,
    ) -> Result<Self, S::Error>;
}

macro_rules! tuples {
    ($(($($place:tt $type:ident $value:ident)*))*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'de, $($type: Deserialize<'de>),*> ReadFields<'de> for ($($type,)*) {
            type Defaults = ($(Option<fn() -> $type>,)*);

            #[inline]
            #[allow(unused_variables, reason = "no fields have no defaults")]
            fn from_map<M: MapAccess<'de>>(
                mut map: M,
                names: impl FieldNames,
                defaults: Self::Defaults,
            ) -> Result<Self, M::Error> {
                $(let mut $value: Option<$type> = None;)*
                while let Some(place) = map.next_key_seed(FieldName(names))? {
                    match place {
                        $($place => read_once(&mut $value, &mut map, names, $place)?,)*
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(($(value_or_default($value, defaults.$place, names, $place)?,)*))
            }

            #[allow(unused_variables, unused_mut, reason = "no fields read no sequence")]
            fn from_sequence<S: SeqAccess<'de>>(
                mut sequence: S,
                names: impl FieldNames,
                defaults: Self::Defaults,
            ) -> Result<Self, S::Error> {
                $(let $value = match (sequence.next_element()?, defaults.$place) {
                    (Some(value), _) => value,
                    (None, Some(default)) => default(),
                    (None, None) => return Err(names.ends_before($place)),
                };)*
                Ok(($($value,)*))
            }
        }
    )*};
}

tuples! {
    ()
    (0 A a)
    (0 A a 1 B b)
    (0 A a 1 B b 2 C c)
    (0 A a 1 B b 2 C c 3 D d)
    (0 A a 1 B b 2 C c 3 D d 4 E e)
    (0 A a 1 B b 2 C c 3 D d 4 E e 5 F f)
    (0 A a 1 B b 2 C c 3 D d 4 E e 5 F f 6 G g)
    (0 A a 1 B b 2 C c 3 D d 4 E e 5 F f 6 G g 7 H h)
    (0 A a 1 B b 2 C c 3 D d 4 E e 5 F f 6 G g 7 H h 8 I i)
    (0 A a 1 B b 2 C c 3 D d 4 E e 5 F f 6 G g 7 H h 8 I i 9 J j)
    (0 A a 1 B b 2 C c 3 D d 4 E e 5 F f 6 G g 7 H h 8 I i 9 J j 10 K k)
    (0 A a 1 B b 2 C c 3 D d 4 E e 5 F f 6 G g 7 H h 8 I i 9 J j 10 K k 11 L l)
    (0 A a 1 B b 2 C c 3 D d 4 E e 5 F f 6 G g 7 H h 8 I i 9 J j 10 K k 11 L l 12 N n)
    (0 A a 1 B b 2 C c 3 D d 4 E e 5 F f 6 G g 7 H h 8 I i 9 J j 10 K k 11 L l 12 N n 13 O o)
    (0 A a 1 B b 2 C c 3 D d 4 E e 5 F f 6 G g 7 H h 8 I i 9 J j 10 K k 11 L l 12 N n 13 O o 14 P p)
    (0 A a 1 B b 2 C c 3 D d 4 E e 5 F f 6 G g 7 H h 8 I i 9 J j 10 K k 11 L l 12 N n 13 O o 14 P p
     15 Q q)
}

#[inline]
fn read_once<'de, T: Deserialize<'de>, M: MapAccess<'de>>(
    value: &mut Option<T>,
    map: &mut M,
    names: impl FieldNames,
    index: usize,
) -> Result<(), M::Error> {
    if value.is_some() {
        return Err(names.duplicate(index));
    }
    *value = Some(map.next_value()?);
    Ok(())
}

#[inline]
fn value_or_default<'de, T: Deserialize<'de>, E: de::Error>(
    value: Option<T>,
    default: Option<fn() -> T>,
    names: impl FieldNames,
    index: usize,
) -> Result<T, E> {
    match (value, default) {
        (Some(value), _) => Ok(value),
        (None, Some(default)) => Ok(default()),
        (None, None) => T::deserialize(AbsentField).map_err(|_| names.missing(index)),
    }
}

/// Looks up the index of a field's name.
struct FieldName<N>(N);

impl<'de, N: FieldNames> DeserializeSeed<'de> for FieldName<N> {
    type Value = usize;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<N: FieldNames> Visitor<'_> for FieldName<N> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field's name")
    }

    #[inline]
    fn visit_str<E: de::Error>(self, name: &str) -> Result<usize, E> {
        self.0.index_of(name)
    }

    fn visit_bytes<E: de::Error>(self, name: &[u8]) -> Result<usize, E> {
        self.0.index_of(&String::from_utf8_lossy(name))
    }

    fn visit_u64<E: de::Error>(self, position: u64) -> Result<usize, E> {
        self.0.index_at(position)
    }
}
