//! Verifies the ledger, and exports checkpoints for later verification.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use storefront::Files;
use tool_runtime::ledger::{self, Checkpoint, VerifyError};
use tool_runtime::serde_json;
use tool_runtime::store::StoreErrorKind;

/// Verifies the whole ledger, and prints the result; returns whether it is unchanged.
pub(crate) fn verify(files: &Files, checkpoints: &[PathBuf]) -> Result<bool, Box<dyn Error>> {
    let checkpoints: Vec<_> =
        checkpoints.iter().map(|file| read(file)).collect::<Result<_, _>>()?;
    let opened = files.ledger_to_read().map_err(VerifyError::from);
    let keys = files.keys()?;
    match opened.and_then(|mut ledger| ledger::verify(&mut *ledger, &keys, &checkpoints)) {
        Ok(verified) => {
            println!("the ledger is as it was written: {} records", verified.size());
            if !checkpoints.is_empty() {
                println!("nothing is missing of what it held when it was exported");
            }
            Ok(true)
        }
        Err(VerifyError::Fault(fault)) => {
            println!("the ledger is NOT as it was written: {fault}");
            Ok(false)
        }
        Err(VerifyError::Store(error)) if error.kind() == StoreErrorKind::Damaged => {
            println!("the ledger is NOT as it was written: {error}");
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

/// Writes a signed checkpoint of the ledger into a file.
pub(crate) async fn export(files: &Files, file: &Path) -> Result<(), Box<dyn Error>> {
    let ledger = files.ledger_to_write()?;
    let checkpoint = ledger.checkpoint().await?;
    ledger.close().await?;
    fs::write(file, serde_json::to_string(&checkpoint)?)?;
    println!("signed {} records into {}", checkpoint.size(), file.display());
    Ok(())
}

fn read(file: &Path) -> Result<Checkpoint, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    serde_json::from_str(&text)
        .map_err(|error| format!("{} is no checkpoint: {error}", file.display()))
}
