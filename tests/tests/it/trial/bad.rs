//! Tools with one mistake each: it is found, and only it, with the smallest input that reproduces
//! it.

use std::time::Duration;

use tool_runtime::prelude::*;
use tool_runtime::testing::{
    FaultyStore, RecordedEffects, StoreFault, StoreOperation, ToolTrial, TrialCheck, assert_tool,
};

use super::only;

/// Looks up a title.
#[ai_tool(effect = "read")]
fn look_up(
    /// Part of the title.
    query: String,
    /// Most hits to return.
    #[arg(range(1..=50))]
    limit: usize,
    /// Only these.
    #[arg(default)]
    tags: Vec<String>,
) -> Vec<String> {
    let all: Vec<String> = (0..49).map(|index| format!("{query}{index}{}", tags.len())).collect();
    all[..limit].to_vec()
}

#[test]
fn a_panic_on_an_edge_is_found_and_made_small() {
    let report = ToolTrial::for_tool::<LookUpTool>().check();
    let input = r#"input: {"limit":50,"query":""}"#;
    only(
        &report,
        TrialCheck::Panics,
        &["the tool panics", "panicked: range end index 50", input, "again: seed = "],
    );
}

#[test]
fn the_seed_of_a_finding_brings_it_back() {
    let report = ToolTrial::for_tool::<LookUpTool>().check();
    let text = report.findings()[0].text();
    let seed = text.split("seed = ").nth(1).and_then(|rest| rest.split(',').next());
    let seed = seed.and_then(|seed| seed.parse().ok()).expect("a seed is named");
    let report = ToolTrial::for_tool::<LookUpTool>().seed(seed).cases(1).check();
    only(&report, TrialCheck::Panics, &[r#"input: {"limit":50,"query":""}"#]);
}

/// How much there is.
#[ai_type]
struct Stock {
    /// How many pieces.
    #[schemars(range(max = 100))]
    pieces: u32,
}

/// Counts pieces.
#[ai_tool(effect = "read")]
fn count_pieces(
    /// How many boxes.
    #[arg(range(0..=20))]
    boxes: u32,
) -> Stock {
    Stock { pieces: boxes * 7 }
}

#[test]
fn an_answer_that_breaks_its_schema_is_found() {
    let report = ToolTrial::for_tool::<CountPiecesTool>().check();
    only(
        &report,
        TrialCheck::Output,
        &["violates the output schema", r#"input: {"boxes":15}"#, "/pieces"],
    );
}

/// Waits.
#[ai_tool(effect = "read", timeout = "5s")]
async fn wait_a_while(
    /// How long, in seconds.
    #[arg(range(0..=3600))]
    seconds: u64,
) -> bool {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    true
}

#[test]
fn a_tool_that_misses_its_deadline_is_found_without_waiting() {
    let report = ToolTrial::for_tool::<WaitAWhileTool>().check();
    only(&report, TrialCheck::Deadline, &["does not end within 5s", r#"input: {"seconds":6}"#]);
}

/// Orders tea.
#[ai_tool(effect = "write")]
fn order_tea(
    shop: &RecordedEffects,
    dry_run: &DryRun,
    /// How many cups.
    cups: u8,
) -> u8 {
    if !dry_run.is_active() || cups > 200 {
        shop.record();
    }
    cups
}

#[test]
fn an_effect_in_a_dry_run_is_found() {
    let shop = RecordedEffects::new();
    let report = ToolTrial::for_tool::<OrderTeaTool>().state(shop.clone()).effects(shop).check();
    only(&report, TrialCheck::DryRun, &["a dry run has an effect", r#"input: {"cups":201}"#]);
}

#[test]
fn a_dry_run_that_cannot_be_judged_is_reported() {
    let report = ToolTrial::for_tool::<OrderTeaTool>().state(RecordedEffects::new()).check();
    assert!(report.is_ok(), "{report}");
    assert!(report.notes().iter().any(|note| note.starts_with("dry run: not checked")), "{report}");
}

#[test]
fn a_repeat_that_is_not_answered_by_the_first_answer_is_found() {
    let store = FaultyStore::new();
    store.fail_always(StoreOperation::Settle, StoreFault::Fails);
    let shop = RecordedEffects::new();
    let trial = ToolTrial::for_tool::<OrderCupTool>().state(shop.clone()).effects(shop);
    let report = trial.with(|builder| builder.store(store)).check();
    only(&report, TrialCheck::Idempotency, &["does not get the first answer", "input: {}"]);
}

/// Orders a cup.
#[ai_tool(effect = "write")]
fn order_cup(shop: &RecordedEffects, dry_run: &DryRun) -> bool {
    if !dry_run.is_active() {
        shop.record();
    }
    true
}

/// Sets a title.
#[ai_tool(effect = "write", idempotent)]
fn set_title(
    site: &RecordedEffects,
    dry_run: &DryRun,
    /// The new title.
    title: String,
) -> usize {
    if !dry_run.is_active() {
        site.record();
    }
    title.len()
}

#[test]
fn an_idempotent_tool_that_is_none_is_found() {
    let site = RecordedEffects::new();
    let report = ToolTrial::for_tool::<SetTitleTool>().state(site.clone()).effects(site).check();
    let text = ["says that it is idempotent", "after the first", r#"input: {"title":""}"#];
    only(&report, TrialCheck::Idempotency, &text);
}

/// Signs in.
#[ai_tool(effect = "read")]
fn sign_in(
    /// Who.
    user: String,
    /// The password.
    #[arg(secret)]
    password: String,
) -> String {
    format!("{user} with {}", password.chars().rev().collect::<String>())
}

#[test]
fn a_secret_in_an_answer_is_found_and_not_shown() {
    let report = ToolTrial::for_tool::<SignInTool>().check();
    let text = ["the secret at `/password` stands backwards in the answer", r#""password":"***""#];
    only(&report, TrialCheck::Secrets, &text);
    assert!(!report.to_string().contains("Qz"), "{report}");
}

/// Why nobody is signed in.
#[derive(Debug, ToolFailure)]
enum SignInError {
    /// The password is wrong.
    #[failure(FORBIDDEN, message = "{0} is wrong")]
    Wrong(String),
}

impl std::fmt::Display for SignInError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "wrong")
    }
}

impl std::error::Error for SignInError {}

/// Signs in, and says too much.
#[ai_tool(effect = "read")]
fn sign_in_loudly(
    /// The password.
    #[arg(secret)]
    password: String,
) -> Result<bool, SignInError> {
    Err(SignInError::Wrong(password.chars().rev().collect()))
}

#[test]
fn a_secret_in_an_error_is_found() {
    let report = ToolTrial::for_tool::<SignInLoudlyTool>().check();
    only(
        &report,
        TrialCheck::Secrets,
        &["the secret at `/password` stands backwards in the error"],
    );
}

#[test]
fn everything_is_found_at_once() {
    let found = std::panic::catch_unwind(|| {
        assert_tool!(count_twice, state = RecordedEffects::new());
    });
    let text = found.expect_err("there are findings");
    let text = text.downcast_ref::<String>().expect("a text");
    assert!(text.contains("the tool `count_twice`: 2 findings"), "{text}");
    assert!(text.contains("\n  panics: the tool panics"), "{text}");
    assert!(text.contains("\n  secrets: the secret at `/pin`"), "{text}");
    assert!(text.contains("\n  note: dry run: not checked"), "{text}");
}

/// Counts twice.
#[ai_tool(effect = "write")]
fn count_twice(
    shop: &RecordedEffects,
    dry_run: &DryRun,
    /// How many.
    count: u8,
    /// A number that nobody may know.
    #[arg(secret)]
    pin: u64,
) -> String {
    assert!(count < 250, "that is too many");
    if !dry_run.is_active() {
        shop.record();
    }
    pin.to_string()
}

#[test]
fn missing_state_is_a_finding_and_no_panic() {
    let report = ToolTrial::for_tool::<OrderTeaTool>().check();
    only(&report, TrialCheck::Registration, &["RecordedEffects"]);
}

#[test]
fn a_method_that_is_no_tool_is_told() {
    let report = ToolTrial::for_method::<super::good::Content>("serch").check();
    only(
        &report,
        TrialCheck::Registration,
        &["the toolkit `content` has no tool of a method `serch`"],
    );
}
