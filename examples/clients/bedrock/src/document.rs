//! Converts between the SDK's `Document` and JSON: values without loss or with an error. The order
//! of an object's keys is lost.

use std::error::Error;
use std::fmt;

use aws_smithy_types::{Document, Number};
use tool_runtime::serde_json::{self, Value};

/// The deepest nesting of arrays and objects that is converted: the deepest that `serde_json` reads
/// from text.
pub const MAX_DEPTH: usize = 127;

/// A value that cannot be converted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversionError {
    kind: ConversionErrorKind,
    pointer: String,
}

/// The reason why a value cannot be converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConversionErrorKind {
    /// The number is infinite or not a number, which JSON cannot express.
    NotFinite,
    /// The number has more digits, or is larger, than `u64`, `i64` or `f64` can hold.
    Inexact,
    /// Arrays and objects are nested deeper than [`MAX_DEPTH`].
    TooDeep,
}

impl ConversionError {
    /// Returns the reason.
    #[must_use]
    pub fn kind(&self) -> ConversionErrorKind {
        self.kind
    }

    /// Returns the JSON pointer of the value; it is empty for the whole input.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    fn new(kind: ConversionErrorKind) -> Self {
        Self { kind, pointer: String::new() }
    }

    /// Prepends the key or the index of the array or object that contains the value.
    fn inside(mut self, segment: &str) -> Self {
        let segment = segment.replace('~', "~0").replace('/', "~1");
        self.pointer.insert_str(0, &format!("/{segment}"));
        self
    }
}

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.kind {
            ConversionErrorKind::NotFinite => "the number is too large, or not a number",
            ConversionErrorKind::Inexact => "the number cannot be represented exactly",
            ConversionErrorKind::TooDeep => "arrays and objects are nested too deeply",
        };
        write!(f, "{reason}, at `{}`", self.pointer)
    }
}

impl Error for ConversionError {}

/// Converts JSON to a `Document`; the order of an object's keys is lost.
///
/// # Errors
/// Fails if a number is not exactly a `u64`, an `i64` or an `f64`, or if the nesting is too deep.
pub fn to_document(json: &Value) -> Result<Document, ConversionError> {
    document_at(json, 0)
}

/// Converts a `Document` to JSON.
///
/// # Errors
/// Fails if a number is infinite or not a number, or if the nesting is too deep.
pub fn to_json(document: &Document) -> Result<Value, ConversionError> {
    json_at(document, 0)
}

fn document_at(json: &Value, depth: usize) -> Result<Document, ConversionError> {
    Ok(match json {
        Value::Null => Document::Null,
        Value::Bool(flag) => Document::Bool(*flag),
        Value::Number(number) => Document::Number(to_smithy(number)?),
        Value::String(text) => Document::String(text.clone()),
        Value::Array(items) => {
            let depth = deeper(depth)?;
            let item = |(index, item)| {
                document_at(item, depth).map_err(|error| error.inside(&usize::to_string(&index)))
            };
            Document::Array(items.iter().enumerate().map(item).collect::<Result<_, _>>()?)
        }
        Value::Object(fields) => {
            let depth = deeper(depth)?;
            let field = |(key, field): (&String, _)| {
                let value = document_at(field, depth).map_err(|error| error.inside(key))?;
                Ok((key.clone(), value))
            };
            Document::Object(fields.iter().map(field).collect::<Result<_, _>>()?)
        }
    })
}

fn json_at(document: &Document, depth: usize) -> Result<Value, ConversionError> {
    Ok(match document {
        Document::Null => Value::Null,
        Document::Bool(flag) => Value::Bool(*flag),
        Document::Number(number) => Value::Number(to_serde(*number)?),
        Document::String(text) => Value::String(text.clone()),
        Document::Array(items) => {
            let depth = deeper(depth)?;
            let item = |(index, item)| {
                json_at(item, depth).map_err(|error| error.inside(&usize::to_string(&index)))
            };
            Value::Array(items.iter().enumerate().map(item).collect::<Result<_, _>>()?)
        }
        Document::Object(fields) => {
            let depth = deeper(depth)?;
            let field = |(key, field): (&String, _)| {
                let value = json_at(field, depth).map_err(|error| error.inside(key))?;
                Ok((key.clone(), value))
            };
            Value::Object(fields.iter().map(field).collect::<Result<_, _>>()?)
        }
    })
}

/// Returns the depth of the items of an array or object.
fn deeper(depth: usize) -> Result<usize, ConversionError> {
    if depth == MAX_DEPTH {
        return Err(ConversionError::new(ConversionErrorKind::TooDeep));
    }
    Ok(depth + 1)
}

fn to_smithy(number: &serde_json::Number) -> Result<Number, ConversionError> {
    if let Some(integer) = number.as_u64() {
        return Ok(Number::PosInt(integer));
    }
    if let Some(integer) = number.as_i64() {
        return Ok(Number::NegInt(integer));
    }
    // With serde_json's feature `arbitrary_precision`, a number may have more digits than an `f64`.
    let exact = |float: &f64| serde_json::Number::from_f64(*float).as_ref() == Some(number);
    let float = number.as_f64().filter(exact);
    float.map(Number::Float).ok_or_else(|| ConversionError::new(ConversionErrorKind::Inexact))
}

fn to_serde(number: Number) -> Result<serde_json::Number, ConversionError> {
    match number {
        Number::PosInt(integer) => Ok(integer.into()),
        Number::NegInt(integer) => Ok(integer.into()),
        Number::Float(float) => serde_json::Number::from_f64(float)
            .ok_or_else(|| ConversionError::new(ConversionErrorKind::NotFinite)),
    }
}
