//! The files of the program: databases, the secret, and the folder that the model's tools see.

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tool_runtime::Uuid;
use tool_runtime::policy::KeyRing;

/// The data folder of one run, or of several processes in turn.
#[derive(Debug)]
pub struct DataFolder {
    path: PathBuf,
    /// True if the folder is removed with this value.
    is_temporary: bool,
}

/// The file that the folder of the tool `files` begins with.
const CHECKLIST: &str = include_str!("../data/notes/checklist.md");

impl DataFolder {
    /// Opens a folder that is kept, and creates it if it does not exist.
    ///
    /// # Errors
    /// The folder cannot be created or written.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self { path: path.to_owned(), is_temporary: false }.filled()
    }

    /// Creates a folder that is removed with this value.
    ///
    /// # Errors
    /// The folder cannot be created or written.
    pub fn temporary() -> io::Result<Self> {
        let path = env::temp_dir().join(format!("proxy-agent-{}", Uuid::now_v7()));
        Self { path, is_temporary: true }.filled()
    }

    fn filled(self) -> io::Result<Self> {
        fs::create_dir_all(self.notes())?;
        let checklist = self.notes().join("checklist.md");
        if !checklist.exists() {
            fs::write(checklist, CHECKLIST)?;
        }
        Ok(self)
    }

    /// Returns the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the folder is removed with this value.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        self.is_temporary
    }

    /// Returns the folder that the tool `files` reads and writes.
    #[must_use]
    pub fn notes(&self) -> PathBuf {
        self.path.join("notes")
    }

    /// Returns the database that the tool `village` reads.
    pub(crate) fn village(&self) -> PathBuf {
        self.path.join("village.db")
    }

    /// Returns the database of tickets, idempotency keys and answers.
    pub(crate) fn runtime(&self) -> PathBuf {
        self.path.join("runtime.db")
    }

    /// Returns the keys that sign tickets: the same in each process with this folder.
    pub(crate) fn keys(&self) -> Result<KeyRing, Box<dyn Error>> {
        let file = self.path.join("secret.key");
        if !file.exists() {
            let mut secret = [0; 32];
            getrandom::fill(&mut secret)?;
            private_file(&file)?.write_all(&secret)?;
        }
        Ok(KeyRing::new("proxy-agent-1", &fs::read(file)?)?)
    }
}

/// Opens a file for writing that its owner alone can read; what was in it before is gone.
pub(crate) fn private_file(file: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)
}

impl Drop for DataFolder {
    fn drop(&mut self) {
        if self.is_temporary {
            // The system cleans up files that cannot be removed.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}
