//! The format in which models read results.

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;
use tool_contracts::articulate::{
    OutputSerializer, SerializationError, SerializationFormat, SerializationMetadata,
    SerializationRequest, SerializedOutput,
};

use crate::tokens::TokenCounter;

/// The format in which models read results.
#[derive(Debug, Clone, Default)]
pub(in crate::policy) enum ResultFormat {
    /// JSON as the tool wrote it.
    #[default]
    Json,
    Serializer(Arc<dyn ResultSerializer>),
}

/// An [`OutputSerializer`] of JSON text.
pub(in crate::policy) trait ResultSerializer: fmt::Debug + Send + Sync {
    /// Serializes the data, in the required format if there is one.
    fn serialize_json(
        &self,
        json: &RawValue,
        format: Option<SerializationFormat>,
    ) -> Result<SerializedOutput, SerializationError>;
}

impl<S: OutputSerializer + fmt::Debug + Send + Sync> ResultSerializer for S {
    fn serialize_json(
        &self,
        json: &RawValue,
        format: Option<SerializationFormat>,
    ) -> Result<SerializedOutput, SerializationError> {
        let request = SerializationRequest::new(json);
        self.serialize(&match format {
            Some(format) => request.with_format(format),
            None => request,
        })
    }
}

impl ResultFormat {
    /// Serializes JSON text; `None` for JSON as it is, also where the serializer fails.
    ///
    /// Another format is chosen only if it saves more tokens than the line that names it costs.
    pub(super) fn serialize(
        &self,
        json: &str,
        counter: &dyn TokenCounter,
    ) -> Option<SerializedOutput> {
        let Self::Serializer(serializer) = self else { return None };
        let raw: &RawValue = serde_json::from_str(json).ok()?;
        let output = serializer.serialize_json(raw, None).ok()?;
        let Some(note) = output.format_used().model_note() else { return Some(output) };
        let tokens = output.optimized_tokens().saturating_add(counter.count(note));
        let compact = output.metadata().map(SerializationMetadata::compact_json_tokens);
        if compact.is_none_or(|compact| tokens < compact) {
            return Some(output);
        }
        serializer.serialize_json(raw, Some(SerializationFormat::CompactJson)).ok()
    }
}
