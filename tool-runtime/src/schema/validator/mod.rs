//! Checks JSON texts against JSON Schemas: every violation at once, nothing lost in silence.

mod compile;
mod error;
mod locate;
mod marks;
mod mask;
mod model;
mod nearest;
pub(crate) mod number;
mod reading;
mod redact;
mod report;
mod types;
mod walk;
mod writing;

#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::Value;
use tool_contracts::Violation;

pub use self::error::SchemaError;
pub(crate) use self::nearest::nearest;
pub use self::report::{Coerce, Report};
pub(crate) use self::writing::AnswerCheck;
pub use crate::json::Malformed;

use self::model::Schema;
use crate::json::read;
use crate::limits::Limits;
use crate::redact::Veil;

/// Checks JSON texts against one compiled JSON Schema.
///
/// It reads the text itself, once and by the letter of RFC 8259, and reports every violation with
/// its JSON Pointer; a value of the text is never in any answer. What it enforces is JSON Schema
/// draft 2020-12, with the forms of draft 7 (`definitions`, `items` as a list, `dependencies`) and
/// OpenAPI 3.0 (`nullable`, `exclusiveMinimum: true`) beside it. Whatever it could not enforce
/// is refused by [`compile`](Self::compile).
///
/// # Stricter than JSON Schema
/// Whatever the schema says, a text is refused
/// - when an object has a property twice, at any depth (rule `duplicate`);
/// - when a number would lose digits or overflow (rule `precision`): `number` is read as a 64-bit
///   float, or a 32-bit one with `format: "float"`, and must print back with every digit sent;
///   `integer` is read as 64 bits, or as what its `format` says (`int8` to `uint128`); a number
///   that no schema speaks of is read as a 64-bit integer if it is one, else as a float.
///
/// So whatever is admitted is valid by the schema, and the reverse fails for those two rules alone.
/// `format` is otherwise an annotation, as are all unknown keywords. Patterns are those that
/// ECMA-262 and the `regex-lite` crate share.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_runtime::Limits;
/// use tool_runtime::schema::{Coerce, Validator};
///
/// let validator = Validator::compile(&json!({
///     "type": "object",
///     "properties": {
///         "query": {"type": "string", "minLength": 1},
///         "limit": {"type": "integer", "minimum": 1, "maximum": 50},
///     },
///     "required": ["query"],
///     "additionalProperties": false,
/// }))?;
/// let limits = Limits::new();
/// assert!(validator.check(r#"{"query": "tea", "limit": 5}"#, &limits, Coerce::Off).is_admitted());
///
/// let report = validator.check(r#"{"limti": "5"}"#, &limits, Coerce::Off);
/// let rules: Vec<_> = report.violations.iter().map(|v| (v.pointer(), v.rule())).collect();
/// assert_eq!(rules, [("/limti", "additionalProperties"), ("/query", "required")]);
/// assert_eq!(report.violations[0].hint(), Some("did you mean `limit`?"));
/// # Ok::<(), tool_runtime::schema::SchemaError>(())
/// ```
pub struct Validator {
    /// The root comes first.
    schemas: Vec<Schema>,
}

