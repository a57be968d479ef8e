//! A boolean constant that distinguishes one object from another.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// A boolean with the value `ON`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConstBool<const ON: bool>;

impl<const ON: bool> Serialize for ConstBool<ON> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bool(ON)
    }
}

impl<const ON: bool> JsonSchema for ConstBool<ON> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Always_{ON}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "boolean", "const": ON})
    }
}
