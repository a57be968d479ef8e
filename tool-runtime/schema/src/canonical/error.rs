//! Errors of canonicalization.

use std::fmt;

use crate::json::Malformed;

/// Describes where and why a text has no canonical form.
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
pub struct CanonicalError(ErrorCause);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ErrorCause {
    Malformed(Malformed),
    Duplicate(usize),
    Integer(usize),
    Number(usize),
    Filled(usize),
}

/// Classifies a [`CanonicalError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CanonicalErrorKind {
    /// A byte is not valid at its position.
    Syntax,
    /// The text ends too early.
    Truncated,
    /// A property name occurs twice in one object, in any notation.
    DuplicateName,
    /// An integer is beyond 2^53 − 1 in magnitude.
    IntegerTooLarge,
    /// A number with a fraction or an exponent is beyond the range of 64-bit floats.
    NumberTooLarge,
    /// Arrays and objects nest deeper than 128 levels.
    TooDeep,
    /// The text is longer than a 32-bit offset can address, or its defaults would make it too long.
    TooLarge,
}

impl CanonicalError {
    pub(super) const fn duplicate(position: usize) -> Self {
        Self(ErrorCause::Duplicate(position))
    }

    pub(super) const fn integer(position: usize) -> Self {
        Self(ErrorCause::Integer(position))
    }

    pub(super) const fn number(position: usize) -> Self {
        Self(ErrorCause::Number(position))
    }

    pub(super) const fn filled(position: usize) -> Self {
        Self(ErrorCause::Filled(position))
    }

    /// Returns the kind of error.
    #[must_use]
    pub const fn kind(&self) -> CanonicalErrorKind {
        match self.0 {
            ErrorCause::Malformed(Malformed::Syntax { .. }) => CanonicalErrorKind::Syntax,
            ErrorCause::Malformed(Malformed::Truncated { .. }) => CanonicalErrorKind::Truncated,
            ErrorCause::Malformed(Malformed::TooDeep { .. }) => CanonicalErrorKind::TooDeep,
            ErrorCause::Malformed(Malformed::TooLarge { .. } | Malformed::StringTooLong { .. }) => {
                CanonicalErrorKind::TooLarge
            }
            ErrorCause::Filled(_) => CanonicalErrorKind::TooLarge,
            ErrorCause::Duplicate(_) => CanonicalErrorKind::DuplicateName,
            ErrorCause::Integer(_) => CanonicalErrorKind::IntegerTooLarge,
            ErrorCause::Number(_) => CanonicalErrorKind::NumberTooLarge,
        }
    }

    /// Returns the byte offset of the offending token, or where reading stopped.
    #[must_use]
    pub const fn position(&self) -> usize {
        match self.0 {
            ErrorCause::Malformed(malformed) => malformed.position(),
            ErrorCause::Duplicate(at)
            | ErrorCause::Integer(at)
            | ErrorCause::Number(at)
            | ErrorCause::Filled(at) => at,
        }
    }
}

impl fmt::Display for CanonicalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ErrorCause::Malformed(malformed) => malformed.fmt(f),
            ErrorCause::Duplicate(at) => {
                write!(f, "duplicate property name at byte {at}; remove one")
            }
            ErrorCause::Integer(at) => write!(
                f,
                "the integer at byte {at} is beyond 2^53 - 1, where readers lose digits; \
                 send it as a string"
            ),
            ErrorCause::Number(at) => write!(
                f,
                "the number at byte {at} is out of range for a 64-bit float; send it as a string"
            ),
            ErrorCause::Filled(at) => write!(
                f,
                "the text is too long once the defaults of the objects up to the one at byte {at} \
                 are filled in; send fewer objects"
            ),
        }
    }
}

impl std::error::Error for CanonicalError {}

impl From<Malformed> for CanonicalError {
    fn from(malformed: Malformed) -> Self {
        Self(ErrorCause::Malformed(malformed))
    }
}
