//! Fuzzes `targets/trace_headers.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tool_fuzz::run("trace_headers", data));
