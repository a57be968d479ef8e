//! Canonical JSON: equal values have equal texts, and therefore equal hashes.
//!
//! [`canonicalize`] writes JSON by RFC 8785 (JSON Canonicalization Scheme): no whitespace between
//! tokens, properties sorted by the UTF-16 code units of their names, numbers as ECMAScript prints
//! them, and strings with the fewest escapes that JSON allows. [`Digest`] hashes such a text.
//!
//! The scheme is defined for I-JSON (RFC 7493). Other JSON is rejected, never repaired: a name that
//! occurs twice in one object (in any notation), an integer beyond 2^53 − 1, a lone
//! surrogate. [`canonicalize`] lists all cases.

mod defaults;
mod digest;
mod error;
mod fast_path;
mod order;
mod write;

pub use self::defaults::Defaults;
pub use self::digest::{Digest, ParseDigestError};
pub use self::error::{CanonicalError, CanonicalErrorKind};

use self::defaults::DefaultsId;
use self::write::{CanonicalWriter, NumberPolicy};
use crate::json::reader::read_to_depth;
use crate::limits::Limits;

/// The deepest nesting of arrays and objects; the outermost is level 1.
const MAX_DEPTH: usize = 128;

/// Writes a JSON text in its canonical form (RFC 8785).
///
/// Equal values have equal canonical texts, independent of the notation of strings and numbers, of
/// whitespace and of the order of properties. The order of an array's items is significant. Unicode
/// is not normalized: `é` and `e` with a combining accent are different names.
///
/// A number in integer notation is kept digit by digit or rejected. A number with a fraction or an
/// exponent is rounded to the nearest 64-bit float, as the RFC specifies, so that `0.1` and
/// `0.10000000000000000001` are equal, as are `5`, `5.0` and `50e-1`. The canonical text of a float
/// between 2^53 and 10^21 has neither fraction nor exponent, and is therefore rejected as input.
/// Canonicalization leaves every other canonical text unchanged.
///
/// # Errors
/// By [kind](CanonicalErrorKind), with the byte offset of the error:
/// - `Syntax`, `Truncated`: the text is not exactly one JSON value (RFC 8259); this includes
///   control characters and invalid escapes in strings, a lone surrogate, and text after
///   the value;
/// - `DuplicateName`: a name occurs twice in one object, at any depth; `"a"` and `"\u0061"` are
///   equal;
/// - `IntegerTooLarge`: an integer beyond 2^53 − 1, which a 64-bit float may not represent;
/// - `NumberTooLarge`: a number beyond the range of 64-bit floats, such as `1e400`;
/// - `TooDeep`: arrays and objects nested deeper than 128 levels;
/// - `TooLarge`: a text of more than 4 GiB.
///
/// # Panics
/// Never: the output is always valid UTF-8.
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

/// Appends the canonical form; on an error, `out` contains a partial result.
fn canonicalize_into(json: &str, out: &mut Vec<u8>) -> Result<(), CanonicalError> {
    canonicalize_at(json, CanonicalForm::RFC_8785, out)
}

/// Appends the form by which this runtime compares arguments: with the default of every absent
/// property, and with all digits of whole numbers in any notation.
///
/// If all whole numbers are within 2^53 − 1, it is the canonical form of the completed text. The
/// form is only hashed in this process, so numbers that other readers would round are allowed.
///
/// # Errors
/// Like [`canonicalize`], except `IntegerTooLarge`; then `out` contains a partial result.
pub fn canonicalize_exactly(
    json: &str,
    defaults: &Defaults,
    out: &mut Vec<u8>,
) -> Result<(), CanonicalError> {
    canonicalize_at(json, CanonicalForm::exact(defaults, defaults.root()), out)
}

/// Settings of the writer.
#[derive(Debug, Clone, Copy)]
struct CanonicalForm<'d> {
    defaults: &'d Defaults,
    /// The defaults of the current value.
    defaults_id: Option<DefaultsId>,
    numbers: NumberPolicy,
}

impl CanonicalForm<'static> {
    const RFC_8785: Self =
        Self { defaults: Defaults::none(), defaults_id: None, numbers: NumberPolicy::IJson };
}

impl<'d> CanonicalForm<'d> {
    const fn exact(defaults: &'d Defaults, defaults_id: Option<DefaultsId>) -> Self {
        Self { defaults, defaults_id, numbers: NumberPolicy::Exact }
    }
}

fn canonicalize_at(
    json: &str,
    form: CanonicalForm<'_>,
    out: &mut Vec<u8>,
) -> Result<(), CanonicalError> {
    if form.defaults_id.is_none() && fast_path::write(json, out) {
        return Ok(());
    }
    canonicalize_any(json, form, out)
}

/// Appends the canonical form of any text, or returns the error.
fn canonicalize_any(
    json: &str,
    form: CanonicalForm<'_>,
    out: &mut Vec<u8>,
) -> Result<(), CanonicalError> {
    let unbounded = Limits::new().with_max_bytes(usize::MAX).with_max_string_bytes(usize::MAX);
    let tree = read_to_depth(json, &unbounded, MAX_DEPTH)?;
    let view = tree.view(json);
    if let Some(repeated) = tree.duplicates().iter().map(|repeat| repeat.node).min() {
        return Err(CanonicalError::duplicate(view.node(repeated).member_start()));
    }
    CanonicalWriter::new(view, form, out).document()
}

#[cfg(test)]
mod tests;
