//! The library in a build whose other crates turn on features of the crates that it shares with
//! them. It reads what a build of the workspace has written.
//!
//! The workspace's test `portable_files::artefacts_are_written_and_read` writes the files to the folder
//! that the variable `UNIFIED_FOLDER` names. Without it this build reads what it has written itself.

#![deny(warnings)]

#[path = "../../portable.rs"]
mod portable;

use std::path::{Path, PathBuf};

/// Returns the folder with the files of the workspace's build.
async fn folder() -> PathBuf {
    if let Some(folder) = std::env::var_os(portable::FOLDER) {
        return folder.into();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("companion-unified");
    // Files of an earlier run were read, and are read once.
    drop(std::fs::remove_dir_all(&folder));
    std::fs::create_dir_all(&folder).expect("a new folder");
    portable::write(&folder).await;
    folder
}

#[tokio::test]
async fn files_of_the_workspaces_build_are_read() {
    portable::read(&folder().await).await;
}

#[test]
fn snapshots_of_contracts_are_those_of_the_workspaces_build() {
    portable::check_snapshots(Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots"));
}

#[tokio::test]
async fn every_representation_of_serde_reads_every_number() {
    portable::check_numbers().await;
}

#[tokio::test]
async fn every_macro_makes_tools_that_run() {
    portable::check_shapes_of_tools().await;
}

#[test]
fn features_that_change_serde_json_are_on() {
    let names = |json: &str| -> Vec<String> {
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(json).expect("an object");
        object.keys().cloned().collect()
    };
    assert_eq!(names(r#"{"b":1,"a":2}"#), ["b", "a"]);
    let number: serde_json::Number = serde_json::from_str("1.50").expect("a number");
    assert_eq!(number.to_string(), "1.50");
}
