//! Fuzzes `targets/json_reader.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tool_fuzz::run("json_reader", data));
