//! Expectations of an answer, and the difference when they fail.

use serde::Serialize;
use serde_json::Value;
use tool_contracts::{CallStatus, ToolErrorDetail, ToolErrorType};
use tool_runtime_core::call::ToolCall;
use tool_runtime_core::tool::ToolOutput;

use super::diff;

/// Starts expectations of an answer. A failed expectation panics with the difference.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::prelude::*;
/// use tool_runtime::testing::{context, expect_output};
///
/// /// Describes a tea.
/// #[ai_tool(effect = "read")]
/// fn describe_tea(
///     /// Its name.
///     #[arg(length(1..=20))]
///     name: &str,
/// ) -> Vec<(String, usize)> {
///     vec![(name.to_owned(), name.len())]
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder().tool::<DescribeTeaTool>().build()?;
/// let cx = context().build()?;
///
/// let mut call = runtime.call("describe_tea", r#"{"name":"sencha"}"#, &cx);
/// expect_output(call.execute().await).ok().data(json!([["sencha", 6]]));
///
/// let mut call = runtime.call("describe_tea", r#"{"name":""}"#, &cx);
/// expect_output(call.execute().await)
///     .failed()
///     .code("INVALID_ARGUMENT")
///     .violation("/name", "minLength")
///     .message_has("name");
/// # Ok(())
/// # }
/// ```
///
/// If the data differs, the panic shows the lines that differ:
///
/// ```should_panic
/// # use tool_runtime::prelude::*;
/// # use tool_runtime::testing::{context, expect_output};
/// # /// Counts.
/// # #[ai_tool(effect = "read")]
/// # fn count() -> Vec<u32> { vec![1, 2, 3] }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # let runtime = Runtime::builder().tool::<CountTool>().build().unwrap();
/// # let mut call = runtime.call("count", "{}", &context().build().unwrap());
/// expect_output(call.execute().await).ok().data([1, 5, 3]);
/// // the answer is not the expected one
/// // the data differs
/// // +++ found
/// // @@ -1,5 +1,5 @@
/// //  [
/// //    1,
/// // -  5,
/// // +  2,
/// //    3
/// //  ]
/// # }
/// ```
pub fn expect_output(output: &ToolOutput) -> ExpectedOutput<'_> {
    ExpectedOutput { output }
}

/// Expects a status of a call.
///
/// # Panics
/// The status differs: the call's violations or its answer are shown.
#[track_caller]
pub fn expect_status(call: &ToolCall, status: CallStatus) {
    let actual_status = call.status();
    if actual_status == status {
        return;
    }
    let violations: Vec<String> = call
        .violations()
        .iter()
        .map(|it| format!("\n  `{}`: {} ({})", it.pointer(), it.expected(), it.rule()))
        .collect();
    let output = call.output().map(|output| format!("\n{}", shown(output))).unwrap_or_default();
    let name = call.name();
    panic!(
        "the call of `{name}` is {actual_status:?}, not {status:?}{}{output}",
        violations.concat()
    );
}

/// An answer to check; made by [`expect_output`].
#[derive(Debug, Clone, Copy)]
#[must_use = "an expectation must be added"]
pub struct ExpectedOutput<'o> {
    output: &'o ToolOutput,
}

/// An answer with `status: "ok"`.
#[derive(Debug, Clone, Copy)]
pub struct ExpectedData<'o> {
    output: &'o ToolOutput,
}

/// An answer with `status: "error"`.
#[derive(Debug, Clone, Copy)]
pub struct ExpectedError<'o> {
    output: &'o ToolOutput,
    error: &'o ToolErrorDetail,
}

#[allow(clippy::must_use_candidate, reason = "it fails by itself")]
impl<'o> ExpectedOutput<'o> {
    /// Expects `status: "ok"`.
    ///
    /// # Panics
    /// The answer is an error, which is shown.
    #[track_caller]
    pub fn ok(self) -> ExpectedData<'o> {
        let output = self.output;
        assert!(output.is_ok(), "the call failed\n{}", shown(output));
        ExpectedData { output }
    }

    /// Expects `status: "error"`.
    ///
    /// # Panics
    /// The answer is a success, which is shown.
    #[track_caller]
    pub fn failed(self) -> ExpectedError<'o> {
        let output = self.output;
        let Some(error) = output.error() else {
            panic!("the call did not fail\n{}", shown(output))
        };
        ExpectedError { output, error }
    }
}

