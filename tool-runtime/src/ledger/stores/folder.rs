//! What the tests of the backends share: a folder, and entries.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::ledger::{ChainKeys, Entry, Head};
use crate::policy::KeyRing;

/// A folder that is gone when the test is.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("tool-ledger-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The first entries of a chain.
pub(super) fn entries(number: usize) -> Vec<Entry> {
    let keys = ChainKeys::new(&KeyRing::new("2025-07", &[7; 32]).unwrap());
    let mut head = Head::empty();
    let body = |number| format!(r#"{{"kind":"note","number":{number}}}"#);
    (0..number).map(|number| head.append(&keys, body(number).into())).collect()
}
