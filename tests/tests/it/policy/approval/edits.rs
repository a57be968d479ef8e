//! Arguments that a person changed before they let a call run.

use serde_json::{Value, json};
use tool_runtime::ApprovalError;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;

use super::fixture::{Fixture, SECRET, code, details, jane, meta};

const SENT: &str = r#"{"to":"joe","cents":5,"items":[{"name":"tea","count":1},{"name":"cup","count":2}],"labels":{"a/b":"x","c~d":"y"}}"#;

/// Edits a call of this and executes it.
async fn edited(sent: &str, edit: &str) -> (Fixture, ToolOutput) {
    let fixture = Fixture::new(Policy::new());
    let mut call = fixture.runtime.call("pay", sent, &jane());
    call.approve_edited("boss", edit).unwrap();
    let output = call.execute().await.clone();
    (fixture, output)
}

async fn check_edits(edit: Value, pointers: &[&str]) {
    let (_, output) = edited(SENT, &edit.to_string()).await;
    assert!(output.is_ok(), "{output}");
    assert_eq!(meta(&output)["edits"], json!(pointers));
    let envelope: Value = serde_json::from_str(output.json()).unwrap();
    assert_eq!(envelope["input"], serde_json::from_str::<Value>(SENT).unwrap());
}

/// The arguments that were sent, with one field changed.
fn with(pointer: &str, value: Value) -> Value {
    let mut edit: Value = serde_json::from_str(SENT).unwrap();
    *edit.pointer_mut(pointer).unwrap() = value;
    edit
}

#[tokio::test]
async fn the_answer_names_each_place_that_was_changed_and_echoes_what_was_sent() {
    check_edits(with("/cents", json!(4)), &["/cents"]).await;
    check_edits(with("/items/1/count", json!(3)), &["/items/1/count"]).await;
    check_edits(with("/labels/a~1b", json!("z")), &["/labels/a~1b"]).await;
    check_edits(with("/labels/c~0d", json!("z")), &["/labels/c~0d"]).await;
    check_edits(with("/items", json!([{"name": "tea", "count": 1}])), &["/items/1"]).await;
    check_edits(with("/labels", json!({"a/b": "x", "new": ""})), &["/labels/c~0d", "/labels/new"])
        .await;
    let mut shorter: Value = serde_json::from_str(SENT).unwrap();
    shorter.as_object_mut().unwrap().remove("cents");
    check_edits(shorter, &["/cents"]).await;
}

