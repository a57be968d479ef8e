//! The tools of a runtime at one moment, by name and in sorted order.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use tool_contracts::{Permission, ToolSpec};

use super::RegisteredTool;

/// The tools of a runtime at one moment. It never changes: a change makes another one.
pub struct ToolCatalogue {
    version: u64,
    sorted: Vec<CatalogueEntry>,
    by_name: HashMap<Box<str>, CatalogueEntry, BuildHasherDefault<NameHasher>>,
    has_secrets: bool,
}

impl fmt::Debug for ToolCatalogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolCatalogue").finish_non_exhaustive()
    }
}

/// A tool, and whether it is disabled.
#[derive(Clone)]
pub struct CatalogueEntry {
    pub tool: Arc<RegisteredTool>,
    /// The host's reason, which no model reads.
    pub(crate) disabled: Option<Arc<str>>,
}

impl fmt::Debug for CatalogueEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CatalogueEntry").finish_non_exhaustive()
    }
}

/// Says whether calls of a tool are opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    Available,
    /// Its permission is `deny`.
    Denied,
    /// The host has disabled it.
    Disabled,
}

impl CatalogueEntry {
    pub(crate) fn new(tool: RegisteredTool) -> Self {
        Self { tool: Arc::new(tool), disabled: None }
    }

    /// Returns whether calls of the tool are opened; lists contain only tools whose are.
    #[must_use]
    pub fn availability(&self) -> Availability {
        match (self.tool.spec.permission(), &self.disabled) {
            (Permission::Deny, _) => Availability::Denied,
            (Permission::Allow | Permission::Ask, Some(_)) => Availability::Disabled,
            (Permission::Allow | Permission::Ask, None) => Availability::Available,
        }
    }

    fn is_listed(&self) -> bool {
        self.availability() == Availability::Available
    }
}

impl ToolCatalogue {
    /// Creates the first catalogue, of tools with unique names.
    pub(crate) fn new(tools: Vec<RegisteredTool>) -> Self {
        let entries = tools.into_iter().map(CatalogueEntry::new);
        Self::from_entries(
            1,
            entries.map(|entry| (entry.tool.spec.name().into(), entry)).collect(),
            false,
        )
    }

    /// Creates the catalogue that follows this one.
    pub(crate) fn followed_by(&self, entries: BTreeMap<Box<str>, CatalogueEntry>) -> Self {
        // A name that a removed tool had may still be called with that tool's secret.
        Self::from_entries(self.version + 1, entries, self.has_secrets)
    }

    fn from_entries(
        version: u64,
        entries: BTreeMap<Box<str>, CatalogueEntry>,
        secret_before: bool,
    ) -> Self {
        let sorted: Vec<_> = entries.values().cloned().collect();
        let has_secrets = secret_before || sorted.iter().any(|entry| entry.tool.has_secrets);
        Self { version, sorted, by_name: entries.into_iter().collect(), has_secrets }
    }

    /// Returns its number; each change increases it by one.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Returns the tools by name, to change them.
    pub(crate) fn entries(&self) -> BTreeMap<Box<str>, CatalogueEntry> {
        self.by_name.iter().map(|(name, entry)| (name.clone(), entry.clone())).collect()
    }

    #[must_use]
    pub fn find(&self, name: &str) -> Option<&CatalogueEntry> {
        self.by_name.get(name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &CatalogueEntry> {
        self.sorted.iter()
    }

    /// Lists the tools in the order of their names, but for the denied and the disabled ones.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &Arc<ToolSpec>> {
        self.iter().filter(|entry| entry.is_listed()).map(|entry| &entry.tool.spec)
    }

    /// Lists the tools that models may call, in the order of their names.
    pub(crate) fn listed_for_model(&self) -> impl Iterator<Item = &Arc<ToolSpec>> {
        self.listed().filter(|spec| spec.ai_callable())
    }

    /// Finds a listed tool by its name.
    pub(crate) fn find_listed(&self, name: &str) -> Option<&Arc<ToolSpec>> {
        self.find(name).filter(|entry| entry.is_listed()).map(|entry| &entry.tool.spec)
    }

    /// Returns whether any tool takes a secret argument, or one took some before it was removed.
    pub(crate) fn has_secrets(&self) -> bool {
        self.has_secrets
    }

    pub(crate) fn len(&self) -> usize {
        self.sorted.len()
    }
}

/// Hashes tools' names in a few instructions, without a secret seed.
///
/// The host chooses the names in the table. A caller that sends other names can only look them up:
/// no choice of names makes that slower than the table's own names do.
#[derive(Default)]
struct NameHasher(u64);

impl NameHasher {
    fn add(&mut self, word: u64) {
        // An odd number with bits all over the word: 2^64 divided by the golden ratio.
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last_chunk() else {
            return self.add(bytes.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte)));
        };
        let mut tail = bytes;
        while let Some((word, after)) = tail.split_first_chunk() {
            self.add(u64::from_le_bytes(*word));
            tail = after;
        }
        self.add(u64::from_le_bytes(*last));
    }

    /// Leaves out the byte by which the standard library ends a text: a table's key is one text.
    fn write_u8(&mut self, _: u8) {}

    fn finish(&self) -> u64 {
        // The table reads the lowest and the highest bits; a product's low bits are the weaker ones.
        self.0 ^ (self.0 >> 32)
    }
}
