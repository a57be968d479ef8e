//! The events of runs that wait for nothing.

use serde_json::json;

use super::support::{Events, Fixture};

#[tokio::test]
async fn a_text_is_streamed_as_the_model_writes_it() {
    let events = Fixture::new().ask(json!(["one two three"])).await;
    let names: Vec<_> = events.0.iter().map(|event| event["type"].as_str().unwrap()).collect();
    let expected = [
        "RUN_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "RUN_FINISHED",
    ];
    assert_eq!(names, expected);
    assert_eq!(events.text(), "one two three");
    assert_eq!(events.0[0]["protocolVersion"], "1.0");
    assert_eq!(events.last()["outcome"], json!({"type": "success"}));
}

#[tokio::test]
async fn each_call_has_an_id_of_its_own_and_its_result() {
    let mut fixture = Fixture::new();
    let calls = json!({"text": "Let me see.", "calls": [["add", {"a": 1, "b": 2}], ["add", {"a": 3, "b": 4}]]});
    let events = fixture.ask(json!([calls, calls, "done"])).await;
    let mut ids = events.calls_of("add");
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 4, "the model calls each of them `call_1`");
    assert!(ids.iter().all(|id| id.len() <= 40));
    let results: Vec<_> = events.with_type("TOOL_CALL_RESULT").map(|it| &it["content"]).collect();
    assert_eq!(results, ["3", "7", "3", "7"]);

    // The conversation goes on with what the client has.
    let next = fixture.ask(json!(["again"])).await;
    assert_eq!(next.text(), "again");
}

#[tokio::test]
async fn a_bad_call_is_answered_and_its_arguments_are_not_shown() {
    let unknown = json!(["nothing", {"card": super::support::SECRET}]);
    let broken = json!(["pay", r#"{"id": "1", "card": "4111-1111""#]);
    let events = Fixture::new().ask(json!([{"calls": [unknown, broken]}, "sorry"])).await;
    assert_eq!(events.with_type("TOOL_CALL_RESULT").count(), 2);
    assert_eq!(events.text(), "sorry");
}

#[tokio::test]
async fn a_failing_model_ends_the_run_and_its_text_is_not_shown() {
    fn code(events: &Events) -> String {
        assert_eq!(events.last()["type"], "RUN_ERROR");
        events.last()["code"].as_str().unwrap().to_owned()
    }
    let mut fixture = Fixture::new();
    let events = fixture.ask(json!([{"calls": [["add", {"a": 1, "b": 2}]]}, "fail"])).await;
    assert_eq!(code(&events), "llm");
    assert_eq!(code(&fixture.ask(json!(["panic"])).await), "panic");
    assert_eq!(fixture.ask(json!(["well"])).await.text(), "well");
}
