//! A panic of foreign code does not get past a call.

use std::sync::{Arc, Mutex};

use serde::{Deserialize, Deserializer};
use tool_runtime::prelude::*;
use tool_runtime::{CallRecord, Observe};

use crate::support::{answer, cx, envelope};

/// Panics when it is dropped.
#[ai_type]
#[derive(Debug)]
struct Bomb {
    /// Any number.
    n: u32,
}

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("hunter2");
    }
}

/// Takes an argument that panics when it is dropped.
#[ai_tool(effect = "read")]
async fn takes_a_bomb(
    /// The bomb.
    bomb: Bomb,
) -> u32 {
    std::mem::ManuallyDrop::new(bomb).n
}

/// Panics while it is read.
#[derive(Debug)]
struct Unreadable;

impl<'de> Deserialize<'de> for Unreadable {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("hunter2")
    }
}

impl schemars::JsonSchema for Unreadable {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Unreadable".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}

/// Takes an argument whose reading panics.
#[ai_tool(effect = "read")]
async fn takes_the_unreadable(
    /// It.
    it: Option<Unreadable>,
) {
    let _ = it;
}

/// Does nothing.
#[ai_tool(effect = "read")]
async fn nothing(progress: &Progress) {
    progress.report(None, "nothing");
}

#[derive(Clone, Default)]
struct Logs(Arc<Mutex<Vec<String>>>);

impl Observe for Logs {
    fn call_ended(&self, record: &CallRecord<'_>) {
        self.0.lock().unwrap().push(record.log().to_owned());
    }
}

struct Panics;

impl Observe for Panics {
    fn call_ended(&self, _: &CallRecord<'_>) {
        panic!("hunter2");
    }
}

#[tokio::test]
async fn a_pending_call_is_dropped_quietly_whatever_its_arguments_do() {
    let runtime = Runtime::builder().tool::<TakesABombTool>().build().unwrap();
    let mut declined = runtime.call("takes_a_bomb", r#"{"bomb":{"n":1}}"#, &cx());
    assert_eq!(declined.status(), CallStatus::Pending);
    declined.decline("boss", "no").unwrap();
    drop(runtime.call("takes_a_bomb", r#"{"bomb":{"n":1}}"#, &cx()));
    assert_eq!(answer(&runtime, "takes_a_bomb", r#"{"bomb":{"n":1}}"#).await["data"], 1);
}

#[test]
fn a_panic_while_arguments_are_read_is_answered_and_logged() {
    let logs = Logs::default();
    let runtime =
        Runtime::builder().tool::<TakesTheUnreadableTool>().observe(logs.clone()).build().unwrap();
    // The reader of `Option` already runs at `build()`, without input.
    let call = runtime.call("takes_the_unreadable", r#"{"it":"x"}"#, &cx());
    assert_eq!(call.status(), CallStatus::Rejected);
    let found = envelope(call.output().unwrap());
    assert_eq!(found["error"]["code"], "INTERNAL");
    assert!(!found.to_string().contains("hunter2"));
    assert!(logs.0.lock().unwrap()[0].contains("hunter2"));
}

#[tokio::test]
async fn listeners_that_panic_take_no_answer_with_them() {
    let runtime = Runtime::builder().tool::<NothingTool>().observe(Panics).build().unwrap();
    let mut call = runtime.call("nothing", "{}", &cx());
    call.on_progress(|_| panic!("hunter2"));
    assert_eq!(envelope(call.execute().await)["status"], "ok");
    drop(runtime.call("nothing", "{}", &cx()));
}
