//! A ledger whose file is replaced by an older copy, or removed, between two processes.

use std::fs;
use std::path::{Path, PathBuf};

use tool_runtime::ledger::{CheckpointFile, JsonLinesLedger, Ledger, RecordedAccess, SqliteLedger};
use tool_runtime::policy::KeyRing;
use tool_runtime::store::{SqliteStore, StoreError, StoreErrorKind, UnixMillis};

use super::CampaignError;
use super::counts::FaultCounts;
use super::writes::{Folder, run_parallel};
use crate::rng::SeededRng;

/// The most sessions of a ledger before it is rolled back.
const SESSIONS: u64 = 4;
/// The most records that a session writes, beyond one checkpoint.
const RECORDS: u64 = 40;
/// The number of records between two exported checkpoints.
const CHECKPOINT_EVERY: u64 = 7;

/// Rolls back this many ledgers, half of them in JSON Lines and half in SQLite, and opens them.
///
/// An older copy, or an empty file, must be rejected as damaged; the newest copy must open
/// afterwards.
///
/// # Errors
/// A ledger cannot be written, or its newest copy is rejected.
pub fn run(rollbacks: u32, at_once: u32) -> Result<FaultCounts, CampaignError> {
    run_parallel(at_once, rollbacks, |number| {
        let executor = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let is_noticed = executor.block_on(roll_back(number))?;
        let (not_opened, unnoticed) = (u32::from(is_noticed), u32::from(!is_noticed));
        Ok(FaultCounts { rollbacks: 1, not_opened, unnoticed, ..FaultCounts::default() })
    })
}

/// Rolls one ledger back, and returns whether it was rejected.
async fn roll_back(number: u32) -> Result<bool, CampaignError> {
    let folder = Folder::new()?;
    let ledger = RolledBack { folder: &folder.0, is_sqlite: number % 2 == 0 };
    let mut rng = SeededRng::new(u64::from(number) + 1);
    let mut copies = vec![None];
    for session in 0..=1 + rng.below(SESSIONS) {
        ledger.write(CHECKPOINT_EVERY + rng.below(RECORDS)).await?;
        let copy = folder.0.join(format!("copy-{session}"));
        fs::copy(ledger.file(), &copy)?;
        copies.push(Some(copy));
    }
    let newest = copies.pop().flatten();
    let older = &copies[rng.index(copies.len())];
    ledger.replace(older.as_deref())?;
    let is_noticed = match ledger.open() {
        Ok(opened) => {
            opened.close().await?;
            false
        }
        Err(error) => error.kind() == StoreErrorKind::Damaged,
    };
    ledger.replace(newest.as_deref())?;
    ledger.write(1).await?;
    Ok(is_noticed)
}

/// The file of a ledger, and the file of its checkpoints.
struct RolledBack<'f> {
    folder: &'f Path,
    is_sqlite: bool,
}

impl RolledBack<'_> {
    fn file(&self) -> PathBuf {
        self.folder.join(if self.is_sqlite { "ledger.db" } else { "ledger.jsonl" })
    }

    fn open(&self) -> Result<Ledger, StoreError> {
        let sink = CheckpointFile::open(self.folder.join("checkpoints"))?;
        let keys = KeyRing::new("rollbacks", &[7; 32])
            .map_err(|error| StoreError::new(StoreErrorKind::Unavailable, error.to_string()))?;
        let builder =
            Ledger::builder(keys).checkpoint_every(CHECKPOINT_EVERY).checkpoint_sink(sink);
        if self.is_sqlite {
            let options = SqliteStore::options().sync_commits(false);
            builder.open(SqliteLedger::open_with(self.file(), &options)?)
        } else {
            builder.open(JsonLinesLedger::options().sync(false).open(self.file())?)
        }
    }

    /// Writes this many records in a session of its own.
    async fn write(&self, records: u64) -> Result<(), CampaignError> {
        let ledger = self.open()?;
        for number in 0..records {
            ledger
                .record_access(RecordedAccess::new(
                    UnixMillis::new(number),
                    "read",
                    "campaign",
                    "campaign",
                ))
                .await?;
        }
        Ok(ledger.close().await?)
    }

    /// Replaces the file by a copy, or removes the file.
    fn replace(&self, copy: Option<&Path>) -> Result<(), CampaignError> {
        match copy {
            Some(copy) => fs::copy(copy, self.file()).map(drop)?,
            None => fs::remove_file(self.file())?,
        }
        Ok(())
    }
}
