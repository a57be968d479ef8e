//! The lock: accepted changes, rejected changes, and when the file is written.

use std::fs;

use serde_json::{Value, json};
use tool_contracts::ToolkitSpec;
use tool_runtime_core::tool::registry::DynamicTool;

use super::{TempFolder, export, tool, tool_of};
use crate::export::LockMode;
use crate::{Compatibility, ContractChanges, ContractPart, Export, ExportError, ExportErrorKind};

/// A folder with a lock.
pub(super) struct LockFile(pub(super) TempFolder);

impl LockFile {
    pub(super) fn with(tools: impl IntoIterator<Item = DynamicTool>) -> Self {
        let locked = Self(TempFolder::new());
        locked.accept(tools).expect("there is nothing to compare with");
        locked
    }

    pub(super) fn check(
        &self,
        tools: impl IntoIterator<Item = DynamicTool>,
    ) -> Result<ContractChanges, ExportError> {
        export(tools).check(self.0.at("tools.lock.json"))
    }

    pub(super) fn accept(
        &self,
        tools: impl IntoIterator<Item = DynamicTool>,
    ) -> Result<ContractChanges, ExportError> {
        export(tools).accepting().check(self.0.at("tools.lock.json"))
    }

    pub(super) fn text(&self) -> String {
        fs::read_to_string(self.0.at("tools.lock.json")).unwrap()
    }

    #[track_caller]
    fn refused(&self, tools: impl IntoIterator<Item = DynamicTool>, parts: &[&str]) {
        let before = self.text();
        let error = self.check(tools).unwrap_err();
        assert_eq!(error.kind(), ExportErrorKind::Breaking);
        for part in parts {
            assert!(error.to_string().contains(part), "`{part}` in:\n{error}");
        }
        assert_eq!(self.text(), before);
    }
}

pub(super) fn search(required: &[&str]) -> DynamicTool {
    named("search", required)
}

pub(super) fn named(name: &str, required: &[&str]) -> DynamicTool {
    let properties = json!({"query": {"type": "string"}, "limit": {"type": "integer"}});
    // Like a function's schema, it is titled by the function.
    tool_of(
        name,
        json!({
            "title": name, "type": "object", "properties": properties, "required": required,
        }),
    )
}

#[test]
fn without_a_lock_the_error_says_how_to_make_one() {
    let folder = TempFolder::new();
    let error = export([search(&[])]).check(folder.at("tools.lock.json")).unwrap_err();
    assert_eq!(error.kind(), ExportErrorKind::NoLock);
    assert!(error.to_string().contains("TOOLS_LOCK=accept"), "{error}");
    assert!(folder.names().is_empty());
}

#[test]
fn accepted_tools_have_not_changed() {
    let locked = LockFile::with([search(&[]), tool("a", &json!({}))]);
    let text = locked.text();
    assert!(locked.check([tool("a", &json!({})), search(&[])]).unwrap().is_empty());
    export([tool("a", &json!({})), search(&[])])
        .frozen()
        .check(locked.0.at("tools.lock.json"))
        .expect("it is up to date");
    assert_eq!(locked.text(), text);
    assert_eq!(locked.0.names(), ["tools.lock.json"]);
}

#[test]
fn a_breaking_change_names_tool_place_rule_and_cure() {
    let locked = LockFile::with([search(&["query"]), tool("gone", &json!({"n": {}}))]);
    locked.refused(
        [search(&["query", "limit"])],
        &[
            "`search` input",
            ": breaking (",
            "`search`: set `version = \"2.0.0\"`",
            "`gone` contract: breaking (tool-removed): was removed",
            "`gone`: make sure that it is no longer called",
            "TOOLS_LOCK=accept",
        ],
    );
}

#[test]
fn a_breaking_change_is_shown_by_an_example() {
    let limited = |most: u64| {
        let limit = json!({"type": "integer", "maximum": most});
        [tool_of("search", json!({"type": "object", "properties": {"limit": limit}}))]
    };
    let locked = LockFile::with(limited(50));
    locked
        .refused(limited(20), &["; for example, {\"limit\":21} was accepted and is refused now\n"]);

    let returning = |kind: Value| [search(&[]).output_schema(json!({"type": kind}))];
    let locked = LockFile::with(returning(json!("string")));
    let example = "; for example, null was not returned before and may be now\n";
    locked.refused(returning(json!(["string", "null"])), &[example]);
}

