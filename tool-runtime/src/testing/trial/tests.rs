//! Checks of a trial that a correct runtime never fails: they are tested with a broken runtime,
//! and against another validator.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};
use tool_contracts::Effect;

use super::bench::{Bench, Watch};
use super::inputs::Inputs;
use super::property::Trying;
use super::report::{Check, TrialReport};
use super::snapshot::{Compared, compared};
use super::{metaschema, running};
use crate::dispatch::Runtime;
use crate::failure::Failure;
use crate::registry::DynamicTool;

fn bench(schema: Value) -> Bench {
    let tool = DynamicTool::new("count", Effect::Read).description("Counts.").input_schema(schema);
    let tool = tool.handler(|_| async { Ok::<_, Failure>(1) });
    let watch = Watch::default();
    let builder = Runtime::builder().dynamic(tool).observe(watch.clone());
    let runtime = builder.build().expect("a runtime");
    Bench::new(runtime, "count", None, watch).expect("the tool is there")
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
    let tried = bench(counted(100));
    let mut report = TrialReport::new("count".to_owned(), 0);
    let inputs = Inputs::new(&bench(counted(7)), Vec::new(), &mut report).expect("inputs");
    let (cases, budget) = (200, Duration::from_secs(5));
    let trying = Trying { bench: &tried, inputs: &inputs, cases, budget, seed: 0 };
    running::block_on(trying.check(&mut report), false);
    assert_eq!(report.findings().len(), 1, "{report}");
    assert_eq!(report.findings()[0].check(), Check::Refusal);
    let text = report.findings()[0].text();
    assert!(text.contains("AboveRange at `/count` is not refused"), "{text}");
    assert!(text.contains(r#"input: {"count":8}"#), "{text}");
}

#[test]
fn a_budget_that_is_over_is_told() {
    let bench = bench(counted(100));
    let mut report = TrialReport::new("count".to_owned(), 0);
    let inputs = Inputs::new(&bench, Vec::new(), &mut report).expect("inputs");
    let budget = Duration::ZERO;
    let trying = Trying { bench: &bench, inputs: &inputs, cases: 3, budget, seed: 0 };
    running::block_on(trying.check(&mut report), false);
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
fn a_snapshot_is_written_where_a_person_is_and_missed_where_none_is() {
    let folder = std::env::temp_dir().join(format!("tool-trial-snapshot-{}", std::process::id()));
    let path = folder.join("inner").join("tool.json");
    let check = |now: &str, update, ci| compared(&path, now, update, ci).expect("files work");
    assert_eq!(check("{}\n", false, true), Compared::Missing);
    assert!(!path.exists());
    assert_eq!(check("{}\n", false, false), Compared::Written);
    assert_eq!(check("{}\n", false, true), Compared::Same);
    let Compared::Differs(difference) = check("{1}\n", false, false) else { panic!("it differs") };
    assert!(difference.contains("-{}\n+{1}"), "{difference}");
    assert_eq!(check("{1}\n", true, true), Compared::Written);
    fs::write(&path, "{1}\r\n").expect("a checkout on Windows");
    assert_eq!(check("{1}\n", false, true), Compared::Same);
    fs::remove_dir_all(&folder).expect("it is there");
}
