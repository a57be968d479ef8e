#![allow(unused)]

use tool_runtime::prelude::*;

/// Does it.
#[ai_tool(effect = "read")]
fn search(
    /// Word 0.
    w0: u8,
    /// Word 1.
    w1: u8,
    /// Word 2.
    w2: u8,
    /// Word 3.
    w3: u8,
    /// Word 4.
    w4: u8,
    /// Word 5.
    w5: u8,
    /// Word 6.
    w6: u8,
    /// Word 7.
    w7: u8,
    /// Word 8.
    w8: u8,
    /// Word 9.
    w9: u8,
    /// Word 10.
    w10: u8,
    /// Word 11.
    w11: u8,
    /// Word 12.
    w12: u8,
    /// Word 13.
    w13: u8,
    /// Word 14.
    w14: u8,
    /// Word 15.
    w15: u8,
    /// Word 16.
    w16: u8,
) {}

fn main() {}
