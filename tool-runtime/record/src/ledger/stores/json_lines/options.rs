//! Settings that are made before the file is opened.

use std::path::Path;

use tool_runtime_core::store::StoreError;

use super::JsonLinesLedger;

/// Settings of a ledger in [`JsonLinesLedger`]. The defaults suit most hosts.
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
    /// Sets whether an append waits until each group of records is on disk. Default: true.
    ///
    /// If it is false, records that were appended survive the end of the process, but the last
    /// ones may be missing or torn after a power failure.
    #[must_use]
    pub fn sync(mut self, sync: bool) -> Self {
        self.sync = sync;
        self
    }

    /// Opens the ledger in a file, or creates it; see [`JsonLinesLedger::open`].
    ///
    /// # Errors
    /// As [`JsonLinesLedger::open`].
    pub fn open(self, path: impl AsRef<Path>) -> Result<JsonLinesLedger, StoreError> {
        JsonLinesLedger::open_with(path.as_ref(), &self)
    }
}
