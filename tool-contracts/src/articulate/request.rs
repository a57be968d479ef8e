//! Requests to serialize data.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;

use super::SerializationFormat;
use crate::wire::{self, reads};

/// A request to serialize data: the data, and hints for the format.
///
/// The data is any [`Serialize`]: a typed model, a [`Value`], or raw JSON. `Debug` does not show
/// it, because it may contain secrets.
///
/// ```
/// use tool_contracts::articulate::{SerializationFormat, SerializationRequest};
///
/// let request = SerializationRequest::new(vec![1, 2, 3]);
/// assert_eq!(request.force_format(), None);
/// assert!(request.include_length_markers() && request.validate_output());
/// let forced = request.with_format(SerializationFormat::CompactJson);
/// assert_eq!(
///     serde_json::to_string(&forced)?,
///     r#"{"data":[1,2,3],"force_format":"compact_json","include_length_markers":true,"validate_output":true}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Serialize)]
pub struct SerializationRequest<T = Value> {
    data: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    force_format: Option<SerializationFormat>,
    include_length_markers: bool,
    validate_output: bool,
    #[serde(skip)]
    schema: Option<Schema>,
}

impl<T> SerializationRequest<T> {
    /// Creates a request in the format that takes the fewest tokens, with a check of the text.
    #[must_use]
    pub const fn new(data: T) -> Self {
        Self {
            data,
            force_format: None,
            include_length_markers: true,
            validate_output: true,
            schema: None,
        }
    }

    /// Creates a request for a typed model, whose JSON Schema the serializer may read as well.
    #[must_use]
    pub fn for_model(data: T) -> Self
    where
        T: JsonSchema,
    {
        let schema = SchemaGenerator::default().into_root_schema_for::<T>();
        Self::new(data).with_schema(schema)
    }

    /// Sets the format, instead of the one that takes the fewest tokens.
    #[must_use]
    pub fn with_format(self, format: SerializationFormat) -> Self {
        Self { force_format: Some(format), ..self }
    }

    /// Sets whether arrays in TOON carry their length.
    ///
    /// TOON since 2.0 requires the length, so it is always written; `false` has no effect.
    #[must_use]
    pub fn with_length_markers(self, include_length_markers: bool) -> Self {
        Self { include_length_markers, ..self }
    }

    /// Sets whether the text is read back and compared with the data before it is returned.
    #[must_use]
    pub fn with_validation(self, validate_output: bool) -> Self {
        Self { validate_output, ..self }
    }

    /// Sets the JSON Schema of the data. It is not part of the request on the wire.
    #[must_use]
    pub fn with_schema(self, schema: Schema) -> Self {
        Self { schema: Some(schema), ..self }
    }

    /// Returns the data.
    #[must_use]
    pub const fn data(&self) -> &T {
        &self.data
    }

    /// Returns the required format; `None` if the serializer chooses it.
    #[must_use]
    pub const fn force_format(&self) -> Option<SerializationFormat> {
        self.force_format
    }

    /// Returns whether arrays in TOON carry their length, which they always do.
    #[must_use]
    pub const fn include_length_markers(&self) -> bool {
        self.include_length_markers
    }

    /// Returns whether the text is read back and compared with the data.
    #[must_use]
    pub const fn validate_output(&self) -> bool {
        self.validate_output
    }

    /// Returns the JSON Schema of the data, if it is known.
    #[must_use]
    pub const fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref()
    }

    /// Returns the data without the hints.
    #[must_use]
    pub fn into_data(self) -> T {
        self.data
    }
}

/// Shows the hints only.
impl<T> fmt::Debug for SerializationRequest<T> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("SerializationRequest")
            .field("force_format", &self.force_format)
            .field("include_length_markers", &self.include_length_markers)
            .field("validate_output", &self.validate_output)
            .finish_non_exhaustive()
    }
}

reads! {
    SerializationRequest<T>, "a request to serialize data";
    required data = "data", raw T;
    optional force_format = "force_format", nested SerializationFormat;
    optional include_length_markers = "include_length_markers", leaf wire::Flag;
    optional validate_output = "validate_output", leaf wire::Flag;
    => {
        let mut request = SerializationRequest::new(data)
            .with_length_markers(include_length_markers.unwrap_or(true))
            .with_validation(validate_output.unwrap_or(true));
        request.force_format = force_format;
        Ok(request)
    }
}

/// A request to serialize data: the data, and hints for the format.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SerializationRequest", transform = crate::schemas::documented("serialization_request"))]
#[allow(dead_code, reason = "it stands for the schema")]
struct Wire {
    /// The data: any JSON.
    data: Value,
    /// The required format; the one that takes the fewest tokens if omitted.
    force_format: Option<SerializationFormat>,
    /// True if arrays in TOON carry their length; they always do.
    #[schemars(with = "Option<bool>", extend("default" = true))]
    include_length_markers: bool,
    /// True if the text is read back and compared with the data before it is returned.
    #[schemars(with = "Option<bool>", extend("default" = true))]
    validate_output: bool,
}

impl<T> JsonSchema for SerializationRequest<T> {
    fn schema_name() -> Cow<'static, str> {
        Wire::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        Wire::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Wire::json_schema(generator)
    }
}
