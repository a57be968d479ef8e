//! Every case of real models' calls: right ones reach their tool unchanged, broken ones are refused.

use tool_runtime::schema::Coerce;
use tool_tests::bfcl::{self, Case};
use tool_tests::run::{self, CallCounts};

/// Returns the cases, or none if they are not beside the checkout (`left_out` reports that).
pub(crate) fn cases() -> Vec<Case> {
    let files = bfcl::files_beside_the_project().unwrap_or_default();
    let cases: Vec<_> = files.iter().flat_map(|file| bfcl::read(file).unwrap()).collect();
    assert!(cases.is_empty() || cases.len() == 595, "{} cases", cases.len());
    cases
}

#[track_caller]
fn check(counts: &CallCounts) {
    assert!(
        counts.all_right(),
        "{} of {} calls did what they must; others:\n{}",
        counts.right,
        counts.tried,
        counts.wrong.join("\n")
    );
}

#[tokio::test]
async fn every_right_call_reaches_its_tool_unchanged() {
    let (mut counts, cx) = (CallCounts::default(), run::context());
    for case in cases() {
        let runtime = run::runtime(&case, Coerce::Off).unwrap();
        for call in &case.calls {
            counts.count(run::admitted(&runtime, call, &cx).await);
        }
    }
    check(&counts);
}

#[test]
fn every_broken_variant_is_refused_at_its_place() {
    let (mut counts, cx) = (CallCounts::default(), run::context());
    for case in cases() {
        let runtime = run::runtime(&case, Coerce::Off).unwrap();
        for call in &case.calls {
            let schema = &case.tool_of(call).unwrap().input_schema;
            for invalid_calls in bfcl::invalid_calls(schema, &call.arguments) {
                counts.count(run::refused(&runtime, &call.name, &invalid_calls, &cx));
            }
        }
    }
    check(&counts);
}

#[tokio::test]
async fn exactly_the_lossless_slips_are_mended() {
    let (mut counts, cx) = (CallCounts::default(), run::context());
    for case in cases() {
        let runtime = run::runtime(&case, Coerce::Lossless).unwrap();
        for call in &case.calls {
            let schema = &case.tool_of(call).unwrap().input_schema;
            for slip in bfcl::coercible_calls(schema, &call.arguments) {
                counts.count(run::coerced(&runtime, &call.name, &slip, &cx).await);
            }
            for guess in bfcl::lossy(schema, &call.arguments) {
                counts.count(run::refused(&runtime, &call.name, &guess, &cx));
            }
        }
    }
    check(&counts);
}
