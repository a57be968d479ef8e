//! Texts of violations that a model could follow in the wrong direction.

use std::collections::BTreeMap;
use std::time::Duration;

use tool_runtime::prelude::*;

use crate::support::cx;

/// Words to look for.
#[ai_type]
#[derive(Debug)]
#[serde(tag = "kind")]
enum Wanted {
    /// A text.
    Str {
        /// The text.
        b: String,
    },
    /// A number.
    Num {
        /// The number.
        n: u32,
    },
}

/// A query.
#[ai_type]
#[derive(Debug)]
struct Query {
    /// A number.
    a: u32,
    /// The words.
    #[serde(flatten)]
    wanted: Wanted,
}

/// An even number.
#[ai_type]
#[derive(Debug)]
#[serde(try_from = "RawEven")]
struct Even {
    /// The number.
    value: u32,
}

/// A number.
#[ai_type]
#[derive(Debug)]
struct RawEven {
    /// The number.
    value: u32,
}

impl TryFrom<RawEven> for Even {
    type Error = String;

    fn try_from(raw: RawEven) -> Result<Self, String> {
        if raw.value % 2 == 0 {
            Ok(Self { value: raw.value })
        } else {
            Err("shop::Even is odd".to_owned())
        }
    }
}

/// Reads everything.
#[ai_tool(effect = "read")]
async fn all(
    /// A query.
    query: Option<Query>,
    /// Rows by number.
    #[arg(default)]
    rows: BTreeMap<u32, u32>,
    /// Rows by small number.
    #[arg(default)]
    bytes: BTreeMap<u8, u32>,
    /// Time to wait.
    wait: Option<Duration>,
) -> u32 {
    let _ = query.map(|query| match query.wanted {
        Wanted::Str { b } => b.len() as u64 + u64::from(query.a),
        Wanted::Num { n } => u64::from(n),
    });
    let _ = (bytes, wait);
    u32::try_from(rows.len()).unwrap_or(u32::MAX)
}

/// Reads an even number.
#[ai_tool(effect = "read")]
async fn half(
    /// Any number.
    before: u32,
    /// The number to halve.
    even: Even,
) -> u32 {
    before + even.value / 2
}

/// The text that a model reads about bad arguments.
#[track_caller]
fn check(name: &str, arguments: &str, message: &str) {
    let runtime = Runtime::builder().tool::<AllTool>().tool::<HalfTool>().build().unwrap();
    let call = runtime.call(name, arguments, &cx());
    assert_eq!(call.status(), CallStatus::Rejected, "{arguments} was admitted");
    let error = call.output().and_then(ToolOutput::error).unwrap();
    assert_eq!(error.message(), message, "{arguments}");
}

#[test]
fn a_missing_field_of_a_flattened_variant_is_missing_and_its_tag_is_no_stranger() {
    check(
        "all",
        r#"{"query": {"a": 1, "kind": "Str"}}"#,
        "an argument is not valid: /query/b: expected string, but it is missing",
    );
    check(
        "all",
        r#"{"query": {"a": 1, "kind": "Srt", "b": "x"}}"#,
        "an argument is not valid: /query/kind: expected one of \"Str\", \"Num\", received string",
    );
    check(
        "all",
        r#"{"query": {"a": 1, "kind": "Str", "n": 1}}"#,
        "2 arguments are not valid: /query/b: expected string, but it is missing; \
         /query/n: expected only the properties `a`, `b`, `kind`, received integer",
    );
}

#[test]
fn a_key_of_a_map_is_told_which_keys_there_may_be() {
    check(
        "all",
        r#"{"rows": {"x": 1}}"#,
        "an argument is not valid: /rows/x: expected a property whose name is an integer without a \
         sign that matches `^\\d+$`, received integer",
    );
}

#[test]
fn a_key_that_only_its_type_rejects_is_blamed_and_not_its_value() {
    check(
        "all",
        r#"{"bytes": {"1": 1, "300": 1}}"#,
        "an argument is not valid: /bytes/300: expected a property whose name is an integer from 0 \
         to 255, received string",
    );
}

#[test]
fn a_duration_that_overflows_is_told_its_range() {
    check(
        "all",
        r#"{"wait": {"secs": 18446744073709551615, "nanos": 1000000000}}"#,
        "an argument is not valid: /wait: expected a duration of at most 18446744073709551615 \
         seconds and 999999999 nanoseconds in all, received object",
    );
}

#[test]
fn a_conversion_that_fails_names_the_schema_and_no_rust_path() {
    check(
        "half",
        r#"{"before": 1, "even": {"value": 3}}"#,
        "an argument is not valid: /even: expected Even, received object",
    );
}
