//! Resolves `$ref` within one schema document.

use crate::encoding::percent_decoded;

/// Converts a local reference, such as `#/$defs/Name`, to a normalized JSON Pointer.
#[must_use]
pub fn pointer(reference: &str) -> Option<String> {
    let fragment = reference.strip_prefix('#')?;
    percent_decoded(fragment).map(|pointer| normalized(&pointer))
}

/// A name, escaped as a segment of a JSON Pointer.
#[must_use]
pub fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The pointer in the escaping that the compiler produces.
fn normalized(pointer: &str) -> String {
    let tokens = pointer.split('/').map(|token| token.replace("~1", "/").replace("~0", "~"));
    tokens.map(|token| escaped(&token)).collect::<Vec<_>>().join("/")
}
