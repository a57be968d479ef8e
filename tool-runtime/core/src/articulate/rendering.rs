//! The choice between the formats, and the text of a document in the chosen one.

use serde::Serialize;
use serde::de::DeserializeOwned;
use tool_contracts::articulate::{SerializationError, SerializationFormat};
use tool_runtime_schema::Limits;
use tool_runtime_schema::json::{JsonTree, JsonView, equals_value, from_text, read, writer};

use super::json_text::{COMPACT, SPACED, json_text};
use super::shape::DocumentShape;
use super::toon;
use crate::tokens::TokenCounter;

/// The rules of the choice.
#[derive(Debug, Clone, Copy)]
pub(super) struct FormatRules<'r> {
    pub(super) counter: &'r dyn TokenCounter,
    /// The required format.
    pub(super) force: Option<SerializationFormat>,
}

/// A document as text for a model.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rendering {
    pub(super) text: String,
    pub(super) format: SerializationFormat,
    /// The reason for which compact JSON replaces the chosen format.
    pub(super) fallback: Option<String>,
}

/// A parsed document.
#[derive(Debug)]
pub(super) struct ParsedDocument<'d> {
    json: &'d str,
    tree: JsonTree,
    shape: DocumentShape,
}

/// The decision by the required format, or by the share of tables.
enum FormatDecision {
    Json,
    Toon,
    Compare,
}

const UNBOUNDED: Limits = Limits::new()
    .with_max_bytes(Limits::MAX_BYTES)
    .with_max_depth(Limits::DEEPEST)
    .with_max_string_bytes(usize::MAX);

const NOT_THE_SAME: &str = "the text does not read back as the data";

/// The share of tables below which compact JSON is written without a comparison.
const FEW_TABLES: f64 = 0.1;
/// The tokens of TOON for a hundred of compact JSON up to which TOON is written. The margin covers
/// the error of an estimate.
const MAX_PERCENT: u64 = 97;

impl<'d> ParsedDocument<'d> {
    /// Parses JSON; an array with more rows than that may be a table.
    ///
    /// # Errors
    /// Returns an error if the text is nested in more than 126 levels, or is not JSON.
    pub(super) fn read(json: &'d str, table_rows: usize) -> Result<Self, SerializationError> {
        let tree = read(json, &UNBOUNDED).map_err(|_| {
            SerializationError::new("expected JSON in at most 126 levels of objects and arrays")
        })?;
        let shape = DocumentShape::new(tree.view(json), table_rows);
        Ok(Self { json, tree, shape })
    }

    pub(super) fn shape(&self) -> DocumentShape {
        self.shape
    }

    /// Writes the document as compact JSON.
    pub(super) fn compact(&self) -> String {
        json_text(self.view(), COMPACT)
    }

    /// Writes the document as JSON with a space after each comma and colon.
    pub(super) fn spaced(&self) -> String {
        json_text(self.view(), SPACED)
    }

    /// Writes the document in the required format, or in the one that takes fewer tokens.
    pub(super) fn render(&self, rules: &FormatRules<'_>) -> Rendering {
        match self.decide(rules) {
            FormatDecision::Json => self.as_json(None),
            FormatDecision::Toon => match toon::write(self.view()) {
                Ok(text) => Rendering { text, format: SerializationFormat::Toon, fallback: None },
                Err(error) => self.as_json(Some(error.message().to_owned())),
            },
            FormatDecision::Compare => self.cheaper(rules),
        }
    }

    /// Writes the document as compact JSON, for this reason if another format was chosen.
    pub(super) fn as_json(&self, fallback: Option<String>) -> Rendering {
        Rendering { text: self.compact(), format: SerializationFormat::CompactJson, fallback }
    }

    /// Reads the text back, and returns whether it equals the document. A text in TOON that does
    /// not is replaced by compact JSON.
    pub(super) fn validate(&self, rendering: &mut Rendering) -> bool {
        if self.equals(rendering) {
            return true;
        }
        let reason = rendering.fallback.take().unwrap_or_else(|| NOT_THE_SAME.to_owned());
        let was_json = rendering.format == SerializationFormat::CompactJson;
        *rendering = self.as_json(Some(reason));
        !was_json && self.equals(rendering)
    }

    fn equals(&self, rendering: &Rendering) -> bool {
        let Rendering { text, format, .. } = rendering;
        if format.is_json() {
            self.tree.duplicates().is_empty() && read(text, &UNBOUNDED).is_ok()
        } else {
            toon::to_json(text).is_ok_and(|json| self.is(&json))
        }
    }

    /// Returns whether a text is this document: to the letter, or with numbers in other notations.
    fn is(&self, json: &str) -> bool {
        let value = || serde_json::from_str(json);
        json == self.compact() || value().is_ok_and(|value| equals_value(self.view(), 0, &value))
    }

    pub(super) fn view(&self) -> JsonView<'_> {
        self.tree.view(self.json)
    }

    fn decide(&self, rules: &FormatRules<'_>) -> FormatDecision {
        let share = self.shape.table_share;
        match rules.force {
            Some(format) if format.is_json() => FormatDecision::Json,
            Some(_) => FormatDecision::Toon,
            None if share < FEW_TABLES || !toon::IS_ON => FormatDecision::Json,
            None => FormatDecision::Compare,
        }
    }

    /// Writes both formats and counts their tokens. A text that cannot be TOON is not chosen.
    fn cheaper(&self, rules: &FormatRules<'_>) -> Rendering {
        let json = self.as_json(None);
        let Ok(text) = toon::write(self.view()) else { return json };
        let tokens = rules.counter.count(&text);
        let max_tokens = rules.counter.count(&json.text).saturating_mul(MAX_PERCENT) / 100;
        if tokens > max_tokens {
            return json;
        }
        Rendering { text, format: SerializationFormat::Toon, fallback: None }
    }
}

/// Writes data as JSON.
pub(super) fn to_json<T: Serialize + ?Sized>(data: &T) -> Result<String, SerializationError> {
    let mut json = Vec::new();
    let written = writer::write(&mut json, data);
    // The message of a type's own `Serialize` may quote the data.
    let failed = || SerializationError::new("the data cannot be written as JSON");
    written.map_err(|_| failed())?;
    String::from_utf8(json).map_err(|_| failed())
}

pub(super) const WRONG_TYPE: &str = "the text is valid, but not of the expected type";

/// Reads JSON as a type; the error quotes nothing.
pub(super) fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, SerializationError> {
    let describe = |error: serde_json::Error| {
        let message = if error.is_data() { WRONG_TYPE } else { "expected a text in JSON" };
        SerializationError::new(message).at(error.line() as u64, error.column() as u64)
    };
    from_text(text).map_err(describe)
}
