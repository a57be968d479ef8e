#![allow(clippy::unwrap_used, reason = "this is test code")]

mod growth;
mod kept;
mod laws;
mod replaced;
mod scrubbed;

use super::Patterns;

#[track_caller]
fn redacts(text: &str, expected: &str) {
    assert_eq!(Patterns::default().redact(text), expected, "{text}");
}
