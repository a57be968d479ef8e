//! Checks of a trial that a correct runtime never fails: they are tested with a broken runtime,
//! and against another validator.

use std::panic::{self, Location, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fs, thread};

use serde_json::{Value, json};
use tool_contracts::Effect;
use tool_runtime_core::failure::Failure;
use tool_runtime_core::runtime::Runtime;
use tool_runtime_core::tool::PanicWatch;
use tool_runtime_core::tool::registry::DynamicTool;

use super::inputs::TrialInputs;
use super::property::PropertyCheck;
use super::report::{TrialCheck, TrialReport};
use super::runtime::{CallObserver, TrialRuntime};
use super::snapshot::{SnapshotResult, compared};
use super::{block_on, metaschema};
use crate::ToolTrial;

fn trial_runtime(schema: Value) -> TrialRuntime {
    let tool = DynamicTool::new("count", Effect::Read).description("Counts.").input_schema(schema);
    let tool = tool.handler(|_| async { Ok::<_, Failure>(1) });
    let observer = CallObserver::default();
    let builder = Runtime::builder().dynamic(tool).observe(observer.clone());
    let runtime = builder.build().expect("a runtime");
    TrialRuntime::new(runtime, "count", None, (observer, PanicWatch::default()))
        .expect("the tool is there")
}

fn counted(max: u64) -> Value {
    json!({
        "type": "object",
        "properties": {"count": {"type": "integer", "minimum": 0, "maximum": max}},
        "required": ["count"],
        "additionalProperties": false,
    })
}

#[test]
fn an_input_that_gets_past_the_schema_is_found() {
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

/// A trial of a tool whose calls all panic; the first one also panics on another thread.
fn panicking_trial() -> ToolTrial {
    let first = Mutex::new(true);
    let tool = DynamicTool::new("burst", Effect::Read).description("Bursts.");
    let tool = tool.input_schema(counted(100)).handler(move |_| {
        if std::mem::take(&mut *first.lock().expect("a flag")) {
            let other = thread::spawn(|| panic!("trial: on another thread"));
            other.join().expect_err("it panics");
        }
        async {
            let spawned = tokio::spawn(async { panic!("trial: in a task of the tool") });
            spawned.await.expect_err("it panics");
            let answers: Vec<u32> = Vec::new();
            answers.first().expect("trial: in the tool");
            Ok::<_, Failure>(1)
        }
    });
    ToolTrial::named("burst").with(|builder| builder.dynamic(tool)).cases(8)
}

#[test]
fn panics_of_a_trial_are_reported_and_not_printed_and_all_others_are_printed() {
    let printed = Arc::new(Mutex::new(Vec::new()));
    let (previous, heard) = (Arc::new(panic::take_hook()), printed.clone());
    let passed = previous.clone();
    panic::set_hook(Box::new(move |info| match info.payload_as_str() {
        Some(text) if text.starts_with("trial: ") => {
            heard.lock().expect("texts").push(text.to_owned());
        }
        Some(text) if text.starts_with("the tool `burst`") => {
            let place = info.location().map_or(0, Location::line);
            heard
                .lock()
                .expect("texts")
                .push(format!("{} {place}", info.location().map_or("", Location::file)));
        }
        _ => passed(info),
    }));
    let other = thread::spawn(|| panicking_trial().check());
    let report = panicking_trial().check();
    let of_other = other.join().expect("a report");
    let line = line!() + 1;
    let failed = catch_unwind(|| panicking_trial().assert());
    failed.expect_err("there is a finding");
    catch_unwind(|| panic!("trial: after it")).expect_err("it panics");
    drop(panic::take_hook());
    panic::set_hook(Arc::try_unwrap(previous).unwrap_or_else(|_| Box::new(|_| {})));

    for report in [&report, &of_other] {
        let text = report.findings()[0].text();
        assert!(text.contains("the tool panics at ") && text.contains("trial/tests.rs:"), "{text}");
    }
    let other = "trial: on another thread".to_owned();
    let place = format!("{} {line}", file!());
    let expected = [other.clone(), other.clone(), other, place, "trial: after it".to_owned()];
    assert_eq!(*printed.lock().expect("texts"), expected);
}

#[test]
fn a_tool_that_is_not_registered_is_the_finding_and_not_its_permission() {
    let report = ToolTrial::named("nothing").check();
    let text = report.findings()[0].text();
    assert!(text.starts_with("no tool `nothing` is registered: "), "{text}");
    assert!(!text.contains("permission"), "{text}");
}
