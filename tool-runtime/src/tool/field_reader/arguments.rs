//! Deserializes a call's arguments into a tuple, without a derived type per tool.
//!
//! A derived deserializer is a few hundred lines that the compiler checks once per tool. This code
//! is compiled once per number of arguments, and generated code is a tuple of types and a `match` of
//! names.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::schema::AbsentField;

/// The index that stands for a name which no argument has.
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

/// A tuple that is deserialized from a JSON object by field names.
#[diagnostic::on_unimplemented(
    message = "the arguments of this tool cannot be read: one of `{Self}` does not read JSON",
    note = "write `#[ai_type]` over the types of the owned parameters"
)]
pub trait ReadArguments<'de>: Sized {
    /// The default of each field: an optional function per element.
    type Defaults;

    /// Reads the object's fields.
    ///
    /// # Errors
    /// Returns an error for an unknown, duplicate, missing or mistyped field; it never quotes the
    /// text.
    fn read<M: MapAccess<'de>>(
        map: M,
        fields: Fields,
        defaults: Self::Defaults,
    ) -> Result<Self, M::Error>;
}

macro_rules! tuples {
    ($(($($place:tt $type:ident $value:ident)*))*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'de, $($type: Deserialize<'de>),*> ReadArguments<'de> for ($($type,)*) {
            type Defaults = ($(Option<fn() -> $type>,)*);

            #[inline]
            #[allow(unused_variables, reason = "no arguments have no defaults")]
            fn read<M: MapAccess<'de>>(
                mut map: M,
                fields: Fields,
                defaults: Self::Defaults,
            ) -> Result<Self, M::Error> {
                $(let mut $value: Option<$type> = None;)*
                while let Some(place) = map.next_key_seed(FieldName(fields.index_of))? {
                    match place {
                        $($place => once(&mut $value, &mut map)?,)*
                        _ if fields.open => drop(map.next_value::<IgnoredAny>()?),
                        _ => return Err(de::Error::custom("unknown field")),
                    }
                }
                Ok(($(given($value, defaults.$place)?,)*))
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
fn once<'de, T: Deserialize<'de>, M: MapAccess<'de>>(
    value: &mut Option<T>,
    map: &mut M,
) -> Result<(), M::Error> {
    match value.replace(map.next_value()?) {
        None => Ok(()),
        Some(_) => Err(de::Error::custom("a field twice")),
    }
}

#[inline]
fn given<'de, T: Deserialize<'de>, E: de::Error>(
    value: Option<T>,
    default: Option<fn() -> T>,
) -> Result<T, E> {
    match (value, default) {
        (Some(value), _) => Ok(value),
        (None, Some(default)) => Ok(default()),
        (None, None) => T::deserialize(AbsentField).map_err(|_| E::custom("a field is missing")),
    }
}

/// Looks up the index of a field's name.
struct FieldName(fn(&str) -> usize);

impl<'de> DeserializeSeed<'de> for FieldName {
    type Value = usize;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for FieldName {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field's name")
    }

    #[inline]
    fn visit_str<E: de::Error>(self, name: &str) -> Result<usize, E> {
        Ok((self.0)(name))
    }
}

/// Deserializes a complete text, which must be one object.
pub(crate) fn read<'de, A: ReadArguments<'de>>(
    text: &'de str,
    fields: Fields,
    defaults: A::Defaults,
) -> serde_json::Result<A> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let arguments = reader.deserialize_map(Object::<A> { fields, defaults })?;
    reader.end()?;
    Ok(arguments)
}

struct Object<'de, A: ReadArguments<'de>> {
    fields: Fields,
    defaults: A::Defaults,
}

impl<'de, A: ReadArguments<'de>> Visitor<'de> for Object<'de, A> {
    type Value = A;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<A, M::Error> {
        A::read(map, self.fields, self.defaults)
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
