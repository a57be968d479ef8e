//! Deserializes a missing field the way a serde derive does.

use std::fmt::{self, Display};

use serde::de::{self, Deserializer, Visitor};

/// Deserializer of a missing field: `Option` yields `None`, every other type fails.
#[derive(Debug, Clone, Copy)]
pub struct AbsentField;

#[derive(Debug)]
pub struct Absent;

impl Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the field is absent")
    }
}

impl std::error::Error for Absent {}

impl de::Error for Absent {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

impl<'de> Deserializer<'de> for AbsentField {
    type Error = Absent;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Absent> {
        Err(Absent)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Absent> {
        visitor.visit_none()
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
