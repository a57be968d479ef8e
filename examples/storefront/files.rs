//! What outlives the program: the runtime's database, the orders, and the secret behind tickets.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use tool_runtime::Uuid;
use tool_runtime::policy::KeyRing;
use tool_runtime::store::{Sqlite, StoreError};

/// The files of one shop, beside each other: `shop.db`, `shop.orders`, `shop.key`, `shop.ticket`.
#[derive(Debug)]
pub(crate) struct Files {
    database: PathBuf,
    /// A folder to be removed with this value.
    temporary: Option<PathBuf>,
}

impl Files {
    /// Keeps everything beside this database.
    pub(crate) fn beside(database: impl Into<PathBuf>) -> Self {
        Self { database: database.into(), temporary: None }
    }

    /// Keeps everything in a folder that goes away with this value.
    pub(crate) fn temporary() -> io::Result<Self> {
        let folder = env::temp_dir().join(format!("storefront-{}", Uuid::now_v7()));
        fs::create_dir(&folder)?;
        Ok(Self { database: folder.join("shop.db"), temporary: Some(folder) })
    }

    /// Opens what keeps keys, tickets and answers.
    pub(crate) fn store(&self) -> Result<Sqlite, StoreError> {
        Sqlite::open(&self.database)
    }

    /// Returns the keys that sign tickets: the same in each process that works on them.
    ///
    /// A real host has the secret from its vault; this one makes it when it starts first.
    pub(crate) fn ticket_keys(&self) -> Result<KeyRing, Box<dyn Error>> {
        let file = self.database.with_extension("key");
        if !file.exists() {
            let mut secret = [0; 32];
            getrandom::fill(&mut secret)?;
            fs::write(&file, secret)?;
        }
        Ok(KeyRing::new("shop-1", &fs::read(&file)?)?)
    }

    pub(crate) fn database(&self) -> &Path {
        &self.database
    }

    pub(crate) fn orders(&self) -> PathBuf {
        self.database.with_extension("orders")
    }

    pub(crate) fn ticket(&self) -> PathBuf {
        self.database.with_extension("ticket")
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        if let Some(folder) = &self.temporary {
            // What cannot be removed is the system's to tidy up.
            let _ = fs::remove_dir_all(folder);
        }
    }
}