impl Validator {
    /// Compiles a schema.
    ///
    /// # Errors
    /// The first part that is no schema, or asserts something that could not be enforced: a
    /// keyword that is not supported, a reference out of the document or in an endless circle, a
    /// pattern that is no regular expression.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::schema::Validator;
    ///
    /// let error = Validator::compile(&json!({"$ref": "https://example.com/schema"}))
    ///     .expect_err("nothing is ever fetched");
    /// assert_eq!(error.pointer(), "/$ref");
    /// ```
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        compile::compile(schema).map(|schemas| Self { schemas })
    }

    /// Checks one text.
    ///
    /// Takes time and memory in proportion to the text and to the schema, up to the limits.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::Limits;
    /// use tool_runtime::schema::{Coerce, Validator};
    ///
    /// let validator = Validator::compile(&json!({"type": "array", "items": {"type": "integer"}}))?;
    /// let report = validator.check("[1, 2.0, true]", &Limits::new(), Coerce::Lossless);
    /// assert_eq!(report.violations.len(), 1);
    /// assert_eq!(report.violations[0].pointer(), "/2");
    /// assert_eq!(report.violations[0].expected(), "integer");
    /// assert_eq!(report.violations[0].received(), "boolean");
    /// # Ok::<(), tool_runtime::schema::SchemaError>(())
    /// ```
    #[must_use]
    pub fn check(&self, text: &str, limits: &Limits, coerce: Coerce) -> Report {
        let tree = match read(text, limits) {
            Ok(tree) => tree,
            Err(malformed) => {
                return Report { malformed: Some(malformed), ..Report::default() };
            }
        };
        let mut report = walk::check(&self.schemas, text, &tree, limits, coerce);
        if self.has_secrets() {
            report.masked = Some(mask::masked(&self.schemas, tree.view(text)));
        }
        report
    }

    /// Says whether a typed reader could let pass what the schema refuses.
    ///
    /// If not, a text that a `serde` reader of the schema's own type has accepted needs no
    /// [`check`](Self::check). Such a reader is sure of strings, booleans, integers of a known
    /// width, lists of those, and of a root object that is closed. With `root_bounds_checked` the
    /// caller has compared the lengths and ranges of the root's own properties.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::schema::Validator;
    ///
    /// let limit = json!({"type": "integer", "format": "uint32", "minimum": 0, "maximum": 50});
    /// let schema = |limit| json!({
    ///     "type": "object", "properties": {"limit": limit}, "additionalProperties": false,
    /// });
    /// let validator = Validator::compile(&schema(limit))?;
    /// assert!(validator.needs_scan(false));
    /// assert!(!validator.needs_scan(true));
    /// // A reader of floats rounds digits away.
    /// assert!(Validator::compile(&schema(json!({"type": "number"})))?.needs_scan(true));
    /// # Ok::<(), tool_runtime::schema::SchemaError>(())
    /// ```
    #[must_use]
    pub fn needs_scan(&self, root_bounds_checked: bool) -> bool {
        reading::needs_scan(&self.schemas, root_bounds_checked)
    }

    /// Says when an answer, written by the schema's own type, has to be checked.
    pub(crate) fn answer_check(&self) -> AnswerCheck {
        writing::answer_check(&self.schemas)
    }

    /// Says whether any value may be secret: `"x-sensitivity": "secret"` somewhere in the schema.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::Limits;
    /// use tool_runtime::schema::{Coerce, Validator};
    ///
    /// let schema = json!({"properties": {"pin": {"x-sensitivity": "secret"}}});
    /// let validator = Validator::compile(&schema)?;
    /// assert!(validator.has_secrets());
    /// let report = validator.check(r#"{"pin": 1234}"#, &Limits::new(), Coerce::Off);
    /// assert_eq!(report.masked.as_deref(), Some(r#"{"pin": "***"}"#));
    /// # Ok::<(), tool_runtime::schema::SchemaError>(())
    /// ```
    #[must_use]
    pub fn has_secrets(&self) -> bool {
        self.schemas[0].holds.secret
    }

    /// Says whether any value may be personal: `"x-sensitivity": "pii"` somewhere in the schema.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::schema::Validator;
    ///
    /// let schema = json!({"properties": {"name": {"x-sensitivity": "pii"}}});
    /// assert!(Validator::compile(&schema)?.has_personal());
    /// # Ok::<(), tool_runtime::schema::SchemaError>(())
    /// ```
    #[must_use]
    pub fn has_personal(&self) -> bool {
        self.schemas[0].holds.pii
    }

    /// Gives a text as a record may keep it; none if it is not JSON within the limits.
    ///
    /// - A secret, and a property that the schema does not know, becomes `"***"`.
    /// - Personal data becomes what [`Veil::personal`] says of its JSON text. Where it holds a
    ///   secret it is one.
    /// - Every other string becomes what [`Veil::free_text`] says of it. So does a property's name,
    ///   which is veiled whole where that would change it.
    ///
    /// A value counts as sensitive where any branch of the schema says so, and also where it has
    /// another type than the place it stands at, as JSON in a string has.
    ///
    /// At most 32 KiB of free text are looked at. A further string becomes `[… bytes left out]`, a
    /// further name is veiled. At most 4,096 values are veiled, further ones become `"***"`.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::Limits;
    /// use tool_runtime::redact::Veil;
    /// use tool_runtime::schema::Validator;
    ///
    /// struct Blank;
    /// impl Veil for Blank {
    ///     fn personal(&self, _: &str) -> String {
    ///         "pii".to_owned()
    ///     }
    /// }
    ///
    /// let validator = Validator::compile(&json!({"properties": {
    ///     "pin": {"x-sensitivity": "secret"}, "name": {"x-sensitivity": "pii"}, "note": {},
    /// }}))?;
    /// let text = r#"{"pin": 1234, "name": "Ada", "note": "ask ada@example.com"}"#;
    /// let redacted = validator.redact(text, &Limits::new(), &Blank);
    /// let expected = r#"{"pin": "***", "name": "pii", "note": "ask [email]"}"#;
    /// assert_eq!(redacted.as_deref(), Some(expected));
    /// # Ok::<(), tool_runtime::schema::SchemaError>(())
    /// ```
    #[must_use]
    pub fn redact(&self, text: &str, limits: &Limits, veil: &dyn Veil) -> Option<String> {
        self.redact_part(text, limits, veil, Self::FREE_BYTES)
    }

    /// How many bytes of free text [`redact`](Self::redact) looks at.
    pub(crate) const FREE_BYTES: usize = 32 * 1024;

    /// As [`redact`](Self::redact), with so many bytes of free text looked at.
    pub(crate) fn redact_part(
        &self,
        text: &str,
        limits: &Limits,
        veil: &dyn Veil,
        free_bytes: usize,
    ) -> Option<String> {
        let tree = read(text, limits).ok()?;
        Some(redact::redacted(&self.schemas, tree.view(text), veil, free_bytes))
    }

    /// Lists the values of a text that a log must not repeat; none if it is not JSON.
    pub(crate) fn sensitive(&self, text: &str, limits: &Limits) -> Option<redact::Withheld> {
        let tree = read(text, limits).ok()?;
        Some(redact::sensitive(&self.schemas, tree.view(text)))
    }

    /// Says what is expected where a typed reader stopped, at a byte offset of the text.
    ///
    /// For values that the schema admits and the type behind it does not, such as a date that does
    /// not exist: rule `type`, and the schema's title or type at that place as what was expected.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::Limits;
    /// use tool_runtime::schema::Validator;
    ///
    /// let schema = json!({"properties": {"day": {"type": "string", "title": "chrono::NaiveDate"}}});
    /// let validator = Validator::compile(&schema)?;
    /// let violation = validator.violation_at(r#"{"day": "2024-02-30"}"#, 19, &Limits::new());
    /// assert_eq!(violation.pointer(), "/day");
    /// assert_eq!(violation.expected(), "chrono::NaiveDate");
    /// # Ok::<(), tool_runtime::schema::SchemaError>(())
    /// ```
    #[must_use]
    pub fn violation_at(&self, text: &str, byte_offset: usize, limits: &Limits) -> Violation {
        match read(text, limits) {
            Ok(tree) => locate::violation_at(&self.schemas, tree.view(text), byte_offset),
            Err(_) => Violation::new("", "type", self.schemas[0].expected(), "no JSON"),
        }
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator").field("schemas", &self.schemas.len()).finish_non_exhaustive()
    }
}
