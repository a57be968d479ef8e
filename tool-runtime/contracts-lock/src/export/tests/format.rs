//! The text of the lock: its lines, its earlier format, and what a merge leaves in it.

use std::fs;

use serde_json::{Value, json};
use tool_runtime_core::tool::registry::DynamicTool;

use super::lock::{LockFile, named, search};
use super::{TempFolder, export};
use crate::export::LockMode;
use crate::{Export, ExportErrorKind};

/// A lock with this text.
fn written(text: &str) -> LockFile {
    let locked = LockFile(TempFolder::new());
    fs::write(locked.0.at("tools.lock.json"), text).unwrap();
    locked
}

#[track_caller]
fn is_up_to_date(locked: &LockFile, tools: impl IntoIterator<Item = DynamicTool>) {
    let path = locked.0.at("tools.lock.json");
    export(tools).frozen().check(path).expect("the lock is up to date");
}

#[test]
fn each_tool_is_one_line_after_its_fields_sorted_by_name() {
    let locked = LockFile::with([named("c", &[]), named("a", &[]), named("b", &["query"])]);
    locked.accept([named("c", &[]), named("a", &[])]).unwrap();
    let text = locked.text();
    let fields: Vec<_> = text.lines().filter(|line| line.contains(" takes ")).collect();
    let [first, second] = [r#""a takes limit: integer","#, r#""a takes query: string","#];
    assert_eq!(fields[..2], [first, second], "{text}");
    let lines: Vec<_> = text.lines().filter(|line| !fields.contains(line)).collect();
    assert_eq!(lines[..4], ["{", r#""format": 2,"#, r#""tools": ["#, r#""<a>","#], "{text}");
    assert!(lines[4].starts_with(r#"{"name":"a","#) && lines[4].ends_with("},"), "{text}");
    let removed = r#"{"name":"b","removed":"1.0.0"},"#;
    assert_eq!(lines[5..10], [r#""</a>","#, r#""<b>","#, removed, r#""</b>","#, r#""<c>","#]);
    assert!(lines[10].starts_with(r#"{"name":"c","#) && lines[10].ends_with("},"), "{text}");
    assert_eq!(lines[13..], ["]", "}"]);
    serde_json::from_str::<Value>(&text).expect("valid JSON");
}

#[test]
fn a_change_of_one_tool_changes_no_other_line() {
    let all = || [named("a", &[]), named("b", &[]), named("c", &[])];
    let locked = LockFile::with(all());
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let before = lines(&locked.text());
    let [first, second, last] = all();
    locked.accept([first.description("Else."), second, last, named("d", &[])]).unwrap();
    let after = lines(&locked.text());
    let new: Vec<_> = after.iter().filter(|line| !before.contains(line)).collect();
    assert_eq!(new.len(), 6, "one line changes, and five are added: {new:?}");
    let gone: Vec<_> = before.iter().filter(|line| !after.contains(line)).collect();
    assert_eq!(gone.len(), 1, "{gone:?}");
}

#[test]
fn a_lock_of_the_first_format_is_read_and_the_next_acceptance_rewrites_it() {
    let current = LockFile::with([search(&["query"]), named("other", &[]), named("gone", &[])]);
    current.accept([search(&["query"]), named("other", &[])]).unwrap();
    let lock: Value = serde_json::from_str(&current.text()).unwrap();
    let tools: Vec<_> = lock["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| tool.is_object() && tool["removed"].is_null())
        .collect();
    let first = json!({"format": 1, "tools": tools, "removed": {"gone": "1.0.0"}});
    let locked = written(&format!("{first:#}\n"));
    let tools = || [search(&["query"]), named("other", &[])];
    is_up_to_date(&locked, tools());
    assert!(locked.check(tools()).unwrap().is_empty());
    assert_eq!(locked.text(), format!("{first:#}\n"));
    locked.accept(tools()).unwrap();
    assert_eq!(locked.text(), current.text());
}

#[test]
fn the_order_of_the_lines_and_their_ends_do_not_count() {
    let tools = || [named("a", &[]), named("b", &[])];
    let locked = LockFile::with(tools());
    let text = locked.text();
    let mut lines: Vec<_> = text.lines().collect();
    let first = lines.iter().position(|line| line.starts_with("{\"name\":\"a\"")).unwrap();
    let second = lines.iter().position(|line| line.starts_with("{\"name\":\"b\"")).unwrap();
    lines.swap(first, second);
    is_up_to_date(&written(&lines.join("\r\n")), tools());
}

#[test]
fn conflict_markers_are_named_with_their_lines_and_the_side_to_take() {
    let ours = LockFile::with([search(&[])]).text();
    let theirs = LockFile::with([search(&["limit"])]).text();
    let merge = format!("<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> other\n");
    let diff3 = format!("<<<<<<< HEAD\n{ours}||||||| base\n{{}}\n=======\n{theirs}>>>>>>> other\n");
    for (text, lines) in [
        (merge, ["line 1 (`<<<<<<<`)", "line 13 (`=======`)"]),
        (diff3, ["line 13 (`|||||||`)", "line 15 (`=======`)"]),
    ] {
        let locked = written(&text);
        for mode in [LockMode::Write, LockMode::Accept, LockMode::Frozen] {
            let export = Export { mode: Ok(mode), ..export([search(&["limit"])]) };
            let error = export.check(locked.0.at("tools.lock.json")).unwrap_err();
            assert_eq!(error.kind(), ExportErrorKind::Conflict, "{error}");
            let told = error.to_string();
            for part in
                lines.into_iter().chain(["git checkout origin/main -- ", "TOOLS_LOCK=accept"])
            {
                assert!(told.contains(part), "`{part}` in:\n{told}");
            }
        }
        assert_eq!(locked.text(), text);
    }
}

#[test]
fn no_message_suggests_to_delete_a_lock() {
    let texts =
        ["{", "[]", r#"{"format": 1}"#, r#"{"format": 99, "tools": []}"#, "=======", "\u{0}"];
    let twice = LockFile::with([search(&[])]).text().replace("\"one line", "1, \"one line");
    let search_twice = {
        let text = LockFile::with([search(&[])]).text();
        let line =
            text.lines().find(|line| line.contains("{\"name\":\"search\"")).unwrap().to_owned();
        text.replace(&line, &format!("{line}\n{line}"))
    };
    let texts = texts.into_iter().map(str::to_owned).chain([twice, search_twice]);
    let mut told: Vec<_> = texts.map(|text| written(&text).accept([search(&[])])).collect();
    told.push(LockFile(TempFolder::new()).check([search(&[])]));
    for error in told {
        let error = error.unwrap_err().to_string();
        assert!(!error.contains("delete") && !error.contains("remove"), "{error}");
        assert!(error.contains("git checkout") || error.contains("use the version"), "{error}");
    }
}

#[test]
fn a_changed_field_is_a_line_that_a_reviewer_reads() {
    let tool = |properties: Value| {
        super::tool("pay", &properties).version("1.0.0").output_schema(json!({
            "type": "object",
            "properties": {"paid": {"type": "boolean"}},
            "required": ["paid"],
        }))
    };
    let cents = |most: u32| json!({"cents": {"type": "integer", "minimum": 1, "maximum": most}});
    let locked = LockFile::with([tool(cents(500))]);
    let before = locked.text();
    locked.accept([tool(cents(900)).version("1.1.0")]).unwrap();
    let after = locked.text();
    let new: Vec<_> = after.lines().filter(|line| !before.contains(line)).collect();
    assert_eq!(new[0], r#""pay takes cents: integer, 1 to 900","#, "{after}");
    assert!(new[1].starts_with(r#"{"name":"pay","version":"1.1.0","effect":"read","#), "{after}");
    assert!(after.contains(r#""pay returns paid: boolean, required","#), "{after}");

    // The texts of a merge that went wrong are replaced; a lock without texts stays valid.
    let edited = after.replace("1 to 900", "1 to 800");
    let path = written(&edited);
    let tools = || [tool(cents(900)).version("1.1.0")];
    export(tools()).frozen().check(path.0.at("tools.lock.json")).unwrap_err();
    let bare: Vec<_> = after.lines().filter(|line| !line.starts_with("\"pay ")).collect();
    is_up_to_date(&written(&bare.join("\n")), tools());
}

#[test]
fn the_line_of_a_field_names_its_aliases_and_a_removed_one_breaks_the_contract() {
    let tool = |aliases: Value| {
        super::tool("find", &json!({"q": {"type": "string", "x-aliases": aliases}}))
    };
    let locked = LockFile::with([tool(json!(["query", "text"]))]);
    let text = locked.text();
    let line = r#""find takes q: string, also named `query`, `text`","#;
    assert!(text.contains(line), "{text}");
    let error = locked.check([tool(json!(["text"])).version("1.1.0")]).unwrap_err();
    assert!(error.to_string().contains("the alias `query` is no longer accepted"), "{error}");
    locked.accept([tool(json!(["query", "t", "text"])).version("1.1.0")]).unwrap();
}
