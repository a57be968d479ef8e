//! The reference implementation of TOON, and the fixtures of its specification.
//!
//! These tests need Node.js: `tests/toon/run cargo test -p tool-tests --test it oracle`. Without it
//! they are listed as left out.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use tool_runtime::articulate::{from_toon, to_toon};

use super::documents::Documents;
use super::generated::plain;

const DOCUMENTS: usize = 20_000;

/// Returns what the reference implementation answers, a line for each; `None` without Node.js.
fn reference<T: DeserializeOwned>(mode: &str, lines: Vec<String>) -> Option<Vec<T>> {
    let modules = std::env::var_os("TOON_MODULES")?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("toon/oracle.mjs");
    let mut node = Command::new("node")
        .arg(script)
        .arg(modules)
        .arg(mode)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node starts");
    let mut input = node.stdin.take().expect("it is piped");
    let writer = thread::spawn(move || {
        for line in lines {
            writeln!(input, "{line}").expect("node reads");
        }
    });
    let output = node.wait_with_output().expect("node ends");
    writer.join().expect("all lines are written");
    assert!(output.status.success(), "{mode}");
    let text = String::from_utf8(output.stdout).expect("it is text");
    Some(text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect())
}

fn documents() -> Vec<Value> {
    let mut documents = Documents::new(11);
    (0..DOCUMENTS).map(|_| documents.next_document()).collect()
}

#[test]
fn the_reference_reads_what_is_written_here() {
    let documents = documents();
    let text = |document: &Value| Value::from(to_toon(document).expect("TOON")).to_string();
    let Some(read) = reference::<Value>("decode", documents.iter().map(text).collect()) else {
        return;
    };
    assert_eq!(read.len(), documents.len());
    for (document, read) in documents.into_iter().zip(read) {
        assert_eq!(plain(read["document"].clone()), plain(document));
    }
}

#[test]
fn texts_of_the_reference_are_read_and_written_the_same() {
    let documents = documents();
    let lines = documents.iter().map(ToString::to_string).collect();
    let Some(texts) = reference::<Value>("encode", lines) else { return };
    assert_eq!(texts.len(), documents.len());
    for (document, text) in documents.into_iter().zip(texts) {
        let text = text.as_str().expect("a text");
        let read: Value = from_toon(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(plain(read), plain(document.clone()), "{text}");
        // The reference quotes a text with a byte order mark only at the root.
        if !text.contains('\u{feff}') {
            assert_eq!(to_toon(&document).as_deref(), Ok(text));
        }
    }
}

/// The options of fixtures that are those of this library; other ones cannot be set.
const DEFAULTS: [(&str, &str); 5] = [
    ("delimiter", "\",\""),
    ("indent", "2"),
    ("keyFolding", "\"off\""),
    ("strict", "true"),
    ("expandPaths", "\"off\""),
];

/// A fixture of the specification.
#[derive(Deserialize)]
struct Fixture {
    kind: String,
    name: String,
    /// Raw, since the order of keys counts.
    input: Box<RawValue>,
    expected: Value,
    #[serde(rename = "shouldError", default)]
    should_error: bool,
    #[serde(default)]
    options: BTreeMap<String, Value>,
}

impl Fixture {
    fn has_default_options(&self) -> bool {
        let is_default = |(name, value): (&String, &Value)| {
            DEFAULTS.iter().any(|(known, default)| {
                known == name
                    && serde_json::from_str(default).is_ok_and(|default: Value| default == *value)
            })
        };
        self.options.iter().all(is_default)
    }

    fn passes(&self) -> bool {
        if self.kind == "encode" {
            return to_toon(&self.input).ok().as_deref() == self.expected.as_str();
        }
        let text: String = serde_json::from_str(self.input.get()).expect("a text");
        match from_toon::<Value>(&text) {
            Ok(read) => !self.should_error && plain(read) == plain(self.expected.clone()),
            Err(_) => self.should_error,
        }
    }
}

/// Fixtures of version 3 of the specification that version 4 changed.
const CHANGED: [&str; 1] = ["uses list format for objects with nested values"];

#[test]
fn the_fixtures_of_the_specification_pass() {
    let Some(fixtures) = reference::<Fixture>("fixtures", Vec::new()) else { return };
    let fixtures: Vec<_> = fixtures.into_iter().filter(Fixture::has_default_options).collect();
    assert!(fixtures.len() > 300, "{} fixtures", fixtures.len());
    let failed = fixtures.iter().filter(|fixture| !fixture.passes());
    assert_eq!(failed.map(|fixture| &*fixture.name).collect::<Vec<_>>(), CHANGED);
}
