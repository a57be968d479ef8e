//! Replays the corpus of each fuzz target through the function that the fuzzer calls.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[path = "../../../fuzz/src/targets/mod.rs"]
mod targets;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus")
}

/// Returns the files of a folder, sorted by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_file_of_the_fuzz_corpus_keeps_its_target_s_promises() {
    for (name, _) in targets::TARGETS {
        let files = files(&corpus().join(name));
        assert!(files.len() >= 3, "the corpus of `{name}` has {} files", files.len());
        for file in files {
            println!("{name}: {}", file.display());
            targets::run(name, &fs::read(&file).unwrap());
        }
    }
}

#[test]
fn each_fuzz_target_has_a_program_and_a_corpus_and_nothing_else_does() {
    let known: BTreeSet<_> = targets::TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let stem = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let folders: BTreeSet<_> = files(&corpus()).into_iter().map(stem).collect();
    let programs: BTreeSet<_> =
        files(&corpus().join("../fuzz_targets")).into_iter().map(stem).collect();
    assert_eq!((&folders, &programs), (&known, &known));
}

#[test]
fn the_fuzz_corpus_is_small() {
    let size = |file: &PathBuf| fs::metadata(file).unwrap().len();
    let folders = files(&corpus());
    let bytes: u64 = folders.iter().flat_map(|folder| files(folder)).map(|it| size(&it)).sum();
    assert!(bytes < 200_000, "{bytes} bytes");
}