#[test]
fn a_long_example_is_shortened() {
    let text = |most: u64| {
        let query = json!({"type": "string", "maxLength": most});
        [tool_of("search", json!({"type": "object", "properties": {"query": query}}))]
    };
    let error = LockFile::with(text(2_000)).check(text(1_000)).unwrap_err().to_string();
    assert!(error.contains("aaa… (1013 characters) was accepted and is refused now"), "{error}");
    assert!(error.len() < 700, "{error}");
}

#[test]
fn accepting_is_no_way_around_a_new_major_version() {
    let locked = LockFile::with([search(&[])]);
    let before = locked.text();
    for version in ["1.0.0", "1.9.0", "1.0.1"] {
        let error = locked.accept([search(&["limit"]).version(version)]).unwrap_err();
        assert_eq!(error.kind(), ExportErrorKind::Breaking, "{version}");
        assert!(error.to_string().contains("version = \"2.0.0\""), "{error}");
        assert!(!error.to_string().contains("TOOLS_LOCK"), "{error}");
    }
    assert_eq!(locked.text(), before);
}

#[test]
fn a_new_major_version_admits_a_breaking_change() {
    let locked = LockFile::with([search(&[]).version("0.2.5")]);
    let raised = || [search(&["limit"]).version("0.3.0")];
    let changes = locked.check(raised()).unwrap();
    assert_eq!(changes.compatibility(), Compatibility::Breaking);
    assert!(changes.iter().any(|change| change.part() == ContractPart::Input));
    assert!(locked.text().contains("0.2.5"));
    locked.accept(raised()).unwrap();
    assert!(locked.check(raised()).unwrap().is_empty());
}

#[test]
fn a_change_that_hurts_nobody_passes_until_it_is_accepted() {
    let locked = LockFile::with([search(&[])]);
    let grown = || [search(&[]).description("Looks."), tool("new", &json!({}))];
    let changes = locked.check(grown()).unwrap();
    assert_eq!(changes.compatibility(), Compatibility::Compatible);
    let lines: Vec<_> = changes.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "`new` contract: compatible (tool-added): is new",
            "`search` contract /description: no effect (annotation): says something else",
        ]
    );

    let error = export(grown()).frozen().check(locked.0.at("tools.lock.json")).unwrap_err();
    assert_eq!(error.kind(), ExportErrorKind::Stale);
    assert!(error.to_string().contains("`new`"), "{error}");
    locked.accept(grown()).unwrap();
    assert!(locked.check(grown()).unwrap().is_empty());
}

#[test]
fn a_removed_tool_is_accepted_and_where_it_may_have_gone_is_said() {
    let locked = LockFile::with([search(&["query"])]);
    let renamed = || [named("find", &["query"])];
    locked.refused(renamed(), &["`search`", "the new tool `find` takes the same arguments"]);
    locked.accept(renamed()).unwrap();
    assert!(locked.check(renamed()).unwrap().is_empty());
}

#[test]
fn a_tool_that_comes_back_goes_on_from_its_version() {
    let locked = LockFile::with([search(&["query"]).version("1.2.0"), named("other", &[])]);
    locked.accept([named("other", &[])]).unwrap();
    let back = |version: &str| [search(&[]).version(version), named("other", &[])];
    for version in ["1.2.0", "1.9.0"] {
        locked.refused(
            back(version),
            &["`search`", "tool-returned", "1.2.0", "`version = \"2.0.0\"`"],
        );
        assert!(locked.accept(back(version)).is_err());
    }
    locked.accept(back("2.0.0")).unwrap();
    assert!(locked.check(back("2.0.0")).unwrap().is_empty());
    assert!(!locked.text().contains("\"removed\""));
}

