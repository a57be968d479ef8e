//! Redaction for records and logs: removes secrets and personal data.
//!
//! It has three parts:
//! - A schema says which values are secret and which are personal:
//!   [`Validator::redact`](crate::schema::Validator::redact).
//! - [`Patterns`] find card numbers, addresses, tokens and similar values in free text that no
//!   schema describes.
//! - [`ValueScrubber`] removes a call's own secrets from texts that its tool produced: panics, errors,
//!   messages.

mod checks;
mod decoding;
mod default_patterns;
mod patterns;
mod pieces;
mod scrub;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::LazyLock;

pub use self::patterns::omission_mark;
pub use self::patterns::{PatternError, Patterns};
pub use self::scrub::MAX_VALUES;
pub use self::scrub::ValueScrubber;

/// Replaces personal data and free text in records.
///
/// Replacements of personal data should be keyed: an unkeyed hash of a birthday or a phone number
/// can be reversed by trying all values.
///
/// # Examples
/// ```
/// use tool_runtime::redact::Redactor;
///
/// struct Blank;
/// impl Redactor for Blank {
///     fn personal(&self, _: &str) -> String {
///         "pii".to_owned()
///     }
/// }
/// assert_eq!(Blank.free_text("call 555-234-5678"), "call [phone]");
/// ```
pub trait Redactor: Send + Sync {
    /// Returns the replacement of personal data, given its JSON text as sent; the replacement is
    /// written as a JSON string.
    fn personal(&self, json: &str) -> String;

    /// Redacts free text; by default, removes the matches of [`Patterns::default`].
    fn free_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        free_text(text)
    }
}

/// Removes the matches of [`Patterns::default`] from a text.
pub fn free_text(text: &str) -> Cow<'_, str> {
    DEFAULT_PATTERNS.redact(text)
}

/// Redacts a text for a log with the default patterns; a long text is truncated.
///
/// The limit is small enough to redact on an async thread.
pub fn log_text(text: &str) -> Cow<'_, str> {
    LOG_PATTERNS.redact(text)
}

/// The longest text of a call in a log, in bytes.
pub const MAX_LOG_BYTES: usize = 8 * 1024;

static LOG_PATTERNS: LazyLock<Patterns> =
    LazyLock::new(|| Patterns::default().with_max_bytes(MAX_LOG_BYTES));

static DEFAULT_PATTERNS: LazyLock<Patterns> = LazyLock::new(Patterns::default);
