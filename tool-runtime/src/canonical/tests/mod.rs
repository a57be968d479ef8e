//! The scheme by its own samples, what is refused, laws, and what real tools' schemas show.

mod defaults;
mod laws;
mod refused;
mod samples;

use super::canonicalize;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(canonicalize(text).as_deref(), Ok(expected), "{text}");
}
