//! Holds ARCHITECTURE.md to its tests: a promise that names one is proven by a test that exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The crates and members whose sources may hold a test.
const MEMBERS: [&str; 5] = ["tool-contracts", "tool-derive", "tool-runtime", "tests", "examples"];

#[test]
fn each_promise_that_names_a_test_is_proven_by_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is above");
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).expect("it is there");
    let (_, promises) = text.split_once("## What may never happen").expect("it has the list");
    let promises = promises.split("\n## ").next().unwrap_or_default();
    let named: BTreeSet<_> = promises.split("(test `").skip(1).filter_map(name).collect();
    assert!(!named.is_empty(), "the list names its tests");
    let tests = tests(root);
    let missing: Vec<_> = named.iter().filter(|name| !tests.contains(**name)).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names tests that are not there: {missing:?}");
}

fn name(rest: &str) -> Option<&str> {
    rest.split('`').next()
}

/// Collects the names of all functions that stand under `#[test]` or a runtime's test attribute.
fn tests(root: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in MEMBERS.iter().flat_map(|member| sources(&root.join(member))) {
        let text = fs::read_to_string(&file).expect("the source is text");
        let attributed = text.split("test]").skip(1).chain(text.split("test(").skip(1));
        names.extend(attributed.filter_map(|after| {
            let (before, name) = after.split_once("fn ")?;
            let is_next = !before.contains(['{', '}']);
            is_next.then(|| name.split(['(', '<']).next().map(str::to_owned))?
        }));
    }
    names
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("the entry can be read").path());
    let (folders, files): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
    let here = files.into_iter().filter(|path| path.extension().is_some_and(|it| it == "rs"));
    here.chain(folders.iter().flat_map(|folder| sources(folder))).collect()
}
