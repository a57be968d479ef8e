//! Checks schemas against the metaschema of JSON Schema, draft 2020-12.
//!
//! [`Validator::compile`] accepts a dialect: it rejects keywords that it cannot enforce, and
//! accepts older forms. The metaschema is checked by the same validator, which saves a second JSON
//! Schema crate in test builds: `$dynamicRef`, which only extensions of the metaschema need, is
//! replaced by the equivalent plain reference.

use std::sync::OnceLock;

use serde_json::Value;
use tool_runtime_schema::Limits;
use tool_runtime_schema::schema::{Coerce, Validator};

use super::report::{TrialCheck, TrialReport};
use super::runtime::TrialRuntime;

pub(super) fn check(trial_runtime: &TrialRuntime, report: &mut TrialReport) {
    let output = trial_runtime.spec.output_schema().cloned().map(Value::Object);
    for (side, schema) in [("input", Some(trial_runtime.input.clone())), ("output", output)] {
        for wrong in schema.map(|schema| violations(&schema)).unwrap_or_default() {
            let text = format!("the {side} schema is invalid under draft 2020-12: {wrong}");
            report.find(TrialCheck::Metaschema, text);
        }
    }
}

/// Lists the violations of the metaschema, one line each.
pub(super) fn violations(schema: &Value) -> Vec<String> {
    let report = metaschema().check(&schema.to_string(), &Limits::WIDEST, Coerce::Off);
    let malformed = report.malformed.map(|malformed| malformed.to_string());
    let invalid = report.violations.iter().map(|violation| {
        let (at, expected, found) =
            (violation.pointer(), violation.expected(), violation.received());
        format!("`#{at}` must be {expected}, and is {found} ({})", violation.rule())
    });
    malformed.into_iter().chain(invalid).collect()
}

fn metaschema() -> &'static Validator {
    static METASCHEMA: OnceLock<Validator> = OnceLock::new();
    METASCHEMA.get_or_init(|| {
        let schema = serde_json::from_str(include_str!("metaschema.json"));
        let schema: Value = schema.expect("the metaschema is JSON");
        Validator::compile(&schema).expect("the metaschema compiles")
    })
}