#[allow(
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
    reason = "it fails by itself"
)]
impl ExpectedData<'_> {
    /// Expects `data` to equal this value.
    ///
    /// # Panics
    /// The data differs, which is shown; or the expected value cannot be serialized.
    #[track_caller]
    pub fn data(self, expected: impl Serialize) -> Self {
        let (expected, found) = (json(expected), self.found());
        let difference = || diff::lines(&pretty(&expected), &pretty(&found));
        assert!(expected == found, "the data differs\n{}", difference());
        self
    }

    /// Expects `data` to contain this value: objects may have further properties, everything else
    /// must be equal.
    ///
    /// # Panics
    /// The data lacks something, which is shown; or the expected value cannot be serialized.
    #[track_caller]
    pub fn data_has(self, expected: impl Serialize) -> Self {
        let expected = json(expected);
        let actual_data = within(&expected, self.found());
        let difference = || diff::lines(&pretty(&expected), &pretty(&actual_data));
        assert!(expected == actual_data, "the data lacks what is expected\n{}", difference());
        self
    }

    fn found(self) -> Value {
        self.output.data_json().and_then(|data| serde_json::from_str(data).ok()).unwrap_or_default()
    }
}

#[allow(
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
    reason = "it fails by itself"
)]
impl ExpectedError<'_> {
    /// Expects this error code.
    ///
    /// # Panics
    /// The code differs: the error is shown.
    #[track_caller]
    pub fn code(self, code: &str) -> Self {
        let actual_code = self.error.code().unwrap_or("none");
        assert!(
            actual_code == code,
            "the code is {actual_code}, not {code}\n{}",
            shown(self.output)
        );
        self
    }

    /// Expects this type of error.
    ///
    /// # Panics
    /// The type differs: the error is shown.
    #[track_caller]
    pub fn error_type(self, error_type: ToolErrorType) -> Self {
        let actual_type = self.error.error_type();
        assert!(
            actual_type == error_type,
            "the type is {actual_type:?}, not {error_type:?}\n{}",
            shown(self.output)
        );
        self
    }

    /// Expects the message to contain this text.
    ///
    /// # Panics
    /// The message does not contain it: the error is shown.
    #[track_caller]
    pub fn message_has(self, part: &str) -> Self {
        let has_part = self.error.message().contains(part);
        assert!(has_part, "the message does not contain `{part}`\n{}", shown(self.output));
        self
    }

    /// Expects a violation of this rule at this pointer of the arguments.
    ///
    /// # Panics
    /// There is no such violation: the error is shown.
    #[track_caller]
    pub fn violation(self, pointer: &str, rule: &str) -> Self {
        let violations = self.error.details().and_then(|details| details.get("violations"));
        let violations = violations.and_then(Value::as_array).into_iter().flatten();
        let mut matching_violations =
            violations.filter(|it| it["pointer"] == pointer && it["rule"] == rule);
        let there = matching_violations.next().is_some();
        assert!(there, "no violation of `{rule}` at `{pointer}`\n{}", shown(self.output));
        self
    }
}

fn json(value: impl Serialize) -> Value {
    serde_json::to_value(value).expect("the expected value is JSON")
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Formats the envelope for a failed test.
fn shown(output: &ToolOutput) -> String {
    match serde_json::from_str::<Value>(output.json()) {
        Ok(envelope) => format!("{envelope:#}"),
        Err(_) => output.json().to_owned(),
    }
}

/// Removes the properties that are not expected.
fn within(expected: &Value, found: Value) -> Value {
    match (expected, found) {
        (Value::Object(expected), Value::Object(mut found)) => {
            let properties = expected.iter().filter_map(|(name, wanted)| {
                Some((name.clone(), within(wanted, found.remove(name)?)))
            });
            Value::Object(properties.collect())
        }
        (Value::Array(expected), Value::Array(found)) => {
            let mut wanted = expected.iter();
            let items = found.into_iter().map(|item| match wanted.next() {
                Some(expected) => within(expected, item),
                None => item,
            });
            Value::Array(items.collect())
        }
        (_, found) => found,
    }
}
