//! Deserialization of objects field by field.

use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, Error, MapAccess, Visitor, value::MapDeserializer,
};
use serde_json::{Map, Value};

use super::text;
use crate::portable::normalized_object;

/// Implements `Deserialize` for an object with fixed fields.
///
/// A field is `required` or `optional` (null is absent), is read as a `leaf` (see
/// [`Leaf`](super::Leaf)) or as `nested` (a type of this crate), and is bound to its Rust name in
/// the expression after `=>`, which builds the value from the fields. The type may have one
/// parameter.
macro_rules! reads {
    (
        $target:ident $(<$param:ident>)?, $what:literal;
        $( $need:ident $field:ident = $name:literal, $kind:ident $of:ty; )+
        => $build:expr
    ) => {
        impl<'de $(, $param: ::serde::Deserialize<'de>)?> ::serde::Deserialize<'de>
            for $target $(<$param>)?
        {
            fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                const FIELDS: &[&str] = &[$($name),+];

                #[allow(non_camel_case_types, reason = "one key for each field, under its name")]
                enum Key { $($field),+ }

                struct KeyVisitor;
                impl ::serde::de::Visitor<'_> for KeyVisitor {
                    type Value = Key;
                    fn expecting(&self, to: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                        to.write_str("a field's name")
                    }
                    fn visit_str<E: ::serde::de::Error>(self, key: &str) -> Result<Key, E> {
                        match key {
                            $($name => Ok(Key::$field),)+
                            _ => Err($crate::wire::unknown(key, FIELDS)),
                        }
                    }
                }
                impl<'de> ::serde::Deserialize<'de> for Key {
                    fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                        from.deserialize_identifier(KeyVisitor)
                    }
                }

                struct ObjectVisitor<T>(::std::marker::PhantomData<T>);
                impl<'de $(, $param: ::serde::Deserialize<'de>)?> ::serde::de::Visitor<'de>
                    for ObjectVisitor<$target $(<$param>)?>
                {
                    type Value = $target $(<$param>)?;
                    fn expecting(&self, to: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                        to.write_str($what)
                    }
                    $crate::wire::refuse_scalars!();
                    fn visit_map<A>(self, mut map: A) -> Result<Self::Value, A::Error>
                    where
                        A: ::serde::de::MapAccess<'de>,
                    {
                        $(let mut $field = None;)+
                        while let Some(key) = map.next_key::<Key>()? {
                            match key {
                                $(Key::$field => {
                                    if $field.is_some() {
                                        return Err($crate::wire::duplicate($name));
                                    }
                                    $field = Some($crate::wire::$kind::<A, $of>(&mut map, $name)?);
                                })+
                            }
                        }
                        $(let $field = $field.flatten();)+
                        $($crate::wire::need!($need $field $name);)+
                        $build
                    }
                }
                // `deserialize_struct` makes serde_json quote a scalar before the visitor sees it.
                $crate::portable::read_any(
                    ObjectVisitor(::std::marker::PhantomData),
                    from,
                )
            }
        }
    };
}
pub(crate) use reads;

macro_rules! need {
    (required $field:ident $name:literal) => {
        let Some($field) = $field else {
            return Err($crate::wire::missing($name));
        };
    };
    (optional $field:ident $name:literal) => {};
}
pub(crate) use need;

/// Refuses scalars without quoting them, unlike serde's defaults.
macro_rules! refuse_scalars {
    () => {
        $crate::wire::refuse_numbers!();
        fn visit_str<E: ::serde::de::Error>(self, _: &str) -> Result<Self::Value, E> {
            Err($crate::wire::expected(&self))
        }
    };
}
pub(crate) use refuse_scalars;

/// Refuses numbers and booleans without quoting them.
macro_rules! refuse_numbers {
    () => {
        fn visit_bool<E: ::serde::de::Error>(self, _: bool) -> Result<Self::Value, E> {
            Err($crate::wire::expected(&self))
        }
        fn visit_i64<E: ::serde::de::Error>(self, _: i64) -> Result<Self::Value, E> {
            Err($crate::wire::expected(&self))
        }
        fn visit_u64<E: ::serde::de::Error>(self, _: u64) -> Result<Self::Value, E> {
            Err($crate::wire::expected(&self))
        }
        fn visit_f64<E: ::serde::de::Error>(self, _: f64) -> Result<Self::Value, E> {
            Err($crate::wire::expected(&self))
        }
    };
}
pub(crate) use refuse_numbers;

