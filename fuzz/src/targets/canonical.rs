//! Canonical JSON is what a crate that is known to be exact makes of the same text.

use tool_runtime::canonical::{CanonicalErrorKind, canonicalize};

pub(super) fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let theirs = serde_json_canonicalizer::pipe(text);
    match canonicalize(text) {
        Ok(ours) => match theirs {
            Ok(theirs) => assert_eq!(ours, theirs, "the crate makes something else of it"),
            // The crate's reader stops one level earlier.
            Err(error) => assert!(error.to_string().starts_with("recursion limit"), "{error}"),
        },
        Err(error) => {
            let stricter = [CanonicalErrorKind::DuplicateName, CanonicalErrorKind::IntegerTooLarge];
            assert!(theirs.is_err() || stricter.contains(&error.kind()), "{error}");
            assert!(error.position() <= text.len(), "a place outside of the text");
        }
    }
}
