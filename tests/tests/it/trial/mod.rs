//! Tools with one mistake each, and the findings of a trial.

mod bad;
mod fakes;
mod good;

use tool_runtime::testing::{TrialCheck, TrialFinding, TrialReport};

/// Checks that the report has this one finding, and that its text has all of these parts.
#[track_caller]
fn only(report: &TrialReport, check: TrialCheck, parts: &[&str]) {
    let found: Vec<TrialCheck> = report.findings().iter().map(TrialFinding::check).collect();
    assert_eq!(found, [check], "{report}");
    let text = report.findings()[0].text();
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in: {text}");
    }
}
