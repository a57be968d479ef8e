//! A temporary folder and sample entries for the tests of the stores.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use tool_runtime_core::key_ring::KeyRing;

use super::super::{ChainEntry, ChainHead, ChainKeys};

/// A folder that is removed at the end of the test.
pub(super) struct TempFolder(pub(super) PathBuf);

impl TempFolder {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("tool-ledger-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let temp_folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&temp_folder).unwrap();
        Self(temp_folder)
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Makes the first entries of a chain.
pub(super) fn entries(number: usize) -> Vec<ChainEntry> {
    let keys = ChainKeys::new(&KeyRing::new("2025-07", &[7; 32]).unwrap());
    let mut head = ChainHead::empty();
    let body = |number| format!(r#"{{"kind":"note","number":{number}}}"#);
    (0..number).map(|number| head.append(&keys, body(number).into())).collect()
}
