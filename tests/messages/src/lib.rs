//! Which compiler the macros' messages are recorded with.

use std::process::Command;

/// The compiler that the macros' error messages are recorded with; others word them differently.
pub const RECORDED_WITH: &str = "1.95";

/// Tells whether this machine's compiler is the one that the error messages are recorded with.
#[must_use]
pub fn pins_compiler_output() -> bool {
    let version = Command::new("rustc").arg("--version").output().ok();
    let text = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.is_some_and(|text| text.starts_with(&format!("rustc {RECORDED_WITH}.")))
}
