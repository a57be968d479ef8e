//! Doors that were open once: each of these got past the core, and must not again.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_runtime::contracts::ErrorCode;
use tool_runtime::prelude::*;
use tool_runtime::{BuildProblem, CallRecord, FailureCode, Limits, Observe};

use crate::support::{answer, cx, envelope};

/// Adds.
#[ai_tool(effect = "read")]
async fn add(
    /// The one.
    #[arg(default = boom())]
    a: i64,
) -> i64 {
    a
}

fn boom() -> i64 {
    // `build()` shows the default in the schema; only a call is to panic.
    let here = std::thread::current();
    assert!(!here.name().is_some_and(|name| name.contains("panics_here")), "hunter2");
    1
}

#[test]
fn a_denied_call_is_an_envelope_whatever_was_sent() {
    let builder = || Runtime::builder().tool::<Add>().permission("add", Permission::Deny);
    let runtime = builder().build().unwrap();
    let call = runtime.call("add", "not json, {{{", &cx());
    assert_eq!(envelope(call.output().unwrap())["input"], Value::Null);
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(2_000_000));
    assert!(runtime.call("add", long, &cx()).output().unwrap().json().len() < 1_000);
}

#[test]
fn a_default_that_panics_leaves_an_envelope() {
    let runtime = Runtime::builder().tool::<Add>().build().unwrap();
    let panicking = std::thread::Builder::new().name("panics_here".to_owned());
    let call = move || {
        let call = runtime.call("add", "{} trailing {", &cx());
        envelope(call.output().unwrap())
    };
    let found = panicking.spawn(call).unwrap().join().unwrap();
    assert_eq!((&found["status"], &found["input"]), (&json!("error"), &Value::Null));
}

