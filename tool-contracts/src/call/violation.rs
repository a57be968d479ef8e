//! A violation of a tool's schema.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::wire::{self, reads};

/// A location in the arguments that breaks the tool's schema.
///
/// It contains the location, the rule, the expected value and the type of the received value, never
/// the value itself. All violations of a call are listed in `details.violations[]` of its error.
///
/// ```
/// use tool_contracts::Violation;
///
/// let violation = Violation::new("/limt", "unknown", "no such field", "integer")
///     .with_hint("did you mean `limit`?");
/// assert_eq!(violation.pointer(), "/limt");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("violation"))]
pub struct Violation {
    /// The location: a JSON Pointer (RFC 6901) into the arguments.
    pointer: String,
    /// The violated schema keyword, such as `type` or `maximum`.
    rule: Cow<'static, str>,
    /// A description of the expected value.
    expected: Cow<'static, str>,
    /// The JSON type of the received value, or `absent`.
    received: Cow<'static, str>,
    /// A hint on how to correct the value, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<Cow<'static, str>>,
}

impl Violation {
    /// Creates a violation; `received` is the name of a JSON type or `absent`, never a value.
    #[must_use]
    pub fn new(
        pointer: impl Into<String>,
        rule: impl Into<Cow<'static, str>>,
        expected: impl Into<Cow<'static, str>>,
        received: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            pointer: pointer.into(),
            rule: rule.into(),
            expected: expected.into(),
            received: received.into(),
            hint: None,
        }
    }

    /// Adds a hint: "did you mean `limit`?".
    #[must_use]
    pub fn with_hint(self, hint: impl Into<Cow<'static, str>>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Returns the JSON Pointer (RFC 6901) to the location in the arguments.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the violated schema keyword, such as `type` or `maximum`.
    #[must_use]
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// Describes the expected value.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// Returns the JSON type of the received value, or `absent`.
    #[must_use]
    pub fn received(&self) -> &str {
        &self.received
    }

    /// Returns a hint on how to correct the value, if known.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

/// Writes one line, for a message: `/limit: expected integer, received string`.
///
/// ```
/// use tool_contracts::Violation;
///
/// let violation = Violation::new("/limit", "required", "integer", "absent");
/// assert_eq!(violation.to_string(), "/limit: expected integer, but it is missing");
/// ```
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() { "the arguments" } else { &self.pointer };
        write!(f, "{place}: expected {}", self.expected)?;
        match &*self.received {
            "" => {}
            "absent" => f.write_str(", but it is missing")?,
            received => write!(f, ", received {received}")?,
        }
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

reads! {
    Violation, "a violation";
    required pointer = "pointer", leaf wire::Text;
    required rule = "rule", leaf wire::Text;
    required expected = "expected", leaf wire::Text;
    required received = "received", leaf wire::Text;
    optional hint = "hint", leaf wire::Text;
    => Ok(Violation {
        pointer,
        rule: rule.into(),
        expected: expected.into(),
        received: received.into(),
        hint: hint.map(Into::into),
    })
}
