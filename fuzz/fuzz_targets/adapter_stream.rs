//! Fuzzes `targets/adapter_stream.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tool_fuzz::run("adapter_stream", data));