/// Reads a value of this crate's own types, whose errors quote nothing; null is `None`.
pub(crate) fn nested<'de, A, T>(map: &mut A, field: &str) -> Result<Option<T>, A::Error>
where
    A: MapAccess<'de>,
    T: Deserialize<'de>,
{
    map.next_value().map_err(|error| inside(field, error, true))
}

/// Reads a value of a foreign type, whose errors may contain the input; null is passed to the type.
pub(crate) fn payload<'de, A, T>(map: &mut A, field: &str) -> Result<T, A::Error>
where
    A: MapAccess<'de>,
    T: Deserialize<'de>,
{
    map.next_value().map_err(|error| inside(field, error, false))
}

/// Reads a value of a foreign type that is present even when null.
pub(crate) fn raw<'de, A, T>(map: &mut A, field: &str) -> Result<Option<T>, A::Error>
where
    A: MapAccess<'de>,
    T: Deserialize<'de>,
{
    payload(map, field).map(Some)
}

/// Reads null as a value of a foreign type.
pub(crate) fn null<'de, T: Deserialize<'de>, E: Error>(field: &str) -> Result<T, E> {
    serde_json::from_str("null").map_err(|error| E::custom(inside(field, error, false)))
}

/// Returns the value of `field`, or that of `{}` if it is omitted or null.
pub(crate) fn or_empty_object<'de, T: Deserialize<'de>, E: Error>(
    value: Option<T>,
    field: &str,
) -> Result<T, E> {
    match value {
        Some(value) => Ok(value),
        None => serde_json::from_str("{}").map_err(|_: serde_json::Error| missing(field)),
    }
}

#[cold]
fn inside<E: Error>(field: &str, error: E, own: bool) -> E {
    if text::is_syntax(&error) {
        return error;
    }
    let said = error.to_string();
    if own && said.starts_with('`') {
        return E::custom(format_args!("`{field}`: {said}"));
    }
    E::custom(format_args!("`{field}`: {}", text::without_value(&error)))
}

#[cold]
pub(crate) fn unknown<E: Error>(key: &str, admitted: &[&str]) -> E {
    let admitted: Vec<String> = admitted.iter().map(|name| format!("`{name}`")).collect();
    E::custom(format_args!(
        "`{}`: unknown field; leave it out, the fields here are {}",
        text::shortened(key, 64),
        admitted.join(", ")
    ))
}

#[cold]
pub(crate) fn duplicate<E: Error>(field: &str) -> E {
    E::custom(format_args!("`{field}`: given twice; give it once"))
}

#[cold]
pub(crate) fn missing<E: Error>(field: &str) -> E {
    E::custom(format_args!("`{field}`: missing; this field is required"))
}

/// An object that is buffered until its type is known. Keeps nulls and repeated keys.
pub(crate) struct Buffered(Vec<(String, Value)>);

impl Buffered {
    /// Deserializes the object, the value of `field`, as `T`.
    pub(crate) fn read<T: DeserializeOwned, E: Error>(self, field: &str) -> Result<T, E> {
        T::deserialize(MapDeserializer::<_, serde_json::Error>::new(self.0.into_iter()))
            .map_err(|error| E::custom(inside(field, error, true)))
    }

    /// Returns the object with any names; refuses repeated ones.
    pub(crate) fn into_object<E: Error>(self) -> Result<Map<String, Value>, E> {
        let mut object = Map::new();
        for (name, value) in self.0 {
            if object.insert(name, value).is_some() {
                return Err(duplicate("an entry"));
            }
        }
        Ok(normalized_object(object))
    }
}

impl<'de> Deserialize<'de> for Buffered {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Buffered;
            fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                to.write_str("an object")
            }
            refuse_scalars!();
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Buffered, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Buffered(entries))
            }
        }
        from.deserialize_map(Entries)
    }
}
