//! Checks JSON texts against JSON Schemas, and reports all violations at once.

// No validator of another crate is used: this one reads raw text, so that it sees duplicate keys,
// digits and byte positions, and puts no value into a message.
mod compile;
mod error;
mod mask;
mod model;
mod nearest;
pub mod number;
mod redact;
mod report;
mod sensitive;
mod type_error;
mod typed_input;
mod typed_output;
mod types;
mod unmask;
mod walk;

#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::Value;
use tool_contracts::Violation;

pub use self::error::SchemaError;
pub use self::nearest::nearest_tools;
pub use self::report::{Coerce, ValidationReport};
pub use self::typed_output::AnswerCheck;
pub use self::types::is_type_name;
pub use crate::json::Malformed;

use self::model::SchemaNode;
use self::sensitive::{SensitivityScope, sensitive_nodes};
use self::type_error::RejectedPart;
use self::walk::Conversions;
use crate::json::{JsonView, OpaqueNodes, differences, read};
use crate::limits::Limits;
use crate::redact::Redactor;

/// Checks JSON texts against one compiled JSON Schema.
///
/// It reads the text once, strictly by RFC 8259, and reports every violation with its JSON Pointer.
/// No result contains a value of the text, and no pointer a name inside of a secret
/// (`"x-sensitivity": "secret"`): the pointer ends at the secret. It enforces JSON Schema draft 2020-12, and the older
/// forms of draft 7 (`definitions`, `items` as a list, `dependencies`) and OpenAPI 3.0 (`nullable`,
/// `exclusiveMinimum: true`). A schema with an assertion that cannot be enforced is rejected by
/// [`compile`](Self::compile).
///
/// # Stricter than JSON Schema
/// Independent of the schema, a text is invalid
/// - when an object has a property twice, at any depth (rule `duplicate`);
/// - when a number would lose digits or overflow (rule `precision`): `number` is read as a 64-bit
///   float, or a 32-bit one with `format: "float"`, and must print back with every digit sent;
///   `integer` is read as 64 bits, or as the type that `format` names (`int8` to `uint128`); a
///   number without a schema is read as a 64-bit integer if it is one, else as a float.
///
/// Every accepted text is therefore valid by the schema; a text that is valid by the schema is
/// rejected only by those two rules. `format` is otherwise an annotation, as are all unknown
/// keywords. Patterns have the meaning of ECMA-262 and the part of its syntax that is matched in
/// time proportional to the text.
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
    /// The root is first.
    schemas: Vec<SchemaNode>,
}

impl Validator {
    /// Compiles a schema.
    ///
    /// # Errors
    /// Returns the first part that is not a schema or has an assertion that cannot be enforced: an
    /// unsupported keyword, a reference outside the document or in an endless cycle, or an invalid
    /// regular expression.
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
    /// Takes time and memory proportional to the text and to the schema, up to the limits.
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
    pub fn check(&self, text: &str, limits: &Limits, coerce: Coerce) -> ValidationReport {
        let conversions = match coerce {
            Coerce::Off => Conversions::None,
            Coerce::Lossless => Conversions::Lossless,
        };
        self.check_with(text, limits, conversions)
    }

    /// Checks a call's arguments: `null` for an optional argument means that it is left out, also
    /// without coercion.
    #[must_use]
    pub fn check_arguments(&self, text: &str, limits: &Limits, coerce: Coerce) -> ValidationReport {
        let conversions = match coerce {
            Coerce::Off => Conversions::OmittedNulls,
            Coerce::Lossless => Conversions::Lossless,
        };
        self.check_with(text, limits, conversions)
    }

    fn check_with(
        &self,
        text: &str,
        limits: &Limits,
        conversions: Conversions,
    ) -> ValidationReport {
        let tree = match read(text, limits) {
            Ok(tree) => tree,
            Err(malformed) => {
                return ValidationReport {
                    malformed: Some(malformed),
                    ..ValidationReport::default()
                };
            }
        };
        let secrets = self.secrets(tree.view(text));
        let mut report = walk::check(&self.schemas, text, &tree, limits, conversions, &secrets);
        if self.has_secrets() {
            report.masked = Some(mask::masked(tree.view(text), &secrets));
        }
        report
    }

