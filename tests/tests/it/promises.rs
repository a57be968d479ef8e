//! Checks the names in documents: ARCHITECTURE.md names existing tests, docs/sources.md existing
//! files and tests.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tool_runtime::RefusalReason;

use crate::source_files::{root, rust_files};

/// The crates and members whose sources may hold a test.
const MEMBERS: [&str; 5] = ["tool-contracts", "tool-derive", "tool-runtime", "tests", "examples"];

#[test]
fn the_rows_of_the_source_documents_name_files_and_tests_that_exist() {
    let text = fs::read_to_string(root().join("docs/sources.md")).expect("it is there");
    let tests = tests(root());
    let (mut rows, mut wrong) = (0, Vec::new());
    for row in text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---")) {
        let cells: Vec<_> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let &[_, place, proof] = &cells[..] else { continue };
        if (place, proof) == ("where", "shown by") {
            continue;
        }
        rows += 1;
        let is_file = |name: &str| name.contains('/') && root().join(name).is_file();
        let is_path = |name: &&str| name.contains('/') && name.contains('.') && !name.contains(' ');
        let places = quoted(place).filter(is_path).filter(|name| !is_file(name));
        let proofs = quoted(proof).filter(|name| !is_file(name) && !tests.contains(*name));
        wrong.extend(places.chain(proofs).map(|name| format!("`{name}` in: {row}")));
        if proof != "none" && quoted(proof).next().is_none() {
            wrong.push(format!("neither a test nor `none` in: {row}"));
        }
    }
    assert!(rows > 400, "it lists the rows of five documents: {rows}");
    assert!(wrong.is_empty(), "docs/sources.md names what is not there:\n{}", wrong.join("\n"));
}

/// Returns the texts between backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[test]
fn each_promise_that_names_a_test_is_proven_by_one() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("it is there");
    let (_, promises) = text.split_once("## What may never happen").expect("it has the list");
    let promises = promises.split("\n## ").next().unwrap_or_default();
    let named: BTreeSet<_> = promises.split("(test `").skip(1).filter_map(name).collect();
    assert!(!named.is_empty(), "the list names its tests");
    let tests = tests(root());
    let missing: Vec<_> = named.iter().filter(|name| !tests.contains(**name)).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names tests that are not there: {missing:?}");
}

#[test]
fn the_guide_describes_each_reason_of_a_refusal() {
    let page = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let pages = page("tool-runtime/docs/safe-execution.md") + &page("tool-runtime/docs/http.md");
    let missing = RefusalReason::ALL.iter().filter(|it| !pages.contains(&format!("`{it}`")));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&RefusalReason>::new());
}

fn name(rest: &str) -> Option<&str> {
    rest.split('`').next()
}

/// Collects the names of all functions under `#[test]` or a runtime's test attribute.
fn tests(root: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in MEMBERS.iter().flat_map(|member| rust_files(&root.join(member))) {
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
