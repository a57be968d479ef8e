//! The interface of serializers.

use serde::{Serialize, de::DeserializeOwned};

use super::{SerializationError, SerializationFormat, SerializationRequest, SerializedOutput};

/// Serializes data for a model, and reads it back.
///
/// Implement it to replace the choice of the format. A text that `serialize` returns must be
/// readable by `deserialize` in the format that it names.
///
/// ```
/// use serde::{Serialize, de::DeserializeOwned};
/// use tool_contracts::articulate::{
///     OutputSerializer, SchemaComplexity, SerializationError, SerializationFormat,
///     SerializationRequest, SerializedOutput,
/// };
///
/// /// Writes compact JSON, and counts four bytes as one token.
/// struct PlainJson;
///
/// impl OutputSerializer for PlainJson {
///     fn serialize<T: Serialize>(
///         &self,
///         request: &SerializationRequest<T>,
///     ) -> Result<SerializedOutput, SerializationError> {
///         let failed = |error: serde_json::Error| SerializationError::new(error.to_string());
///         let text = serde_json::to_string(request.data()).map_err(failed)?;
///         let tokens = text.len().div_ceil(4) as u64;
///         SerializedOutput::builder(text, SerializationFormat::CompactJson)
///             .complexity(SchemaComplexity::Nested)
///             .tokens(tokens, tokens)
///             .build()
///             .map_err(|error| SerializationError::new(error.to_string()))
///     }
///
///     fn deserialize<T: DeserializeOwned>(
///         &self,
///         text: &str,
///         _: SerializationFormat,
///     ) -> Result<T, SerializationError> {
///         serde_json::from_str(text).map_err(|_| SerializationError::new("expected compact JSON"))
///     }
///
///     fn negotiate_format<T: Serialize>(
///         &self,
///         _: &SerializationRequest<T>,
///     ) -> Result<SerializationFormat, SerializationError> {
///         Ok(SerializationFormat::CompactJson)
///     }
/// }
///
/// let output = PlainJson.serialize(&SerializationRequest::new(vec![1, 2, 3]))?;
/// assert_eq!(output.serialized_text(), "[1,2,3]");
/// let again: Vec<i32> = PlainJson.deserialize(output.serialized_text(), output.format_used())?;
/// assert_eq!(again, [1, 2, 3]);
/// # Ok::<(), SerializationError>(())
/// ```
pub trait OutputSerializer {
    /// Serializes the data, in the required format or in the one that takes the fewest tokens.
    ///
    /// A format that fails is replaced by compact JSON, and the output's metadata says so.
    ///
    /// # Errors
    /// Returns an error if the data cannot be written as JSON at all.
    fn serialize<T: Serialize>(
        &self,
        request: &SerializationRequest<T>,
    ) -> Result<SerializedOutput, SerializationError>;

    /// Reads a text back.
    ///
    /// # Errors
    /// Returns an error with line and column if the text is not valid in this format, and an error
    /// without them if the data is no `T`.
    fn deserialize<T: DeserializeOwned>(
        &self,
        text: &str,
        format: SerializationFormat,
    ) -> Result<T, SerializationError>;

    /// Returns the format in which [`serialize`](Self::serialize) would write the data.
    ///
    /// # Errors
    /// Returns an error if the data cannot be written as JSON at all.
    fn negotiate_format<T: Serialize>(
        &self,
        request: &SerializationRequest<T>,
    ) -> Result<SerializationFormat, SerializationError>;
}
