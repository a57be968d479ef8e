//! Tests of export and lock with real files, each in a temporary folder.

mod base;
mod documents;
mod folder;
mod format;
mod lock;
mod missing;
mod rules;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use tool_contracts::Effect;
use tool_runtime_core::tool::registry::{DynamicTool, Registry};

use super::Export;

/// A folder that is removed after the test.
struct TempFolder(PathBuf);

impl TempFolder {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let unique = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tools-export-{}-{unique}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> =
            entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl AsRef<Path> for TempFolder {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

/// A read that takes an object with these properties.
fn tool(name: &str, properties: &Value) -> DynamicTool {
    tool_of(name, json!({"type": "object", "properties": properties}))
}

fn tool_of(name: &str, input: Value) -> DynamicTool {
    DynamicTool::new(name, Effect::Read)
        .version("1.0.0")
        .description("Does something.")
        .input_schema(input)
        .handler(|_| async { Ok::<_, tool_runtime_core::Failure>(()) })
}

fn registry(tools: impl IntoIterator<Item = DynamicTool>) -> Registry {
    tools.into_iter().fold(Registry::new(), Registry::dynamic)
}

/// An export that ignores `TOOLS_LOCK` and `TOOLS_LOCK_BASE`; each test sets its own mode.
fn export(tools: impl IntoIterator<Item = DynamicTool>) -> Export {
    Export { mode: Ok(super::LockMode::Write), base: None, ..Export::new(registry(tools)) }
}
