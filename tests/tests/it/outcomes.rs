//! Valid arguments, and what the tool makes of them: failures, panics, late and wrong answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tool_runtime::CallRecord;
use tool_runtime::Observe;
use tool_runtime::contracts::{self, ErrorCode};
use tool_runtime::prelude::*;

use crate::support::{answer, cx, envelope};

/// Why a search fails.
#[derive(Debug, ToolFailure)]
enum SearchError {
    #[failure(UNAVAILABLE, message = "the index is being rebuilt", retry_after = "2s")]
    Rebuilding,
    #[failure(UPSTREAM_ERROR, hide, upstream_status = status)]
    Http { status: u16, secret: String },
    #[failure(code = "SEAT_TAKEN", type = FATAL, message = "that seat is taken")]
    Taken,
}

/// Fails as it is told.
#[ai_tool(effect = "read")]
async fn fail(
    /// How.
    how: &str,
) -> Result<(), SearchError> {
    Err(match how {
        "rebuilding" => SearchError::Rebuilding,
        "http" => SearchError::Http { status: 502, secret: "hunter2".to_owned() },
        _ => SearchError::Taken,
    })
}

/// Fails with an error that declares nothing.
#[ai_tool(effect = "read")]
async fn fail_unmapped() -> Result<(), std::io::Error> {
    Err(std::io::Error::other("hunter2"))
}

/// Panics.
#[ai_tool(effect = "read")]
async fn panics() {
    panic!("hunter2");
}

/// Panics on a blocking thread.
#[ai_tool(effect = "read", blocking)]
fn panics_blocking() {
    panic!("hunter2");
}

/// Answers what no JSON number can say.
#[ai_tool(effect = "read")]
async fn answers_nan() -> f64 {
    f64::NAN
}

/// Waits for ever.
#[ai_tool(effect = "read", timeout = "2s")]
async fn waits() {
    std::future::pending::<()>().await;
}

/// Waits for ever while it writes.
#[ai_tool(effect = "write", timeout = "2s")]
async fn writes_for_ever(dry_run: &DryRun) {
    if !dry_run.is_active() {
        std::future::pending::<()>().await;
    }
}

/// The words to look for.
#[ai_type]
#[derive(Debug)]
struct Question {
    /// The words.
    words: String,
}

/// The number of hits.
#[ai_type]
#[derive(Debug)]
struct Hits {
    /// The number.
    hits: u32,
}

/// Answers after a quarter of a second.
#[ai_tool(effect = "read")]
async fn look_up(
    /// The words to look for.
    words: String,
) -> Hits {
    tokio::time::sleep(Duration::from_millis(250)).await;
    Hits { hits: u32::try_from(words.len()).unwrap() }
}

