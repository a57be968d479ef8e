//! The lock file: the contracts that were given to callers, one line a tool.
//!
//! Before a tool's line stands a text for each of its fields, so that a reviewer reads what changed;
//! only the tool's line counts. Lines that never change stand around both, so that git merges changes
//! and additions of neighbouring tools. Every line ends in a comma, which a fixed last entry makes valid JSON. The
//! order of the tools does not count, so that a merge may leave them unsorted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};
use tool_runtime_schema::json::normalized;

use super::conflict;
use super::messages;
use crate::export::contract::Contract;
use crate::export::reference::field_lines;
use crate::export::{ExportError, files};

/// The format version of the lock. Version 1 has a line for each value, and `removed` is an object.
const FORMAT: u64 = 2;

/// The last entry.
const END: &str = "one line a tool; `TOOLS_LOCK=accept` writes this file";

/// The contents of a lock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct LockFile {
    /// Sorted by name.
    pub(in super::super) tools: Vec<Contract>,
    pub(in super::super) removed: RemovedTools,
    /// The texts for reviewers; none in a lock of an earlier release.
    pub(in super::super) field_lines: BTreeSet<String>,
}

/// The last versions of removed tools, by name; a tool of the same name continues from there.
pub(super) type RemovedTools = BTreeMap<String, String>;

/// One entry of the list of tools.
enum LockEntry {
    Tool(Box<Contract>),
    Removed(String, String),
    /// A text between the tools, or after them.
    Text(String),
}

impl LockFile {
    /// Reads a lock; `None` if there is no file.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, ExportError> {
        let bytes = files::read(path)?;
        bytes.map(|bytes| Self::parse(&bytes, path)).transpose()
    }

    fn parse(bytes: &[u8], path: &Path) -> Result<Self, ExportError> {
        let text = String::from_utf8_lossy(bytes);
        if let Some(markers) = conflict::markers(&text) {
            return Err(messages::conflicted(path, &markers));
        }
        let damaged = |error: serde_json::Error| messages::damaged(path, &error.to_string());
        let mut lock: Value = serde_json::from_slice(bytes).map_err(damaged)?;
        let entries = match lock["format"].as_u64() {
            Some(1) => entries_of_first_format(&mut lock),
            Some(FORMAT) => entries(&mut lock),
            Some(format) if format > FORMAT => return Err(messages::newer(path, format, FORMAT)),
            _ => return Err(messages::damaged(path, "`format` is not a known version")),
        };
        let entries = entries.map_err(damaged)?;
        let entries = entries.ok_or_else(|| messages::damaged(path, "`tools` is not a list"))?;
        Self::from_entries(entries, path)
    }

    /// Sorts the entries. Each tool must be listed once, and where it is announced.
    fn from_entries(entries: Vec<LockEntry>, path: &Path) -> Result<Self, ExportError> {
        let (mut listed, mut announced) = (BTreeMap::new(), BTreeSet::new());
        let mut field_lines = BTreeSet::new();
        for entry in entries {
            let name = entry.name().to_owned();
            if let LockEntry::Text(text) = entry {
                if name.is_empty() && text != END {
                    field_lines.insert(text);
                }
                announced.insert(name);
            } else if let Some(known) = listed.insert(name, entry) {
                return Err(messages::duplicate(path, known.name()));
            }
        }
        let lost = announced.iter().find(|name| !name.is_empty() && !listed.contains_key(*name));
        if let Some(name) = lost {
            return Err(messages::damaged(path, &format!("the line of `{name}` is missing")));
        }
        let mut lock = Self { field_lines, ..Self::default() };
        for entry in listed.into_values() {
            lock.add(entry);
        }
        Ok(lock)
    }

    fn add(&mut self, entry: LockEntry) {
        match entry {
            LockEntry::Tool(tool) => self.tools.push(*tool),
            LockEntry::Removed(name, version) => _ = self.removed.insert(name, version),
            LockEntry::Text(_) => {}
        }
    }

    /// The lock of these tools after this one and the base: missing tools are kept as removed.
    pub(super) fn followed_by(&self, tools: &[Contract], base: Option<&Self>) -> Self {
        let known_versions = base.into_iter().chain([self]).flat_map(Self::versions);
        let mut removed: RemovedTools = known_versions.collect();
        for tool in tools {
            removed.remove(tool.name());
        }
        Self { tools: tools.to_vec(), removed, field_lines: BTreeSet::new() }
    }

    fn versions(&self) -> impl Iterator<Item = (String, String)> {
        let tools = self.tools.iter().map(|tool| (tool.name(), tool.spec.version()));
        let tools = tools.map(|(name, version)| (name.to_owned(), version.to_owned()));
        self.removed.clone().into_iter().chain(tools)
    }

    /// Formats the lock, sorted by name.
    pub(super) fn text(&self) -> String {
        let tools =
            self.tools.iter().map(|tool| (tool.name(), (tool.to_value(), field_lines(tool))));
        let removed = self
            .removed
            .iter()
            .map(|(name, version)| (name.as_str(), (json!({"removed": version}), Vec::new())));
        let entries: BTreeMap<&str, (Value, Vec<String>)> = tools.chain(removed).collect();
        let lines = entries.into_iter().map(|(name, (entry, texts))| lines(name, entry, &texts));
        let lines: String = lines.collect();
        let end = json!(END);
        format!("{{\n\"format\": {FORMAT},\n\"tools\": [\n{lines}{end}\n]\n}}\n")
    }

    /// Returns whether this lock has the same contents, independent of its format.
    pub(super) fn is_up_to_date(&self, path: &Path) -> Result<bool, ExportError> {
        // Both sides are parsed, so that a number that prints the same is the same.
        let mut written = Self::parse(self.text().as_bytes(), path)?;
        let Some(committed) = Self::read(path)? else { return Ok(false) };
        if committed.field_lines.is_empty() {
            written.field_lines.clear();
        }
        Ok(committed == written)
    }
}

