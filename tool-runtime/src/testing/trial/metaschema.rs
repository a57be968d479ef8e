//! Checks schemas against the metaschema of JSON Schema, draft 2020-12.
//!
//! [`Validator::compile`] is a dialect: it refuses what it could not enforce, and takes older forms
//! as well. The metaschema is checked by the same validator, which spares every test build of a
//! user another JSON Schema crate: `$dynamicRef`, which only extensions of the metaschema need, is
//! written as the plain reference that it is without them.

use std::sync::OnceLock;

use serde_json::Value;

use super::bench::Bench;
use super::report::{Check, TrialReport};
use crate::limits::Limits;
use crate::schema::{Coerce, Validator};

pub(super) fn check(bench: &Bench, report: &mut TrialReport) {
    let output = bench.spec.output_schema().cloned().map(Value::Object);
    for (side, schema) in [("input", Some(bench.input.clone())), ("output", output)] {
        for wrong in schema.map(|schema| violations(&schema)).unwrap_or_default() {
            let text = format!("the {side} schema is none of draft 2020-12: {wrong}");
            report.find(Check::Metaschema, text);
        }
    }
}

/// Lists the violations of the metaschema, one line each.
pub(super) fn violations(schema: &Value) -> Vec<String> {
    let report = metaschema().check(&schema.to_string(), &Limits::WIDEST, Coerce::Off);
    let malformed = report.malformed.map(|malformed| malformed.to_string());
    let broken = report.violations.iter().map(|violation| {
        let (at, expected, found) =
            (violation.pointer(), violation.expected(), violation.received());
        format!("`#{at}` must be {expected}, and is {found} ({})", violation.rule())
    });
    malformed.into_iter().chain(broken).collect()
}

fn metaschema() -> &'static Validator {
    static METASCHEMA: OnceLock<Validator> = OnceLock::new();
    METASCHEMA.get_or_init(|| {
        let schema = serde_json::from_str(include_str!("metaschema.json"));
        let schema: Value = schema.expect("the metaschema is JSON");
        Validator::compile(&schema).expect("the metaschema is a schema of our dialect")
    })
}
