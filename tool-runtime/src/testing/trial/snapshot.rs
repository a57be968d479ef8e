//! Compares the contract with the committed one.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use serde_json::{Value, json};

use super::bench::Bench;
use super::report::{Check, TrialReport};
use crate::testing::diff;

/// Snapshots are written anew if this is set to anything but an empty text or `0`.
const UPDATE: &str = "UPDATE_SNAPSHOTS";

pub(super) fn check(bench: &Bench, folder: Option<&Path>, report: &mut TrialReport) {
    let Some(folder) = folder else {
        report.note("snapshot: not checked, as no folder is given; say `snapshots_in`");
        return;
    };
    let path = folder.join(format!("{}.json", bench.spec.name()));
    let now = contract(bench);
    let wants = |name| env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    match compared(&path, &now, wants(UPDATE), wants("CI")) {
        Ok(Compared::Same) => {}
        Ok(Compared::Written) => report.note(format!("snapshot: written to {}", path.display())),
        Ok(Compared::Missing) => report.find(
            Check::Snapshot,
            format!(
                "there is no {}; run the test once where `CI` is not set, and commit it",
                path.display()
            ),
        ),
        Ok(Compared::Differs(difference)) => report.find(
            Check::Snapshot,
            format!(
                "the contract is not that of {}; `{UPDATE}=1` accepts it\n{difference}",
                path.display()
            ),
        ),
        Err(error) => report.find(Check::Snapshot, format!("{}: {error}", path.display())),
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Compared {
    Same,
    Written,
    Missing,
    Differs(String),
}

/// Compares with what is committed, and writes it where that is wanted.
pub(super) fn compared(path: &Path, now: &str, update: bool, ci: bool) -> io::Result<Compared> {
    let before = match fs::read_to_string(path) {
        Ok(text) => Some(text.replace("\r\n", "\n")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    match before {
        Some(before) if before == now => return Ok(Compared::Same),
        Some(before) if !update => return Ok(Compared::Differs(diff::lines(&before, now))),
        None if ci && !update => return Ok(Compared::Missing),
        _ => {}
    }
    fs::create_dir_all(path.parent().map_or_else(PathBuf::new, Path::to_path_buf))?;
    fs::write(path, now)?;
    Ok(Compared::Written)
}

/// The tool's whole contract as text: what it takes, answers and fails with.
fn contract(bench: &Bench) -> String {
    let mut spec = serde_json::to_value(&bench.spec).unwrap_or(Value::Null);
    if let Some(spec) = spec.as_object_mut() {
        // Set by the host, not by the tool.
        spec.remove("permission");
    }
    let codes = bench.runtime.failure_codes(bench.spec.name()).unwrap_or_default();
    let codes: Vec<Value> =
        codes.iter().map(|code| json!({"code": code.as_str(), "type": code.class()})).collect();
    let contract = json!({"spec": spec, "failure_codes": codes});
    let mut text = serde_json::to_string_pretty(&contract).unwrap_or_default();
    text.push('\n');
    text
}
