//! TOON by the crate `serde_toon`: written from parsed JSON, and always read strictly.

use serde_toon::{DecodeOptions, Error, from_str_with_options};

use super::json_sink::JsonText;
use super::json_source::JsonSource;
use crate::contracts::articulate::SerializationError;
use crate::json::JsonView;

/// Whether TOON can be chosen.
pub(super) const IS_ON: bool = true;

/// Writes a parsed document as TOON.
///
/// # Errors
/// Returns an error if a number has more digits than 64 bits hold.
pub(super) fn write(view: JsonView<'_>) -> Result<String, SerializationError> {
    serde_toon::to_string(&JsonSource::root(view)).map_err(of_writer)
}

/// Converts TOON to compact JSON, in the order of the text.
///
/// The text is read strictly: lengths, widths of rows, indentation and repeated keys are checked.
///
/// # Errors
/// Returns an error with line and column if the text is not valid.
pub(super) fn to_json(text: &str) -> Result<String, SerializationError> {
    let json = from_str_with_options::<JsonText>(text, DecodeOptions::strict());
    json.map(|json| json.0).map_err(of_reader)
}

fn of_writer(error: Error) -> SerializationError {
    match error {
        Error::Custom(message) | Error::Message(message) => SerializationError::new(message),
        _ => SerializationError::new("the data cannot be written as TOON"),
    }
}

fn of_reader(error: Error) -> SerializationError {
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
