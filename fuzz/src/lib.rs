//! What each fuzz target runs: the fuzzer calls it with made-up input, a plain test with the corpus.

mod targets;

/// Runs the target of this name.
pub fn run(name: &str, data: &[u8]) {
    targets::run(name, data);
}
