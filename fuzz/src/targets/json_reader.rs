//! Large documents within the reader's limits are read as `serde_json` reads them, others refused.

use serde_json::Value;
use serde_json::value::RawValue;
use tool_runtime::Limits;
use tool_runtime::schema::{Coerce, Malformed, Validator};

/// The longest document that is made: what a tool call over MCP may carry.
const MAX_LENGTH: usize = 1024 * 1024;

/// The first line holds how often the rest is repeated in an array, and how deep that array lies.
pub(super) fn run(data: &[u8]) {
    let Ok(data) = std::str::from_utf8(data) else { return };
    let (head, item) = data.split_once('\n').unwrap_or(("1 1", data));
    let mut numbers = head.split(' ').map(|number| number.parse::<usize>().unwrap_or(1));
    let (times, depth) = (numbers.next().unwrap_or(1), numbers.next().unwrap_or(1));
    let times = times.clamp(1, MAX_LENGTH / (item.len() + 1) + 1);
    let depth = depth.clamp(1, 200);
    let document = ["[".repeat(depth), vec![item; times].join(","), "]".repeat(depth)].concat();

    let limits = Limits::new().with_max_depth(Limits::DEEPEST);
    let validator = Validator::compile(&Value::Bool(true)).expect("a schema that admits all");
    let report = validator.check(&document, &limits, Coerce::Off);
    // What is JSON is asked here; whether a number fits is asked where a tool wants one.
    let read = serde_json::from_str::<&RawValue>(&document);
    match (&report.malformed, &read) {
        (None, read) => {
            assert!(read.is_ok(), "the reader takes what `serde_json` refuses");
            assert!(document.len() <= limits.max_bytes(), "the reader takes more than its limit");
        }
        (Some(malformed), Ok(_)) => {
            assert!(is_stricter(malformed), "the reader refuses JSON: {malformed:?}");
        }
        (Some(_), Err(_)) => {}
    }
    // One byte over the limit is refused, however well it reads.
    let tight = limits.with_max_bytes(document.len() - 1);
    assert!(validator.check(&document, &tight, Coerce::Off).malformed.is_some(), "over the limit");
}

/// Returns whether the reader refuses something that `serde_json` takes, by a rule of its own.
fn is_stricter(malformed: &Malformed) -> bool {
    !matches!(malformed, Malformed::Truncated { .. })
}
