//! Percent-encoding, for the addresses of resources of the Model Context Protocol.

use std::fmt::Write as _;

/// Encodes a text for one segment of a URL's path (RFC 3986).
#[must_use]
pub fn percent_encoded(text: &str) -> String {
    let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if is_unreserved(byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