/// Writes on a blocking thread.
#[ai_tool(effect = "write", blocking, timeout = "30ms")]
fn writes_blocking(dry_run: &DryRun, runs: &AtomicU32) {
    let _ = dry_run;
    runs.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn a_blocking_write_does_not_start_after_its_call_was_answered() {
    let runs = Arc::new(AtomicU32::new(0));
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    let (free, waiting) = std::sync::mpsc::channel::<()>();
    executor.block_on(async {
        let occupier = tokio::task::spawn_blocking(move || waiting.recv());
        let runtime = Runtime::builder()
            .tool::<WritesBlocking>()
            .permission("writes_blocking", Permission::Allow)
            .shared_state(runs.clone())
            .build()
            .unwrap();
        let found = answer(&runtime, "writes_blocking", "{}").await;
        assert_eq!(found["error"]["code"], "TIMEOUT");
        assert_eq!(found["error"]["details"]["effect"], "none", "it had not begun");
        free.send(()).unwrap();
        occupier.await.unwrap().unwrap();
        // The pool comes to the job now: the only thread takes its jobs in order.
        tokio::task::spawn_blocking(|| ()).await.unwrap();
    });
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_tool_that_is_always_ready_meets_its_deadline() {
    /// Spends its executor's patience.
    #[ai_tool(effect = "read", timeout = "50ms")]
    async fn spins() {
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(20) {
            tokio::task::consume_budget().await;
        }
    }
    let runtime = Runtime::builder().tool::<Spins>().build().unwrap();
    let found = answer(&runtime, "spins", "{}").await;
    assert_eq!(found["error"]["code"], "TIMEOUT");
    assert!(found["meta"]["took_ms"].as_u64().unwrap() < 10_000, "{found}");
}

#[test]
fn bounds_that_a_type_brings_itself_are_kept() {
    #[derive(Deserialize, JsonSchema)]
    #[schemars(inline)]
    struct Name(#[schemars(length(min = 2))] String);
    /// Stores a name.
    #[ai_tool(effect = "write")]
    async fn store(
        dry_run: &DryRun,
        /// The name.
        name: Name,
    ) -> String {
        let _ = dry_run;
        name.0
    }
    let runtime = Runtime::builder().tool::<Store>().build().unwrap();
    assert_eq!(runtime.call("store", r#"{"name":"a"}"#, &cx()).status(), CallStatus::Rejected);
    assert_eq!(runtime.call("store", r#"{"name":"ab"}"#, &cx()).status(), CallStatus::Pending);
    let schema = Value::Object(runtime.spec("store").unwrap().input_schema().clone());
    assert!(!schema.to_string().contains("x-own"), "{schema}");
}

#[tokio::test]
async fn a_listener_that_holds_its_call_does_not_keep_it_alive() {
    /// Reports.
    #[ai_tool(effect = "read")]
    async fn reports(progress: &Progress) {
        progress.report(None, "on it");
    }
    let token = Arc::new(());
    let runtime = Runtime::builder().tool::<Reports>().build().unwrap();
    for run in [true, false] {
        let mut call = runtime.call("reports", "{}", &cx());
        let (cancellation, held) = (call.cancellation().unwrap(), token.clone());
        call.on_progress(move |_| {
            let _ = (&cancellation, &held);
        });
        if run {
            call.execute().await;
        }
        drop(call);
        assert_eq!(Arc::strong_count(&token), 1);
    }
}

#[test]
fn the_depth_limit_holds_for_plain_lists_too() {
    /// Takes lists of lists.
    #[ai_tool(effect = "read")]
    async fn lists(
        /// They.
        lists: Vec<Vec<String>>,
    ) -> usize {
        lists.len()
    }
    let flat = Limits::default().with_max_depth(2);
    let runtime = Runtime::builder().tool::<Lists>().limits(flat).build().unwrap();
    let call = runtime.call("lists", r#"{"lists":[["a"]]}"#, &cx());
    assert_eq!(call.status(), CallStatus::Rejected);
}

#[derive(Clone, Default)]
struct Logs(Arc<Mutex<Vec<String>>>);

impl Observe for Logs {
    fn closed(&self, record: &CallRecord<'_>) {
        self.0.lock().unwrap().push(record.log().to_owned());
    }
}

#[tokio::test]
async fn the_log_hears_every_cause() {
    #[derive(Debug)]
    struct OnlyDebug;
    /// Fails with a boxed error.
    #[ai_tool(effect = "read")]
    async fn boxed() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Err("outer text".into())
    }
    /// Fails with what only its author can read.
    #[ai_tool(effect = "read")]
    async fn debugged() -> Result<(), OnlyDebug> {
        Err(OnlyDebug)
    }
    /// Takes an id.
    #[ai_tool(effect = "read")]
    async fn by_id(
        /// The id.
        id: Uuid,
    ) -> Uuid {
        id
    }
    let dynamic = DynamicTool::new("dynamic", Effect::Read)
        .description("Fails.")
        .input_schema(json!({ "type": "object" }))
        .sync_handler(|_| {
            Err::<(), _>(Failure::of(ErrorCode::UpstreamError).with_log("for the log"))
        });
    let logs = Logs::default();
    let runtime = Runtime::builder()
        .tool::<Boxed>()
        .tool::<Debugged>()
        .tool::<ById>()
        .dynamic(dynamic)
        .observe(logs.clone())
        .build()
        .unwrap();
    for (name, arguments) in
        [("boxed", "{}"), ("debugged", "{}"), ("dynamic", "{}"), ("by_id", r#"{"id":"no"}"#)]
    {
        let found = answer(&runtime, name, arguments).await;
        assert_eq!(found["status"], "error");
        assert!(!found.to_string().contains("for the log"));
    }
    let logs = logs.0.lock().unwrap();
    assert_eq!((&*logs[0], &*logs[1], &*logs[2]), ("outer text", "OnlyDebug", "for the log"));
    assert!(logs[3].contains("UUID parsing failed"), "{}", logs[3]);
}

#[test]
fn a_misspelt_tools_arguments_are_not_shown_where_there_are_secrets() {
    /// Logs in.
    #[ai_tool(effect = "read")]
    async fn login(
        /// The password.
        #[arg(secret)]
        password: String,
    ) -> usize {
        password.len()
    }
    let runtime = Runtime::builder().tool::<Login>().build().unwrap();
    let call = runtime.call("logon", r#"{"password":"hunter2"}"#, &cx());
    assert!(!call.output().unwrap().json().contains("hunter2"));
    assert!(!call.preview().to_string().contains("hunter2"));
}

#[test]
fn a_shown_value_that_its_own_schema_refuses_is_refused_at_build() {
    /// Counts.
    #[ai_tool(effect = "read")]
    async fn count(
        /// Up to here.
        #[arg(default = 10, range(1..=5))]
        limit: u8,
    ) -> u8 {
        limit
    }
    let error = Runtime::builder().tool::<Count>().build().unwrap_err();
    assert!(matches!(error.problems(), [BuildProblem::ShownValue { .. }]), "{error}");
    assert_eq!(format!("{error:?}"), error.to_string(), "`unwrap` shows the text too");
}

#[tokio::test]
async fn a_silent_dynamic_schema_is_closed_unless_it_is_to_stay_open() {
    let tool = |name| {
        DynamicTool::new(name, Effect::Read)
            .description("Has a silent schema.")
            .input_schema(json!({ "type": "object", "properties": { "a": {} } }))
            .sync_handler(|_| Ok::<_, Failure>(()))
    };
    let open = tool("open").admit_unknown_fields();
    let runtime = Runtime::builder().dynamic(tool("closed")).dynamic(open).build().unwrap();
    assert_eq!(answer(&runtime, "closed", r#"{"b":1}"#).await["error"]["code"], "INVALID_ARGUMENT");
    assert_eq!(answer(&runtime, "open", r#"{"b":1}"#).await["status"], "ok");

    let any = DynamicTool::new("any", Effect::Read)
        .description("Takes anything.")
        .input_schema(json!({}))
        .sync_handler(|_| Ok::<_, Failure>(()));
    let error = Runtime::builder().dynamic(any).build().unwrap_err();
    assert!(error.to_string().contains(r#""type": "object""#), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_batch_shares_the_contexts_budget() {
    /// Takes its time.
    #[ai_tool(effect = "write")]
    async fn slow(dry_run: &DryRun, runs: &AtomicU32) {
        let _ = dry_run;
        runs.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
    let runs = Arc::new(AtomicU32::new(0));
    let runtime = Runtime::builder()
        .tool::<Slow>()
        .permission("slow", Permission::Allow)
        .shared_state(runs.clone())
        .build()
        .unwrap();
    let hurried =
        ToolContext::builder(Uuid::nil(), "t").run_id("r").timeouts_ms(1_000).build().unwrap();
    let mut calls: Vec<_> = (0..5).map(|_| runtime.call("slow", "{}", &hurried)).collect();
    let before = tokio::time::Instant::now();
    let outputs = runtime.run(&mut calls).await;
    let ends: Vec<_> = outputs.into_iter().map(ToolOutput::is_ok).collect();
    assert_eq!(ends, [true, true, false, false, false]);
    assert_eq!(before.elapsed(), Duration::from_secs(1));
    assert_eq!(runs.load(Ordering::SeqCst), 3, "the last two never began");
}

#[tokio::test]
async fn what_a_write_left_behind_is_said_when_it_panics() {
    /// Panics half way.
    #[ai_tool(effect = "write")]
    async fn breaks(dry_run: &DryRun) {
        assert!(dry_run.is_active(), "hunter2");
    }
    let runtime = Runtime::builder()
        .tool::<Breaks>()
        .permission("breaks", Permission::Allow)
        .build()
        .unwrap();
    let found = answer(&runtime, "breaks", "{}").await;
    assert_eq!(found["error"]["code"], "INTERNAL");
    assert_eq!(found["error"]["details"]["effect"], "unknown");
}

#[test]
fn a_write_does_not_begin_where_no_deadline_can_be_kept() {
    /// Counts its runs.
    #[ai_tool(effect = "write")]
    async fn counts(dry_run: &DryRun, runs: &AtomicU32) {
        let _ = dry_run;
        runs.fetch_add(1, Ordering::SeqCst);
    }
    let runs = Arc::new(AtomicU32::new(0));
    let runtime = Runtime::builder()
        .tool::<Counts>()
        .permission("counts", Permission::Allow)
        .shared_state(runs.clone())
        .build()
        .unwrap();
    let mut call = runtime.call("counts", "{}", &cx());
    let found = envelope(futures::executor::block_on(call.execute()));
    assert_eq!(found["error"]["code"], "UNAVAILABLE");
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_typed_call_reads_every_envelope() {
    /// Takes anything.
    #[ai_tool(effect = "read")]
    async fn anything(
        /// It.
        it: Value,
    ) -> bool {
        it.is_null()
    }
    let runtime = Runtime::builder().tool::<Anything>().build().unwrap();
    for arguments in
        [r#"{"it":1e999}"#.to_owned(), "[".repeat(2_000), r#"{"it":"\ud800"}"#.to_owned()]
    {
        let raw = serde_json::value::RawValue::from_string(format!(r#"{{"it":{arguments}}}"#));
        let text = raw.map_or(arguments, |raw| raw.get().to_owned());
        let mut call = runtime.call("anything", text, &cx());
        let output = call.execute().await;
        output.decode::<Box<serde_json::value::RawValue>, bool>().unwrap();
    }
}

#[test]
fn a_tool_says_which_codes_its_error_may_carry() {
    /// Why it fails.
    #[derive(Debug, ToolFailure)]
    enum Why {
        #[failure(code = "SEAT_TAKEN", class = FATAL, message = "taken")]
        Taken,
        #[failure(OUT_OF_STOCK, message = "none left")]
        Out,
    }
    /// Books.
    #[ai_tool(effect = "read")]
    async fn book(
        /// How many.
        seats: u32,
    ) -> Result<(), Why> {
        Err(if seats > 1 { Why::Out } else { Why::Taken })
    }
    let runtime = Runtime::builder().tool::<Book>().build().unwrap();
    let codes = runtime.failure_codes("book").unwrap();
    let codes: Vec<_> = codes.iter().map(FailureCode::as_str).collect();
    assert_eq!(codes, ["SEAT_TAKEN", "OUT_OF_STOCK"]);
    assert!(
        std::panic::catch_unwind(|| {
            FailureCode::own("TIMEOUT", tool_runtime::contracts::ToolErrorType::Fatal)
        })
        .is_err()
    );
}

#[test]
fn tools_that_models_may_not_call_are_not_offered_to_them() {
    /// For the host only.
    #[ai_tool(effect = "read", ai_callable = false)]
    async fn internal_only() {}
    let runtime = Runtime::builder().tool::<InternalOnly>().build().unwrap();
    assert_eq!((runtime.specs().count(), runtime.specs_for_model().count()), (1, 0));
    let call = runtime.call("internal_onli", "{}", &cx());
    assert!(!call.output().unwrap().json().contains("internal_only"));
}

#[test]
fn unknown_fields_are_refused_at_any_depth() {
    #[derive(serde::Serialize, Deserialize, JsonSchema)]
    struct Plain {
        a: Option<bool>,
    }
    /// How it is sent.
    #[ai_type]
    struct Ship {
        /// By air?
        air: Option<bool>,
        /// Insured?
        insured: Option<bool>,
    }
    /// What is ordered.
    #[ai_type]
    struct Order {
        /// Which.
        sku: String,
        /// How it is sent.
        #[serde(flatten)]
        ship: Ship,
        /// More.
        plain: Option<Vec<Plain>>,
    }
    /// Lets everything pass.
    #[ai_type(open)]
    struct Lenient {
        /// Which.
        sku: String,
    }
    /// Orders.
    #[ai_tool(effect = "write", handle = OrderTool)]
    async fn order(
        dry_run: &DryRun,
        /// What.
        order: Order,
        /// What else.
        lenient: Option<Lenient>,
    ) -> String {
        let _ = (dry_run, order.ship.air, order.ship.insured, lenient.map(|one| one.sku));
        let plain = order.plain.into_iter().flatten().filter_map(|plain| plain.a);
        format!("{} {}", order.sku, plain.count())
    }
    let dynamic = DynamicTool::new("dynamic", Effect::Read)
        .description("Has a silent object in it.")
        .input_schema(json!({
            "type": "object",
            "properties": { "o": { "type": "object", "properties": { "a": {} } } },
        }))
        .sync_handler(|_| Ok::<_, Failure>(()));
    let runtime = Runtime::builder().tool::<OrderTool>().dynamic(dynamic).build().unwrap();
    let status = |name: &str, text: &str| runtime.call(name, text, &cx()).status();
    let admitted = [
        ("order", r#"{"order":{"sku":"a","insured":true,"plain":[{"a":true}]}}"#),
        ("order", r#"{"order":{"sku":"a"},"lenient":{"sku":"b","more":1}}"#),
        ("dynamic", r#"{"o":{"a":1}}"#),
    ];
    for (name, text) in admitted {
        assert_eq!(status(name, text), CallStatus::Pending, "{text}");
    }
    let refused = [
        ("order", r#"{"order":{"sku":"a","insurred":true}}"#),
        ("order", r#"{"order":{"sku":"a","plain":[{"b":true}]}}"#),
        ("dynamic", r#"{"o":{"a":1,"zz":2}}"#),
    ];
    for (name, text) in refused {
        assert_eq!(status(name, text), CallStatus::Rejected, "{text}");
    }
}

#[test]
fn shown_values_are_checked_wherever_they_stand() {
    /// Inner.
    #[ai_type]
    struct Inner {
        /// A number.
        #[arg(range(1..=3), default = 9)]
        x: u8,
    }
    /// Takes it.
    #[ai_tool(effect = "read")]
    async fn takes(
        /// It.
        inner: Inner,
    ) -> u8 {
        inner.x
    }
    let error = Runtime::builder().tool::<Takes>().build().unwrap_err();
    assert!(matches!(error.problems(), [BuildProblem::ShownValue { .. }]), "{error}");
    assert!(error.to_string().contains("`/Inner/x`"), "{error}");

    /// Has an argument that is called as a keyword is, and shows a wrong default.
    #[ai_tool(effect = "read")]
    async fn keyword(
        /// It.
        #[arg(default = 9, range(1..=3))]
        default: u8,
    ) -> u8 {
        default
    }
    let error = Runtime::builder().tool::<Keyword>().build().unwrap_err();
    assert!(matches!(error.problems(), [BuildProblem::ShownValue { .. }]), "{error}");
}

#[test]
fn an_echo_can_always_be_read() {
    /// Takes a number.
    #[ai_tool(effect = "read")]
    async fn number(
        /// It.
        #[arg(range(1..=9))]
        n: std::num::NonZeroU8,
        /// A word.
        #[arg(default = WORD)]
        word: &str,
    ) -> f64 {
        f64::from(n.get()) + f64::from(u8::try_from(word.len()).unwrap())
    }
    const WORD: &str = "word";
    let runtime = Runtime::builder().tool::<Number>().build().unwrap();
    let call = runtime.call("number", r#"{"n":1e400}"#, &cx());
    assert!(call.output().unwrap().decode::<Value, f64>().is_ok());
    assert_eq!(runtime.call("number", r#"{"n":10}"#, &cx()).status(), CallStatus::Rejected);
    assert_eq!(runtime.call("number", r#"{"n":9}"#, &cx()).status(), CallStatus::Pending);
}
