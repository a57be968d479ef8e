//! Checks the lists of the features in documents against those of the runtime's manifest.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::source_files::root;

/// The parts that need Rust 1.88, by their dependencies `askama`, `jsonwebtoken` and `rmcp`.
const NEED_1_88: [&str; 5] = [
    "tool-runtime-budgets/mandates",
    "tool-runtime-http/jwt",
    "tool-runtime-http/mcp",
    "dep:tool-runtime-console",
    "dep:tool-runtime-mcp-client",
];

/// A feature of the manifest.
struct Feature {
    /// The comment before it.
    comment: String,
    /// The features and the dependencies that it turns on.
    parts: BTreeSet<String>,
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Reads the table `[features]` of the runtime's manifest.
fn features() -> BTreeMap<String, Feature> {
    let manifest = read("tool-runtime/Cargo.toml");
    let (_, table) = manifest.split_once("\n[features]\n").expect("it has the table");
    let table = table.split("\n[").next().unwrap_or_default();
    let (mut features, mut comment, mut name) = (BTreeMap::new(), String::new(), "");
    for line in table.lines() {
        if let Some(line) = line.strip_prefix("##") {
            comment.push_str(line);
            continue;
        }
        if let Some((start, _)) = line.split_once(" = [") {
            name = start;
            let comment = std::mem::take(&mut comment);
            features.insert(name.to_owned(), Feature { comment, parts: BTreeSet::new() });
        }
        if let Some(feature) = features.get_mut(name).filter(|_| !line.trim().starts_with('#')) {
            feature.parts.extend(line.split('"').skip(1).step_by(2).map(str::to_owned));
        }
    }
    features
}

/// Returns a feature with all that it turns on.
fn closure<'a>(features: &'a BTreeMap<String, Feature>, name: &'a str) -> BTreeSet<&'a str> {
    let (mut all, mut left) = (BTreeSet::from([name]), vec![name]);
    while let Some(feature) = left.pop().and_then(|name| features.get(name)) {
        left.extend(feature.parts.iter().map(String::as_str).filter(|part| all.insert(part)));
        left.retain(|name| features.contains_key(*name));
    }
    all
}

/// Returns the features that need Rust 1.88, without `full`.
fn newer(features: &BTreeMap<String, Feature>) -> BTreeSet<&str> {
    let is_newer = |name: &&str| NEED_1_88.iter().any(|it| closure(features, name).contains(it));
    features.keys().map(String::as_str).filter(|name| *name != "full").filter(is_newer).collect()
}

/// Returns the texts between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Returns the rows of the table whose head begins so, each as the text of its cells.
fn rows<'a>(text: &'a str, prefix: &str, head: &str) -> Vec<Vec<&'a str>> {
    let lines = text.lines().filter_map(|line| line.strip_prefix(prefix));
    let rows = lines.skip_while(|line| !line.starts_with(head)).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

#[test]
fn each_list_of_the_features_has_those_of_the_manifest() {
    let features = features();
    let named: BTreeSet<&str> = features.keys().map(String::as_str).collect();
    let named: BTreeSet<&str> = &named - &BTreeSet::from(["default"]);
    let default = &features["default"].parts;
    assert!(named.len() > 20 && default.len() == 2, "the manifest is read: {named:?}");

    let crate_docs = read("tool-runtime/src/lib.rs");
    let table = rows(&crate_docs, "//! ", "| feature | default |");
    let listed: BTreeSet<_> = table.iter().flat_map(|row| quoted(row[0])).collect();
    assert_eq!(listed, named, "tool-runtime/src/lib.rs");
    for row in &table {
        let is_default = quoted(row[0]).all(|name| default.contains(name));
        assert_eq!(row[1], if is_default { "yes" } else { "no" }, "{}", row[0]);
    }

    let readme = read("README.md");
    let table = rows(&readme, "", "| feature | adds |");
    let listed: BTreeSet<_> = table.iter().flat_map(|row| quoted(row[0])).collect();
    assert_eq!(listed, named, "README.md");
    for row in &table {
        let is_default = quoted(row[0]).all(|name| default.contains(name));
        assert_eq!(row[0].ends_with("(default)"), is_default, "{}", row[0]);
    }

    let without = |name: &&str| features[*name].comment.is_empty() && *name != "full";
    assert_eq!(named.iter().copied().filter(without).collect::<Vec<_>>(), Vec::<&str>::new());
    let full = closure(&features, "full");
    assert_eq!(&named - &full, BTreeSet::new(), "`full` does not turn them on");
}

#[test]
fn each_list_of_the_features_that_need_a_newer_compiler_is_that_of_the_manifest() {
    let features = features();
    let newer = newer(&features);
    assert!(!newer.is_empty(), "some features need a newer compiler");

    let says_so = features.iter().filter(|(_, feature)| feature.comment.contains("1.88"));
    let commented: BTreeSet<_> = says_so.map(|(name, _)| name.as_str()).collect();
    assert_eq!(commented, newer, "the comments of tool-runtime/Cargo.toml");

    let crate_docs = read("tool-runtime/src/lib.rs");
    let table = rows(&crate_docs, "//! ", "| feature | default |");
    let says_so = table.iter().filter(|row| row[2].contains("needs Rust 1.88"));
    let listed: BTreeSet<_> = says_so.flat_map(|row| quoted(row[0])).collect();
    assert_eq!(listed, newer, "tool-runtime/src/lib.rs");

    for (file, before, after) in [
        ("README.md", "It needs Rust 1.85 or newer; the features ", " need 1.88"),
        ("tool-runtime/README.md", "It needs Rust 1.85 or newer; the features ", " need 1.88"),
        ("ARCHITECTURE.md", "by not using newer syntax. The features ", " need 1.88"),
        (
            "CONTRIBUTING.md",
            "in place of `sqlite`, and without ",
            ", whose dependencies need Rust 1.88",
        ),
        ("tests/companions/rust-1.85/Cargo.toml", "# Without ", ", which need 1.88"),
    ] {
        let text = read(file);
        let list = text.split_once(before).and_then(|(_, rest)| rest.split_once(after));
        let (list, _) = list.unwrap_or_else(|| panic!("{file}: no list after `{before}`"));
        assert_eq!(quoted(list).collect::<BTreeSet<_>>(), newer, "{file}");
    }
}

#[test]
fn the_lowest_compiler_builds_all_features_that_it_can() {
    let features = features();
    let manifest = read("tests/companions/rust-1.85/Cargo.toml");
    let (_, list) = manifest.split_once("features = [").expect("it names the features");
    let list = list.split(']').next().unwrap_or_default();
    let mut built = closure(&features, "default");
    for name in list.split('"').skip(1).step_by(2) {
        built.extend(closure(&features, name));
    }
    let left_out: BTreeSet<_> =
        features.keys().map(String::as_str).filter(|name| !built.contains(name)).collect();
    // `sqlite` compiles C, and is `sqlite-unbundled` otherwise.
    let expected = &newer(&features) | &BTreeSet::from(["full", "sqlite"]);
    assert_eq!(left_out, expected);
}
