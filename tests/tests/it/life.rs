//! The life of a call: it exists before it runs, and runs once.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_runtime::prelude::*;
use tool_runtime::{ApprovalError, CallRecord, DataError, NotPending, OutputMeta, Withdrawal};

use crate::support::{answer, cx, envelope};

/// Counts how often it ran.
#[ai_tool(effect = "read")]
async fn tick(
    runs: &AtomicU32,
    /// Added to the count.
    #[arg(default = 1)]
    by: u32,
) -> u32 {
    runs.fetch_add(by, Ordering::SeqCst) + by
}

/// Erases everything.
#[ai_tool(effect = "destructive", title = "Erase")]
async fn erase(
    dry_run: &DryRun,
    runs: &AtomicU32,
    /// Proves who asks.
    #[arg(secret)]
    password: String,
    /// What to erase.
    what: String,
) -> String {
    let _ = password;
    if dry_run.is_active() {
        return format!("would erase {what}");
    }
    runs.fetch_add(1, Ordering::SeqCst);
    format!("erased {what}")
}

fn runtime(runs: &Arc<AtomicU32>) -> Runtime {
    Runtime::builder()
        .tool::<TickTool>()
        .tool::<EraseTool>()
        .shared_state(runs.clone())
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_call_exists_before_it_runs_and_runs_once() {
    let runs = Arc::new(AtomicU32::new(0));
    let runtime = runtime(&runs);
    let mut call = runtime.call("tick", "{}", &cx());
    assert_eq!((call.status(), runs.load(Ordering::SeqCst)), (CallStatus::Pending, 0));
    let first = call.execute().await.json().to_owned();
    assert_eq!(call.execute().await.json(), first);
    assert_eq!((call.status(), runs.load(Ordering::SeqCst)), (CallStatus::Executed, 1));
}

#[tokio::test]
async fn the_envelope_is_the_contracts() {
    let runtime = runtime(&Arc::default());
    let found = answer(&runtime, "tick", r#"{ "by": 2 }"#).await;
    assert_eq!(
        found,
        json!({ "status": "ok", "input": { "by": 2 }, "data": 2, "meta": { "took_ms": found["meta"]["took_ms"] } })
    );
    let mut call = runtime.call("tick", r#"{"by":0}"#, &cx());
    let typed = call.execute().await.decode::<Value, u32>().unwrap();
    assert_eq!(typed.data(), Some(&2));
}

#[tokio::test]
async fn an_output_gives_its_data_and_meta_as_types() {
    let runtime = runtime(&Arc::default());
    let mut call = runtime.call("tick", r#"{"by":2}"#, &cx().with_dry_run(true));
    let output = call.execute().await;
    assert_eq!(output.data::<u32>().unwrap(), 2);
    assert!(matches!(output.data::<String>(), Err(DataError::Json(_))));
    assert!(matches!(output.meta(), OutputMeta::Result(_)) && output.meta().dry_run());

    let mut refused = runtime.call("tick", r#"{"by":-1}"#, &cx().with_dry_run(true));
    let output = refused.execute().await;
    let Err(DataError::Failed(detail)) = output.data::<u32>() else { panic!("{output}") };
    assert_eq!(detail.code(), Some("INVALID_ARGUMENT"));
    assert!(matches!(output.meta(), OutputMeta::Error(_)) && output.meta().dry_run());
}

#[tokio::test]
async fn a_call_of_broken_text_keeps_the_models_id() {
    let seen = Arc::new(Mutex::new(None));
    let told = seen.clone();
    let observe = move |record: &CallRecord<'_>| {
        *told.lock().unwrap() = record.call_id().map(str::to_owned);
    };
    let runtime = Runtime::builder()
        .tool::<TickTool>()
        .shared_state(Arc::new(AtomicU32::new(0)))
        .observe(observe)
        .build()
        .unwrap();
    let mut call = runtime.call_with_id("call_7", "tick", r#"{"by":"#, &cx());
    assert_eq!((call.call_id(), call.status()), (Some("call_7"), CallStatus::Rejected));
    assert!(!call.execute().await.is_ok());
    assert_eq!(seen.lock().unwrap().as_deref(), Some("call_7"));
}

#[tokio::test]
async fn a_typed_call_gives_a_typed_answer() {
    let runtime = runtime(&Arc::default());
    let mut call = runtime.call_typed::<TickTool>(&json!({ "by": 3 }), &cx()).unwrap();
    assert_eq!(call.as_call().status(), CallStatus::Pending);
    assert_eq!(call.execute().await.unwrap().data(), Some(&3_u32));
}

#[tokio::test]
async fn a_call_with_an_effect_asks_first() {
    let runs = Arc::new(AtomicU32::new(0));
    let runtime = runtime(&runs);
    let arguments = r#"{"password":"hunter2","what":"logs"}"#;
    let found = answer(&runtime, "erase", arguments).await;
    assert_eq!(found["error"]["code"], "NEEDS_USER_CONFIRMATION");
    assert_eq!(runs.load(Ordering::SeqCst), 0);

    let mut call = runtime.call("erase", arguments, &cx());
    let unnamed = call.approve(" ").unwrap_err();
    assert!(matches!(unnamed, ApprovalError::InvalidApprover), "{unnamed}");
    call.approve("jane").unwrap();
    assert_eq!(envelope(call.execute().await)["data"], "erased logs");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_preview_and_the_echo_mask_secrets() {
    let runtime = runtime(&Arc::default());
    let mut call = runtime.call("erase", r#"{"password":"hunter2","what":"logs"}"#, &cx());
    let shown = call.preview().to_string();
    assert!(
        shown.starts_with("Erase: erase (destructive) {") && !shown.contains("hunter2"),
        "{shown}"
    );
    call.approve("jane").unwrap();
    let found = envelope(call.execute().await);
    assert_eq!(found["input"], json!({ "password": "***", "what": "logs" }));
    assert!(!format!("{call:?}").contains("hunter2"));

    let refused = runtime.call("erase", r#"{"pasword":"hunter2","what":5}"#, &cx());
    assert!(!refused.output().unwrap().json().contains("hunter2"), "a misspelt secret neither");
}

#[tokio::test]
async fn a_dry_run_needs_no_approval_and_has_no_effect() {
    let runs = Arc::new(AtomicU32::new(0));
    let runtime = runtime(&runs);
    let dry = ToolContext::builder(Uuid::nil(), "t").run_id("r").dry_run(true).build().unwrap();
    let mut call = runtime.call("erase", r#"{"password":"p","what":"logs"}"#, &dry);
    let found = envelope(call.execute().await);
    assert_eq!(found["data"], "would erase logs");
    assert_eq!(found["meta"]["dry_run"], true);
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_preview_function_answers_a_dry_run() {
    /// Moves money.
    #[ai_tool(effect = "write", preview = quote)]
    async fn pay(
        /// In cents.
        cents: u32,
    ) -> u32 {
        cents
    }
    async fn quote(cents: u32) -> String {
        format!("would pay {cents}")
    }
    let runtime =
        Runtime::builder().tool::<PayTool>().permission("pay", Permission::Allow).build().unwrap();
    let dry = ToolContext::builder(Uuid::nil(), "t").run_id("r").dry_run(true).build().unwrap();
    let mut call = runtime.call("pay", r#"{"cents":5}"#, &dry);
    assert_eq!(envelope(call.execute().await)["data"], "would pay 5");
    assert_eq!(answer(&runtime, "pay", r#"{"cents":5}"#).await["data"], 5);
}

#[tokio::test]
async fn both_approvals_of_an_ended_call_are_refused_because_it_is_not_pending() {
    let runs = Arc::default();
    let mut call = runtime(&runs).call("tick", "{}", &cx());
    call.execute().await;
    assert!(matches!(call.approve(""), Err(ApprovalError::NotPending)));
    assert!(matches!(call.approve_edited("", "{}"), Err(ApprovalError::NotPending)));
}

#[tokio::test]
async fn declined_superseded_and_expired_calls_never_run() {
    let runs = Arc::new(AtomicU32::new(0));
    let runtime = runtime(&runs);
    type Withdraw = fn(&mut ToolCall) -> Result<(), NotPending>;
    let ends: [(Withdraw, CallStatus, &str); 3] = [
        (
            |call| call.decline("boss", "too dear").map_err(|_| NotPending),
            CallStatus::Declined,
            "DECLINED",
        ),
        (|call| call.withdraw(Withdrawal::Superseded), CallStatus::NotExecuted, "CANCELLED"),
        (|call| call.withdraw(Withdrawal::Expired), CallStatus::NotExecuted, "CANCELLED"),
    ];
    for (withdraw, status, code) in ends {
        let mut call = runtime.call("tick", "{}", &cx());
        withdraw(&mut call).unwrap();
        assert_eq!(call.status(), status);
        let late = call.approve("too late").unwrap_err();
        assert!(matches!(late, ApprovalError::NotPending), "it is decided: {late}");
        assert_eq!(withdraw(&mut call), Err(NotPending), "it is decided");
        let found = envelope(call.execute().await);
        assert_eq!(found["error"]["code"], code);
    }
    let mut call = runtime.call("tick", "{}", &cx());
    call.decline("boss", "too dear").unwrap();
    assert_eq!(call.execute().await.error().unwrap().details().unwrap()["feedback"], "too dear");
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[test]
fn a_denied_tool_is_hidden_and_refused() {
    let runtime = Runtime::builder()
        .tool::<TickTool>()
        .state(AtomicU32::new(0))
        .permission("tick", Permission::Deny)
        .build()
        .unwrap();
    assert_eq!(runtime.specs().count(), 0);
    let call = runtime.call("tick", "{}", &cx());
    assert_eq!(call.status(), CallStatus::Rejected);
    assert_eq!(call.output().unwrap().error().unwrap().code(), Some("FORBIDDEN"));
    let other = runtime.call("tic", "{}", &cx());
    assert!(!other.output().unwrap().json().contains("tick"), "nor is it named");
}

#[tokio::test]
async fn dropping_execute_interrupts_the_call_for_good() {
    /// Waits for ever.
    #[ai_tool(effect = "read")]
    async fn waits(runs: &AtomicU32) {
        runs.fetch_add(1, Ordering::SeqCst);
        std::future::pending::<()>().await;
    }
    let runs = Arc::new(AtomicU32::new(0));
    let runtime =
        Runtime::builder().tool::<WaitsTool>().shared_state(runs.clone()).build().unwrap();
    let mut call = runtime.call("waits", "{}", &cx());
    assert!(futures::poll!(std::pin::pin!(call.execute())).is_pending());
    assert_eq!(call.status(), CallStatus::Interrupted);
    assert_eq!(envelope(call.execute().await)["error"]["code"], "CANCELLED");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn progress_and_meta_reach_the_host() {
    /// Reports as it goes.
    #[ai_tool(effect = "read", ttl = "90s")]
    async fn reports(progress: &Progress, meta: &MetaRecorder) -> u32 {
        progress.report(0.5, "half way");
        meta.source_count("wiki", 3);
        meta.routing("index", "v2");
        meta.token_usage("prompt", 7);
        meta.cache_hit(true);
        1
    }
    let runtime = Runtime::builder().tool::<ReportsTool>().build().unwrap();
    let mut call = runtime.call("reports", "{}", &cx());
    let (send, seen) = std::sync::mpsc::channel();
    call.on_progress(move |update| send.send((update.fraction, update.message)).unwrap());
    let found = envelope(call.execute().await);
    assert_eq!(seen.try_recv().unwrap(), (Some(0.5), "half way".to_owned()));
    assert_eq!(found["meta"]["source_counts"], json!({ "wiki": 3 }));
    assert_eq!(found["meta"]["routing"], json!({ "index": "v2" }));
    assert_eq!(found["meta"]["token_usage"], json!({ "prompt": 7 }));
    assert_eq!(found["meta"]["cache_hit"], true);
    assert_eq!(found["meta"]["ttl_seconds"], 90);
}

#[tokio::test]
async fn a_host_makes_values_of_its_own_from_a_call() {
    struct User(String);
    impl FromCall for User {
        fn from_call(call: &CallScope) -> Result<Self, Failure> {
            let id = call.cx().user_id();
            id.map(|id| Self(id.to_owned()))
                .ok_or_else(|| Failure::from_code(tool_runtime::contracts::ErrorCode::Unauthorized))
        }
    }
    /// Greets.
    #[ai_tool(effect = "read")]
    async fn greet(user: &User) -> String {
        user.0.clone()
    }
    let runtime = Runtime::builder().tool::<GreetTool>().build().unwrap();
    assert_eq!(answer(&runtime, "greet", "{}").await["error"]["code"], "UNAUTHORIZED");
    let known = ToolContext::builder(Uuid::nil(), "t").run_id("r").user_id("u_1").build().unwrap();
    let mut call = runtime.call("greet", "{}", &known);
    assert_eq!(call.execute().await.data_json(), Some("\"u_1\""));
}

#[tokio::test]
async fn a_tool_may_wait_for_its_cancellation() {
    /// Tidies up when it is told to.
    #[ai_tool(effect = "read")]
    async fn tidies(cancellation: &Cancellation, runs: &AtomicU32) {
        for _ in 0..3 {
            // A dropped wait leaves nothing behind.
            assert!(futures::poll!(Box::pin(cancellation.cancelled())).is_pending());
        }
        cancellation.cancelled().await;
        runs.fetch_add(1, Ordering::SeqCst);
    }
    let runs = Arc::new(AtomicU32::new(0));
    let runtime =
        Runtime::builder().tool::<TidiesTool>().shared_state(runs.clone()).build().unwrap();
    let mut call = runtime.call("tidies", "{}", &cx());
    let cancellation = call.cancellation().unwrap();
    assert!(!cancellation.is_cancelled());
    let (output, ()) = futures::join!(call.execute(), async { cancellation.cancel() });
    assert_eq!(envelope(output)["error"]["code"], "CANCELLED");
    assert_eq!(runs.load(Ordering::SeqCst), 1, "it tidied up");

    let mut early = runtime.call("tidies", "{}", &cx());
    early.cancellation().unwrap().cancel();
    let found = envelope(early.execute().await);
    assert_eq!(
        (&found["error"]["code"], &found["error"]["details"]["effect"]),
        (&json!("CANCELLED"), &json!("none"))
    );
    assert_eq!(early.status(), CallStatus::NotExecuted);
}

#[tokio::test]
async fn a_dynamic_tool_behaves_as_any_other() {
    let double = DynamicTool::new("math.double", Effect::Read)
        .description("Doubles a number.")
        .input_schema(json!({
            "type": "object",
            "properties": { "n": { "type": "integer", "maximum": 10 } },
            "required": ["n"],
            "additionalProperties": false,
        }))
        .handler(|call: CallScope| async move {
            let arguments: Value = call.parse()?;
            tokio::task::yield_now().await;
            Ok::<_, Failure>(arguments["n"].as_i64().map(|n| n * 2))
        });
    let runtime = Runtime::builder().dynamic(double).build().unwrap();
    assert_eq!(answer(&runtime, "math.double", r#"{"n":"4"}"#).await["data"], 8);
    assert_eq!(
        answer(&runtime, "math.double", r#"{"n":11}"#).await["error"]["code"],
        "INVALID_ARGUMENT"
    );
}

/// Keeps numbers.
struct Shelf {
    numbers: Mutex<Vec<u32>>,
}

/// A shelf of numbers.
#[ai_toolkit]
impl Shelf {
    /// Puts a number on the shelf.
    #[ai_tool(effect = "write")]
    async fn add(
        &self,
        dry_run: &DryRun,
        /// The number.
        n: u32,
    ) -> usize {
        let mut numbers = self.numbers.lock().unwrap();
        if !dry_run.is_active() {
            numbers.push(n);
        }
        numbers.len()
    }

    /// Sums up what is on the shelf.
    #[ai_tool(effect = "read")]
    fn sum(&self) -> u32 {
        self.numbers.lock().unwrap().iter().sum()
    }
}

#[tokio::test]
async fn a_toolkits_tools_share_its_state() {
    let shelf = Arc::new(Shelf { numbers: Mutex::default() });
    let runtime = Runtime::builder()
        .shared_toolkit(shelf.clone())
        .permission("shelf", Permission::Allow)
        .build()
        .unwrap();
    let names: Vec<_> = runtime.specs().map(|spec| spec.name().to_owned()).collect();
    assert_eq!(names, ["shelf.add", "shelf.sum"]);
    answer(&runtime, "shelf.add", r#"{"n":4}"#).await;
    answer(&runtime, "shelf.add", r#"{"n":5}"#).await;
    assert_eq!(answer(&runtime, "shelf.sum", "{}").await["data"], 9);
    assert_eq!(*shelf.numbers.lock().unwrap(), [4, 5]);
}
