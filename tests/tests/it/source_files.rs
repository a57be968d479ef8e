//! Checks the files of the sources: their places, and their lengths.

use std::fs;
use std::path::{Path, PathBuf};

/// The most lines of a source file, without those of tests.
const MAX_LINES: usize = 500;

/// Returns the folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is above")
}

/// Returns the Rust files below a folder, but for what builds and tests write.
pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let is_source = |path: &PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy();
        !name.starts_with('.') && !["target", "golden"].contains(&&*name)
    };
    let entries = fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("the entry can be read").path());
    let (folders, files): (Vec<_>, Vec<_>) = paths.filter(is_source).partition(|it| it.is_dir());
    let here = files.into_iter().filter(|path| path.extension().is_some_and(|it| it == "rs"));
    here.chain(folders.iter().flat_map(|folder| rust_files(folder))).collect()
}

fn sources() -> Vec<PathBuf> {
    let found = rust_files(root());
    assert!(found.len() > 1000, "the sources are there: {} files", found.len());
    found
}

#[test]
fn a_module_is_one_file_or_a_folder_with_mod_rs() {
    let is_both = |path: &PathBuf| path.with_extension("").is_dir();
    let both: Vec<_> = sources().into_iter().filter(is_both).collect();
    assert!(both.is_empty(), "files beside a folder of their name: {both:#?}");
}

#[test]
fn a_source_file_has_no_more_than_500_lines() {
    let is_test = |path: &Path| path.iter().any(|part| part == "tests" || part == "tests.rs");
    let is_long = |path: &PathBuf| {
        let lines = fs::read_to_string(path).expect("a source file").lines().count();
        lines > MAX_LINES
    };
    let long: Vec<_> =
        sources().into_iter().filter(|path| !is_test(path)).filter(is_long).collect();
    assert!(long.is_empty(), "split them: {long:#?}");
}
