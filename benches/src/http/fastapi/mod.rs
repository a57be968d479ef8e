//! The same tool in Python, for orientation.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::catalogue::TOPICS;
use crate::rates::text;

/// A separate Python environment with all packages.
pub(super) struct Environment {
    python: PathBuf,
    program: PathBuf,
}

impl Environment {
    /// Returns the command that serves from it.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.python);
        command.arg(&self.program).arg(TOPICS.join(","));
        command
    }
}

/// Makes an environment in this folder.
///
/// # Errors
/// There is no Python with `venv`, or its packages cannot be installed.
pub(super) fn prepare(folder: &Path) -> Result<Environment, String> {
    let (environment, program) = (folder.join("python"), folder.join("app.py"));
    let requirements = folder.join("requirements.txt");
    fs::write(&program, include_str!("app.py")).map_err(text)?;
    fs::write(&requirements, include_str!("requirements.txt")).map_err(text)?;
    run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    let python = environment.join("bin").join("python");
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"])
        .arg(&requirements))?;
    Ok(Environment { python, program })
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let why = || format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
    if output.status.success() { Ok(()) } else { Err(why()) }
}
