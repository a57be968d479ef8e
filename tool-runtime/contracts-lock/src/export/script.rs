//! Communication of a build script with cargo.

use std::env;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;

/// Variables that cargo sets for build scripts, but not for the programs that it builds.
const SET_BY_CARGO: [&str; 4] = ["OUT_DIR", "CARGO_MANIFEST_DIR", "HOST", "TARGET"];

/// The current process, if it is a build script.
#[derive(Debug)]
pub(super) struct BuildScript {
    /// Start time of the script.
    started: Option<SystemTime>,
    /// The script's crate name in Rust type names, and the name of its package.
    names: Option<(String, String)>,
}

impl BuildScript {
    /// Returns a value if this process is a build script.
    pub(super) fn detect() -> Option<Self> {
        let all_set = SET_BY_CARGO.iter().all(|name| env::var_os(name).is_some());
        all_set.then(|| Self { started: started(), names: names() })
    }

    /// Makes cargo rerun the script when this file changes or is deleted.
    #[allow(clippy::unused_self, reason = "only a build script may speak to cargo")]
    pub(super) fn watch(&self, path: &Path) {
        println!("cargo::rerun-if-changed={}", path.display());
    }

    #[allow(clippy::unused_self, reason = "only a build script may speak to cargo")]
    pub(super) fn watch_variable(&self, name: &str) {
        println!("cargo::rerun-if-env-changed={name}");
    }

    #[allow(clippy::unused_self, reason = "only a build script may speak to cargo")]
    pub(super) fn warn(&self, text: &str) {
        text.lines().for_each(|line| println!("cargo::warning={line}"));
    }

    /// Sets the modification time of a written file to the start of the script.
    ///
    /// Cargo reruns a script if a watched file is newer than the script's start, so each file that
    /// the script writes itself would cause another run.
    pub(super) fn backdate(&self, file: &File) {
        if let Some(started) = self.started {
            // If this fails, the next build reruns the script once, without further effect.
            let _ = file.set_modified(started);
        }
    }

    /// Replaces the names of types in modules that the script includes by their names in the
    /// package.
    pub(super) fn restore_titles(&self, schema: &mut Value) {
        let Some((script, package)) = &self.names else { return };
        match schema {
            Value::Object(fields) => {
                if let Some(Value::String(title)) = fields.get_mut("title") {
                    *title = title.replace(script, package);
                }
                fields.values_mut().for_each(|value| self.restore_titles(value));
            }
            Value::Array(items) => items.iter_mut().for_each(|value| self.restore_titles(value)),
            _ => {}
        }
    }
}

fn started() -> Option<SystemTime> {
    let out = PathBuf::from(env::var_os("OUT_DIR")?);
    out.parent()?.join("invoked.timestamp").metadata().ok()?.modified().ok()
}

fn names() -> Option<(String, String)> {
    let script = env::current_exe().ok()?;
    let script = script.file_stem()?.to_str()?.replace('-', "_");
    let package = env::var("CARGO_PKG_NAME").ok()?.replace('-', "_");
    script.starts_with("build_script_").then(|| (format!("{script}::"), format!("{package}::")))
}
