//! The files that the package `companion-unified` reads, which is built with features of other
//! crates that change what the library shares with them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::portable;
use crate::sqlite::Folder;

#[tokio::test]
async fn artefacts_are_written_and_read() {
    let folder = Folder::new();
    portable::write(&folder.0).await;
    portable::read(&folder.0).await;
    // Written anew, since a ticket is used once.
    if let Some(shared) = std::env::var_os(portable::FOLDER).map(PathBuf::from) {
        fs::create_dir_all(&shared).unwrap();
        portable::write(&shared).await;
    }
}

#[test]
fn snapshots_of_contracts_are_the_committed_ones() {
    portable::check_snapshots(Path::new(env!("CARGO_MANIFEST_DIR")).join("companions/snapshots"));
}

#[tokio::test]
async fn every_representation_of_serde_reads_every_number() {
    portable::check_numbers().await;
}

#[tokio::test]
async fn every_macro_makes_tools_that_run() {
    portable::check_shapes_of_tools().await;
}