fn runtime() -> Runtime {
    Runtime::builder()
        .tool::<FailTool>()
        .tool::<FailUnmappedTool>()
        .tool::<PanicsTool>()
        .tool::<PanicsBlockingTool>()
        .tool::<AnswersNanTool>()
        .tool::<WaitsTool>()
        .tool::<WritesForEverTool>()
        .tool::<LookUpTool>()
        .permission("writes_for_ever", Permission::Allow)
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_failure_says_what_its_error_declares() {
    let found = answer(&runtime(), "fail", r#"{"how":"rebuilding"}"#).await;
    assert_eq!(
        found["error"],
        json!({
            "type": "RETRYABLE",
            "code": "UNAVAILABLE",
            "message": "the index is being rebuilt",
            "cause": found["error"]["cause"],
            "retry_after_ms": 2000,
            "attempt": 3,
        })
    );
    assert!(found["error"]["cause"].as_str().unwrap().ends_with("::SearchError"));
}

#[tokio::test(start_paused = true)]
async fn a_result_says_how_long_its_call_ran() {
    let found = answer(&runtime(), "look_up", r#"{"words":"tea"}"#).await;
    assert_eq!(found["meta"]["took_ms"], 250, "{found}");
}

#[tokio::test(start_paused = true)]
async fn an_envelope_has_a_schema_for_the_types_of_its_input_and_output() {
    let schema = tool_runtime::schemars::schema_for!(contracts::ToolOutput<Question, Hits>);
    let schema = jsonschema::validator_for(schema.as_value()).unwrap();
    let found = answer(&runtime(), "look_up", r#"{"words":"tea"}"#).await;
    let failed = answer(&runtime(), "fail", r#"{"how":"http"}"#).await;
    let error = |words: Value| {
        let mut error = failed.clone();
        error["input"] = json!({ "words": words });
        error
    };
    assert!(schema.is_valid(&found), "{found}");
    assert!(schema.is_valid(&error(json!("tea"))));
    let mut wrong_input = found.clone();
    wrong_input["input"]["words"] = json!(3);
    let mut wrong_data = found.clone();
    wrong_data["data"]["hits"] = json!("three");
    for wrong in [wrong_input, wrong_data, error(json!(3)), failed] {
        assert!(!schema.is_valid(&wrong), "{wrong}");
    }
}

#[tokio::test]
async fn a_hidden_failure_tells_its_code_and_nothing_of_its_own() {
    let found = answer(&runtime(), "fail", r#"{"how":"http"}"#).await;
    assert_eq!(found["error"]["code"], "UPSTREAM_ERROR");
    assert_eq!(found["error"]["upstream_status"], 502);
    assert!(!found.to_string().contains("hunter2"));
}

#[tokio::test]
async fn a_tool_may_have_codes_of_its_own() {
    let found = answer(&runtime(), "fail", r#"{"how":"taken"}"#).await;
    assert_eq!(
        (&found["error"]["code"], &found["error"]["type"]),
        (&json!("SEAT_TAKEN"), &json!("FATAL"))
    );
}

#[tokio::test]
async fn an_unmapped_error_and_a_panic_are_fatal_and_keep_their_text() {
    for name in ["fail_unmapped", "panics", "panics_blocking"] {
        let found = answer(&runtime(), name, "{}").await;
        assert_eq!(found["error"]["type"], "FATAL", "{name}");
        assert_eq!(found["error"]["code"], "INTERNAL", "{name}");
        assert!(!found.to_string().contains("hunter2"), "{name}: {found}");
    }
}

/// Keeps the texts for the log.
#[derive(Clone, Default)]
struct Log(Arc<std::sync::Mutex<Vec<(String, CallStatus, String)>>>);

impl Observe for Log {
    fn call_ended(&self, record: &CallRecord<'_>) {
        let line = (record.tool().to_owned(), record.status(), record.log().to_owned());
        self.0.lock().unwrap().push(line);
    }
}

#[tokio::test]
async fn every_call_is_closed_once_and_the_log_hears_what_the_caller_does_not() {
    let log = Log::default();
    let runtime = Runtime::builder()
        .tool::<PanicsTool>()
        .tool::<FailUnmappedTool>()
        .tool::<WaitsTool>()
        .observe(log.clone())
        .build()
        .unwrap();
    answer(&runtime, "panics", "{}").await;
    answer(&runtime, "fail_unmapped", "{}").await;
    drop(runtime.call("waits", "{}", &cx()));
    drop(runtime.call("no_such_tool", "{}", &cx()));
    let mut waiting = runtime.call("waits", "{}", &cx());
    assert!(futures::poll!(std::pin::pin!(waiting.execute())).is_pending());
    assert_eq!(waiting.status(), CallStatus::Interrupted);
    drop(waiting);

    let heard: Vec<_> = log.0.lock().unwrap().clone();
    let statuses: Vec<_> = heard.iter().map(|(tool, status, _)| (tool.as_str(), *status)).collect();
    assert_eq!(
        statuses,
        [
            ("panics", CallStatus::Failed),
            ("fail_unmapped", CallStatus::Failed),
            ("waits", CallStatus::NotExecuted),
            ("no_such_tool", CallStatus::Rejected),
            ("waits", CallStatus::Interrupted),
        ]
    );
    assert!(heard[0].2.contains("hunter2") && heard[1].2.contains("hunter2"));
}

#[tokio::test]
async fn an_answer_that_breaks_its_schema_is_not_delivered() {
    let found = answer(&runtime(), "answers_nan", "{}").await;
    assert_eq!(found["error"]["type"], "VALIDATION");
    assert_eq!(found["error"]["code"], "INVALID_OUTPUT");
    assert_eq!(found.get("data"), None);
}

#[tokio::test]
async fn a_dynamic_tools_answer_is_checked_too() {
    let wrong = DynamicTool::new("wrong", Effect::Read)
        .description("Answers a text where its schema says a number.")
        .input_schema(json!({ "type": "object", "additionalProperties": false }))
        .output_schema(json!({ "type": "object", "properties": { "n": { "type": "number" } } }))
        .sync_handler(|_| Ok::<_, Failure>(json!({ "n": "hunter2" })));
    let runtime = Runtime::builder().dynamic(wrong).build().unwrap();
    let found = answer(&runtime, "wrong", "{}").await;
    assert_eq!(found["error"]["code"], "INVALID_OUTPUT");
    assert_eq!(found["error"]["details"]["violations"][0]["pointer"], "/n");
    assert!(!found.to_string().contains("hunter2"));
}

#[tokio::test(start_paused = true)]
async fn a_read_that_is_late_had_no_effect_and_a_write_may_have_had_one() {
    for (name, effect) in [("waits", "none"), ("writes_for_ever", "unknown")] {
        let before = tokio::time::Instant::now();
        let found = answer(&runtime(), name, "{}").await;
        assert_eq!(before.elapsed(), Duration::from_secs(2), "{name}: at the deadline, not later");
        assert_eq!(found["error"]["type"], "TIMEOUT");
        assert_eq!(found["error"]["details"]["effect"], effect);
        assert_eq!(found["meta"]["took_ms"], 2000);
    }
}

#[tokio::test(start_paused = true)]
async fn the_contexts_budget_may_be_sooner_than_the_tools_deadline() {
    let hurried =
        ToolContext::builder(Uuid::nil(), "t").run_id("r").timeouts_ms(300).build().unwrap();
    let runtime = runtime();
    let mut call = runtime.call("waits", "{}", &hurried);
    let before = tokio::time::Instant::now();
    assert_eq!(call.execute().await.error().unwrap().code(), Some("TIMEOUT"));
    assert_eq!(before.elapsed(), Duration::from_millis(300));
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_person_does_not_count() {
    let runtime = runtime();
    let mut call = runtime.call("waits", "{}", &cx());
    tokio::time::advance(Duration::from_secs(3600)).await;
    let before = tokio::time::Instant::now();
    call.execute().await;
    assert_eq!(before.elapsed(), Duration::from_secs(2));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_never_yields_is_judged_by_the_clock() {
    /// Takes its time without ever yielding.
    #[ai_tool(effect = "read", timeout = "1s")]
    async fn hogs() -> u32 {
        // Moves the paused clock as a long computation would.
        let mut moving = std::pin::pin!(tokio::time::advance(Duration::from_secs(5)));
        let _ = futures::poll!(&mut moving);
        7
    }
    let runtime = Runtime::builder().tool::<HogsTool>().build().unwrap();
    let found = answer(&runtime, "hogs", "{}").await;
    assert_eq!(found["error"]["code"], "TIMEOUT", "{found}");
}

#[tokio::test]
async fn nothing_late_reaches_the_output() {
    /// Keeps its recorder.
    #[ai_tool(effect = "read")]
    async fn leaks(meta: &MetaRecorder, kept: &SharedRecorder) {
        meta.warning("in time");
        *kept.0.lock().unwrap() = Some(meta.clone());
    }
    #[derive(Clone, Default)]
    struct SharedRecorder(Arc<std::sync::Mutex<Option<MetaRecorder>>>);

    let kept = SharedRecorder::default();
    let runtime = Runtime::builder().tool::<LeaksTool>().state(kept.clone()).build().unwrap();
    let mut call = runtime.call("leaks", "{}", &cx());
    let first = envelope(call.execute().await);
    kept.0.lock().unwrap().take().unwrap().warning("too late");
    assert_eq!(first["meta"]["warnings"], json!(["in time"]));
    assert_eq!(envelope(call.execute().await), first);
}

#[tokio::test]
async fn a_cancelled_call_is_answered_and_its_tool_dropped() {
    static DROPPED: AtomicU32 = AtomicU32::new(0);
    struct Guard;
    impl Drop for Guard {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, Ordering::SeqCst);
        }
    }
    /// Waits with something to clean up.
    #[ai_tool(effect = "write")]
    async fn holds(dry_run: &DryRun) {
        let _ = dry_run;
        let _guard = Guard;
        std::future::pending::<()>().await;
    }
    let runtime = Runtime::builder()
        .tool::<HoldsTool>()
        .permission("holds", Permission::Allow)
        .build()
        .unwrap();
    let mut call = runtime.call("holds", "{}", &cx());
    let cancellation = call.cancellation().unwrap();
    let (output, ()) = futures::join!(call.execute(), async {
        tokio::task::yield_now().await;
        cancellation.cancel();
    });
    assert_eq!(envelope(output)["error"]["code"], "CANCELLED");
    assert_eq!(envelope(output)["error"]["details"]["effect"], "unknown");
    assert_eq!(DROPPED.load(Ordering::SeqCst), 1);
    assert_eq!(call.status(), CallStatus::Interrupted);
}

#[tokio::test]
async fn a_destructor_that_panics_is_answered_too() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("hunter2");
        }
    }
    /// Panics when it is dropped.
    #[ai_tool(effect = "read")]
    async fn explodes() {
        let _bomb = Bomb;
        std::future::pending::<()>().await;
    }
    let runtime = Runtime::builder().tool::<ExplodesTool>().build().unwrap();
    let mut call = runtime.call("explodes", "{}", &cx());
    let cancellation = call.cancellation().unwrap();
    let (output, ()) = futures::join!(call.execute(), async {
        tokio::task::yield_now().await;
        cancellation.cancel();
    });
    assert_eq!(envelope(output)["error"]["code"], "CANCELLED");
}

#[tokio::test]
async fn a_blocking_tool_sees_its_deadline() {
    /// Blocks until it is told to stop.
    #[ai_tool(effect = "read", blocking, timeout = "20ms")]
    fn blocks(cancellation: &Cancellation, stopped: &Stopped) -> u32 {
        while !cancellation.is_cancelled() {
            std::thread::yield_now();
        }
        let _ = stopped.0.send(());
        7
    }
    struct Stopped(tokio::sync::mpsc::UnboundedSender<()>);

    let (send, mut stopped) = tokio::sync::mpsc::unbounded_channel();
    let runtime = Runtime::builder().tool::<BlocksTool>().state(Stopped(send)).build().unwrap();
    let found = answer(&runtime, "blocks", "{}").await;
    assert_eq!(found["error"]["code"], "TIMEOUT");
    assert_eq!(stopped.recv().await, Some(()), "the token fired at the deadline");
}

#[tokio::test]
async fn a_value_without_json_form_is_no_answer() {
    /// Answers a map whose keys are no texts.
    #[ai_tool(effect = "read")]
    async fn odd_keys() -> Odd {
        Odd
    }
    struct Odd;
    impl serde::Serialize for Odd {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("hunter2"))
        }
    }
    impl schemars::JsonSchema for Odd {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Odd".into()
        }
        fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
            schemars::json_schema!({ "type": "object" })
        }
    }
    let runtime = Runtime::builder().tool::<OddKeysTool>().build().unwrap();
    let found: Value = answer(&runtime, "odd_keys", "{}").await;
    assert_eq!(found["error"]["code"], "INVALID_OUTPUT");
    assert!(!found.to_string().contains("hunter2"));
}

/// Says itself what went wrong.
#[ai_tool(effect = "read")]
async fn says_itself() -> Result<(), Failure> {
    Err(Failure::from_code(ErrorCode::OutOfStock).with_message("none left").with_log("shelf 7"))
}

#[tokio::test]
async fn a_tool_may_return_a_failure_as_its_error() {
    let runtime = Runtime::builder().tool::<SaysItselfTool>().build().unwrap();
    let found = answer(&runtime, "says_itself", "{}").await;
    assert_eq!(found["error"]["code"], "OUT_OF_STOCK");
    assert_eq!(found["error"]["message"], "none left");
}