    /// Returns whether a typed reader could accept a text that the schema rejects.
    ///
    /// If not, a text that the schema's own type has deserialized needs no [`check`](Self::check).
    /// `serde` alone is sufficient for strings, booleans, integers of a known width, lists of
    /// those, and a closed root object. Set `root_bounds_checked` if the caller has compared the
    /// lengths and ranges of the root's own properties.
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
        typed_input::needs_scan(&self.schemas, root_bounds_checked)
    }

    /// Returns when an output, serialized from the schema's own type, has to be checked.
    #[must_use]
    #[doc(hidden)]
    pub fn answer_check(&self) -> AnswerCheck {
        typed_output::answer_check(&self.schemas)
    }

    /// Returns whether the schema contains `"x-sensitivity": "secret"`.
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
        self.schemas[0].deep_sensitivity.secret
    }

    /// Returns whether the schema contains `"x-sensitivity": "pii"`.
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
        self.schemas[0].deep_sensitivity.pii
    }

    /// Redacts a text for a record; returns `None` if it is not JSON within the limits.
    ///
    /// - A secret, and a property that the schema does not declare, becomes `"***"`.
    /// - Personal data becomes the result of [`Redactor::personal`] for its JSON text. Personal data
    ///   that contains a secret is treated as a secret.
    /// - Every other string becomes the result of [`Redactor::free_text`]. A property name that
    ///   `free_text` would change is replaced as a whole.
    ///
    /// A value is sensitive if any branch of the schema marks it so, and also if its type differs
    /// from the schema that contains something sensitive, such as an object sent as a JSON string.
    ///
    /// At most 32 KiB of free text are scanned. A string beyond that becomes `[… bytes left out]`,
    /// a property name is replaced. At most 4,096 values are replaced by the redactor; further ones
    /// become `"***"`.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::Limits;
    /// use tool_runtime::redact::Redactor;
    /// use tool_runtime::schema::Validator;
    ///
    /// struct Blank;
    /// impl Redactor for Blank {
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
    pub fn redact(&self, text: &str, limits: &Limits, redactor: &dyn Redactor) -> Option<String> {
        self.redact_with_limit(text, limits, redactor, Self::FREE_TEXT_BYTES)
    }

    /// Bytes of free text that [`redact`](Self::redact) scans.
    #[doc(hidden)]
    pub const FREE_TEXT_BYTES: usize = 32 * 1024;

    /// Like [`redact`](Self::redact), with another limit on the free text that is scanned.
    #[doc(hidden)]
    pub fn redact_with_limit(
        &self,
        text: &str,
        limits: &Limits,
        redactor: &dyn Redactor,
        free_bytes: usize,
    ) -> Option<String> {
        let tree = read(text, limits).ok()?;
        Some(redact::redact(&self.schemas, tree.view(text), redactor, free_bytes))
    }

    /// Lists the JSON Pointers at which two texts differ; those to what is inside of a secret end at
    /// the secret.
    #[must_use]
    #[doc(hidden)]
    pub fn differences(&self, before: &str, after: &str, limits: &Limits) -> Vec<String> {
        differences(before, after, limits, |view| self.secrets(view))
    }

    /// Replaces the masks in the secrets of edited arguments by the secrets that the held arguments
    /// have at the same places; none if there is nothing to replace, or one of them is not JSON.
    ///
    /// # Errors
    /// Returns a violation for each mask that stands for no secret.
    #[doc(hidden)]
    pub fn unmasked(
        &self,
        edited: &str,
        held: &str,
        limits: &Limits,
    ) -> Result<Option<String>, Vec<Violation>> {
        if !self.has_secrets() {
            return Ok(None);
        }
        let (Ok(edited_tree), Ok(held_tree)) = (read(edited, limits), read(held, limits)) else {
            return Ok(None);
        };
        let (edited, held) = (edited_tree.view(edited), held_tree.view(held));
        let (edited_secrets, held_secrets) = (self.secrets(edited), self.secrets(held));
        unmask::unmasked(
            unmask::SecretText { view: edited, secrets: &edited_secrets },
            unmask::SecretText { view: held, secrets: &held_secrets },
        )
    }

    /// Lists the values of a text that a log must not repeat; `None` if it is not JSON.
    #[must_use]
    #[doc(hidden)]
    pub fn sensitive(&self, text: &str, limits: &Limits) -> Option<redact::SensitiveValues> {
        let tree = read(text, limits).ok()?;
        Some(redact::sensitive(&self.schemas, tree.view(text)))
    }

    /// Returns the secrets of a text, and the undeclared properties beside them.
    fn secrets(&self, view: JsonView<'_>) -> OpaqueNodes {
        if !self.has_secrets() {
            return OpaqueNodes::NONE;
        }
        let secrets = sensitive_nodes(&self.schemas, view, SensitivityScope::Secrets);
        OpaqueNodes::new(view, secrets.iter().map(|secret| secret.node))
    }

    /// Describes the expected type where a typed reader stopped, at a byte offset of the text.
    ///
    /// Use it for a value that the schema accepts and its type rejects, such as a date that does
    /// not exist. The violation has the rule `type`, and the schema's title or type as expected
    /// type; of a title that is a Rust path, the last name. Where the reader stopped in the key of a
    /// map, the rule is `propertyNames`.
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
    /// assert_eq!(violation.expected(), "NaiveDate");
    /// # Ok::<(), tool_runtime::schema::SchemaError>(())
    /// ```
    #[must_use]
    pub fn violation_at(&self, text: &str, byte_offset: usize, limits: &Limits) -> Violation {
        self.violation(text, (byte_offset, RejectedPart::Innermost), limits)
    }

    /// Describes the object or array that ends at a byte offset, and that its type rejected after
    /// all of its members had been read.
    #[must_use]
    #[doc(hidden)]
    pub fn violation_of_container(
        &self,
        text: &str,
        byte_offset: usize,
        limits: &Limits,
    ) -> Violation {
        self.violation(text, (byte_offset, RejectedPart::Container), limits)
    }

    fn violation(&self, text: &str, place: (usize, RejectedPart), limits: &Limits) -> Violation {
        match read(text, limits) {
            Ok(tree) => {
                let view = tree.view(text);
                type_error::violation_at(&self.schemas, view, place, &self.secrets(view))
            }
            Err(_) => Violation::new("", "type", self.schemas[0].expected(), "invalid JSON"),
        }
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator").field("schemas", &self.schemas.len()).finish_non_exhaustive()
    }
}
