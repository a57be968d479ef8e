//! Messages, logs, warnings and progress of calls with something to hide.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_runtime::contracts::ErrorCode;
use tool_runtime::prelude::*;
use tool_runtime::{CallRecord, Observe};

use crate::support::{cx, envelope};

const PIN: &str = "hunter 2 & more";
const NAME: &str = "Ada Lovelace";
/// `auth:hunter 2 & more`, as a header carries it.
const BASIC: &str = "Basic YXV0aDpodW50ZXIgMiAmIG1vcmU=";

/// Keeps the texts for the log.
#[derive(Default, Clone)]
struct Log(Arc<Mutex<String>>);

impl Observe for Log {
    fn call_ended(&self, record: &CallRecord<'_>) {
        self.0.lock().unwrap().push_str(record.log());
    }
}

/// A tool's error, with its text for both readers.
#[derive(Debug)]
struct Told(String);

impl std::fmt::Display for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Told {}

impl ToolFailure for Told {
    fn failure(&self) -> Failure {
        Failure::from_code(ErrorCode::UpstreamError)
            .with_message(self.0.clone())
            .with_endpoint(format!("https://ada:{}@example.com", PIN.replace(' ', "%20")))
            .with_detail("said", json!({"all": [self.0], "effect": self.0}))
            .with_effect_none()
    }

    fn codes() -> &'static [tool_runtime::FailureCode] {
        const { &[tool_runtime::FailureCode::standard(ErrorCode::UpstreamError)] }
    }
}

/// Fails with all it knows.
#[ai_tool(effect = "read")]
async fn fails(
    /// What opens.
    #[arg(secret)]
    pin: String,
    /// Whose it is.
    #[arg(pii)]
    name: String,
) -> Result<u8, Told> {
    Err(Told(format!("{pin:?} of {name}, {BASIC}, 6875 6e746572")))
}

/// Panics with all it knows.
#[ai_tool(effect = "read")]
async fn panics(
    /// What opens.
    #[arg(secret)]
    pin: String,
    /// Whose it is.
    #[arg(pii)]
    name: String,
) -> u8 {
    panic!("{} of {name}", json!({"pin": pin}))
}

/// Warns and reports with all it knows.
#[ai_tool(effect = "read")]
async fn warns(
    meta: &MetaRecorder,
    progress: &Progress,

    /// What opens.
    #[arg(secret)]
    pin: String,

    /// Whose it is.
    #[arg(pii)]
    name: String,
) -> u8 {
    meta.warning(format!("{pin} of {name}"));
    progress.report(None, format!("{pin} of {name}"));
    1
}

/// Takes a number alone.
#[ai_tool(effect = "read")]
async fn counts(
    /// What opens.
    #[arg(secret)]
    pin: u32,
) -> Result<u8, Told> {
    Err(Told(format!("{pin} is wrong")))
}

/// Names a number in its details, by a name and as a value.
#[ai_tool(effect = "read")]
async fn details(
    /// The code of the lock.
    #[arg(secret)]
    pin: u32,
) -> Result<u8, Failure> {
    let seen = json!({"pin": pin, "by_pin": {format!("of {pin}"): 1}, "other": 47_110});
    Err(Failure::from_code(ErrorCode::UpstreamError).with_detail("seen", seen))
}

fn runtime(log: &Log) -> Runtime {
    Runtime::builder()
        .tool::<FailsTool>()
        .tool::<PanicsTool>()
        .tool::<WarnsTool>()
        .tool::<CountsTool>()
        .tool::<DetailsTool>()
        .observe(log.clone())
        .build()
        .unwrap()
}

/// Returns the whole envelope, and the texts for the log.
async fn ends(name: &str, arguments: &Value, cx: &ToolContext) -> (Value, String) {
    let log = Log::default();
    let mut call = runtime(&log).call(name, arguments.to_string(), cx);
    let envelope = envelope(call.execute().await);
    drop(call);
    let heard = log.0.lock().unwrap().clone();
    (envelope, heard)
}

fn arguments() -> Value {
    json!({"pin": PIN, "name": NAME})
}

#[tokio::test]
async fn an_error_keeps_its_words_without_the_secret() {
    let (envelope, log) = ends("fails", &arguments(), &cx()).await;
    let error = &envelope["error"];
    assert_eq!(error["message"], "\"***\" of Ada Lovelace, Basic YXV0aD***=, 6875 6e746572");
    assert_eq!(error["details"]["said"]["all"][0], error["message"]);
    assert_eq!(error["details"]["said"]["effect"], error["message"]);
    assert_eq!(error["details"]["effect"], "none");
    assert_eq!(error["endpoint"], "https://ada:***@example.com");
    assert_eq!(envelope["input"], json!({"pin": "***", "name": NAME}));
    assert_eq!(log, "\"***\" of ***, Basic [token]***=, 6875 6e746572");
}

