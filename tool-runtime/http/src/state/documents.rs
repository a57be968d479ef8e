//! A cache of the OpenAPI documents, one for each set of visible tools.

use std::fmt;

use axum::body::Bytes;
use quick_cache::sync::Cache;

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