#[tokio::test]
async fn the_changed_arguments_are_what_runs() {
    let (fixture, output) = edited(SENT, r#"{"to":"eve","cents":4}"#).await;
    assert_eq!(output.data_json(), Some(r#""4 to eve""#));
    assert_eq!(fixture.notes.all(), ["paid 4 to eve"]);
    assert_eq!(fixture.closed.last().approver.as_deref(), Some("boss"));
}

#[tokio::test]
async fn a_changed_call_that_fails_names_the_places_too() {
    let (_, output) = edited(r#"{"to":"joe","cents":5}"#, r#"{"to":"nobody","cents":5}"#).await;
    assert_eq!(code(&output), "NOT_FOUND");
    assert_eq!(details(&output)["edits"], json!(["/to"]));
}

#[tokio::test]
async fn a_change_back_to_what_was_sent_is_no_change() {
    let fixture = Fixture::new(Policy::new());
    let mut call = fixture.runtime.call("pay", SENT, &jane());
    call.approve_edited("boss", r#"{"to":"eve"}"#).unwrap();
    call.approve_edited("boss", SENT).unwrap();
    let output = call.execute().await;
    assert!(output.is_ok() && meta(output).get("edits").is_none(), "{output}");
    assert_eq!(fixture.notes.all(), ["paid 5 to joe"]);
}

#[tokio::test]
async fn the_same_in_other_words_is_no_change() {
    let (_, output) =
        edited(r#"{"to":"joe","cents":5}"#, "{ \"cents\": 5, \"to\": \"joe\" }").await;
    assert!(output.is_ok() && meta(&output).get("edits").is_none(), "{output}");
}

#[tokio::test]
async fn a_refused_change_leaves_the_call_as_it_was() {
    let fixture = Fixture::new(Policy::new());
    let mut call = fixture.runtime.call("pay", SENT, &jane());
    for bad in ["{", "{}", r#"{"to":"joe","cents":"4"}"#, r#"{"to":"joe","to":"eve"}"#] {
        let Err(ApprovalError::InvalidArguments(detail)) = call.approve_edited("boss", bad) else {
            panic!("{bad} was taken");
        };
        assert_eq!(detail.code(), Some("INVALID_ARGUMENT"));
    }
    assert!(matches!(call.approve_edited(" ", SENT), Err(ApprovalError::InvalidApprover)));
    assert!(call.needs_approval());
    assert_eq!(call.arguments(), Some(SENT));
    call.approve("boss").unwrap();
    assert_eq!(call.execute().await.data_json(), Some(r#""5 to joe""#));
    assert!(matches!(call.approve_edited("boss", SENT), Err(ApprovalError::NotPending)));
}

#[tokio::test]
async fn an_earlier_yes_does_not_stand_for_changed_arguments() {
    let fixture = Fixture::new(Policy::new());
    let mut call = fixture.runtime.call("pay", SENT, &jane());
    call.approve("jane").unwrap();
    call.approve_edited("boss", r#"{"to":"eve"}"#).unwrap();
    assert!(call.execute().await.is_ok());
    assert_eq!(fixture.closed.last().approver.as_deref(), Some("boss"));
}

#[tokio::test]
async fn no_text_of_a_changed_call_holds_a_secret() {
    let other = "another-secret-word";
    let fixture = Fixture::new(Policy::new());
    let sent = format!(r#"{{"to":"nobody","pin":"{SECRET}"}}"#);
    let mut call = fixture.runtime.call("pay", sent, &jane());
    let bad = format!(r#"{{"to":7,"pin":"{other}","pim":"{other}"}}"#);
    let refused = call.approve_edited("boss", bad).unwrap_err();
    let mut texts = vec![refused.to_string(), format!("{refused:?}"), call.preview().to_string()];
    call.approve_edited("boss", format!(r#"{{"to":"nobody","pin":"{other}"}}"#)).unwrap();
    texts.extend([call.preview().to_string(), format!("{call:?}")]);
    let output = call.execute().await.clone();
    assert_eq!(details(&output)["edits"], json!(["/pin"]));
    texts.extend([output.json().to_owned(), format!("{:?}", fixture.closed)]);
    for text in texts {
        assert!(!text.contains(SECRET) && !text.contains(other), "{text}");
    }
}

#[tokio::test]
async fn a_change_survives_the_wait_behind_a_ticket_and_the_name_does_not() {
    let fixture = Fixture::new(Policy::new());
    let mut call = fixture.runtime.call("pay", SENT, &jane());
    call.approve_edited("boss", r#"{"to":"eve","cents":4}"#).unwrap();
    let ticket = call.ticket().await.unwrap().to_json();
    let mut unnamed = fixture.runtime.tickets().resume(&ticket, &jane()).await;
    assert_eq!(code(unnamed.execute().await), "NEEDS_USER_CONFIRMATION");
    let output = fixture.approved(&ticket).await;
    assert_eq!(output.data_json(), Some(r#""4 to eve""#));
    assert_eq!(meta(&output)["edits"], json!(["/cents", "/items", "/labels", "/to"]));
}

#[tokio::test]
async fn a_call_that_came_back_may_be_changed_and_uses_its_ticket() {
    let fixture = Fixture::new(Policy::new());
    let ticket = fixture.ticket("pay", SENT).await;
    let mut call = fixture.runtime.tickets().resume(&ticket, &jane()).await;
    assert!(call.approve_edited("boss", "{}").is_err());
    call.approve_edited("boss", r#"{"to":"eve","cents":4}"#).unwrap();
    assert_eq!(call.execute().await.data_json(), Some(r#""4 to eve""#));
    assert_eq!(code(&fixture.approved(&ticket).await), "FORBIDDEN");
    assert_eq!(fixture.notes.all(), ["paid 4 to eve"]);
}

/// Moves what is in one account to another one.
#[ai_tool(effect = "destructive")]
fn move_all(
    /// The number of the account to empty.
    #[arg(range(..=100_000_000_000_000_000_009))]
    from: u128,
    /// The number of the account to fill.
    to: u128,
    _: &DryRun,
) -> String {
    format!("{from} to {to}")
}

/// As floats, both numbers are the same.
#[tokio::test]
async fn two_large_numbers_that_were_swapped_are_a_change() {
    const ONE: &str = r#"{"from":100000000000000000001,"to":100000000000000000002}"#;
    const OTHER: &str = r#"{"from":100000000000000000002,"to":100000000000000000001}"#;
    let runtime = Runtime::builder().tool::<MoveAllTool>().build().unwrap();
    let mut call = runtime.call("move_all", ONE, &jane());
    call.approve_edited("boss", OTHER).unwrap();
    let output = call.execute().await;
    assert_eq!(output.data_json(), Some(r#""100000000000000000002 to 100000000000000000001""#));
    assert_eq!(meta(output)["edits"], json!(["/from", "/to"]));
}

#[tokio::test]
async fn a_bound_that_no_json_value_holds_is_checked_by_the_tool() {
    const BEYOND: &str = r#"{"from":100000000000000000010,"to":1}"#;
    let runtime = Runtime::builder().tool::<MoveAllTool>().build().unwrap();
    let call = runtime.call("move_all", BEYOND, &jane());
    assert_eq!(call.status(), CallStatus::Rejected);
}
