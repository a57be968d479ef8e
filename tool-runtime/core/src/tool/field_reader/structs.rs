//! Deserializes a struct with `#[ai_type]`, with the errors and formats of a derive.

use std::fmt;

use serde::de::{self, Deserializer, Expected, MapAccess, SeqAccess, Unexpected, Visitor};

use super::{FieldNames, ReadFields, UNKNOWN_FIELD};

/// The names of a struct and of its fields, and whether other fields are accepted.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::exhaustive_structs, reason = "written out by generated code")]
pub struct StructFields {
    /// The name of the struct.
    pub name: &'static str,
    /// The names of the fields, in the order of the tuple.
    pub fields: &'static [&'static str],
    /// True if undeclared fields are ignored.
    pub open: bool,
}

impl FieldNames for StructFields {
    #[inline]
    fn index_of<E: de::Error>(self, name: &str) -> Result<usize, E> {
        match self.fields.iter().position(|field| *field == name) {
            Some(index) => Ok(index),
            None if self.open => Ok(UNKNOWN_FIELD),
            None => Err(E::unknown_field(name, self.fields)),
        }
    }

    fn index_at<E: de::Error>(self, position: u64) -> Result<usize, E> {
        match usize::try_from(position) {
            Ok(index) if index < self.fields.len() => Ok(index),
            Ok(_) | Err(_) if self.open => Ok(UNKNOWN_FIELD),
            Ok(_) | Err(_) => Err(E::invalid_value(
                Unexpected::Unsigned(position),
                &FieldIndex(self.fields.len()),
            )),
        }
    }

    fn duplicate<E: de::Error>(self, index: usize) -> E {
        E::duplicate_field(self.fields[index])
    }

    fn missing<E: de::Error>(self, index: usize) -> E {
        E::missing_field(self.fields[index])
    }

    fn ends_before<E: de::Error>(self, index: usize) -> E {
        E::invalid_length(index, &self)
    }
}

impl Expected for StructFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, count) = (self.name, self.fields.len());
        let elements = if count == 1 { "element" } else { "elements" };
        write!(f, "struct {name} with {count} {elements}")
    }
}

/// The expectation of an index below this number of fields.
struct FieldIndex(usize);

impl Expected for FieldIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "field index 0 <= i < {}", self.0)
    }
}

/// Deserializes the fields of a struct.
///
/// # Errors
/// Returns the errors of a derived `Deserialize`.
pub fn read_struct<'de, A: ReadFields<'de>, D: Deserializer<'de>>(
    deserializer: D,
    fields: StructFields,
    defaults: A::Defaults,
) -> Result<A, D::Error> {
    deserializer.deserialize_struct(
        fields.name,
        fields.fields,
        StructVisitor::<A> { fields, defaults },
    )
}

struct StructVisitor<'de, A: ReadFields<'de>> {
    fields: StructFields,
    defaults: A::Defaults,
}

impl<'de, A: ReadFields<'de>> Visitor<'de> for StructVisitor<'de, A> {
    type Value = A;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "struct {}", self.fields.name)
    }

    #[inline]
    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<A, M::Error> {
        A::from_map(map, self.fields, self.defaults)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, sequence: S) -> Result<A, S::Error> {
        A::from_sequence(sequence, self.fields, self.defaults)
    }
}
