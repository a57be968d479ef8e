//! Why a text has no canonical form.

use std::fmt;

use crate::json::Malformed;

/// Says where and why a text has no canonical form.
///
/// Neither the message nor `Debug` quotes any part of the text.
///
/// # Examples
/// ```
/// use tool_runtime::canonical::{CanonicalErrorKind, canonicalize};
///
/// let twice = canonicalize(r#"{"a": 1, "\u0061": 2}"#).expect_err("one name, two spellings");
/// assert_eq!(twice.kind(), CanonicalErrorKind::DuplicateName);
/// assert_eq!(twice.position(), 9);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalError(Fault);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Malformed(Malformed),
    Duplicate(usize),
    Integer(usize),
    Number(usize),
    Filled(usize),
}

/// Names the rule that a text breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CanonicalErrorKind {
    /// Stands for a byte that cannot stand where it does.
    Syntax,
    /// Stands for a text that ends too early.
    Truncated,
    /// Stands for a property name that its object already has, in whatever spelling.
    DuplicateName,
    /// Stands for an integer beyond 2^53 − 1 in magnitude.
    IntegerTooLarge,
    /// Stands for a number with a fraction or an exponent that no 64-bit float is near.
    NumberTooLarge,
    /// Stands for arrays and objects nested deeper than 128 levels.
    TooDeep,
    /// Stands for a text longer than a 32-bit offset reaches, or one of whose defaults would make
    /// too much.
    TooLarge,
}

impl CanonicalError {
    pub(super) const fn duplicate(position: usize) -> Self {
        Self(Fault::Duplicate(position))
    }

    pub(super) const fn integer(position: usize) -> Self {
        Self(Fault::Integer(position))
    }

    pub(super) const fn number(position: usize) -> Self {
        Self(Fault::Number(position))
    }

    pub(super) const fn filled(position: usize) -> Self {
        Self(Fault::Filled(position))
    }

    /// Names the rule that the text breaks.
    #[must_use]
    pub const fn kind(&self) -> CanonicalErrorKind {
        match self.0 {
            Fault::Malformed(Malformed::Syntax { .. }) => CanonicalErrorKind::Syntax,
            Fault::Malformed(Malformed::Truncated { .. }) => CanonicalErrorKind::Truncated,
            Fault::Malformed(Malformed::TooDeep { .. }) => CanonicalErrorKind::TooDeep,
            Fault::Malformed(Malformed::TooLarge { .. } | Malformed::StringTooLong { .. }) => {
                CanonicalErrorKind::TooLarge
            }
            Fault::Filled(_) => CanonicalErrorKind::TooLarge,
            Fault::Duplicate(_) => CanonicalErrorKind::DuplicateName,
            Fault::Integer(_) => CanonicalErrorKind::IntegerTooLarge,
            Fault::Number(_) => CanonicalErrorKind::NumberTooLarge,
        }
    }

    /// Gives the byte offset at which the offending token begins, or where reading stopped.
    #[must_use]
    pub const fn position(&self) -> usize {
        match self.0 {
            Fault::Malformed(malformed) => malformed.position(),
            Fault::Duplicate(at) | Fault::Integer(at) | Fault::Number(at) | Fault::Filled(at) => at,
        }
    }
}

impl fmt::Display for CanonicalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Fault::Malformed(malformed) => malformed.fmt(f),
            Fault::Duplicate(at) => write!(
                f,
                "the property name at byte {at} already stands in its object; keep one of them"
            ),
            Fault::Integer(at) => write!(
                f,
                "the integer at byte {at} is beyond 2^53 - 1, where readers lose digits; \
                 send it as a string"
            ),
            Fault::Number(at) => write!(
                f,
                "the number at byte {at} is beyond every 64-bit float; send it as a string"
            ),
            Fault::Filled(at) => write!(
                f,
                "the defaults of the object at byte {at} and of those before it make too long a \
                 text; send fewer objects"
            ),
        }
    }
}

impl std::error::Error for CanonicalError {}

impl From<Malformed> for CanonicalError {
    fn from(malformed: Malformed) -> Self {
        Self(Fault::Malformed(malformed))
    }
}
