//! The observer of debug builds that configure no other: it prints why a call failed.

use crate::dispatch::{CallRecord, Observe};

/// Prints the log of each failed call to the standard error stream.
///
/// The answer of a failed call has a public text alone, so without an observer, a ledger or tracing
/// its cause would be lost.
pub(super) struct DebugLog;

impl Observe for DebugLog {
    fn call_ended(&self, record: &CallRecord<'_>) {
        if let Some(line) = line(record) {
            eprintln!("{line}");
        }
    }
}

/// Formats the cause of a failed call; none if its answer has said it all.
fn line(record: &CallRecord<'_>) -> Option<String> {
    let log = record.log();
    (!log.is_empty()).then(|| {
        let tool = record.tool();
        format!("tool-runtime: `{tool}`: {log} (printed by debug builds without `.observe(…)`)")
    })
}

#[cfg(all(test, feature = "tokio"))]
mod tests {
    use std::sync::{Arc, Mutex};

    use serde_json::json;
    use tool_contracts::{Effect, ErrorCode, ToolContext};

    use super::*;
    use crate::{DynamicTool, Failure, Runtime};

    #[tokio::test]
    async fn the_cause_of_a_failure_is_printed_and_an_answer_is_not() {
        let tool = |name: &str| {
            DynamicTool::new(name, Effect::Read)
                .description("Answers.")
                .input_schema(json!({"type": "object"}))
        };
        let lines = Arc::new(Mutex::new(Vec::new()));
        let printed = lines.clone();
        let failed = || Failure::from_code(ErrorCode::Internal).with_log("the disk is full");
        let runtime = Runtime::builder()
            .dynamic(tool("fails").sync_handler(move |_| Err::<(), _>(failed())))
            .dynamic(tool("works").sync_handler(|_| Ok::<_, Failure>("done")))
            .observe(move |record: &CallRecord<'_>| printed.lock().unwrap().extend(line(record)))
            .build()
            .unwrap();
        for name in ["fails", "works"] {
            runtime.call(name, "{}", &ToolContext::local()).execute().await;
        }
        let lines = lines.lock().unwrap();
        assert!(matches!(&lines[..], [line] if line.contains("`fails`: the disk is full")));
    }
}
