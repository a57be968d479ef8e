//! The files that the package `companion-unified` reads, which is built with features of other
//! crates that change what the library shares with them.

use std::fs;
use std::path::PathBuf;

use crate::sqlite::Folder;
use crate::unified;

#[tokio::test]
async fn artefacts_are_written_and_read() {
    let folder = Folder::new();
    unified::write(&folder.0).await;
    unified::read(&folder.0).await;
    // Written anew, since a ticket is used once.
    if let Some(shared) = std::env::var_os(unified::FOLDER).map(PathBuf::from) {
        fs::create_dir_all(&shared).unwrap();
        unified::write(&shared).await;
    }
}

#[tokio::test]
async fn every_representation_of_serde_reads_every_number() {
    unified::check_numbers().await;
}
