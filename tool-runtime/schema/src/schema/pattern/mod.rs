//! Regular expressions with the meaning of ECMA-262, and the parts of them that cannot be checked.

mod class;
mod escape;
#[cfg(test)]
mod tests;
mod translation;

use std::fmt;

use regex_lite::Regex;

pub use self::translation::translated;

/// A regular expression that is matched as ECMA-262 specifies with the flag `u`.
///
/// An escape such as `\_`, an error with that flag and a literal without it, is a literal.
#[derive(Debug, Clone)]
pub struct Pattern {
    source: Box<str>,
    // `pattern` is part of the contract and always enforced, so the matcher has no dependencies;
    // its `\d` and `\w` are ASCII, as in ECMA-262.
    regex: Regex,
}

impl Pattern {
    #[doc(hidden)]
    pub fn new(source: &str) -> Result<Self, PatternError> {
        // A translation has no syntax errors, so only the limits of the matcher are left.
        let too_large = |_| PatternError::Unsupported("a pattern that is too large or too deep");
        let regex = Regex::new(&translated(source)?).map_err(too_large)?;
        Ok(Self { source: source.into(), regex })
    }

    #[doc(hidden)]
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The expression as it was written.
    #[doc(hidden)]
    pub fn as_str(&self) -> &str {
        &self.source
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

/// The reason why a text is not matched as a regular expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternError {
    /// A construct that `regex-lite` cannot match with the meaning of ECMA-262, or that only other
    /// syntaxes have.
    Unsupported(&'static str),
    /// The text is no expression in any syntax.
    Syntax(&'static str),
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(construct) => write!(f, "{construct} is not supported"),
            Self::Syntax(problem) => f.write_str(problem),
        }
    }
}

/// Names the construct because of which an expression cannot be checked; `None` if it can be, or if
/// it is no expression.
#[must_use]
pub fn uncheckable_construct(pattern: &str) -> Option<&'static str> {
    match Pattern::new(pattern) {
        Err(PatternError::Unsupported(construct)) => Some(construct),
        Ok(_) | Err(PatternError::Syntax(_)) => None,
    }
}
