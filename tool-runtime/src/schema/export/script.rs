//! What a build script tells cargo, and what cargo tells it.

use std::env;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;

/// The variables that cargo sets for build scripts, and not for what they build.
const SET_BY_CARGO: [&str; 4] = ["OUT_DIR", "CARGO_MANIFEST_DIR", "HOST", "TARGET"];

/// The build script that this process is.
#[derive(Debug)]
pub(super) struct Script {
    /// When cargo started it.
    started: Option<SystemTime>,
    /// How the compiler names the script's crate in type names, and how its package is named.
    names: Option<(String, String)>,
}

impl Script {
    /// Tells whether this process is a build script.
    pub(super) fn detect() -> Option<Self> {
        let all_set = SET_BY_CARGO.iter().all(|name| env::var_os(name).is_some());
        all_set.then(|| Self { started: started(), names: names() })
    }

    /// Makes cargo run the script again when this file is changed or deleted.
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

    /// Dates a file that was just written back to the start of the script.
    ///
    /// Cargo runs a script again for whatever it watches that is younger than the script's start,
    /// so that every file which the script itself has written would cost one more build.
    pub(super) fn settle(&self, file: &File) {
        if let Some(started) = self.started {
            // If it fails, the next build runs the script once more, and no harm is done.
            let _ = file.set_modified(started);
        }
    }

    /// Gives types of a module that the script includes the names that they have in the package.
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
