//! A stub of TOON for builds without the feature `toon`: every text is compact JSON.

use tool_contracts::articulate::SerializationError;
use tool_runtime_schema::json::JsonView;

/// False: TOON cannot be chosen.
pub(super) const IS_ON: bool = false;

const OFF: &str = "TOON needs the feature `toon` of `tool-runtime`";

pub(super) fn write(_: JsonView<'_>) -> Result<String, SerializationError> {
    Err(SerializationError::new(OFF))
}

pub(super) fn from_toon<T>(_: &str) -> Result<T, SerializationError> {
    Err(SerializationError::new(OFF))
}

pub(super) fn to_json(_: &str) -> Result<String, SerializationError> {
    Err(SerializationError::new(OFF))
}
