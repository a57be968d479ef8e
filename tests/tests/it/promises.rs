//! Checks the names in documents: ARCHITECTURE.md names existing tests, docs/sources.md existing
//! files and tests.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path};

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
        let proofs = quoted(proof).filter(|name| !is_file(name) && tests.count(name) != 1);
        wrong.extend(places.chain(proofs).map(|name| format!("`{name}` in: {row}")));
        if proof != "none" && quoted(proof).next().is_none() {
            wrong.push(format!("neither a test nor `none` in: {row}"));
        }
    }
    assert!(rows > 400, "it lists the rows of five documents: {rows}");
    assert!(
        wrong.is_empty(),
        "docs/sources.md names what is not there, or a test whose name several have (begin it with \
         its modules):\n{}",
        wrong.join("\n")
    );
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
    let missing: Vec<_> = named.iter().filter(|name| tests.count(name) != 1).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names no test, or one of several: {missing:?}");
}

#[test]
fn the_guide_describes_each_reason_of_a_refusal() {
    let page = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let pages =
        page("tool-runtime/docs/safe-execution.md") + &page("tool-runtime/docs/http-clients.md");
    let missing = RefusalReason::ALL.iter().filter(|it| !pages.contains(&format!("`{it}`")));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&RefusalReason>::new());
}

fn name(rest: &str) -> Option<&str> {
    rest.split('`').next()
}

/// The paths of all tests: the modules by the file's place, and the name.
struct TestPaths(BTreeSet<String>);

impl TestPaths {
    /// Counts the tests whose path ends with these modules and this name.
    fn count(&self, name: &str) -> usize {
        let is_suffix = |path: &&String| {
            path.strip_suffix(name)
                .is_some_and(|before| before.is_empty() || before.ends_with("::"))
        };
        self.0.iter().filter(is_suffix).count()
    }
}

/// Collects all functions under `#[test]` or a runtime's test attribute.
fn tests(root: &Path) -> TestPaths {
    let mut paths = BTreeSet::new();
    for file in MEMBERS.iter().flat_map(|member| rust_files(&root.join(member))) {
        let modules = modules(file.strip_prefix(root).expect("the file is below the root"));
        let text = fs::read_to_string(&file).expect("the source is text");
        let attributed = text.split("test]").skip(1).chain(text.split("test(").skip(1));
        paths.extend(attributed.filter_map(|after| {
            let (before, name) = after.split_once("fn ")?;
            let is_next = !before.contains(['{', '}']);
            let name = is_next.then(|| name.split(['(', '<']).next())??;
            Some(format!("{modules}::{name}"))
        }));
    }
    TestPaths(paths)
}

/// Returns the modules of a source file by its place, such as `tool_contracts::tests::it::error`.
fn modules(file: &Path) -> String {
    let names = file.with_extension("");
    let names = names.components().filter_map(|part| match part {
        Component::Normal(name) => name.to_str().filter(|name| !matches!(*name, "src" | "mod")),
        _ => None,
    });
    names.map(|name| name.replace('-', "_")).collect::<Vec<_>>().join("::")
}

#[test]
fn a_name_that_several_tests_have_is_told_apart_by_their_modules() {
    let paths = ["a::tests::it::error::fails", "a::tests::it::envelope::error::fails"];
    let tests = TestPaths(paths.map(str::to_owned).into());
    let counts = ["fails", "error::fails", "it::error::fails", "envelope::error::fails", "ails"];
    assert_eq!(counts.map(|name| tests.count(name)), [2, 2, 1, 1, 0]);
    assert_eq!(modules(Path::new("tool-contracts/src/act/mod.rs")), "tool_contracts::act");
}
