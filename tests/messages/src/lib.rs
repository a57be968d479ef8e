//! The compiler version with which the macros' messages are recorded.

use std::process::Command;

/// The compiler version with which the macros' error messages are recorded; others word them
/// differently.
pub const RECORDED_WITH: &str = "1.95";

/// Returns whether this machine's compiler is the version with which the messages are recorded.
#[must_use]
pub fn pins_compiler_output() -> bool {
    let version = Command::new("rustc").arg("--version").output().ok();
    let text = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.is_some_and(|text| text.starts_with(&format!("rustc {RECORDED_WITH}.")))
}