#[tokio::test]
async fn a_panic_is_logged_without_secrets_and_persons() {
    let (envelope, log) = ends("panics", &arguments(), &cx()).await;
    assert_eq!(envelope["error"]["code"], "INTERNAL");
    assert_eq!(log, r#"panicked: {"pin":"***"} of ***"#);
}

#[tokio::test]
async fn warnings_and_progress_are_told_without_the_secret() {
    let log = Log::default();
    let heard = Log::default();
    let mut call = runtime(&log).call("warns", arguments().to_string(), &cx());
    let listener = heard.clone();
    call.on_progress(move |update| listener.0.lock().unwrap().push_str(&update.message));
    let envelope = envelope(call.execute().await);
    assert_eq!(envelope["meta"]["warnings"], json!(["*** of Ada Lovelace"]));
    assert_eq!(*heard.0.lock().unwrap(), "*** of Ada Lovelace");
}

#[tokio::test]
async fn a_secret_number_is_one_however_it_was_sent() {
    for sent in [json!(123_456), json!("123456"), json!(123_456.0)] {
        let (envelope, log) = ends("counts", &json!({"pin": sent}), &cx()).await;
        assert_eq!(envelope["error"]["message"], "*** is wrong", "{sent}");
        assert_eq!(log, "*** is wrong");
    }
}

#[tokio::test]
async fn a_secret_in_an_error_of_the_typed_reader_is_not_logged() {
    /// Deserializes only `open`.
    #[derive(Debug)]
    #[ai_type]
    struct Word(#[serde(deserialize_with = "only_open")] String);

    fn only_open<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<String, D::Error> {
        let word = <String as serde::Deserialize>::deserialize(reader)?;
        let refused = || serde::de::Error::custom(format!("{word:?} does not open"));
        if word == "open" { Ok(word) } else { Err(refused()) }
    }

    /// Opens.
    #[ai_tool(effect = "read")]
    async fn opens(
        /// What opens.
        #[arg(secret)]
        word: Word,
    ) -> bool {
        word.0 == "open"
    }

    let log = Log::default();
    let runtime = Runtime::builder().tool::<OpensTool>().observe(log.clone()).build().unwrap();
    let mut call = runtime.call("opens", r#"{"word": "say\u0020please"}"#, &cx());
    assert_eq!(envelope(call.execute().await)["error"]["code"], "INVALID_ARGUMENT");
    drop(call);
    let heard = log.0.lock().unwrap().clone();
    assert!(heard.starts_with("\"***\" does not open"), "{heard}");
}

/// Fails with the words of a service that it called.
fn upstream(words: &'static str) -> DynamicTool {
    DynamicTool::new("upstream", Effect::Read)
        .description("Asks upstream.")
        .input_schema(json!({"type": "object", "properties": {"q": {"type": "string"}}}))
        .handler(move |_| async move {
            Err::<u8, _>(
                Failure::from_code(ErrorCode::UpstreamError).with_message(words).with_log(words),
            )
        })
}

#[tokio::test]
async fn the_credentials_of_a_context_are_redacted() {
    let auth = json!({"scheme": "read", "keys": [{"token": "tok-abc"}], "pin": 778_899});
    let cx = cx().with_auth(auth.as_object().cloned());
    let log = Log::default();
    let words = "tok-abc 778899 read already, q=tok%2Dabc, dG9rLWFiYw==";
    let runtime = Runtime::builder().dynamic(upstream(words)).observe(log.clone()).build().unwrap();
    let mut call = runtime.call("upstream", r#"{"q": "x"}"#, &cx);
    let envelope = envelope(call.execute().await);
    let shown = "*** *** *** already, q=***, ***==";
    assert_eq!(envelope["error"]["message"], shown);
    drop(call);
    assert_eq!(*log.0.lock().unwrap(), shown);
}

#[tokio::test]
async fn where_nothing_is_sensitive_texts_stay_as_they_are() {
    let log = Log::default();
    let runtime = Runtime::builder().dynamic(upstream("x is wrong")).observe(log.clone()).build();
    let runtime = runtime.unwrap();
    let mut call = runtime.call("upstream", r#"{"q": "x"}"#, &cx());
    assert_eq!(envelope(call.execute().await)["error"]["message"], "x is wrong");
}

#[tokio::test]
async fn a_secret_that_is_called_like_an_effect_changes_none() {
    let (envelope, _) = ends("fails", &json!({"pin": "none", "name": NAME}), &cx()).await;
    assert_eq!(envelope["error"]["details"]["effect"], "none");
}

#[tokio::test]
async fn a_number_is_hidden_in_the_details_too() {
    let (envelope, _) = ends("details", &json!({"pin": 47_112}), &cx()).await;
    let seen = json!({"pin": "***", "by_pin": {"of ***": 1}, "other": 47_110});
    assert_eq!(envelope["error"]["details"]["seen"], seen, "{envelope}");
}
