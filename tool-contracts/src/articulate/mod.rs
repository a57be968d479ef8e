//! Structured data as text for a model, in the format that takes the fewest tokens.
//!
//! A [`SerializationRequest`] carries the data, any [`Serialize`](serde::Serialize). An
//! [`OutputSerializer`] chooses a [`SerializationFormat`] and returns a [`SerializedOutput`]: the
//! text, its format, and what it costs in tokens beside standard and compact JSON.
//!
//! `tool_runtime::articulate` has the implementation that measures both formats; a strategy of
//! your own implements the same trait.
//!
//! | complexity | document |
//! | --- | --- |
//! | `tabular` | at least half of its compact JSON is in tables |
//! | `simple` | otherwise, a scalar, or objects and arrays in at most two levels |
//! | `nested` | otherwise, at most six levels |
//! | `complex` | deeper |
//!
//! A *table* is an array of objects with the same keys, or an object whose values are such objects;
//! their values are scalars, or objects with the same keys again. A level is an object or an array;
//! the outermost is the first.

mod complexity;
mod error;
mod format;
mod metadata;
mod output;
mod request;
mod serializer;

pub use self::{
    complexity::SchemaComplexity,
    error::SerializationError,
    format::SerializationFormat,
    metadata::SerializationMetadata,
    output::{SerializedOutput, SerializedOutputBuilder},
    request::SerializationRequest,
    serializer::OutputSerializer,
};
