//! The serializer that measures: tables as TOON, everything else as compact JSON.

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::rendering::{FormatRules, ParsedDocument, from_json, to_json};
use super::schema_tables::may_have_tables;
use super::toon;
use crate::tokens::{TokenCounter, TokenEstimate};
use schemars::Schema;
use tool_contracts::articulate::{
    OutputSerializer, SchemaComplexity, SerializationError, SerializationFormat,
    SerializationMetadata, SerializationRequest, SerializedOutput,
};

/// Serializes data as TOON where that takes fewer tokens than compact JSON.
///
/// TOON writes the keys of a table once, so it pays where most of the data is tables, and costs
/// more than JSON elsewhere. One pass over the data finds the share of its bytes that is in tables
/// of more than [`table_rows`](Self::table_rows) rows:
///
/// | share | format |
/// | --- | --- |
/// | below 0.1 | compact JSON |
/// | from 0.1 | both are written and their tokens counted; TOON if it takes at least 3 % less |
///
/// A model whose [schema](SerializationRequest::for_model) has no array of objects is written as
/// compact JSON without that pass. Tokens are estimated unless
/// [`token_counter`](Self::token_counter) sets an exact counter.
///
/// ```
/// # #[cfg(feature = "toon")] {
/// use serde::Serialize;
/// use tool_runtime::articulate::Articulator;
/// use tool_runtime::contracts::articulate::{
///     OutputSerializer, SerializationFormat, SerializationRequest,
/// };
///
/// #[derive(Serialize)]
/// struct Hit { id: u32, title: &'static str }
///
/// let hits: Vec<Hit> = (1..=6).map(|id| Hit { id, title: "Green tea" }).collect();
/// let output = Articulator::new().serialize(&SerializationRequest::new(&hits))?;
/// assert_eq!(output.format_used(), SerializationFormat::Toon);
/// assert!(output.serialized_text().starts_with("[6]{id,title}:\n  1,Green tea\n"));
/// assert!(output.is_valid() && output.savings_ratio() > 0.4);
/// # }
/// # Ok::<(), tool_runtime::contracts::articulate::SerializationError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Articulator {
    counter: Arc<dyn TokenCounter>,
    table_rows: usize,
}

impl Articulator {
    /// Creates a serializer with estimated tokens, and tables of more than 5 rows.
    #[must_use]
    pub fn new() -> Self {
        Self { counter: Arc::new(TokenEstimate), table_rows: 5 }
    }

    /// Sets the counter of tokens.
    #[must_use]
    pub fn token_counter(self, counter: impl TokenCounter + 'static) -> Self {
        Self { counter: Arc::new(counter), ..self }
    }

    /// Sets how many rows an array may have without counting as a table; 5 by default.
    #[must_use]
    pub fn table_rows(self, rows: usize) -> Self {
        Self { table_rows: rows, ..self }
    }

    fn rules(
        &self,
        force: Option<SerializationFormat>,
        schema: Option<&Schema>,
    ) -> FormatRules<'_> {
        let has_no_tables = || schema.is_some_and(|schema| !may_have_tables(schema));
        let force = force.or_else(|| has_no_tables().then_some(SerializationFormat::CompactJson));
        FormatRules { counter: &*self.counter, force }
    }

    fn serialize_json(
        &self,
        json: &str,
        hints: &Hints<'_>,
        started: Instant,
    ) -> Result<SerializedOutput, SerializationError> {
        let document = match ParsedDocument::read(json, self.table_rows) {
            Ok(document) => document,
            Err(error) => return self.unread(json, &error, started),
        };
        let mut rendering = document.render(&self.rules(hints.format, hints.schema));
        let is_valid = hints.validate && document.validate(&mut rendering);
        let took = started.elapsed().as_secs_f64() * 1e3;
        let original = self.counter.count(&document.spaced());
        let compact = self.counter.count(&document.compact());
        let mut metadata = self.metadata(compact)?.with_table_share(document.shape().table_share);
        if let Some(reason) = rendering.fallback {
            metadata = metadata.with_fallback(reason);
        }
        let optimized = self.counter.count(&rendering.text);
        SerializedOutput::builder(rendering.text, rendering.format)
            .tokens(original, optimized)
            .valid(is_valid)
            .time_ms(took)
            .complexity(document.shape().complexity())
            .metadata(metadata)
            .build()
            .map_err(|error| SerializationError::new(error.to_string()))
    }

    /// Returns a text that is too deep for a reader as it is.
    fn unread(
        &self,
        json: &str,
        error: &SerializationError,
        started: Instant,
    ) -> Result<SerializedOutput, SerializationError> {
        let tokens = self.counter.count(json);
        SerializedOutput::builder(json, SerializationFormat::CompactJson)
            .tokens(tokens, tokens)
            .time_ms(started.elapsed().as_secs_f64() * 1e3)
            .complexity(SchemaComplexity::Complex)
            .metadata(self.metadata(tokens)?.with_fallback(error.message()))
            .build()
            .map_err(|error| SerializationError::new(error.to_string()))
    }

    fn metadata(&self, compact: u64) -> Result<SerializationMetadata, SerializationError> {
        SerializationMetadata::new(self.counter.method().as_str(), compact)
            .map_err(|error| SerializationError::new(error.to_string()))
    }
}

/// A request without its data.
struct Hints<'r> {
    format: Option<SerializationFormat>,
    validate: bool,
    schema: Option<&'r Schema>,
}

impl Default for Articulator {
    fn default() -> Self {
        Self::new()
    }
}

impl OutputSerializer for Articulator {
    fn serialize<T: Serialize>(
        &self,
        request: &SerializationRequest<T>,
    ) -> Result<SerializedOutput, SerializationError> {
        let started = Instant::now();
        let hints = Hints {
            format: request.force_format(),
            validate: request.validate_output(),
            schema: request.schema(),
        };
        self.serialize_json(&to_json(request.data())?, &hints, started)
    }

    fn deserialize<T: DeserializeOwned>(
        &self,
        text: &str,
        format: SerializationFormat,
    ) -> Result<T, SerializationError> {
        if format.is_json() { from_json(text) } else { toon::from_toon(text) }
    }

    fn negotiate_format<T: Serialize>(
        &self,
        request: &SerializationRequest<T>,
    ) -> Result<SerializationFormat, SerializationError> {
        let json = to_json(request.data())?;
        let rules = self.rules(request.force_format(), request.schema());
        let format = |document: ParsedDocument<'_>| document.render(&rules).format;
        let document = ParsedDocument::read(&json, self.table_rows);
        Ok(document.map_or(SerializationFormat::CompactJson, format))
    }
}
