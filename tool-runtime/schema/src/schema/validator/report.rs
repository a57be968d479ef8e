//! Result of a check.

use tool_contracts::{Coercion, Violation};

use crate::json::Malformed;

/// Selects which values of the wrong type are converted.
///
/// In both modes, a whole number in another notation (`1.0`, `1e2`, `-0`) is an integer, as JSON
/// Schema specifies. It is reported as a coercion, and written as a plain integer. In the arguments of
/// a tool of the program, `null` for an optional argument is left out in both modes, as in the last
/// row below.
///
/// [`Lossless`](Self::Lossless) adds the rows below, and nothing else. A row applies only if the
/// schema does not accept the type of the value as sent, and only if the converted value is valid
/// in every other respect.
///
/// | sent | wanted | becomes |
/// | --- | --- | --- |
/// | `"5"`, `"-2"` | integer | `5`, `-2` |
/// | `"2.5"`, `"1e3"` | number | `2.5`, `1e3` |
/// | `"true"`, `"false"` | boolean | `true`, `false` |
/// | `"[1, 2]"` | array | `[1, 2]`, its items checked and read likewise |
/// | `"{\"a\": 1}"` | object | `{"a": 1}`, its properties checked and read likewise |
/// | `5`, `2.50` | string | `"5"`, `"2.50"`: the digits as written |
/// | `null` for a declared property that is not required | not null | the property is left out |
///
/// A string must contain exactly one JSON value without surrounding whitespace: `" 5"`, `"5 "`,
/// `"05"`, `"yes"`, `"True"`, `""` and `"null"` stay strings. A boolean is never converted to text
/// or to a number, and a single value is never wrapped in an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Coerce {
    /// Rejects every value of another type.
    #[default]
    Off,
    /// Converts the values of the table, and reports each as a [`Coercion`].
    Lossless,
}

/// Holds the results of checking one text.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_runtime::Limits;
/// use tool_runtime::schema::{Coerce, Validator};
///
/// let schema = json!({"type": "object", "properties": {"limit": {"type": "integer"}}});
/// let validator = Validator::compile(&schema)?;
/// let report = validator.check(r#"{"limit": "5"}"#, &Limits::new(), Coerce::Lossless);
/// assert!(report.is_admitted());
/// assert_eq!(report.coerced.as_deref(), Some(r#"{"limit": 5}"#));
/// assert_eq!(report.coercions.len(), 1);
/// # Ok::<(), tool_runtime::schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ValidationReport {
    /// Set if the text is not JSON within the limits; then all other fields are empty.
    pub malformed: Option<Malformed>,
    /// Every violation, at most [`ValidationReport::MAX_LISTED`]; if there are more, the last one says
    /// so.
    pub violations: Vec<Violation>,
    /// Every converted value; empty if there are violations.
    ///
    /// At most [`ValidationReport::MAX_LISTED`] are listed, with at most 16 KiB of pointers. If there are
    /// more, one further entry has an empty pointer, the number of omitted values in `from` (`4936
    /// more values`) and `not listed` in `to`.
    pub coercions: Vec<Coercion>,
    /// The text with every coercion applied, if there is any; the rest stays as sent.
    pub coerced: Option<String>,
    /// The text for display, if the schema has secrets: each secret, and each property that the
    /// schema does not declare, is `"***"`.
    pub masked: Option<String>,
}

impl ValidationReport {
    /// The most violations, and the most coercions, that are listed.
    pub const MAX_LISTED: usize = 64;

    /// Returns whether the text is JSON and has no violations.
    #[must_use]
    pub fn is_admitted(&self) -> bool {
        self.malformed.is_none() && self.violations.is_empty()
    }
}
