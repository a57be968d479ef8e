//! What leaves a call for a record or a log: without secrets, without what says who somebody is.
//!
//! Three things work together:
//! - A schema says which values are secret and which are personal:
//!   [`Validator::redact`](crate::schema::Validator::redact).
//! - [`Patterns`] find cards, addresses, tokens and the like in free text, of which no schema says
//!   anything.
//! - [`Scrub`] takes a call's own secrets out of the texts that its tool wrote: panics, errors,
//!   messages.

mod checks;
mod patterns;
mod pieces;
mod readings;
mod scrub;
mod shapes;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::LazyLock;

pub(crate) use self::patterns::left_out_mark;
pub use self::patterns::{PatternError, Patterns};
pub(crate) use self::scrub::MOST_VALUES;
pub use self::scrub::Scrub;

/// Says what stands in a record in place of personal data and of free text.
///
/// A veil of personal data should be keyed: a plain hash of a birthday or a telephone number is
/// found again by trying them all.
///
/// # Examples
/// ```
/// use tool_runtime::redact::Veil;
///
/// struct Blank;
/// impl Veil for Blank {
///     fn personal(&self, _: &str) -> String {
///         "pii".to_owned()
///     }
/// }
/// assert_eq!(Blank.free_text("call 555-234-5678"), "call [phone]");
/// ```
pub trait Veil: Send + Sync {
    /// Says what stands in place of personal data, given as the JSON text that was sent: the text
    /// inside the quotes.
    fn personal(&self, json: &str) -> String;

    /// Gives free text as it may be kept: without what [`Patterns::default`] finds in it.
    fn free_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        free_text(text)
    }
}

/// Gives free text without what [`Patterns::default`] finds in it.
pub(crate) fn free_text(text: &str) -> Cow<'_, str> {
    DEFAULT.redact(text)
}

/// Gives a text for a log without what the default patterns find; of a long one, the beginning.
///
/// The bound is small enough to look at on a thread that has other work to do.
pub(crate) fn log_text(text: &str) -> Cow<'_, str> {
    FOR_LOGS.redact(text)
}

/// The longest text of a call that goes to a log, in bytes.
pub(crate) const LOG_BYTES: usize = 8 * 1024;

static FOR_LOGS: LazyLock<Patterns> =
    LazyLock::new(|| Patterns::default().with_max_bytes(LOG_BYTES));

static DEFAULT: LazyLock<Patterns> = LazyLock::new(Patterns::default);
