//! The data folder, which persists after the program ends.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fs, io};

use tool_runtime::policy::KeyRing;

use crate::secret;

/// The files of one server. A folder belongs to one server, since the ledger has one writer.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    folder: PathBuf,
}

impl Files {
    /// Opens a folder, and creates it if it does not exist.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// Returns the default database of the guide's tables.
    pub(crate) fn guide(&self) -> String {
        format!("sqlite:{}", self.folder.join("guide.db").display())
    }

    /// Returns the database of keys, tickets, answers and evidence.
    pub(crate) fn runtime(&self) -> PathBuf {
        self.folder.join("runtime.db")
    }

    /// Returns the database of recorded calls, in the table `trace_ledger`.
    pub(crate) fn ledger(&self) -> PathBuf {
        self.folder.join("ledger.db")
    }

    /// Returns the keys that sign tickets, link records and seal evidence.
    pub(crate) fn keys(&self) -> Result<KeyRing, Box<dyn Error>> {
        let secret = secret::find_or_make(&self.folder.join("secret.key"))?;
        Ok(KeyRing::new("heritage-1", &secret)?)
    }
}
