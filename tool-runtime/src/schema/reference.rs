//! What a `$ref` within one schema document points to.

/// Reads a local reference, as `#/$defs/Name`, into the one spelling of its JSON Pointer.
pub(crate) fn pointer(reference: &str) -> Option<String> {
    let fragment = reference.strip_prefix('#')?;
    percent_decoded(fragment).map(|pointer| respelt(&pointer))
}

/// A name as a part of a JSON Pointer.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The same pointer in the spelling that the compiler builds itself.
fn respelt(pointer: &str) -> String {
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
