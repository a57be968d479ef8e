//! Checks that the imports of the core point one way, from the runtime down to the foundations.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers of the core, from the bottom: each may import the ones before it.
const LAYERS: [&[&str]; 5] = [
    &[
        "json",
        "schema",
        "canonical",
        "redact",
        "failure",
        "limits",
        "loopback",
        "timer",
        "encoding",
        "metrics",
    ],
    &["tool"],
    &["dispatch"],
    &["call"],
    &["runtime"],
];

/// Modules above the core, which no layer of it may import, and what `lib.rs` exports of the layers.
const ABOVE: [&str; 19] = [
    "policy",
    "store",
    "ledger",
    "evidence",
    "trace",
    "adapters",
    "agent",
    "articulate",
    "assess",
    "mcp",
    "search",
    "http",
    "testing",
    "tokens",
    "Runtime",
    "RuntimeBuilder",
    "ToolCall",
    "CallRecord",
    "CallScope",
];

/// Imports that point up on purpose, by file and module.
const EXCEPTIONS: [(&str, &str, &str); 4] = [
    ("schema/export/", "tool", "contracts are written from a registry"),
    ("call/services.rs", "policy", "a call reaches the state of the policies by its type"),
    ("runtime/", "policy", "the builder configures each feature"),
    ("runtime/builder.rs", "trace", "the builder configures each feature"),
];

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tool-runtime/src")
}

/// Collects the source files of a module, without its tests.
fn files(module: &Path, found: &mut Vec<PathBuf>) {
    if module.file_stem().is_some_and(|name| name == "tests") {
        return;
    }
    if module.is_dir() {
        let entries = fs::read_dir(module).expect("a folder of the sources");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        for path in &paths {
            files(path, found);
        }
    } else if module.extension().is_some_and(|extension| extension == "rs") {
        found.push(module.to_owned());
    }
}

/// Returns the first segments of the paths that begin with `crate::`, outside of tests and comments.
fn imports(source: &str) -> BTreeSet<&str> {
    let code = source.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let paths = lines.flat_map(|line| line.split("crate::").skip(1));
    paths
        .map(|path| path.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(""))
        .collect()
}

#[test]
fn the_layers_of_the_core_import_only_what_is_below_them() {
    let root = sources();
    let (mut read, mut wrong, mut used) = (0, Vec::new(), BTreeSet::new());
    for (height, layer) in LAYERS.iter().enumerate() {
        let above: BTreeSet<&str> = LAYERS[height + 1..]
            .iter()
            .flat_map(|layer| layer.iter().copied())
            .chain(ABOVE)
            .collect();
        let mut found = Vec::new();
        for module in *layer {
            let (folder, file) = (root.join(module), root.join(format!("{module}.rs")));
            let path = if folder.is_dir() { folder } else { file };
            files(&path, &mut found);
        }
        for path in found {
            read += 1;
            let source = fs::read_to_string(&path).expect("a source file");
            let name =
                path.strip_prefix(&root).expect("below the root").to_string_lossy().into_owned();
            assert!(!source.contains("use crate::{\n"), "{name} imports from the crate's root");
            for module in imports(&source).intersection(&above) {
                let exception = EXCEPTIONS
                    .iter()
                    .position(|(file, to, _)| name.starts_with(file) && to == module);
                match exception {
                    Some(index) => drop(used.insert(index)),
                    None => wrong.push(format!("{name} imports crate::{module}")),
                }
            }
        }
    }
    assert!(read > 150, "the sources are there: {read} files");
    assert!(wrong.is_empty(), "imports of the core that point up:\n{}", wrong.join("\n"));
    assert_eq!(used.len(), EXCEPTIONS.len(), "each exception is still needed: {used:?}");
}
