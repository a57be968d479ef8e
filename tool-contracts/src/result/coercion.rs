//! The record of an argument that was converted to another type.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use crate::wire::{self, reads};

/// An argument that was converted from the JSON type that the model wrote to another one.
///
/// Only lossless conversions are made, such as `"5"` to an integer, and each is recorded.
///
/// The list in a result is bounded. If entries are omitted, the last entry has an empty pointer,
/// their number in `from` (`4936 more values`) and `not listed` in `to`.
///
/// ```
/// use tool_contracts::Coercion;
///
/// let receipt = Coercion::new("/limit", "string", "integer");
/// assert_eq!((receipt.from(), receipt.to()), ("string", "integer"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("coercion"))]
pub struct Coercion {
    /// The location of the argument: a JSON Pointer (RFC 6901) into the arguments.
    pointer: String,
    /// The JSON type that the model wrote.
    from: Cow<'static, str>,
    /// The JSON type that it was converted to.
    to: Cow<'static, str>,
}

impl Coercion {
    /// Creates a record; `from` and `to` are names of JSON types.
    #[must_use]
    pub fn new(
        pointer: impl Into<String>,
        from: impl Into<Cow<'static, str>>,
        to: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { pointer: pointer.into(), from: from.into(), to: to.into() }
    }

    /// Returns the JSON Pointer (RFC 6901) to the argument.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the JSON type that the model wrote.
    #[must_use]
    pub fn from(&self) -> &str {
        &self.from
    }

    /// Returns the JSON type after coercion.
    #[must_use]
    pub fn to(&self) -> &str {
        &self.to
    }
}

reads! {
    Coercion, "a coercion";
    required pointer = "pointer", leaf wire::Text;
    required from = "from", leaf wire::Text;
    required to = "to", leaf wire::Text;
    => Ok(Coercion { pointer, from: from.into(), to: to.into() })
}
