//! A tool's result as a message has it: a count of its rows, its data, and notes.

use serde_json::value::RawValue;
use tool_contracts::articulate::{OutputSerializer, SerializationFormat};
use tool_runtime_core::articulate::Articulator;

/// The message of a result, taken apart to be compressed again.
pub(super) struct ResultMessage<'m> {
    /// The rows that the message has, and those that the tool answered, if rows were left out.
    count: Option<RowCount>,
    data: ResultData<'m>,
    /// The notes after the data, with the empty line before them.
    notes: &'m str,
}

/// The data of a message.
pub(super) enum ResultData<'m> {
    /// An object or an array.
    Json(Box<RawValue>),
    /// Any other text.
    Text(&'m str),
}

/// The count in the line before the data: `(12 of 200 rows)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RowCount {
    kept: usize,
    of: usize,
}

impl<'m> ResultMessage<'m> {
    /// Takes a message apart; `None` if it cannot lose rows without becoming false.
    pub(super) fn parse(message: &'m str) -> Option<Self> {
        let (count, rest) = split_count(message);
        let table = SerializationFormat::Toon.model_note().and_then(|note| rest.strip_prefix(note));
        if let Some(table) = table.and_then(|table| table.strip_prefix('\n')) {
            let (table, notes) = table.split_at(table.find("\n\n").unwrap_or(table.len()));
            return Some(Self { count, data: ResultData::Json(json_of_table(table)?), notes });
        }
        match split_json(rest) {
            // A reference names a row by its place.
            Some((json, _)) if json.get().contains(r#"{"$ref":"#) => None,
            Some((json, notes)) => Some(Self { count, data: ResultData::Json(json), notes }),
            None => Some(Self { count: None, data: ResultData::Text(message), notes: "" }),
        }
    }

    pub(super) fn data(&self) -> &ResultData<'m> {
        &self.data
    }

    /// Writes the message with its data compressed, and the count of what the tool answered; `None`
    /// if the rows of both do not correspond.
    pub(super) fn with_data(&self, compressed: &str) -> Option<String> {
        let (left, data) = split_count(compressed);
        let count = match (self.count, left) {
            (None, left) => left,
            (before, None) => before,
            (Some(before), Some(left)) => {
                // Rows of short arrays are not counted again.
                let lost = left.of.checked_sub(left.kept)?;
                let kept_rows = before.kept.checked_sub(lost).filter(|_| left.of <= before.kept)?;
                Some(RowCount { kept: kept_rows, of: before.of })
            }
        };
        let line = count.map(|RowCount { kept, of }| format!("({kept} of {of} rows)\n"));
        Some([&*line.unwrap_or_default(), data, self.notes].concat())
    }
}

/// Splits the count of rows before the data.
fn split_count(text: &str) -> (Option<RowCount>, &str) {
    let read = || {
        let (count, rest) = text.strip_prefix('(')?.split_once(" rows)\n")?;
        let (kept, of) = count.split_once(" of ")?;
        Some((RowCount { kept: kept.parse().ok()?, of: of.parse().ok()? }, rest))
    };
    read().map_or((None, text), |(count, rest)| (Some(count), rest))
}

/// Splits an object or an array from the notes after it.
fn split_json(text: &str) -> Option<(Box<RawValue>, &str)> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Box<RawValue>>();
    let json = values.next()?.ok()?;
    let notes = &text[values.byte_offset()..];
    (notes.is_empty() || notes.starts_with("\n\n")).then_some((json, notes))
}

fn json_of_table(table: &str) -> Option<Box<RawValue>> {
    Articulator::new().deserialize(table, SerializationFormat::Toon).ok()
}
