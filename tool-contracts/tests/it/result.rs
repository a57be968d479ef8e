//! The rules of results.

use std::fs;

use chrono::DateTime;
use serde_json::{Value, json};
use tool_contracts::{Evidence, EvidenceSource, ToolResult, ToolResultMeta};

fn read(meta: &Value) -> Result<ToolResultMeta, String> {
    serde_json::from_str(&meta.to_string()).map_err(|error| error.to_string())
}

#[track_caller]
fn check_refused(field: &str, value: Value, expectation: &str) {
    let mut meta = json!({"took_ms": 1});
    meta[field] = value;
    let message = read(&meta).unwrap_err();
    assert!(message.starts_with(&format!("`{field}`: ")), "{message}");
    assert!(message.contains(expectation), "{message}");
}

#[test]
fn only_the_time_is_required() {
    assert_eq!(read(&json!({"took_ms": 0})).unwrap(), ToolResultMeta::new(0));
    assert!(read(&json!({})).unwrap_err().starts_with("`took_ms`: missing"));
}

#[test]
fn counts_are_not_negative() {
    check_refused("took_ms", json!(-1), "a whole number from 0");
    check_refused("took_ms", json!(0.5), "a whole number from 0");
    check_refused("source_counts", json!({"wiki": -1}), "whole numbers from 0");
    check_refused("token_usage", json!({"prompt": -1}), "whole numbers from 0");
    check_refused("token_usage", json!({"prompt": null}), "whole numbers from 0");
    check_refused("ttl_seconds", json!(-60), "a whole number from 0");
    check_refused("attempts", json!(-1), "a whole number from 0");
}

#[test]
fn fields_keep_to_their_types() {
    check_refused("routing", json!("profile"), "an object");
    check_refused("cache_hit", json!(1), "true or false");
    check_refused("warnings", json!(["a", 1]), "a list of texts");
    check_refused("edits", json!("/a"), "a list of texts");
    check_refused("coercions", json!("none"), "expected a sequence");
    check_refused("coercions", json!([{"pointer": "/a", "from": "string"}]), "`to`: missing");
    check_refused("evidence", json!({"snapshot_id": "", "sources": []}), "`snapshot_id`: ");
    check_refused("speed", json!(1), "unknown field");
}

#[test]
fn a_count_named_twice_is_refused() {
    let twice = r#"{"took_ms":1,"source_counts":{"wiki":1,"wiki":2}}"#;
    let message = serde_json::from_str::<ToolResultMeta>(twice).unwrap_err().to_string();
    assert!(message.starts_with("`source_counts`: expected"), "{message}");
}

#[test]
fn empty_or_false_fields_are_not_written() {
    let meta = ToolResultMeta::new(1)
        .with_warnings([])
        .with_coercions([])
        .with_edits([])
        .with_replayed(false)
        .with_dry_run(false);
    assert_eq!(serde_json::to_string(&meta).unwrap(), r#"{"took_ms":1}"#);
}

#[test]
fn evidence_is_checked_where_it_is_made() {
    let ts = DateTime::UNIX_EPOCH;
    assert!(Evidence::new("", vec![]).is_err());
    let refused = EvidenceSource::new("", "", "", ts).unwrap_err();
    assert_eq!(refused.problems().len(), 3);
    let far = DateTime::from_timestamp(300_000_000_000, 0).unwrap();
    assert!(EvidenceSource::new("tool", "a", "h", far).is_err());
}

#[test]
fn a_result_alone_refuses_an_error() {
    let text = r#"{"status":"error","input":1,"error":{"type":"FATAL","message":"m"},"meta":{"took_ms":1}}"#;
    let message = serde_json::from_str::<ToolResult<Value, Value>>(text).unwrap_err().to_string();
    assert!(message.starts_with("`status`: expected `ok`"), "{message}");
    let late = text.replacen(r#""status":"error","#, "", 1).replace("}}", r#"},"status":"error"}"#);
    let message = serde_json::from_str::<ToolResult<Value, Value>>(&late).unwrap_err().to_string();
    assert!(message.starts_with("`status`: expected `ok`"), "{message}");
}

#[test]
fn nothing_changes_a_result_or_an_error_in_place() {
    let sources =
        ["result/mod.rs", "result/meta.rs", "error/mod.rs", "error/detail.rs", "error/meta.rs"];
    for source in sources {
        let text = fs::read_to_string(format!("{}/src/{source}", env!("CARGO_MANIFEST_DIR")));
        for line in text.unwrap().lines().map(str::trim) {
            let takes_mutable = line.contains("&mut self,") || line.contains("&mut self)");
            let is_public = line.starts_with("pub ") || line.starts_with("pub(");
            let is_field = is_public && line.ends_with(',') && !line.contains(['(', '{', '}']);
            assert!(!takes_mutable && !is_field, "{source}: {line}");
        }
    }
}
