//! The data folder, which outlives the program.

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

    /// Returns where the guide's tables are unless they are in another database.
    pub(crate) fn guide(&self) -> String {
        format!("sqlite:{}", self.folder.join("guide.db").display())
    }

    /// Returns where keys, tickets, answers and evidence are kept.
    pub(crate) fn runtime(&self) -> PathBuf {
        self.folder.join("runtime.db")
    }

    /// Returns where calls are recorded, in the table `trace_ledger`.
    pub(crate) fn ledger(&self) -> PathBuf {
        self.folder.join("ledger.db")
    }

    /// Returns the keys that sign tickets, link records and seal evidence.
    pub(crate) fn keys(&self) -> Result<KeyRing, Box<dyn Error>> {
        let secret = secret::find_or_make(&self.folder.join("secret.key"))?;
        Ok(KeyRing::new("heritage-1", &secret)?)
    }
}
