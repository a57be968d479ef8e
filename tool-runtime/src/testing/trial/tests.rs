//! Checks of a trial that a correct runtime never fails: they are tested with a broken runtime,
//! and against another validator.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};
use tool_contracts::Effect;

use super::inputs::TrialInputs;
use super::property::PropertyCheck;
use super::report::{TrialCheck, TrialReport};
use super::runtime::{CallObserver, TrialRuntime};
use super::snapshot::{SnapshotResult, compared};
use super::{block_on, metaschema};
use crate::failure::Failure;
use crate::runtime::Runtime;
use crate::tool::registry::DynamicTool;

fn trial_runtime(schema: Value) -> TrialRuntime {
    let tool = DynamicTool::new("count", Effect::Read).description("Counts.").input_schema(schema);
    let tool = tool.handler(|_| async { Ok::<_, Failure>(1) });
    let observer = CallObserver::default();
    let builder = Runtime::builder().dynamic(tool).observe(observer.clone());
    let runtime = builder.build().expect("a runtime");
    TrialRuntime::new(runtime, "count", None, observer).expect("the tool is there")
}

fn counted(most: u64) -> Value {
    json!({
        "type": "object",
        "properties": {"count": {"type": "integer", "minimum": 0, "maximum": most}},
        "required": ["count"],
        "additionalProperties": false,
    })
}

#[test]
fn what_gets_past_the_schema_is_found() {
    let tried = trial_runtime(counted(100));
    let mut report = TrialReport::new("count".to_owned(), 0);
    let inputs =
        TrialInputs::new(&trial_runtime(counted(7)), Vec::new(), &mut report).expect("inputs");
    let (cases, budget) = (200, Duration::from_secs(5));
    let property_check =
        PropertyCheck { trial_runtime: &tried, inputs: &inputs, cases, budget, seed: 0 };
    block_on::block_on(property_check.check(&mut report), false);
    assert_eq!(report.findings().len(), 1, "{report}");
    assert_eq!(report.findings()[0].check(), TrialCheck::Refusal);
    let text = report.findings()[0].text();
    assert!(text.contains("AboveRange at `/count` is not rejected"), "{text}");
    assert!(text.contains(r#"input: {"count":8}"#), "{text}");
}

#[test]
fn a_budget_that_is_over_is_told() {
    let trial_runtime = trial_runtime(counted(100));
    let mut report = TrialReport::new("count".to_owned(), 0);
    let inputs = TrialInputs::new(&trial_runtime, Vec::new(), &mut report).expect("inputs");
    let budget = Duration::ZERO;
    let property_check =
        PropertyCheck { trial_runtime: &trial_runtime, inputs: &inputs, cases: 3, budget, seed: 0 };
    block_on::block_on(property_check.check(&mut report), false);
    assert_eq!(report.notes(), ["0 of 3 cases were tried in the budget of 0ns"]);
}

#[test]
fn the_metaschema_says_what_another_checker_says() {
    let schemas = [
        json!(true),
        json!({}),
        json!(7),
        json!([]),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
        json!({"type": "text"}),
        json!({"type": []}),
        json!({"type": ["string", "string"]}),
        json!({"type": ["string", "null"]}),
        json!({"properties": {"a": {"minLength": -1}}}),
        json!({"properties": []}),
        json!({"required": "a"}),
        json!({"required": ["a", "a"]}),
        json!({"minimum": "1"}),
        json!({"exclusiveMinimum": true}),
        json!({"multipleOf": 0}),
        json!({"items": [{"type": "string"}]}),
        json!({"prefixItems": []}),
        json!({"prefixItems": [{"type": "string"}], "items": false}),
        json!({"allOf": []}),
        json!({"anyOf": [{"type": "null"}, 7]}),
        json!({"enum": 7}),
        json!({"enum": []}),
        json!({"uniqueItems": "yes"}),
        json!({"$defs": {"A": {"format": 7}}}),
        json!({"$anchor": "no spaces"}),
        json!({"$id": "https://example.org/a#b"}),
        json!({"dependentRequired": {"a": [1]}}),
        json!({"dependencies": {"a": ["b"], "c": {"type": "object"}}}),
        json!({"deprecated": 1}),
        json!({"x-sensitivity": "secret"}),
    ];
    let mut valid = 0;
    for schema in &schemas {
        let found = metaschema::violations(schema);
        let theirs = jsonschema::draft202012::meta::is_valid(schema);
        assert_eq!(found.is_empty(), theirs, "{schema}: {found:?}");
        valid += usize::from(theirs);
    }
    assert!(valid >= 8 && valid <= schemas.len() - 8, "{valid}");
}

#[test]
fn a_missing_snapshot_is_written_unless_on_ci() {
    let folder = std::env::temp_dir().join(format!("tool-trial-snapshot-{}", std::process::id()));
    let path = folder.join("inner").join("tool.json");
    let check = |now: &str, update, ci| compared(&path, now, update, ci).expect("files work");
    assert_eq!(check("{}\n", false, true), SnapshotResult::Missing);
    assert!(!path.exists());
    assert_eq!(check("{}\n", false, false), SnapshotResult::Written);
    assert_eq!(check("{}\n", false, true), SnapshotResult::Same);
    let SnapshotResult::Differs(difference) = check("{1}\n", false, false) else {
        panic!("it differs")
    };
    assert!(difference.contains("-{}\n+{1}"), "{difference}");
    assert_eq!(check("{1}\n", true, true), SnapshotResult::Written);
    fs::write(&path, "{1}\r\n").expect("a checkout on Windows");
    assert_eq!(check("{1}\n", false, true), SnapshotResult::Same);
    fs::remove_dir_all(&folder).expect("it is there");
}
