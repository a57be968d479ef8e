//! The interface of generated code; it has no stability guarantee.

mod bounds;
mod debug;
mod probe;
mod roles;
mod select;
pub mod traits;
mod wide;

#[cfg(all(test, feature = "policy", feature = "tokio"))]
mod tests;

pub use std::boxed::Box;
pub use std::option::Option;
pub use std::result::Result;
pub use std::string::String;
pub use std::vec::Vec;

#[cfg(feature = "discovery")]
pub use inventory;
pub use schemars::{self, JsonSchema, Schema, SchemaGenerator};
pub use serde;
pub use tool_contracts::{Effect, ErrorCode, ToolErrorType};

pub use tool_runtime_schema::schema::{InputSchema, Property, open, title};

pub use self::bounds::{AsLength, AsNumber, has_length, in_range};
pub use self::debug::{DeriveDebugStandsBelowAiType, HasDebug};
pub use self::probe::*;
pub use self::roles::{
    Answer, Argument, Finding, OpaqueAnswer, OptionFuture, Preview, PublicMessage, SharedArgument,
    answered, finding, never_passed, opaque_answered, option_future, output_schema, previewed,
    property, public_message, shared_property,
};
pub use self::select::Select;
pub use self::wide::{NoWideFields, NoWideInteger, WideFields, WideInteger, WideProbe};
pub use crate::__discover as discover;
pub use crate::failure::{Failure, FailureCode, ToolFailure};
pub use crate::tool::field_reader::{
    FieldNames, Fields, ReadFields, StructFields, Text, UNKNOWN_FIELD, read_struct,
};
#[cfg(feature = "discovery")]
pub use crate::tool::registry::Discovered;
pub use crate::tool::registry::{
    CostEstimate, Definition, HostNeed, Tool, Toolkit, ToolkitFacts, TypedTool,
};
pub use crate::tool::{CallScope, Finished, ToolFuture};
