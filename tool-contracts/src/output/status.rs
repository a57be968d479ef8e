//! The two values of the `status` field.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::wire::read_word;

/// The status of an output that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Ok,
    Error,
}

read_word!(Status);

impl Status {
    const EXPECTED: &'static str = "one of `ok`, `error`";

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Ok => OkStatus::WORD,
            Self::Error => ErrorStatus::WORD,
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        match word {
            OkStatus::WORD => Some(Self::Ok),
            ErrorStatus::WORD => Some(Self::Error),
            _ => None,
        }
    }
}

macro_rules! fixed_status {
    ($($(#[$doc:meta])* $name:ident = $word:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub(crate) struct $name;

        impl $name {
            pub(crate) const WORD: &'static str = $word;
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(Self::WORD)
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({"type": "string", "const": Self::WORD})
            }
        }
    )+};
}

fixed_status! {
    /// The status of every result.
    OkStatus = "ok";
    /// The status of every error.
    ErrorStatus = "error";
}
