//! The records of a shop: the ledger of calls, and the vault with the evidence of their answers.

use std::error::Error;

use tool_runtime::evidence::{EvidenceKeeper, Vault};
use tool_runtime::ledger::{JsonLinesLedger, Ledger, LedgerStore, MemoryLedger, SqliteLedger};
use tool_runtime::store::{MemoryStore, SqliteStore, StoreError};

use crate::files::{Files, is_sqlite};

/// The records of a shop, opened for writing.
#[derive(Debug, Clone)]
pub(crate) struct Records {
    pub(crate) ledger: Ledger,
    pub(crate) evidence: EvidenceKeeper,
}

/// The number of records that are kept in memory: more than any conversation creates.
const MAX_RECORDS: usize = 10_000;

impl Records {
    pub(crate) fn open(files: &Files) -> Result<Self, Box<dyn Error>> {
        let ledger = files.ledger_to_write()?;
        let vault = match files.vault() {
            None => Vault::new(MemoryStore::new(), files.keys()?),
            Some(file) => Vault::new(SqliteStore::open(file)?, files.keys()?),
        };
        // The build script sets it to the commit, or to a hash of all sources.
        let evidence = EvidenceKeeper::new(vault, &ledger).build_hash(env!("BUILD_HASH"));
        Ok(Self { ledger, evidence })
    }
}

impl Files {
    /// Opens the ledger to write it; a ledger has one writer at a time.
    ///
    /// # Errors
    /// The ledger cannot be read or written, or there is no secret.
    pub fn ledger_to_write(&self) -> Result<Ledger, Box<dyn Error>> {
        let builder = Ledger::builder(self.keys()?);
        Ok(match self.ledger() {
            None => builder.open(MemoryLedger::new(MAX_RECORDS))?,
            Some(file) if is_sqlite(file) => builder.open(SqliteLedger::open(file)?)?,
            Some(file) => builder.open(JsonLinesLedger::open(file)?)?,
        })
    }

    /// Opens the ledger to read it, also while another process writes it.
    ///
    /// # Errors
    /// The file is not a ledger, or cannot be read.
    pub fn ledger_to_read(&self) -> Result<Box<dyn LedgerStore>, StoreError> {
        Ok(match self.ledger() {
            None => Box::new(MemoryLedger::new(0)),
            Some(file) if is_sqlite(file) => Box::new(SqliteLedger::read_only(file)?),
            Some(file) => Box::new(JsonLinesLedger::read_only(file)?),
        })
    }
}
