//! What a check found.

use tool_contracts::{Coercion, Violation};

use crate::json::Malformed;

/// Says which values of the wrong type are read as the right one.
///
/// With either, a whole number in another spelling (`1.0`, `1e2`, `-0`) is an integer: JSON Schema
/// says so. It is answered with a receipt, and written as a plain integer.
///
/// [`Lossless`](Self::Lossless) adds the rows below, and nothing else. A row applies only where
/// the value as sent has a type that the schema does not admit, and only if what it becomes is
/// then valid in every other respect.
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
/// A string must hold exactly one JSON value without space around it: `" 5"`, `"5 "`, `"05"`,
/// `"yes"`, `"True"`, `""` and `"null"` stay strings. A boolean is never text or a number, and a
/// single value is never wrapped into an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Coerce {
    /// Refuses every value of another type.
    #[default]
    Off,
    /// Reads the values of the table, each with a receipt.
    Lossless,
}

/// Holds everything that one check of one text found.
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
pub struct Report {
    /// Why the text is not JSON that can be looked at; then everything else is empty.
    pub malformed: Option<Malformed>,
    /// Every rule that the text breaks, at most [`Report::MOST`]; the last one says if there are
    /// more.
    pub violations: Vec<Violation>,
    /// A receipt for every value that is read as another type; empty if there are violations.
    ///
    /// At most [`Report::MOST`] are listed, with at most 16 KiB of pointers. Where there are more,
    /// one further receipt has an empty pointer, the number of values that are left out in `from`
    /// (`4936 more values`) and `not listed` in `to`.
    pub coercions: Vec<Coercion>,
    /// The text with every coercion made, if there is one; all else stands in it as sent.
    pub coerced: Option<String>,
    /// The text as it may be shown, if the schema has secrets: `"***"` in place of each of them,
    /// and of every property that the schema does not know.
    pub masked: Option<String>,
}

impl Report {
    /// Names how many violations, and how many receipts, are listed at most.
    pub const MOST: usize = 64;

    /// Says whether the text is JSON and breaks no rule.
    #[must_use]
    pub fn is_admitted(&self) -> bool {
        self.malformed.is_none() && self.violations.is_empty()
    }
}
