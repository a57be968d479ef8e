//! The exported folder: its files, when they are written, and when they are removed.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use serde_json::json;

use super::{TempFolder, export, registry, tool};
use crate::{Export, ExportErrorKind};

#[test]
fn the_order_of_registration_does_not_matter() {
    let (one, other) = (TempFolder::new(), TempFolder::new());
    let tools = || ["b", "a", "A", "c"].map(|name| tool(name, &json!({})));
    let mut backwards = tools();
    backwards.reverse();
    export(tools()).write_to(&one).unwrap();
    export(backwards).write_to(&other).unwrap();
    assert_eq!(one.names(), other.names());
    assert_eq!(one.names().len(), 4 * 4 + 9);
    for name in one.names() {
        assert_eq!(fs::read(one.at(&name)).unwrap(), fs::read(other.at(&name)).unwrap(), "{name}");
    }
}

#[test]
fn files_that_are_right_are_left_alone() {
    let folder = TempFolder::new();
    let tools = || [tool("a", &json!({})), tool("b", &json!({}))];
    assert!(export(tools()).write_to(&folder).unwrap().unchanged().is_empty());
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for name in folder.names() {
        File::options().write(true).open(folder.at(&name)).unwrap().set_modified(long_ago).unwrap();
    }
    let crlf = fs::read_to_string(folder.at("TOOLS.md")).unwrap().replace('\n', "\r\n");
    fs::write(folder.at("TOOLS.md"), crlf).unwrap();
    fs::write(folder.at("a.input.json"), "{}").unwrap();

    let written = export(tools()).write_to(&folder).unwrap();
    assert_eq!(written.changed(), [folder.at("a.input.json")]);
    let modified = |name: &str| fs::metadata(folder.at(name)).unwrap().modified().unwrap();
    assert_eq!(modified("b.input.json"), long_ago);
    assert_ne!(modified("a.input.json"), long_ago);
}

#[test]
fn files_of_tools_that_are_no_more_go_and_others_stay() {
    let folder = TempFolder::new();
    export([tool("a", &json!({})), tool("gone", &json!({}))]).write_to(&folder).unwrap();
    fs::write(folder.at("mine.input.json"), "mine").unwrap();
    let written = export([tool("a", &json!({}))]).write_to(&folder).unwrap();
    let parts = ["input", "tool_call_request", "tool_output", "response_envelope"];
    assert_eq!(written.removed(), parts.map(|part| folder.at(&format!("gone.{part}.json"))));
    assert!(folder.names().contains(&"mine.input.json".to_owned()));
    assert!(!folder.names().iter().any(|name| name.starts_with("gone")));
}

#[test]
fn a_file_that_could_not_be_removed_is_removed_by_the_next_export() {
    let folder = TempFolder::new();
    export([tool("a", &json!({})), tool("gone", &json!({}))]).write_to(&folder).unwrap();
    let gone = folder.at("gone.response_envelope.json");
    fs::remove_file(&gone).unwrap();
    fs::create_dir(&gone).unwrap();
    let error = export([tool("a", &json!({}))]).write_to(&folder).unwrap_err();
    assert!(error.to_string().contains("gone.response_envelope.json"), "{error}");

    fs::remove_dir(&gone).unwrap();
    fs::write(&gone, "{}").unwrap();
    let written = export([tool("a", &json!({}))]).write_to(&folder).unwrap();
    assert_eq!(written.removed(), [gone]);
}

#[test]
fn a_foreign_catalogue_removes_nothing() {
    let (folder, outside) = (TempFolder::new(), TempFolder::new());
    fs::write(outside.at("a.input.json"), "kept").unwrap();
    let escape = outside.at("a.input.json").into_os_string().into_string().unwrap();
    let hostile =
        json!({"format": 1, "tools": [], "files": [escape, "../x.input.json", "main.rs"]});
    fs::write(folder.at("tools.json"), hostile.to_string()).unwrap();
    fs::write(folder.at("main.rs"), "kept").unwrap();
    assert!(export([]).write_to(&folder).unwrap().removed().is_empty());

    let foreign = json!({"files": ["kept.input.json"]});
    fs::write(folder.at("tools.json"), foreign.to_string()).unwrap();
    fs::write(folder.at("kept.input.json"), "kept").unwrap();
    assert!(export([]).write_to(&folder).unwrap().removed().is_empty());
    assert_eq!(fs::read(outside.at("a.input.json")).unwrap(), b"kept");
}

#[test]
fn a_frozen_export_names_what_is_stale_and_writes_nothing() {
    let folder = TempFolder::new();
    let old = [tool("a", &json!({})), tool("gone", &json!({}))];
    export(old).write_to(&folder).unwrap();
    fs::remove_file(folder.at("gone.tool_output.json")).unwrap();
    let before = folder.names();
    let frozen = || export([tool("a", &json!({"n": {"type": "integer"}}))]).frozen();
    let error = frozen().write_to(&folder).unwrap_err();
    assert_eq!(error.kind(), ExportErrorKind::Stale);
    let text = error.to_string();
    for name in ["a.input.json", "tools.json", "TOOLS.md", "gone.input.json"] {
        assert!(text.contains(name), "{name}: {text}");
    }
    assert!(!text.contains("gone.tool_output.json") && !text.contains("request_envelope.json\n"));
    assert_eq!(folder.names(), before);

    export([tool("a", &json!({"n": {"type": "integer"}}))]).write_to(&folder).unwrap();
    frozen().write_to(&folder).expect("now it is up to date");
}

#[test]
fn nothing_is_left_beside_a_file_that_could_not_be_written() {
    let folder = TempFolder::new();
    fs::create_dir(folder.at("a.input.json")).unwrap();
    let error = export([tool("a", &json!({}))]).write_to(&folder).unwrap_err();
    assert_eq!(error.kind(), ExportErrorKind::Io);
    assert!(error.to_string().contains("a.input.json"), "{error}");
    assert_eq!(folder.names(), ["a.input.json"]);
}

#[test]
fn wrong_registrations_are_said_when_files_are_asked_for() {
    let folder = TempFolder::new();
    let duplicate = Export::new(registry([tool("a", &json!({})), tool("a", &json!({}))]));
    let error = duplicate.write_to(&folder).unwrap_err();
    assert_eq!(error.kind(), ExportErrorKind::Registry);
    assert_eq!(format!("{error:?}"), error.to_string());
    assert!(folder.names().is_empty());
}
