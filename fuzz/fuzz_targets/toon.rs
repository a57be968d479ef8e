//! Fuzzes `targets/toon.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tool_fuzz::run("toon", data));
