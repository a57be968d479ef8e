//! What may be set before the file is opened.

use std::path::Path;

use super::JsonLines;
use crate::store::StoreError;

/// Settings of a ledger in [`JsonLines`]; the defaults are good for most.
#[derive(Debug, Clone)]
pub struct JsonLinesOptions {
    pub(super) sync: bool,
}

impl Default for JsonLinesOptions {
    fn default() -> Self {
        Self { sync: true }
    }
}

impl JsonLinesOptions {
    /// Sets whether each group of records waits for the disk: it does unless set.
    ///
    /// Without it an append that has returned outlives the process, but the last records may be
    /// missing or torn when the machine stops.
    #[must_use]
    pub fn sync(mut self, sync: bool) -> Self {
        self.sync = sync;
        self
    }

    /// Opens the ledger in a file, or makes it; see [`JsonLines::open`].
    ///
    /// # Errors
    /// As [`JsonLines::open`].
    pub fn open(self, path: impl AsRef<Path>) -> Result<JsonLines, StoreError> {
        JsonLines::open_with(path.as_ref(), &self)
    }
}
