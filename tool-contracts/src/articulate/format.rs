//! The formats of serialized data.

use schemars::JsonSchema;

use crate::wire::words;

/// The format of serialized data.
///
/// ```
/// use tool_contracts::articulate::SerializationFormat;
///
/// let format: SerializationFormat = "toon".parse()?;
/// assert_eq!(format, SerializationFormat::Toon);
/// assert!("yaml".parse::<SerializationFormat>().is_err());
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "snake_case", transform = crate::schemas::documented("serialization_format"))]
#[non_exhaustive]
pub enum SerializationFormat {
    /// TOON (Token-Oriented Object Notation): tables with one header line, indented objects.
    Toon,
    /// JSON without insignificant whitespace.
    CompactJson,
}

words!(SerializationFormat { Toon = "toon", CompactJson = "compact_json" });

impl SerializationFormat {
    /// Returns the line that tells a model the format; `None` for JSON, which every model knows.
    #[must_use]
    pub const fn model_note(self) -> Option<&'static str> {
        match self {
            Self::Toon => Some(
                "The data is in TOON: `name[N]{a,b}:` is followed by N rows with the values of a and b.",
            ),
            Self::CompactJson => None,
        }
    }

    /// Returns whether a text in the format is JSON.
    #[must_use]
    pub const fn is_json(self) -> bool {
        match self {
            Self::CompactJson => true,
            Self::Toon => false,
        }
    }
}
