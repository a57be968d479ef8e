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

/// The text of each file. A definition that has a file of its own is a reference to that file, so
/// that a change of one type changes few files.
fn texts() -> BTreeMap<String, String> {
    let files = files();
    let text = |mut schema: Value| {
        if let Some(definitions) = schema.get_mut("$defs").and_then(Value::as_object_mut) {
            definitions.retain(|name, _| !files.contains_key(name));
            if definitions.is_empty() {
                schema.as_object_mut().unwrap().remove("$defs");
            }
        }
        refer(&mut schema, &files);
        serde_json::to_string_pretty(&Schema::try_from(schema).unwrap()).unwrap() + "\n"
    };
    schemas::all()
        .into_iter()
        .map(|(file, schema)| (file.to_owned(), text(schema.into())))
        .collect()
}

/// The file of each title.
fn files() -> BTreeMap<String, &'static str> {
    let title = |schema: &Schema| schema.get("title").unwrap().as_str().unwrap().to_owned();
    schemas::all().iter().map(|(file, schema)| (title(schema), *file)).collect()
}

/// Replaces references to definitions that have files.
fn refer(schema: &mut Value, files: &BTreeMap<String, &str>) {
    if let Some(Value::String(reference)) = schema.get_mut("$ref") {
        let file = reference.strip_prefix("#/$defs/").and_then(|name| files.get(name));
        if let Some(file) = file {
            *reference = (*file).to_owned();
        }
    }
    match schema {
        Value::Object(keywords) => keywords.values_mut().for_each(|inner| refer(inner, files)),
        Value::Array(items) => items.iter_mut().for_each(|inner| refer(inner, files)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn on_disk() -> BTreeMap<String, String> {
    let read = |entry: Result<fs::DirEntry, _>| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read_to_string(entry.path()).unwrap())
    };
    fs::read_dir(folder()).map(|entries| entries.map(read).collect()).unwrap_or_default()
}

fn write(expected_files: &BTreeMap<String, String>) {
    fs::create_dir_all(folder()).unwrap();
    for stale in on_disk().keys().filter(|name| !expected_files.contains_key(*name)) {
        fs::remove_file(folder().join(stale)).unwrap();
    }
    for (name, text) in expected_files {
        fs::write(folder().join(name), text).unwrap();
    }
}

#[test]
fn no_schema_has_moved() {
    let expected_files = texts();
    if env::var_os("UPDATE_SCHEMAS").is_some() {
        write(&expected_files);
    }
    let found = on_disk();
    let moved: Vec<&String> = expected_files
        .keys()
        .chain(found.keys())
        .filter(|name| expected_files.get(*name) != found.get(*name))
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
fn a_definition_is_the_schema_of_its_file() {
    let files = files();
    let all: BTreeMap<_, _> = schemas::all().into_iter().collect();
    let body = |schema: &Value| {
        let mut body = schema.clone();
        body.as_object_mut()
            .unwrap()
            .retain(|keyword, _| !["$schema", "title", "$defs"].contains(&keyword.as_str()));
        body
    };
    for (file, schema) in &all {
        for (name, definition) in
            schema.get("$defs").and_then(Value::as_object).into_iter().flatten()
        {
            if let Some(own_file) = files.get(name) {
                let own_schema = all[own_file].as_value();
                assert_eq!(body(definition), body(own_schema), "{name} in {file}");
            }
        }
    }
}

/// Reads the files that a schema refers to.
struct Folder;

impl jsonschema::Retrieve for Folder {
    fn retrieve(
        &self,
        uri: &jsonschema::Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        let file = uri.path().as_str().rsplit('/').next().unwrap_or_default();
        Ok(serde_json::from_str(&fs::read_to_string(folder().join(file))?)?)
    }
}

#[test]
fn the_files_accept_their_examples_by_the_files_that_they_refer_to() {
    for (file, text) in on_disk() {
        let schema: Value = serde_json::from_str(&text).unwrap();
        let validator = jsonschema::options()
            .with_base_uri(format!("file:///schemas/{file}"))
            .with_retriever(Folder)
            .build(&schema)
            .unwrap_or_else(|error| panic!("{file}: {error}"));
        for example in schema["examples"].as_array().unwrap() {
            validator.validate(example).unwrap_or_else(|error| panic!("{file}: {error}"));
        }
    }
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
