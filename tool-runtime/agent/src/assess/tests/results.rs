//! The result of one tool is compressed alone.

use futures::FutureExt;
use proptest::prelude::*;
use serde_json::{Value, json};
use tool_contracts::act::ActResult;
use tool_contracts::assess::{CompressionMethod, OptimizedContext};
use tool_runtime_core::articulate::Articulator;

use super::laws::{any_options, json as any_json};
use super::{eager, log, options, result, time};
use crate::assess::Assessor;
use crate::assess::result_message::{ResultData, ResultMessage};

#[track_caller]
fn shown(assessor: &Assessor, result: &ActResult, query: Option<&str>) -> OptimizedContext {
    assessor.optimize_result(result, query).now_or_never().expect("it does not wait")
}

fn orders() -> ActResult {
    let row = |n: u32| json!({"id": n, "customer": format!("c-{n}"), "state": "open"});
    result("orders", (0..200).map(row).collect::<Vec<Value>>())
}

#[test]
fn its_text_is_the_result_without_headings() {
    let orders = orders();
    let text = shown(&eager(), &orders, Some("What does c-17 wait for?")).into_text();
    let (note, rows) = text.split_once('\n').expect("a note, and the rows");
    assert!(note.ends_with(" of 200 rows)"), "{note}");
    let rows: Vec<Value> = serde_json::from_str(rows).expect("whole rows of JSON");
    assert!(rows.iter().any(|row| row["customer"] == "c-17"), "{note}");
    assert!(rows.len() <= 80, "{note}");
    let text = result("log", log(200));
    let text = shown(&eager(), &text, Some("Which worker?")).into_text();
    assert!(!text.contains('#') && text.ends_with('…'), "{text}");
}

#[test]
fn a_short_result_and_a_failure_stay_as_they_are() {
    let assessor = Assessor::new().options(options().with_threshold_tokens(100_000));
    let whole = shown(&assessor, &orders(), None);
    assert_eq!(whole.method_used(), CompressionMethod::None);
    assert_eq!(whole.optimized_text(), orders().data().get());
    let failed = ActResult::failed("orders", log(200), time()).build().expect("a result");
    let whole = shown(&eager(), &failed, Some("Why?"));
    assert_eq!(whole.method_used(), CompressionMethod::None);
    assert_eq!(whole.optimized_text(), failed.to_text());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_is_never_longer_and_the_same_each_time(data in any_json(), query in "[a-z ]{0,30}") {
        let result = result("tool", &data);
        let first = shown(&eager(), &result, Some(&query));
        prop_assert!(first.optimized_tokens() <= first.original_tokens());
        let tokens = eager().estimate_tokens(first.optimized_text());
        prop_assert_eq!(tokens, first.optimized_tokens());
        let second = shown(&eager(), &result, Some(&query));
        prop_assert_eq!(first.optimized_text(), second.optimized_text());
    }

    #[test]
    fn documents_in_json_stay_json_and_unmarked_arrays_are_whole(
        data in any_json(),
        query in "[a-z ]{0,30}",
        options in any_options(),
    ) {
        prop_assume!(data.is_object() || data.is_array());
        let text = shown(&eager().options(options), &result("tool", &data), Some(&query)).into_text();
        let (note, json) = match text.split_once('\n') {
            Some((note, json)) if note.ends_with(" rows)") => (Some(note), json),
            _ => (None, text.as_str()),
        };
        prop_assume!(!json.starts_with("(left out"));
        let read: Value = serde_json::from_str(json).expect("JSON");
        prop_assert_eq!((read.is_array(), read.is_object()), (data.is_array(), data.is_object()));
        if let (None, Value::Array(rows), Value::Array(all)) = (note, &read, &data) {
            prop_assert_eq!(rows.len(), all.len());
        }
    }

    #[test]
    fn a_serializer_alone_loses_nothing(data in any_json(), options in any_options()) {
        prop_assume!(data.is_object() || data.is_array());
        let options = options.with_threshold_tokens(u64::MAX);
        let assessor = Assessor::new().options(options).result_serializer(Articulator::new());
        let shown = shown(&assessor, &result("tool", &data), None);
        prop_assert_eq!(shown.method_used(), CompressionMethod::None);
        let text = shown.optimized_text();
        // A document with references to repeated objects is not taken apart.
        prop_assume!(!text.contains(r#"{"$ref":"#));
        match ResultMessage::parse(text).expect("a whole document").data() {
            ResultData::Json(json) => {
                let read: Value = serde_json::from_str(json.get()).expect("JSON");
                prop_assert_eq!(read, data);
            }
            ResultData::Text(text) => prop_assert!(false, "{} is no document", text),
        }
    }
}
