//! Regression tests: each of these calls or schemas once got past the checks of the core.

mod ends;
mod schemas;

use serde_json::{Value, json};
use tool_runtime::FailureCode;
use tool_runtime::prelude::*;

use crate::support::{cx, envelope};

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
    let builder = || Runtime::builder().tool::<AddTool>().permission("add", Permission::Deny);
    let runtime = builder().build().unwrap();
    let call = runtime.call("add", "not json, {{{", &cx());
    assert_eq!(envelope(call.output().unwrap())["input"], Value::Null);
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(2_000_000));
    assert!(runtime.call("add", long, &cx()).output().unwrap().json().len() < 1_000);
}

#[test]
fn a_default_that_panics_leaves_an_envelope() {
    let runtime = Runtime::builder().tool::<AddTool>().build().unwrap();
    let panicking = std::thread::Builder::new().name("panics_here".to_owned());
    let call = move || {
        let call = runtime.call("add", "{} trailing {", &cx());
        envelope(call.output().unwrap())
    };
    let found = panicking.spawn(call).unwrap().join().unwrap();
    assert_eq!((&found["status"], &found["input"]), (&json!("error"), &Value::Null));
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
    let runtime = Runtime::builder().tool::<LoginTool>().build().unwrap();
    let call = runtime.call("logon", r#"{"password":"hunter2"}"#, &cx());
    assert!(!call.output().unwrap().json().contains("hunter2"));
    assert!(!call.preview().to_string().contains("hunter2"));
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
    let runtime = Runtime::builder().tool::<AnythingTool>().build().unwrap();
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
        #[failure(code = "SEAT_TAKEN", type = FATAL, message = "taken")]
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
    let runtime = Runtime::builder().tool::<BookTool>().build().unwrap();
    let codes = runtime.tools().failure_codes("book").unwrap();
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
    let runtime = Runtime::builder().tool::<InternalOnlyTool>().build().unwrap();
    assert_eq!((runtime.specs().count(), runtime.specs_for_model().count()), (1, 0));
    let call = runtime.call("internal_onli", "{}", &cx());
    assert!(!call.output().unwrap().json().contains("internal_only"));
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
    let runtime = Runtime::builder().tool::<NumberTool>().build().unwrap();
    let call = runtime.call("number", r#"{"n":1e400}"#, &cx());
    assert!(call.output().unwrap().decode::<Value, f64>().is_ok());
    assert_eq!(runtime.call("number", r#"{"n":10}"#, &cx()).status(), CallStatus::Rejected);
    assert_eq!(runtime.call("number", r#"{"n":9}"#, &cx()).status(), CallStatus::Pending);
}
