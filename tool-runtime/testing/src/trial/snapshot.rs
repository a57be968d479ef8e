//! Compares the contract with the committed one.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use serde_json::{Value, json};
use tool_runtime_schema::json::normalized;

use super::report::{TrialCheck, TrialReport};
use super::runtime::TrialRuntime;
use crate::diff;

/// Snapshots are written anew if this is set to anything but an empty text or `0`.
const UPDATE: &str = "UPDATE_SNAPSHOTS";

pub(super) fn check(trial_runtime: &TrialRuntime, folder: Option<&Path>, report: &mut TrialReport) {
    let Some(folder) = folder else {
        report.note("snapshot: not checked, since no folder is set; call `snapshots_in`");
        return;
    };
    let path = folder.join(format!("{}.json", trial_runtime.spec.name()));
    let now = contract(trial_runtime);
    let wants = |name| env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    match compared(&path, &now, wants(UPDATE), wants("CI")) {
        Ok(SnapshotResult::Same) => {}
        Ok(SnapshotResult::Written) => {
            report.note(format!("snapshot: written to {}", path.display()));
        }
        Ok(SnapshotResult::Missing) => report.find(
            TrialCheck::Snapshot,
            format!(
                "there is no {}; run the test once where `CI` is not set, and commit it",
                path.display()
            ),
        ),
        Ok(SnapshotResult::Differs(difference)) => report.find(
            TrialCheck::Snapshot,
            format!(
                "the contract differs from {}; `{UPDATE}=1` accepts it\n{difference}",
                path.display()
            ),
        ),
        Err(error) => report.find(TrialCheck::Snapshot, format!("{}: {error}", path.display())),
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum SnapshotResult {
    Same,
    Written,
    Missing,
    Differs(String),
}

/// Compares with the committed contract, and writes the file if requested.
pub(super) fn compared(
    path: &Path,
    now: &str,
    update: bool,
    ci: bool,
) -> io::Result<SnapshotResult> {
    let before = match fs::read_to_string(path) {
        Ok(text) => Some(text.replace("\r\n", "\n")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    match before {
        Some(before) if before == now => return Ok(SnapshotResult::Same),
        Some(before) if !update => return Ok(SnapshotResult::Differs(diff::lines(&before, now))),
        None if ci && !update => return Ok(SnapshotResult::Missing),
        _ => {}
    }
    fs::create_dir_all(path.parent().map_or_else(PathBuf::new, Path::to_path_buf))?;
    fs::write(path, now)?;
    Ok(SnapshotResult::Written)
}

/// Returns the tool's whole contract as text: input, output and failures.
fn contract(trial_runtime: &TrialRuntime) -> String {
    let mut spec = serde_json::to_value(&trial_runtime.spec).unwrap_or(Value::Null);
    if let Some(spec) = spec.as_object_mut() {
        // Set by the host, not by the tool.
        spec.remove("permission");
    }
    let tools = trial_runtime.runtime.tools();
    let codes = tools.failure_codes(trial_runtime.spec.name()).unwrap_or_default();
    let codes: Vec<Value> = codes
        .iter()
        .map(|code| json!({"code": code.as_str(), "type": code.error_type()}))
        .collect();
    let contract = normalized(json!({"spec": spec, "failure_codes": codes}));
    let mut text = serde_json::to_string_pretty(&contract).unwrap_or_default();
    text.push('\n');
    text
}
