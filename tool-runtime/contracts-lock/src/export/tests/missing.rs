//! A lock that does not exist: the first one, and one that was deleted.

use std::fs;

use serde_json::json;
use tool_runtime_core::tool::registry::DynamicTool;

use super::lock::{LockFile, named, search};
use super::{TempFolder, export, tool};
use crate::export::LockMode;
use crate::{Export, ExportErrorKind};

/// A folder with exported contracts and without a lock.
fn exported(tools: impl IntoIterator<Item = DynamicTool>) -> LockFile {
    let locked = LockFile(TempFolder::new());
    export(tools).write_to(locked.0.at("schemas")).unwrap();
    locked
}

#[test]
fn a_lock_that_is_gone_is_an_error_that_names_the_exported_contracts() {
    let locked = exported([search(&[])]);
    for mode in [LockMode::Write, LockMode::Frozen] {
        let export = Export { mode: Ok(mode), ..export([search(&[])]) };
        let error = export.check(locked.0.at("tools.lock.json")).unwrap_err();
        assert_eq!(error.kind(), ExportErrorKind::NoLock);
        for part in ["tools.json", "git checkout origin/main -- ", "TOOLS_LOCK=accept"] {
            assert!(error.to_string().contains(part), "{error}");
        }
    }
    assert_eq!(locked.0.names(), ["schemas"]);
}

#[test]
fn accepting_without_the_lock_is_no_way_around_a_new_major_version() {
    let locked = exported([search(&[]), named("gone", &[])]);
    let error = locked.accept([search(&["limit"])]).unwrap_err();
    assert_eq!(error.kind(), ExportErrorKind::Breaking, "{error}");
    assert!(error.to_string().contains("version = \"2.0.0\""), "{error}");
    assert_eq!(locked.0.names(), ["schemas"]);

    locked.accept([search(&["limit"]).version("2.0.0")]).unwrap();
    assert!(locked.text().contains(r#"{"name":"gone","removed":"1.0.0"}"#), "{}", locked.text());
}

#[test]
fn a_lock_that_comes_after_the_exported_contracts_is_the_first_one() {
    let locked = exported([search(&[]), named("other", &[])]);
    locked.accept([search(&[]), named("other", &[])]).unwrap();
    assert_eq!(locked.text(), LockFile::with([search(&[]), named("other", &[])]).text());
}

#[test]
fn contracts_of_other_tools_belong_to_another_lock() {
    let locked = exported([tool("other", &json!({}))]);
    fs::create_dir(locked.0.at("foreign")).unwrap();
    fs::write(locked.0.at("foreign/tools.json"), r#"[{"name": "search"}]"#).unwrap();
    locked.accept([search(&[])]).unwrap();
    assert!(!locked.text().contains("other"), "{}", locked.text());
}

#[test]
fn exported_contracts_that_cannot_be_read_are_no_first_lock() {
    let locked = LockFile(TempFolder::new());
    let catalogue = r#"{"format": 1, "tools": [{"name": "search"}]}"#;
    fs::write(locked.0.at("tools.json"), catalogue).unwrap();
    let error = locked.accept([search(&[])]).unwrap_err();
    assert_eq!(error.kind(), ExportErrorKind::UnreadableLock, "{error}");
    assert_eq!(locked.0.names(), ["tools.json"]);
}
