//! The process's standard error stream and a tool's panic.

use std::panic::catch_unwind;
use std::process::Command;

use tool_runtime::prelude::*;

use crate::support::envelope;

/// Marks this process as the child, and says whether it installs the hook.
const ROLE: &str = "TOOL_TEST_PANICS";
const SECRET: &str = "CANARY-pin-4711";

/// Panics with its argument.
#[ai_tool(effect = "read")]
async fn burst(
    /// The secret.
    #[arg(secret)]
    pin: String,
) -> u32 {
    tokio::task::yield_now().await;
    panic!("the pin is {pin}");
}

/// Panics with its argument, on a blocking thread.
#[ai_tool(effect = "read", blocking)]
fn grind(
    /// The secret.
    #[arg(secret)]
    pin: String,
) -> u32 {
    panic!("the pin is {pin}");
}

/// A value that panics when it is dropped.
struct Fragile(String);

impl Drop for Fragile {
    fn drop(&mut self) {
        panic!("the pin is {}", self.0);
    }
}

/// Panics with its argument when it is over.
#[ai_tool(effect = "read")]
async fn fall(
    /// The secret.
    #[arg(secret)]
    pin: String,
) -> u32 {
    let fragile = Fragile(pin);
    tokio::task::yield_now().await;
    u32::try_from(fragile.0.len()).unwrap_or(0)
}

/// The child's part. Without the variable, in an ordinary run, it does nothing.
#[tokio::test]
async fn a_child_process_runs_tools_that_panic() {
    let Ok(role) = std::env::var(ROLE) else { return };
    if role == "quiet" {
        tool_runtime::quiet_tool_panics();
        tool_runtime::quiet_tool_panics();
    }
    let runtime = Runtime::builder().tool::<BurstTool>().tool::<GrindTool>().tool::<FallTool>();
    let runtime = runtime.build().unwrap();
    let cx = ToolContext::builder(Uuid::from_u128(7), "trace-1").run_id("run-1").build().unwrap();
    let arguments = format!(r#"{{"pin":"{SECRET}"}}"#);
    for tool in ["burst", "grind", "fall"] {
        let answer = envelope(runtime.call(tool, arguments.as_str(), &cx).execute().await);
        assert_eq!(answer["error"]["code"], "INTERNAL", "{tool}: {answer}");
    }
    catch_unwind(|| panic!("outside of every call")).unwrap_err();
}

/// Runs the child; returns what it wrote to its standard error stream.
fn child(role: &str) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "panics::a_child_process_runs_tools_that_panic", "--nocapture"]);
    let done = child.env(ROLE, role).env("RUST_BACKTRACE", "0").output().unwrap();
    let stderr = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success(), "{stderr}");
    stderr
}

#[test]
fn a_tool_s_panic_leaves_its_place_and_not_its_text_on_the_standard_error_stream() {
    let loud = child("loud");
    assert_eq!(loud.matches(SECRET).count(), 3, "without the hook, Rust prints it: {loud}");
    let quiet = child("quiet");
    assert!(!quiet.contains("pin"), "{quiet}");
    assert_eq!(quiet.matches("a tool call panicked at ").count(), 3, "{quiet}");
    assert!(quiet.contains("panics.rs:"), "it names the place: {quiet}");
    assert!(quiet.contains("outside of every call"), "other panics are not its concern: {quiet}");
}
