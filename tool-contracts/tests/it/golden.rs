//! The schemas under version control.
//!
//! `UPDATE_SCHEMAS=1 cargo test -p tool-contracts` updates them. That changes
//! the contract: state in the commit what changed and why it is compatible.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::PathBuf,
};

use schemars::Schema;
use serde_json::Value;
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

/// Adds the names of a schema's fields and words, under the title that they belong to.
fn collect(schema: &Value, title: &str, found: &mut BTreeSet<(String, String)>) {
    let title = schema["title"].as_str().unwrap_or(title);
    let fields = schema["properties"].as_object().into_iter().flat_map(|fields| fields.keys());
    let words = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let names = fields.map(String::as_str).chain(words).chain(schema["const"].as_str());
    found.extend(names.map(|name| (title.to_owned(), name.to_owned())));
    for (name, inner) in schema["$defs"].as_object().into_iter().flatten() {
        collect(inner, name, found);
    }
    for keyword in ["oneOf", "anyOf", "allOf"] {
        for inner in schema[keyword].as_array().into_iter().flatten() {
            collect(inner, title, found);
        }
    }
}

#[test]
fn every_field_and_word_of_a_schema_is_named_on_a_page() {
    let pages = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/rfc");
    let read = |entry: Result<fs::DirEntry, _>| fs::read_to_string(entry.unwrap().path()).unwrap();
    let pages: Vec<String> = fs::read_dir(pages).unwrap().map(read).collect();
    let mut found = BTreeSet::new();
    for (name, text) in on_disk() {
        collect(&serde_json::from_str(&text).unwrap(), &name, &mut found);
    }
    let is_named = |(title, name): &&(String, String)| {
        let (title, name) = (format!("`{title}`"), format!("`{name}`"));
        pages.iter().any(|page| page.contains(&title) && page.contains(&name))
    };
    let missing: Vec<_> = found.iter().filter(|it| !is_named(it)).collect();
    assert!(
        missing.is_empty(),
        "a field or word of the contract needs a page in docs/rfc (see 0000-process.md): {missing:?}",
    );
}
