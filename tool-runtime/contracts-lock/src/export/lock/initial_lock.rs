//! The contracts that a missing lock is compared with.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::file::LockFile;
use super::messages;
use crate::export::contract::Contract;
use crate::export::{CATALOGUE, ExportError, files};

/// A catalogue that was exported before.
pub(super) struct Catalogue {
    pub(super) path: PathBuf,
    tools: Vec<Value>,
}

/// Finds a catalogue of these tools in the folder of a missing lock, or in a folder within it. A
/// catalogue of other tools belongs to another export.
pub(super) fn catalogue(lock: &Path, tools: &[Contract]) -> Option<Catalogue> {
    let folder = lock.parent().unwrap_or(Path::new(""));
    let directory = if folder == Path::new("") { Path::new(".") } else { folder };
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<_> =
        entries.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name()).collect();
    names.sort();
    let folders = names.into_iter().map(|name| folder.join(name));
    let mut folders = [folder.to_owned()].into_iter().chain(folders);
    folders.find_map(|folder| Catalogue::read(folder.join(CATALOGUE), tools))
}

impl Catalogue {
    fn read(path: PathBuf, tools: &[Contract]) -> Option<Self> {
        let bytes = files::read(&path).ok()??;
        let mut catalogue: Value = serde_json::from_slice(&bytes).ok()?;
        let is_ours = catalogue["format"].is_u64();
        let Value::Array(listed) = catalogue.get_mut("tools")?.take() else { return None };
        let is_known = |tool: &Value| tools.iter().any(|known| tool["name"] == known.name());
        (is_ours && listed.iter().any(is_known)).then_some(Self { path, tools: listed })
    }

    /// The lock that the catalogue stands for.
    pub(super) fn into_lock(self) -> Result<LockFile, ExportError> {
        let damaged = |error: serde_json::Error| messages::damaged(&self.path, &error.to_string());
        let tools = self.tools.into_iter().map(Contract::from_value);
        let tools = tools.collect::<Result<Vec<_>, _>>().map_err(damaged)?;
        Ok(LockFile { tools, ..LockFile::default() })
    }
}
