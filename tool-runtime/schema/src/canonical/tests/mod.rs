//! Tests: the RFC's samples, rejected texts, general properties, and defaults of real tools.

mod defaults;
mod laws;
mod refused;
mod samples;

use super::canonicalize;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(canonicalize(text).as_deref(), Ok(expected), "{text}");
}
