//! Resolves `$ref` within one schema document.

/// Converts a local reference, such as `#/$defs/Name`, to a normalized JSON Pointer.
pub(crate) fn pointer(reference: &str) -> Option<String> {
    let fragment = reference.strip_prefix('#')?;
    percent_decoded(fragment).map(|pointer| normalized(&pointer))
}

/// A name, escaped as a segment of a JSON Pointer.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The pointer in the escaping that the compiler produces.
fn normalized(pointer: &str) -> String {
    let tokens = pointer.split('/').map(|token| token.replace("~1", "/").replace("~0", "~"));
    tokens.map(|token| escaped(&token)).collect::<Vec<_>>().join("/")
}

fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
