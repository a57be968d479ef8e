//! Tests of the validator, by topic.

#![allow(clippy::needless_pass_by_value, reason = "schemas are written where they are used")]

mod coercion;
mod edits;
mod growth;
mod hostile;
mod keywords;
mod numbers;
mod redaction;
mod shapes;
mod strictness;
mod views;

use serde_json::{Value, json};

use super::{Coerce, ValidationReport, Validator};
use crate::limits::Limits;

fn report(schema: &Value, text: &str, coerce: Coerce) -> ValidationReport {
    Validator::compile(schema).unwrap().check(text, &Limits::new(), coerce)
}

/// Checks the broken rules and their pointers: `"rule /pointer"` each.
#[track_caller]
fn check(schema: &Value, text: &str, expected: &[&str]) {
    let report = report(schema, text, Coerce::Off);
    assert_eq!(report.malformed, None, "{schema} {text}");
    let broken = report.violations.iter().map(|v| format!("{} {}", v.rule(), v.pointer()));
    assert_eq!(broken.collect::<Vec<_>>(), expected, "{schema} {text}");
}

/// Checks the coercion of the value in `{"v": …}`: its new text, or the rules that it violates.
#[track_caller]
fn coerces(schema: Value, value: &str, expected: Result<&str, &[&str]>) {
    let schema = json!({"type": "object", "properties": {"v": schema}, "required": ["v"]});
    let report = report(&schema, &format!("{{\"v\":{value}}}"), Coerce::Lossless);
    let rules: Vec<_> = report.violations.iter().map(tool_contracts::Violation::rule).collect();
    match expected {
        Ok(text) => {
            assert_eq!(rules, [""; 0], "{schema} {value}");
            assert_eq!(report.coerced, Some(format!("{{\"v\":{text}}}")), "{schema} {value}");
            assert!(!report.coercions.is_empty());
        }
        Err(expected) => {
            assert_eq!(rules, expected, "{schema} {value}");
            assert_eq!(report.coerced, None);
            assert_eq!(report.coercions, []);
        }
    }
}
