//! Texts that are not TOON, or lie about what follows.

use serde_json::Value;
use tool_runtime::articulate::from_toon;

#[track_caller]
fn check_refused(text: &str) {
    let error = from_toon::<Value>(text).expect_err("it is refused");
    assert!(error.line().is_some() && error.column().is_some(), "{error}");
    assert!(error.to_string().len() < 300, "{error}");
}

#[test]
fn wrong_lengths_and_widths_are_refused_with_their_place() {
    for text in [
        "[2]: 1",
        "[1]: 1,2",
        "a[3]{b}:\n  1\n  2",
        "a[1]{b,c}:\n  1",
        "a[1]{b,c}:\n  1,2,3",
        "a[4000000000]{b}:\n  1",
        "a[99999999999999999999999]: 1",
        "a[-1]: 1",
        "a[2]:\n  - 1",
        "a: 1\na: 2",
        "a:\n   b: 1",
        "a:\n    b: 1",
        "\ta: 1",
        "a: \"open",
        "a: \"\\q\"",
        "[1]{a,a}:\n  1,2",
    ] {
        check_refused(text);
    }
}

/// An object in an object, so many levels deep.
fn levels(count: usize) -> String {
    let lines: Vec<_> = (0..count).map(|level| format!("{}a:", "  ".repeat(level))).collect();
    lines.join("\n")
}

#[test]
fn deep_nesting_is_refused_on_a_small_stack() {
    let depth = 100_000;
    let indented = levels(600);
    let texts = [
        "- ".repeat(depth),
        format!("[1]{}", "{a".repeat(depth)),
        format!("a[1]:\n  {}", "- [1]:".repeat(depth)),
        indented,
    ];
    let check_all = move || texts.iter().for_each(|text| drop(from_toon::<Value>(text)));
    let thread = std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(check_all);
    thread.expect("a thread").join().expect("no overflow, no panic");
    check_refused(&levels(600));
}

#[test]
fn a_table_with_very_many_fields_is_refused_before_they_are_compared() {
    let fields: Vec<_> = (0..200_000).map(|n| format!("k{n}")).collect();
    check_refused(&format!("[1]{{{}}}:\n  1", fields.join(",")));
}

#[test]
fn a_length_reserves_no_memory() {
    // Four billion elements would not fit; the text is refused after its few bytes.
    for text in ["[4000000000]:", "[4000000000]{a}:", "a[4000000000]:\n  - 1"] {
        check_refused(text);
    }
}

#[test]
fn any_bytes_are_read_or_refused_without_a_panic() {
    for piece in
        ["\"", "\\", "[", "{", ":", ",", "-", "- ", "\n", "\r\n", " ", "#", "\u{feff}", "\0", "|"]
    {
        for count in [1, 2, 3, 1_000] {
            let _ = from_toon::<Value>(&piece.repeat(count));
            let _ = from_toon::<Value>(&format!("a[2]{{b,c}}:\n  {}", piece.repeat(count)));
        }
    }
}
