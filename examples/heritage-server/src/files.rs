//! The data folder, which persists after the program ends.

use std::error::Error;
use std::path::PathBuf;
use std::{fs, io};

use tool_runtime::policy::KeyRing;

use crate::{Options, secret};

/// The files of one server. A folder belongs to one server, since a ledger in a file has one writer.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    folder: PathBuf,
    secret: PathBuf,
}

impl Files {
    /// Opens the data folder of the options, and creates it if it does not exist.
    pub(crate) fn open(options: &Options) -> io::Result<Self> {
        let folder = &options.data_dir;
        fs::create_dir_all(folder)?;
        let secret = options.secret.clone().unwrap_or_else(|| folder.join("secret.key"));
        Ok(Self { folder: folder.clone(), secret })
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
        let secret = secret::find_or_make(&self.secret)?;
        Ok(KeyRing::new("heritage-1", &secret)?)
    }
}
