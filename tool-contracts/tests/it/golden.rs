//! The schemas under version control.
//!
//! `UPDATE_SCHEMAS=1 cargo test -p tool-contracts` writes them anew. Whoever does so changes the
//! contract: say in the commit what moved and why it breaks nobody.

use std::{collections::BTreeMap, env, fs, path::PathBuf};

use schemars::Schema;
use tool_contracts::schemas;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("schemas")
}

fn text(schema: &Schema) -> String {
    serde_json::to_string_pretty(schema).unwrap() + "\n"
}

fn on_disk() -> BTreeMap<String, String> {
    let read = |entry: Result<fs::DirEntry, _>| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read_to_string(entry.path()).unwrap())
    };
    fs::read_dir(folder()).map(|entries| entries.map(read).collect()).unwrap_or_default()
}

fn write(wanted: &BTreeMap<String, String>) {
    fs::create_dir_all(folder()).unwrap();
    for stale in on_disk().keys().filter(|name| !wanted.contains_key(*name)) {
        fs::remove_file(folder().join(stale)).unwrap();
    }
    for (name, text) in wanted {
        fs::write(folder().join(name), text).unwrap();
    }
}

#[test]
fn no_schema_has_moved() {
    let wanted: BTreeMap<String, String> =
        schemas::all().into_iter().map(|(file, schema)| (file.to_owned(), text(&schema))).collect();
    if env::var_os("UPDATE_SCHEMAS").is_some() {
        write(&wanted);
    }
    let found = on_disk();
    let moved: Vec<&String> = wanted
        .keys()
        .chain(found.keys())
        .filter(|name| wanted.get(*name) != found.get(*name))
        .collect();
    assert!(
        moved.is_empty(),
        "these schemas differ from tool-contracts/schemas: {moved:?}\n\
         a change here changes the contract; if it is meant, run\n    \
         UPDATE_SCHEMAS=1 cargo test -p tool-contracts\n\
         and commit the files with the reason",
    );
}

#[test]
fn every_schema_says_its_draft_its_title_and_examples() {
    for (file, schema) in schemas::all() {
        let has = |keyword: &str| schema.get(keyword).is_some();
        assert!(has("$schema") && has("title") && has("description"), "{file}");
        assert!(!schema.get("examples").unwrap().as_array().unwrap().is_empty(), "{file}");
    }
}

#[test]
fn every_object_is_closed() {
    for (file, schema) in schemas::all() {
        if schema.get("properties").is_some() {
            assert_eq!(schema.get("additionalProperties"), Some(&false.into()), "{file}");
        }
    }
}
