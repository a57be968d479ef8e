//! Caches of what is made from the tools: once for each version of their list, or for each set of
//! visible tools.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use arc_swap::ArcSwap;
use axum::body::Bytes;
use quick_cache::sync::Cache;
use tool_contracts::ToolSpec;
use tool_contracts::server::ToolListing;
use tool_runtime_core::ToolList;

/// A cache of a value that is made from the tools, for the newest version of their list. Readers take
/// no lock.
pub(crate) struct PerVersion<T>(ArcSwap<Versioned<T>>);

/// The value of one version.
pub(crate) struct Versioned<T> {
    version: u64,
    value: T,
}

impl<T> PerVersion<T> {
    /// Makes the value of these tools.
    pub(crate) fn new(tools: &ToolList, make: impl FnOnce(&ToolList) -> T) -> Self {
        Self(ArcSwap::from_pointee(Versioned { version: tools.version(), value: make(tools) }))
    }

    /// Returns the cached value of these tools, or makes it, and caches it if it is newer.
    pub(crate) fn get(
        &self,
        tools: &ToolList,
        make: impl FnOnce(&ToolList) -> T,
    ) -> Arc<Versioned<T>> {
        let cached_value = self.0.load_full();
        if cached_value.version == tools.version() {
            return cached_value;
        }
        let newest = Arc::new(Versioned { version: tools.version(), value: make(tools) });
        self.0.rcu(|cached_value| {
            if cached_value.version < newest.version { &newest } else { cached_value }.clone()
        });
        newest
    }
}

impl<T> Deref for Versioned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> fmt::Debug for PerVersion<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PerVersion")
            .field("version", &self.0.load().version)
            .finish_non_exhaustive()
    }
}

/// A cache of the listings of the current tools.
#[derive(Debug)]
pub(crate) struct ToolListCache(PerVersion<SerializedTools>);

/// The tools of one version of the catalogue, in the order of their names, each with its listing as JSON.
pub(crate) struct SerializedTools {
    pub(crate) tools: Vec<(Arc<ToolSpec>, Box<str>)>,
}

impl ToolListCache {
    /// Serializes the tools of a runtime.
    pub(crate) fn new(tools: &ToolList) -> Self {
        Self(PerVersion::new(tools, SerializedTools::new))
    }

    /// Returns the listings of these tools, and keeps them if they are newer.
    pub(crate) fn get(&self, tools: &ToolList) -> Arc<Versioned<SerializedTools>> {
        self.0.get(tools, SerializedTools::new)
    }
}

impl SerializedTools {
    fn new(tools: &ToolList) -> Self {
        let listing_of_tool = |spec: &Arc<ToolSpec>| {
            let listing = serde_json::to_string(&ToolListing::from(&**spec));
            let text = listing.expect("a tool's spec is written as JSON").into_boxed_str();
            (spec.clone(), text)
        };
        Self { tools: tools.specs().map(listing_of_tool).collect() }
    }
}

/// The most cached documents, one for each set of visible tools.
const MAX_DOCUMENTS: usize = 64;

/// A cache of recently requested documents.
pub(crate) struct DocumentCache(Cache<DocumentKey, Bytes>);

/// The key of a cached document.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct DocumentKey {
    /// The path under which the router is nested.
    pub(crate) base: Box<str>,
    /// The version of the tools.
    pub(crate) version: u64,
    /// The indices of the visible tools in it.
    pub(crate) visible: Box<[usize]>,
}

impl DocumentCache {
    /// Returns the cached document of a key, or writes and caches it.
    pub(crate) fn get_or_write(&self, key: DocumentKey, write: impl FnOnce() -> Bytes) -> Bytes {
        if let Some(document) = self.0.get(&key) {
            return document;
        }
        let document = write();
        self.0.insert(key, document.clone());
        document
    }
}

impl Default for DocumentCache {
    fn default() -> Self {
        Self(Cache::new(MAX_DOCUMENTS))
    }
}

impl fmt::Debug for DocumentCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DocumentCache").field("cached", &self.0.len()).finish()
    }
}
