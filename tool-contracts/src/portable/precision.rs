//! Detects the feature `arbitrary_precision` of `serde_json`, which any crate of a build may turn on.

use serde_json::Number;

/// True if `serde_json` has the feature `arbitrary_precision`: only then a number has a text.
pub(super) const IS_ARBITRARY: bool = has_text(Number::as_str);

/// Takes the place of the method that `Number` has with the feature `arbitrary_precision`.
#[allow(dead_code, reason = "unused in builds whose `Number` has the method")]
trait NumberText {
    fn as_str(&self) -> NoText;
}

impl NumberText for Number {
    fn as_str(&self) -> NoText {
        NoText
    }
}

#[allow(dead_code, reason = "unused in builds whose `Number` has a text")]
struct NoText;

trait TextOfNumber {
    const EXISTS: bool;
}

impl TextOfNumber for NoText {
    const EXISTS: bool = false;
}

impl TextOfNumber for &str {
    const EXISTS: bool = true;
}

const fn has_text<'n, T: TextOfNumber>(_: fn(&'n Number) -> T) -> bool {
    T::EXISTS
}
