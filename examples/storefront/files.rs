//! The persistent files: the runtime's database, the orders, the ledger, the vault, the secret.

use std::error::Error;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use tool_runtime::Uuid;
use tool_runtime::policy::KeyRing;
use tool_runtime::store::{SqliteStore, StoreError};

use crate::secret;

/// The files of one shop.
///
/// A database `shop.db` has `shop.orders`, `shop.key` and `shop.ticket` next to it, and contains
/// ledger and vault. Without a database, a ledger `shop.jsonl` has `shop.vault` and `shop.key`
/// next to it. Everything else is in a temporary folder that is removed with this value.
#[derive(Debug)]
pub struct Files {
    database: PathBuf,
    ledger: Option<PathBuf>,
    /// A folder that is removed with this value.
    temporary: Option<PathBuf>,
    /// True if a missing secret is created.
    makes_secret: bool,
}

/// The first bytes of a SQLite file.
const SQLITE: &[u8] = b"SQLite format 3\0";

impl Files {
    /// Keeps only the data for which files are given.
    ///
    /// # Errors
    /// A temporary folder cannot be created.
    pub fn new(database: Option<&Path>, ledger: Option<&Path>) -> io::Result<Self> {
        let mut files = match database {
            Some(database) => Self::beside(database),
            None => Self::temporary()?,
        };
        if let Some(ledger) = ledger {
            files.ledger = Some(ledger.to_owned());
        }
        Ok(files)
    }

    /// Opens the files of a shop that has recorded calls in this ledger; creates no new secret.
    ///
    /// # Errors
    /// One of them does not exist, or a temporary folder cannot be created.
    pub fn recorded(ledger: &Path, database: Option<&Path>) -> io::Result<Self> {
        // A ledger in a database shares the file with all other data.
        let database = database.or_else(|| is_sqlite(ledger).then_some(ledger));
        for file in [Some(ledger), database].into_iter().flatten() {
            let found = fs::metadata(file);
            found.map_err(|error| {
                io::Error::new(error.kind(), format!("{}: {error}", file.display()))
            })?;
        }
        let mut files = Self::new(database, Some(ledger))?;
        files.makes_secret = false;
        Ok(files)
    }

    /// Keeps everything next to this database.
    pub(crate) fn beside(database: impl Into<PathBuf>) -> Self {
        let database = database.into();
        Self { ledger: Some(database.clone()), database, temporary: None, makes_secret: true }
    }

    /// Keeps everything in a temporary folder that is removed with this value, and calls in
    /// memory.
    pub(crate) fn temporary() -> io::Result<Self> {
        let folder = env::temp_dir().join(format!("storefront-{}", Uuid::now_v7()));
        fs::create_dir(&folder)?;
        let database = folder.join("shop.db");
        Ok(Self { database, ledger: None, temporary: Some(folder), makes_secret: true })
    }

    /// Opens the store of keys, tickets and answers.
    pub(crate) fn store(&self) -> Result<SqliteStore, StoreError> {
        SqliteStore::open(&self.database)
    }

    /// Returns the keys that sign tickets, link records and seal evidence: the same in each process.
    ///
    /// # Errors
    /// There is no secret, or it cannot be read or created.
    pub fn keys(&self) -> Result<KeyRing, Box<dyn Error>> {
        let file = self.home().with_extension("key");
        let find = if self.makes_secret { secret::find_or_make } else { secret::find };
        Ok(KeyRing::new("shop-1", &find(&file)?)?)
    }

    pub(crate) fn database(&self) -> &Path {
        &self.database
    }

    /// Returns the file of recorded calls; without one they are in memory only.
    pub(crate) fn ledger(&self) -> Option<&Path> {
        self.ledger.as_deref()
    }

    /// Returns the file of the evidence; without one it is in memory only.
    pub(crate) fn vault(&self) -> Option<PathBuf> {
        match &self.ledger {
            _ if self.temporary.is_none() => Some(self.database.clone()),
            Some(ledger) => Some(ledger.with_extension("vault")),
            None => None,
        }
    }

    pub(crate) fn orders(&self) -> PathBuf {
        self.database.with_extension("orders")
    }

    pub(crate) fn ticket(&self) -> PathBuf {
        self.database.with_extension("ticket")
    }

    /// The file next to which the others are.
    fn home(&self) -> &Path {
        match &self.ledger {
            Some(ledger) if self.temporary.is_some() => ledger,
            _ => &self.database,
        }
    }
}

/// Returns whether a file is a database, or will become one.
pub(crate) fn is_sqlite(file: &Path) -> bool {
    let mut head = [0; SQLITE.len()];
    match File::open(file).and_then(|mut file| file.read_exact(&mut head)) {
        Ok(()) => head == SQLITE,
        Err(_) => file.extension().is_some_and(|extension| extension == "db"),
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        if let Some(folder) = &self.temporary {
            // The system cleans up files that cannot be removed.
            let _ = fs::remove_dir_all(folder);
        }
    }
}