impl LockEntry {
    /// The tool's name; empty for a text that announces none.
    fn name(&self) -> &str {
        match self {
            Self::Tool(tool) => tool.name(),
            Self::Removed(name, _) => name,
            Self::Text(text) => {
                let announced = text.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
                announced.map_or("", |name| name.trim_start_matches('/'))
            }
        }
    }
}

/// The members that come first in a tool's line.
const FIRST: [&str; 3] = ["name", "version", "effect"];

/// Formats an entry as a line, with the tool's name, version and effect first, after a line for each
/// field and between two lines with the name alone.
fn lines(name: &str, mut entry: Value, texts: &[String]) -> String {
    if let Value::Object(fields) = &mut entry {
        fields.insert("name".to_owned(), name.into());
    }
    let entry = normalized(entry);
    let member = |(key, value): (&String, &Value)| format!("{}:{value}", json!(key));
    let mut fields: Vec<_> = entry.as_object().into_iter().flatten().collect();
    fields.sort_by_key(|(key, _)| FIRST.iter().position(|it| it == key).unwrap_or(FIRST.len()));
    let fields: Vec<_> = fields.into_iter().map(member).collect();
    let texts =
        texts.iter().fold(String::new(), |lines, text| lines + &json!(text).to_string() + ",\n");
    let (begin, end) = (json!(format!("<{name}>")), json!(format!("</{name}>")));
    format!("{begin},\n{texts}{{{}}},\n{end},\n", fields.join(","))
}

/// The entries of the list, or `None` if there is no list.
fn entries(lock: &mut Value) -> Result<Option<Vec<LockEntry>>, serde_json::Error> {
    let Value::Array(list) = lock["tools"].take() else { return Ok(None) };
    list.into_iter().map(entry).collect::<Result<Vec<_>, _>>().map(Some)
}

fn entry(value: Value) -> Result<LockEntry, serde_json::Error> {
    if let Value::String(text) = value {
        return Ok(LockEntry::Text(text));
    }
    match (&value["name"], &value["removed"]) {
        (Value::String(name), Value::String(version)) => {
            Ok(LockEntry::Removed(name.clone(), version.clone()))
        }
        _ => Ok(LockEntry::Tool(Box::new(Contract::from_value(value)?))),
    }
}

fn entries_of_first_format(lock: &mut Value) -> Result<Option<Vec<LockEntry>>, serde_json::Error> {
    let removed = match lock.get_mut("removed") {
        Some(removed) => serde_json::from_value(removed.take())?,
        None => RemovedTools::default(),
    };
    let Some(mut all) = entries(lock)? else { return Ok(None) };
    all.extend(removed.into_iter().map(|(name, version)| LockEntry::Removed(name, version)));
    Ok(Some(all))
}