#[test]
fn a_version_does_not_go_back() {
    let locked = LockFile::with([search(&[]).version("1.4.0")]);
    for mode in [LockMode::Write, LockMode::Accept, LockMode::Frozen] {
        let older = Export { mode: Ok(mode), ..export([search(&[]).version("1.3.9")]) };
        let error = older.check(locked.0.at("tools.lock.json")).unwrap_err();
        assert_eq!(error.kind(), ExportErrorKind::Version);
        assert!(error.to_string().contains("1.3.9") && error.to_string().contains("1.4.0"));
    }
    let unversioned = locked.check([search(&[]).version("next")]).unwrap_err();
    assert_eq!(unversioned.kind(), ExportErrorKind::Version);
    assert!(unversioned.to_string().contains("`next`"), "{unversioned}");
}

#[test]
fn a_lock_that_cannot_be_read_is_left_as_it_is() {
    let locked = LockFile::with([search(&[])]);
    let whole: Value = serde_json::from_str(&locked.text()).unwrap();
    let with = |key: &str, value: Value| {
        let mut lock = whole.clone();
        lock[key] = value;
        lock.to_string()
    };
    let tools = whole["tools"].as_array().unwrap();
    let entry = tools.iter().find(|line| line.is_object()).unwrap();
    let cases = [
        (locked.text()[..100].to_owned(), "is damaged"),
        ("[]".to_owned(), "is damaged"),
        (with("format", json!("1")), "is damaged"),
        (with("tools", json!({})), "is damaged"),
        (with("tools", json!([{"name": "search"}])), "is damaged"),
        (with("tools", json!([entry, entry])), "has `search` twice"),
        (with("tools", json!([whole["tools"][0]])), "the line of `search` is missing"),
        (with("format", json!(3)), "has format 3"),
    ];
    for (text, why) in cases {
        fs::write(locked.0.at("tools.lock.json"), &text).unwrap();
        for result in [locked.check([search(&[])]), locked.accept([search(&[])])] {
            let error = result.unwrap_err();
            let twice = why == "has `search` twice";
            let kind =
                if twice { ExportErrorKind::Conflict } else { ExportErrorKind::UnreadableLock };
            assert_eq!(error.kind(), kind, "{text}");
            assert!(error.to_string().contains(why), "{error}");
        }
        assert_eq!(locked.text(), text);
    }
}

#[test]
fn the_variable_decides_what_is_written() {
    let cases = [(None, Some(LockMode::Write)), (Some(""), Some(LockMode::Write))];
    let words =
        [("accept", Some(LockMode::Accept)), ("frozen", Some(LockMode::Frozen)), ("yes", None)];
    let words = words.map(|(word, mode)| (Some(word), mode));
    for (value, mode) in cases.into_iter().chain(words) {
        let read = LockMode::from_variable(value.map(std::ffi::OsStr::new));
        assert_eq!(read.as_ref().ok().copied(), mode, "{value:?}");
        if let Err(error) = read {
            assert_eq!(error.kind(), ExportErrorKind::Setting);
        }
    }
}

#[test]
fn a_lock_from_before_toolkits_is_read_and_hurts_nothing() {
    let plain = || [tool("notes.add", &json!({}))];
    let notes = || ToolkitSpec::new("notes", "Keeps notes.").unwrap();
    let with = || plain().map(|tool| tool.toolkit(notes()));
    let locked = LockFile::with(plain());
    assert!(!locked.text().contains("toolkit"));
    let changes = locked.check(with()).unwrap();
    assert_eq!(changes.compatibility(), Compatibility::None);
    let told: Vec<_> = changes.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        ["`notes.add` contract /toolkit: no effect (annotation): says something else"]
    );

    locked.accept(with()).unwrap();
    assert!(locked.check(with()).unwrap().is_empty());
    let other = ToolkitSpec::new("notes", "Keeps notes and lists.").unwrap();
    let reworded = locked.check(plain().map(|tool| tool.toolkit(other.clone()))).unwrap();
    assert_eq!((reworded.len(), reworded.compatibility()), (1, Compatibility::None));
}
