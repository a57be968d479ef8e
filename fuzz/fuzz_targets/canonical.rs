//! Whatever the text is, canonical JSON is what a crate that is known to be exact makes of it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tool_runtime::canonical::canonicalize;
use tool_tests::canonical::agrees;

fuzz_target!(|text: &str| {
    assert!(agrees(text), "the crate makes something else of it");
    if let Err(error) = canonicalize(text) {
        assert!(error.position() <= text.len(), "a place outside of the text");
    }
});
