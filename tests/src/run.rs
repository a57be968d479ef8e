//! Runs cases through a runtime of dynamic tools, and counts admitted and rejected calls.

use serde_json::Value;
use serde_json::value::RawValue;
use tool_runtime::contracts::ErrorCode;
use tool_runtime::prelude::*;
use tool_runtime::schema::Coerce;

use crate::bfcl::{Call, Case, CoercibleCall, ErrorPosition, InvalidCall};

/// Counts of right and wrong results.
#[derive(Debug, Default)]
pub struct CallCounts {
    /// Calls that were tried.
    pub tried: usize,
    /// Calls with the right result.
    pub right: usize,
    /// Descriptions of the first wrong ones.
    pub wrong: Vec<String>,
}

/// The most wrong calls that are described.
const MAX_DESCRIBED: usize = 20;

impl CallCounts {
    /// Counts one call; an error describes a wrong result.
    pub fn count(&mut self, result: Result<(), String>) {
        self.tried += 1;
        match result {
            Ok(()) => self.right += 1,
            Err(what) if self.wrong.len() < MAX_DESCRIBED => self.wrong.push(what),
            Err(_) => {}
        }
    }

    /// Adds another count.
    pub fn add(&mut self, other: Self) {
        self.tried += other.tried;
        self.right += other.right;
        let room = MAX_DESCRIBED.saturating_sub(self.wrong.len());
        self.wrong.extend(other.wrong.into_iter().take(room));
    }

    /// Returns whether every result was right.
    #[must_use]
    pub fn all_right(&self) -> bool {
        self.tried == self.right
    }
}

/// Makes a runtime with a case's tools; each returns the arguments that it got.
///
/// # Errors
/// The tools cannot be registered.
pub fn runtime(case: &Case, coerce: Coerce) -> Result<Runtime, String> {
    let mut builder = Runtime::builder().coerce_reads(coerce);
    let mut names = Vec::new();
    for tool in &case.tools {
        if names.contains(&&tool.name) {
            continue;
        }
        names.push(&tool.name);
        builder = builder.dynamic(
            DynamicTool::new(&tool.name, Effect::Read)
                .description(&tool.description)
                .input_schema(tool.input_schema.clone())
                .sync_handler(|call| call.parse::<Box<RawValue>>()),
        );
    }
    builder.build().map_err(|error| format!("{}: {error}", case.id))
}

/// Makes a context with arbitrary ids.
///
/// # Panics
/// Never: the context is complete.
#[must_use]
pub fn context() -> ToolContext {
    ToolContext::builder(Uuid::nil(), "trace-of-the-cases")
        .run_id("run-of-the-cases")
        .build()
        .expect("tenant, trace and run are given")
}

/// Checks that the right call is admitted, and its tool gets its text unchanged.
///
/// # Errors
/// A description of the wrong result.
pub async fn admitted(runtime: &Runtime, call: &Call, cx: &ToolContext) -> Result<(), String> {
    let mut open = runtime.call(&call.name, &*call.arguments, cx);
    let output = open.execute().await;
    match output.data_json() {
        Some(data) if data == call.arguments.get() => Ok(()),
        Some(data) => Err(format!("{}: {} reached the tool as {data}", call.name, call.arguments)),
        None => Err(format!("{}: {} got {output}", call.name, call.arguments)),
    }
}

/// Checks that the broken call is rejected, with a violation at the right position.
///
/// # Errors
/// A description of the wrong result.
pub fn refused(
    runtime: &Runtime,
    name: &str,
    invalid_calls: &InvalidCall,
    cx: &ToolContext,
) -> Result<(), String> {
    let call = runtime.call(name, invalid_calls.text.as_str(), cx);
    let describe =
        |what: &str| format!("{name}: {}: {what}: {}", invalid_calls.how, invalid_calls.text);
    let Some(error) = call.output().and_then(ToolOutput::error) else {
        return Err(describe("was admitted"));
    };
    if error.error_code() != Some(ErrorCode::InvalidArgument) {
        return Err(describe(&format!("was rejected with {error:?}")));
    }
    let found = match &invalid_calls.at {
        ErrorPosition::Pointer(at) => {
            call.violations().iter().any(|violation| violation.pointer() == at)
        }
        ErrorPosition::Byte(at) => {
            error.details().and_then(|details| details.get("position")).and_then(Value::as_u64)
                == u64::try_from(*at).ok()
        }
    };
    if found {
        Ok(())
    } else {
        Err(describe(&format!("no violation is at {:?}: {error:?}", invalid_calls.at)))
    }
}

/// Checks that the slip is coerced: its tool gets the right value, and the coercion is reported.
///
/// # Errors
/// A description of the wrong result.
pub async fn coerced(
    runtime: &Runtime,
    name: &str,
    slip: &CoercibleCall,
    cx: &ToolContext,
) -> Result<(), String> {
    let describe = |what: String| format!("{name}: {}: {what}", slip.text);
    let mut call = runtime.call(name, slip.text.as_str(), cx);
    let output = call.execute().await;
    let Ok(data) = output.data::<Value>() else {
        return Err(describe(format!("got {output}")));
    };
    if data != slip.coerced {
        return Err(describe(format!("reached the tool as {data}")));
    }
    let envelope: tool_runtime::contracts::ToolOutput<Value, Value> =
        output.decode().map_err(|error| describe(error.to_string()))?;
    let receipts = envelope.as_result().map_or(&[][..], |result| result.meta().coercions());
    match receipts {
        [one]
            if one.pointer() == slip.pointer && one.from() == slip.from && one.to() == slip.to =>
        {
            Ok(())
        }
        other => Err(describe(format!("reports the coercions {other:?}"))),
    }
}
