//! Names inside of a secret are as secret as its values: every pointer ends at the secret.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_runtime::adapters::ToolAnswer;
use tool_runtime::contracts::ErrorCode;
use tool_runtime::ledger::LedgerQuery;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::{CallRecord, ToolCall};

use crate::ledger::ledger;
use crate::support::cx;

/// A name that no text may repeat.
const NAME: &str = "sk-live-77";

/// The text that a server reads about its caller.
#[ai_type]
struct Credentials {
    /// The user.
    user: String,
    /// The number of the account.
    #[serde(default)]
    account: u32,
}

/// An account of a bank.
#[ai_type]
struct Account {
    /// The name.
    name: String,
    /// The keys by their names.
    #[arg(secret)]
    keys: BTreeMap<String, u32>,
}

/// Fetches.
#[ai_tool(effect = "read")]
fn fetch(
    /// The headers.
    #[arg(secret, default)]
    headers: HashMap<String, u32>,
    /// The credentials.
    #[arg(secret)]
    credentials: Option<Credentials>,
    /// The accounts.
    #[arg(default)]
    accounts: Vec<Account>,
    /// The ports.
    #[arg(secret, default)]
    ports: BTreeMap<u8, bool>,
    /// True if it fails.
    #[arg(default)]
    fails: bool,
) -> Result<usize, Failure> {
    let _ = (credentials, accounts, ports);
    if fails {
        let name = headers.keys().next().cloned().unwrap_or_default();
        let failure =
            Failure::from_code(ErrorCode::Conflict).with_message(format!("no {name} here"));
        return Err(failure.with_log(format!("tried {name}")).with_detail(&name, &name));
    }
    Ok(headers.len())
}

/// Sends.
#[ai_tool(effect = "write")]
async fn send(
    dry_run: &DryRun,
    sent: &Sent,
    /// The keys.
    #[arg(secret)]
    keys: BTreeMap<String, String>,
    /// The recipients.
    #[arg(default)]
    recipients: Vec<Recipient>,
    /// The text.
    text: String,
) -> String {
    assert!(!dry_run.is_active());
    sent.0.lock().unwrap().push(json!({"keys": keys, "recipients": recipients, "text": text}));
    "sent".to_owned()
}

/// A recipient.
#[ai_type]
struct Recipient {
    /// The name.
    name: String,
    /// The token.
    #[arg(secret)]
    token: String,
}

#[derive(Debug, Clone, Default)]
struct Sent(Arc<Mutex<Vec<Value>>>);

impl Sent {
    fn last(&self) -> Value {
        self.0.lock().unwrap().last().cloned().unwrap_or_default()
    }
}

/// Checks that nothing about a call repeats the name, and returns its envelope.
async fn check(arguments: &str) -> Value {
    let (ledger, logs) = (ledger(), Arc::new(Mutex::new(Vec::new())));
    let observed = logs.clone();
    let observe = move |record: &CallRecord<'_>| {
        observed.lock().unwrap().push(format!("{record:?} {}", record.log()));
    };
    let runtime = Runtime::builder().tool::<FetchTool>().ledger(&ledger).observe(observe);
    let runtime = runtime.build().unwrap();
    let mut call = runtime.call("fetch", arguments, &cx());
    let output = call.execute().await.clone();
    ledger.flush().await.unwrap();
    let page = ledger.find(LedgerQuery::new()).await.unwrap();
    let texts = [
        output.to_string(),
        format!("{:?}", call.violations()),
        format!("{:?}", ToolAnswer::from(&call)),
        format!("{call:?}"),
        format!("{:?}", logs.lock().unwrap()),
        format!("{:?}", page.records),
        call.preview().to_string(),
    ];
    for text in &texts {
        assert!(!text.contains(NAME) && !text.contains("live-77"), "{arguments}: {text}");
    }
    serde_json::from_str(&output.to_string()).unwrap()
}

/// Checks the pointers of a call's violations.
async fn check_pointers(arguments: &str, expected: &[&str]) {
    let envelope = check(arguments).await;
    let violations = envelope["error"]["details"]["violations"].as_array().cloned();
    let violations = violations.unwrap_or_default();
    let pointers: Vec<_> = violations.iter().map(|it| it["pointer"].as_str().unwrap()).collect();
    assert_eq!(pointers, expected, "{arguments}: {envelope}");
}

