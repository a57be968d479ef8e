//! TOON by the crate `serde_toon`: written from parsed JSON, and always read strictly.

use memchr::memmem;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_toon::{DecodeOptions, Error, from_str_with_options};
use tool_contracts::articulate::SerializationError;
use tool_runtime_schema::json::JsonView;

use super::header_width;
use super::json_sink::JsonText;
use super::json_source::JsonSource;
use super::rendering::{ParsedDocument, from_json, to_json as json_of};

/// Writes data as TOON (specification 4.1), with commas and an indentation of two spaces.
///
/// [`Articulator`](super::Articulator) writes TOON only where it pays.
///
/// ```
/// use tool_runtime::articulate::{from_toon, to_toon};
///
/// let text = to_toon(&vec![("tea", 4.5), ("cake", 3.0)])?;
/// assert_eq!(text, "[2]:\n  - [2]: tea,4.5\n  - [2]: cake,3");
/// assert_eq!(from_toon::<Vec<(String, f64)>>(&text)?[1].1, 3.0);
/// # Ok::<(), tool_runtime::contracts::articulate::SerializationError>(())
/// ```
///
/// # Errors
/// Returns an error if the data cannot be written as TOON.
pub fn to_toon<T: Serialize + ?Sized>(data: &T) -> Result<String, SerializationError> {
    let text = serde_toon::to_string(data).map_err(|_| SerializationError::new(NOT_TOON))?;
    if memmem::find(text.as_bytes(), PRIVATE.as_bytes()).is_none() {
        return Ok(text);
    }
    let json = json_of(data)?;
    let document = ParsedDocument::read(&json, usize::MAX)?;
    let source = JsonSource::root(document.view());
    // A number in a value of `serde_json` is a float in builds where it has no text.
    let has_raw_json = memmem::find(text.as_bytes(), RAW_JSON.as_bytes()).is_some();
    let source = if has_raw_json { source } else { source.rounding() };
    serde_toon::to_string(&source).map_err(writer_error)
}

/// The mark of raw JSON, which only `serde_json` writes as what it contains.
const PRIVATE: &str = "$serde_json::private::";
const RAW_JSON: &str = "$serde_json::private::RawValue";
const NOT_TOON: &str = "the data cannot be written as TOON";

/// Reads TOON strictly: lengths, widths of rows, indentation and repeated keys are checked.
///
/// An integer beyond 64 bits becomes the nearest float. Objects and arrays may be nested in 128
/// levels, and a table may have 1,024 fields.
///
/// # Errors
/// Returns an error with line and column if the text is not valid, and one without them if the data
/// is no `T`.
pub fn from_toon<T: DeserializeOwned>(text: &str) -> Result<T, SerializationError> {
    from_json(&to_json(text)?).map_err(|_| SerializationError::new(super::rendering::WRONG_TYPE))
}

/// True: TOON can be chosen.
pub(super) const IS_ON: bool = true;

/// Writes a parsed document as TOON.
///
/// # Errors
/// Returns an error if a number has more digits than 64 bits hold.
pub(super) fn write(view: JsonView<'_>) -> Result<String, SerializationError> {
    serde_toon::to_string(&JsonSource::root(view)).map_err(writer_error)
}

/// Converts TOON to compact JSON, in the order of the text.
///
/// The text is read strictly: lengths, widths of rows, indentation and repeated keys are checked.
///
/// # Errors
/// Returns an error with line and column if the text is not valid.
pub(super) fn to_json(text: &str) -> Result<String, SerializationError> {
    header_width::check(text)?;
    let json = from_str_with_options::<JsonText>(text, DecodeOptions::strict());
    json.map(|json| json.0).map_err(reader_error)
}

fn writer_error(error: Error) -> SerializationError {
    match error {
        Error::Custom(message) | Error::Message(message) => SerializationError::new(message),
        _ => SerializationError::new(NOT_TOON),
    }
}

fn reader_error(error: Error) -> SerializationError {
    let (message, line, column) = match error {
        Error::Syntax { line, col, msg, .. } | Error::InvalidFormat { line, col, msg } => {
            (without_quotes(&msg), line, col)
        }
        Error::TypeMismatch { line, col, expected, .. } => {
            (format!("expected {expected}"), line, col)
        }
        Error::IndentationError { line, col, expected, found, .. } => {
            (format!("expected an indentation of {expected} spaces, found {found}"), line, col)
        }
        Error::UnexpectedEof { line, col, expected, .. } => {
            (format!("expected {expected}, found the end of the text"), line, col)
        }
        Error::Io(_) | Error::UnsupportedType(_) | Error::Custom(_) | Error::Message(_) => {
            return SerializationError::new("expected a text in TOON");
        }
    };
    SerializationError::new(message).at(line as u64, column as u64)
}

/// Removes what a message quotes between backticks, or after the word `sequence`.
fn without_quotes(message: &str) -> String {
    let message = message.split_once(" sequence").map_or(message, |(before, _)| before);
    message.split('`').step_by(2).map(str::trim).collect::<Vec<_>>().join(" ")
}
