//! Fuzzes `targets/redaction.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tool_fuzz::run("redaction", data));
