//! The lock of the base branch.

use std::fs;

use tool_runtime_core::tool::registry::DynamicTool;

use super::lock::{LockFile, named, search};
use super::{TempFolder, export};
use crate::export::LockMode;
use crate::{ContractChanges, Export, ExportError, ExportErrorKind};

/// Locks these tools, as a branch does that replaces the lock of its base.
fn replaced(
    base: impl IntoIterator<Item = DynamicTool>,
    tools: impl IntoIterator<Item = DynamicTool>,
) -> LockFile {
    let locked = LockFile::with(tools);
    fs::write(locked.0.at("base.lock"), LockFile::with(base).text()).unwrap();
    locked
}

/// Checks with the base, frozen, as continuous integration does.
fn frozen(
    locked: &LockFile,
    tools: impl IntoIterator<Item = DynamicTool>,
) -> Result<ContractChanges, ExportError> {
    export(tools).frozen().base("base.lock").check(locked.0.at("tools.lock.json"))
}

#[test]
fn a_lock_that_was_replaced_hides_no_breaking_change_from_its_base() {
    let locked = replaced([search(&[])], [search(&["limit"])]);
    let path = locked.0.at("tools.lock.json");
    export([search(&["limit"])]).frozen().check(&path).expect("the lock alone does not tell");
    let error = frozen(&locked, [search(&["limit"])]).unwrap_err();
    assert_eq!(error.kind(), ExportErrorKind::Breaking);
    for part in ["base.lock (`TOOLS_LOCK_BASE`)", "`search` input", "version = \"2.0.0\""] {
        assert!(error.to_string().contains(part), "`{part}` in:\n{error}");
    }
    for mode in [LockMode::Write, LockMode::Accept] {
        let export = Export { mode: Ok(mode), ..export([search(&["limit"])]) };
        let error = export.base("base.lock").check(&path).unwrap_err();
        assert_eq!(error.kind(), ExportErrorKind::Breaking);
    }
}

#[test]
fn a_change_declared_by_the_version_since_the_base_is_admitted() {
    let raised = || [search(&["limit"]).version("2.0.0"), named("new", &[])];
    let changes = frozen(&replaced([search(&[])], raised()), raised()).unwrap();
    assert!(changes.is_empty(), "the changes are those since the lock: {changes}");
}

#[test]
fn a_version_does_not_go_back_behind_the_base() {
    let older = || [search(&[]).version("1.3.0")];
    let error = frozen(&replaced([search(&[]).version("1.4.0")], older()), older()).unwrap_err();
    assert_eq!(error.kind(), ExportErrorKind::Version);
    assert!(error.to_string().contains("the base lock has 1.4.0"), "{error}");
}

#[test]
fn a_tool_that_the_base_has_is_gone_only_if_its_removal_was_accepted() {
    let both = [search(&[]), named("gone", &[])];
    let replaced = replaced(both, [search(&[])]);
    let error = frozen(&replaced, [search(&[])]).unwrap_err();
    assert_eq!(error.kind(), ExportErrorKind::Breaking);
    assert!(error.to_string().contains("tool-removed"), "{error}");

    let accepting = export([search(&[])]).accepting().base("base.lock");
    accepting.check(replaced.0.at("tools.lock.json")).unwrap();
    frozen(&replaced, [search(&[])]).expect("the removal is in the lock");
    assert!(replaced.text().contains(r#"{"name":"gone","removed":"1.0.0"}"#));
}

#[test]
fn a_removal_that_the_base_knows_stays_in_the_lock() {
    let base = LockFile::with([search(&[]), named("gone", &[])]);
    base.accept([search(&[])]).unwrap();
    let locked = LockFile::with([search(&[])]);
    fs::write(locked.0.at("base.lock"), base.text()).unwrap();
    assert_eq!(frozen(&locked, [search(&[])]).unwrap_err().kind(), ExportErrorKind::Stale);
    let returned = [search(&[]), named("gone", &["query"])];
    assert_eq!(frozen(&locked, returned).unwrap_err().kind(), ExportErrorKind::Breaking);
}

#[test]
fn the_base_stands_for_a_lock_that_is_gone() {
    let locked = replaced([search(&[])], [search(&[])]);
    fs::remove_file(locked.0.at("tools.lock.json")).unwrap();
    assert_eq!(frozen(&locked, [search(&[])]).unwrap_err().kind(), ExportErrorKind::NoLock);
    let accept = |tools: [DynamicTool; 1]| {
        export(tools).accepting().base("base.lock").check(locked.0.at("tools.lock.json"))
    };
    assert_eq!(accept([search(&["limit"])]).unwrap_err().kind(), ExportErrorKind::Breaking);
    accept([search(&[])]).unwrap();
    frozen(&locked, [search(&[])]).expect("the lock is up to date");
}

#[test]
fn a_base_that_is_missing_or_cannot_be_read_is_an_error_in_every_mode() {
    let locked = LockFile::with([search(&[])]);
    let cases = [
        (None, "does not exist"),
        (Some(" \n"), "is empty"),
        (Some("{"), "is damaged"),
        (Some("=======\n"), "has the conflict markers"),
        (Some(r#"{"format": 99, "tools": []}"#), "has format 99"),
    ];
    for (text, why) in cases {
        if let Some(text) = text {
            fs::write(locked.0.at("base.lock"), text).unwrap();
        }
        for mode in [LockMode::Write, LockMode::Accept, LockMode::Frozen] {
            let export = Export { mode: Ok(mode), ..export([search(&[])]) };
            let error = export.base("base.lock").check(locked.0.at("tools.lock.json")).unwrap_err();
            assert_eq!(error.kind(), ExportErrorKind::Base, "{error}");
            for part in [why, "`TOOLS_LOCK_BASE`", "base.lock"] {
                assert!(error.to_string().contains(part), "`{part}` in:\n{error}");
            }
        }
    }
}

#[test]
fn a_path_of_its_own_names_a_base_elsewhere() {
    let (locked, elsewhere) = (LockFile::with([search(&[])]), TempFolder::new());
    fs::write(elsewhere.at("base.lock"), LockFile::with([search(&["query"])]).text()).unwrap();
    let export = export([search(&[])]).frozen().base(elsewhere.at("base.lock"));
    export.check(locked.0.at("tools.lock.json")).expect("the base is read, and is compatible");
}
