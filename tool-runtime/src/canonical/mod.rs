//! One text for each JSON value, so that equal values have equal hashes.
//!
//! [`canonicalize`] writes JSON as RFC 8785 (JSON Canonicalization Scheme) wants it: no space
//! between tokens, properties in the order of their names' UTF-16 code units, numbers as ECMAScript
//! prints them, strings with as few escapes as JSON allows. [`Digest`] hashes such a text.
//!
//! The scheme is defined over I-JSON (RFC 7493). What lies outside of it is refused, never mended:
//! a name that stands twice in one object (in whatever spelling), an integer beyond 2^53 − 1, half
//! of a surrogate pair. [`canonicalize`] has the whole list.

mod defaults;
mod digest;
mod direct;
mod error;
mod order;
mod write;

pub(crate) use self::defaults::Defaults;
pub use self::digest::{Digest, ParseDigestError};
pub use self::error::{CanonicalError, CanonicalErrorKind};

use self::defaults::PlaceId;
use self::write::{Numbers, Writer};
use crate::json::reader::read_to_depth;
use crate::limits::Limits;

/// The deepest nesting of arrays and objects; the outermost is level 1.
const DEEPEST: usize = 128;

/// Writes a JSON text in its canonical form (RFC 8785).
///
/// Equal values have equal canonical texts, whatever the spelling of their strings and numbers,
/// the space between tokens and the order of properties. The order of an array's items is part of
/// its value. Text is not normalized: `é` and `e` with a combining accent stay two names.
///
/// A number that is written as an integer is kept digit by digit or refused. One that is written
/// with a fraction or an exponent is rounded to the nearest 64-bit float, as the RFC says, so that
/// `0.1` and `0.10000000000000000001` are one value, as are `5`, `5.0` and `50e-1`. The canonical
/// text of a float between 2^53 and 10^21 has neither fraction nor exponent, and is therefore not
/// taken again; every other canonical text is, and stays as it is.
///
/// # Errors
/// By [kind](CanonicalErrorKind), with the byte at which it was found:
/// - `Syntax`, `Truncated`: the text is not exactly one JSON value (RFC 8259), which includes
///   control characters and invalid escapes in strings, half of a surrogate pair, and text behind
///   the value;
/// - `DuplicateName`: a name stands twice in one object, at any depth, `"a"` and `"\u0061"` too;
/// - `IntegerTooLarge`: an integer beyond 2^53 − 1, which a 64-bit float need not hold;
/// - `NumberTooLarge`: a number beyond every 64-bit float, as `1e400`;
/// - `TooDeep`: arrays and objects nested deeper than 128 levels;
/// - `TooLarge`: a text beyond 4 GiB.
///
/// # Panics
/// Never: what is written of a text is text.
///
/// # Examples
/// ```
/// use tool_runtime::canonical::{CanonicalErrorKind, canonicalize};
///
/// let text = canonicalize(r#"{ "words": ["t\u0065a"], "limit": 1.50e1 }"#)?;
/// assert_eq!(text, r#"{"limit":15,"words":["tea"]}"#);
///
/// let refused = canonicalize(r#"{"id": 9007199254740993}"#).expect_err("a float may not hold it");
/// assert_eq!(refused.kind(), CanonicalErrorKind::IntegerTooLarge);
/// assert_eq!(refused.position(), 7);
/// # Ok::<(), tool_runtime::canonical::CanonicalError>(())
/// ```
pub fn canonicalize(json: &str) -> Result<String, CanonicalError> {
    let mut out = Vec::with_capacity(json.len());
    canonicalize_into(json, &mut out)?;
    Ok(String::from_utf8(out).expect("parts of a text between ASCII are a text"))
}

/// As [`canonicalize`], behind what is there; on an error `out` holds what was written so far.
fn canonicalize_into(json: &str, out: &mut Vec<u8>) -> Result<(), CanonicalError> {
    canonicalize_at(json, Form::PLAIN, out)
}

/// Writes the form by which this runtime recognises a text: with every absent property that has a
/// default, and with every digit of a whole number, however large it is and however written.
///
/// Where all whole numbers are within 2^53 − 1 it is the canonical form of the filled text. It is
/// made to be hashed here and not to be read elsewhere, so that nothing has to be refused for what
/// another reader would make of it.
///
/// # Errors
/// As [`canonicalize`], but for `IntegerTooLarge`; then `out` holds what was written so far.
pub(crate) fn canonicalize_exactly(
    json: &str,
    defaults: &Defaults,
    out: &mut Vec<u8>,
) -> Result<(), CanonicalError> {
    canonicalize_at(json, Form::exact(defaults, defaults.root()), out)
}

/// How a text is written.
#[derive(Debug, Clone, Copy)]
struct Form<'d> {
    defaults: &'d Defaults,
    /// Where the text stands in what the defaults were taken from.
    place: Option<PlaceId>,
    numbers: Numbers,
}

impl Form<'static> {
    const PLAIN: Self = Self { defaults: Defaults::none(), place: None, numbers: Numbers::Shared };
}

impl<'d> Form<'d> {
    const fn exact(defaults: &'d Defaults, place: Option<PlaceId>) -> Self {
        Self { defaults, place, numbers: Numbers::Exact }
    }
}

fn canonicalize_at(json: &str, form: Form<'_>, out: &mut Vec<u8>) -> Result<(), CanonicalError> {
    if form.place.is_none() && direct::write(json, out) {
        return Ok(());
    }
    canonicalize_any(json, form, out)
}

/// Writes the canonical form of whatever text, or says why it has none.
fn canonicalize_any(json: &str, form: Form<'_>, out: &mut Vec<u8>) -> Result<(), CanonicalError> {
    let unbounded = Limits::new().with_max_bytes(usize::MAX).with_max_string_bytes(usize::MAX);
    let tree = read_to_depth(json, &unbounded, DEEPEST)?;
    let view = tree.view(json);
    if let Some(repeated) = tree.duplicates().iter().map(|repeat| repeat.node).min() {
        return Err(CanonicalError::duplicate(view.node(repeated).member_start()));
    }
    Writer::new(view, form, out).document()
}

#[cfg(test)]
mod tests;