#[tokio::test]
async fn the_pointer_of_a_violation_ends_at_the_secret() {
    check_pointers(r#"{"headers":{"sk-live-77":"x"}}"#, &["/headers"]).await;
    check_pointers(r#"{"headers":{"sk-live-77":{"sk-live-77":1}}}"#, &["/headers"]).await;
    check_pointers(r#"{"headers":{"sk-live-77":1e999}}"#, &["/headers"]).await;
    check_pointers(r#"{"credentials":{"user":"a","sk-live-77":1}}"#, &["/credentials"]).await;
    check_pointers(r#"{"credentials":{"sk-live-77":1}}"#, &["/credentials"; 2]).await;
    let account = r#"{"accounts":[{"name":"a","keys":{"sk-live-77":"x"}},{"keys":{}}]}"#;
    check_pointers(account, &["/accounts/0/keys", "/accounts/1/name"]).await;
    check_pointers(r#"{"ports":{"sk-live-77":true}}"#, &["/ports"]).await;
    check_pointers(r#"{"ports":{"4711":true}}"#, &["/ports"]).await;
    check_pointers(r#"{"ports":{"4":1}}"#, &["/ports"]).await;
}

#[tokio::test]
async fn the_pointer_of_a_repeated_name_ends_at_the_secret() {
    let twice = r#"{"headers":{"sk-live-77":1,"sk-live-77":2,"a":1,"a":2}}"#;
    check_pointers(twice, &["/headers"]).await;
    let below_unknown = r#"{"headrs":{"sk-live-77":1,"sk-live-77":2}}"#;
    check_pointers(below_unknown, &["/headrs"]).await;
    let wide = r#"{"headrs":{"sk-live-77":1e999}}"#;
    check_pointers(wide, &["/headrs"; 2]).await;
}

#[tokio::test]
async fn the_pointer_of_a_coercion_ends_at_the_secret() {
    let coerced = |envelope: &Value| {
        let coercions = envelope["meta"]["coercions"].as_array().cloned().unwrap_or_default();
        coercions.iter().map(|it| it["pointer"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let numbers = check(r#"{"headers":{"sk-live-77":"1","b":"2","c":3.0}}"#).await;
    assert_eq!(coerced(&numbers), ["/headers"; 2], "{numbers}");
    let text = check(r#"{"headers":"{\"sk-live-77\":\"1\"}"}"#).await;
    assert_eq!(coerced(&text), ["/headers"; 2], "{text}");
    let wrong = check(r#"{"headers":"{\"sk-live-77\":{}}"}"#).await;
    assert!(wrong["error"]["details"]["violations"][0]["pointer"] == "/headers", "{wrong}");
    let account = check(r#"{"accounts":[{"name":1,"keys":{"sk-live-77":"5"}}]}"#).await;
    assert_eq!(coerced(&account), ["/accounts/0/name", "/accounts/0/keys"], "{account}");
}

#[tokio::test]
async fn a_name_inside_of_a_secret_is_in_no_text_that_the_tool_writes() {
    let failed = check(r#"{"headers":{"sk-live-77":1},"fails":true}"#).await;
    assert_eq!(failed["error"]["message"], "no *** here");
    assert_eq!(failed["error"]["details"]["***"], "***");
}

#[tokio::test]
async fn the_pointer_of_an_edit_ends_at_the_secret() {
    let (mut call, sent) = waiting(r#"{"keys":{"sk-live-77":"a","b":"b"},"text":"hi"}"#);
    let edited = r#"{"keys":{"sk-live-77":"c","sk-live-78":"d"},"text":"hello"}"#;
    call.approve_edited("jane", edited).unwrap();
    let envelope: Value = serde_json::from_str(&call.execute().await.to_string()).unwrap();
    assert_eq!(envelope["meta"]["edits"], json!(["/keys", "/text"]), "{envelope}");
    assert!(!envelope["meta"].to_string().contains("live"));
    assert_eq!(sent.last()["keys"]["sk-live-78"], "d");
}

fn waiting(arguments: &str) -> (ToolCall, Sent) {
    let sent = Sent::default();
    let builder = Runtime::builder().tool::<SendTool>().state(sent.clone());
    let runtime = builder.policy(Policy::new()).build().unwrap();
    (runtime.call("send", arguments, &cx()), sent)
}

/// Checks what is sent after an edit of what the preview shows; none if the edit is refused.
async fn check_edit(arguments: &str, edited: &str, expected: Option<Value>) {
    let (mut call, sent) = waiting(arguments);
    let approved = call.approve_edited("jane", edited);
    if let Some(expected) = expected {
        approved.unwrap();
        assert!(call.execute().await.is_ok());
        assert_eq!(sent.last(), expected, "{edited}");
        return;
    }
    let tool_runtime::ApprovalError::InvalidArguments(detail) = approved.unwrap_err() else {
        panic!("{edited}")
    };
    assert!(detail.message().contains("the secret itself"), "{}", detail.message());
    assert!(!detail.message().contains("sk-"), "{}", detail.message());
    assert_eq!(call.status(), CallStatus::Pending);
}

#[tokio::test]
async fn a_mask_in_an_edit_is_the_secret_that_the_call_has() {
    let keys = r#"{"keys":{"sk-1":"a","sk-2":"b"},"text":"hi"}"#;
    let sent =
        |keys: Value, text: &str| Some(json!({"keys": keys, "recipients": [], "text": text}));
    let both = json!({"sk-1": "a", "sk-2": "b"});
    check_edit(keys, r#"{"keys":"***","text":"hello"}"#, sent(both.clone(), "hello")).await;
    check_edit(keys, r#"{"keys":"\u002a**","text":"***"}"#, sent(both, "***")).await;
    let nested = r#"{"keys":{"sk-2":"***","sk-1":"c"},"text":"hi"}"#;
    check_edit(keys, nested, sent(json!({"sk-2": "b", "sk-1": "c"}), "hi")).await;
    check_edit(keys, r#"{"keys":{"sk-3":"***"},"text":"hi"}"#, None).await;
    check_edit(keys, r#"{"keys":{"sk-1":["***"]},"text":"hi"}"#, None).await;
}

#[tokio::test]
async fn a_mask_in_an_array_is_never_the_secret_of_another_item() {
    let two = r#"{"keys":{},"recipients":[{"name":"a","token":"A"},{"name":"b","token":"B"}],"text":"hi"}"#;
    let edit =
        |recipients: &str| format!(r#"{{"keys":{{}},"recipients":{recipients},"text":"x"}}"#);
    let sent = |recipients: Value| Some(json!({"keys": {}, "recipients": recipients, "text": "x"}));
    let same = r#"[{"name":"a","token":"***"},{"name":"b","token":"***"}]"#;
    let items = json!([{"name": "a", "token": "A"}, {"name": "b", "token": "B"}]);
    check_edit(two, &edit(same), sent(items)).await;
    let renamed = r#"[{"name":"c","token":"***"},{"name":"b","token":"***"}]"#;
    let items = json!([{"name": "c", "token": "A"}, {"name": "b", "token": "B"}]);
    check_edit(two, &edit(renamed), sent(items)).await;
    let added =
        r#"[{"token":"***","name":"a"},{"name":"b","token":"***"},{"name":"c","token":"C"}]"#;
    let items = json!([{"name": "a", "token": "A"}, {"name": "b", "token": "B"},
        {"name": "c", "token": "C"}]);
    check_edit(two, &edit(added), sent(items)).await;
    let swapped = r#"[{"name":"b","token":"***"},{"name":"a","token":"***"}]"#;
    check_edit(two, &edit(swapped), None).await;
    check_edit(two, &edit(r#"[{"name":"b","token":"***"}]"#), None).await;
    check_edit(two, &edit(r#"[{"name":"a","token":"***"}]"#), None).await;
    let new = r#"[{"name":"a","token":"A"},{"name":"b","token":"***"},{"name":"c","token":"***"}]"#;
    check_edit(two, &edit(new), None).await;
}
