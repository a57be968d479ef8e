//! Files below one folder, and paths that try to leave it.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};
use tool_runtime::contracts::act::ActResult;
use tool_runtime::contracts::act::ToolType::FileOperation;
use tool_runtime::prelude::*;

use crate::{Place, code, data};

/// The text of a file outside of the folder, which no answer may contain.
const OUTSIDE: &str = "planted outside";

/// A place with a file `outside/secret.md` beside the folder of the tools.
async fn place_with_secret() -> Place {
    let place = Place::new().await;
    let outside = place.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret.md"), OUTSIDE).unwrap();
    place
}

impl Place {
    async fn read(&self, path: &str) -> ActResult {
        self.run(FileOperation, "files.read", json!({"path": path})).await
    }

    /// Writes with an approval, and returns the code of the error, if there is one.
    async fn write(&self, path: &str, text: &str) -> Option<String> {
        let cx = proxy_agent::context("trace-of-a-write").unwrap();
        let arguments = json!({"path": path, "text": text}).to_string();
        let mut call = self.host.runtime().call("files.write", arguments.as_str(), &cx);
        call.approve("jane").unwrap();
        let output = call.execute().await;
        output.error().map(|error| error.code().unwrap().to_owned())
    }
}

#[tokio::test]
async fn files_are_listed_and_read() {
    let place = Place::new().await;
    let notes = place.folder.notes();
    fs::create_dir(notes.join("plans")).unwrap();
    fs::write(notes.join("plans/may.md"), "May").unwrap();
    let listed = data(&place.run(FileOperation, "files.list", json!({})).await);
    let names: Vec<_> = listed.as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert_eq!(names, ["checklist.md", "plans"]);
    let listed = data(&place.run(FileOperation, "files.list", json!({"path": "plans"})).await);
    assert_eq!(listed, json!([{"name": "may.md", "kind": "file", "bytes": 3}]));
    assert_eq!(data(&place.read("plans/may.md").await), "May");
}

#[tokio::test]
async fn a_write_waits_for_a_person_and_replaces_nothing() {
    let place = Place::new().await;
    let parameters = json!({"path": "plan.md", "text": "one"});
    let waits = place.run(FileOperation, "files.write", parameters).await;
    assert_eq!(code(&waits), "NEEDS_USER_CONFIRMATION");
    assert!(!place.folder.notes().join("plan.md").exists());

    assert_eq!(place.write("plan.md", "one").await, None);
    assert_eq!(place.write("plan.md", "two").await.as_deref(), Some("FILE_EXISTS"));
    assert_eq!(data(&place.read("plan.md").await), "one");
}

#[tokio::test]
async fn a_dry_run_of_a_write_leaves_no_file() {
    let place = Place::new().await;
    let cx = ToolContext::builder(Uuid::nil(), "t").run_id("r").dry_run(true).build().unwrap();
    let arguments = json!({"path": "plan.md", "text": "one\ntwo"}).to_string();
    let mut call = place.host.runtime().call("files.write", arguments.as_str(), &cx);
    let shown: Value = serde_json::from_str(call.execute().await.data_json().unwrap()).unwrap();
    assert_eq!(shown, json!({"path": "plan.md", "bytes": 7, "first_line": "one"}));
    assert!(!place.folder.notes().join("plan.md").exists());
}

#[tokio::test]
async fn no_path_leads_out_of_the_folder() {
    let place = place_with_secret().await;
    let absolute = place.folder.path().join("outside/secret.md");
    let paths = [
        "../outside/secret.md",
        "..",
        "plans/../../outside/secret.md",
        "./../outside/secret.md",
        "checklist.md/../../outside/secret.md",
        "..\\outside\\secret.md",
        "checklist.md\u{0}.txt",
        "/",
        "/etc/passwd",
        absolute.to_str().unwrap(),
    ];
    for path in paths {
        assert_eq!(code(&place.read(path).await), "FORBIDDEN", "read {path:?}");
        let listed = place.run(FileOperation, "files.list", json!({"path": path})).await;
        assert_eq!(code(&listed), "FORBIDDEN", "list {path:?}");
        let written = place.write(path, "text").await;
        assert_eq!(written.as_deref(), Some("FORBIDDEN"), "write {path:?}");
    }
    assert_eq!(fs::read_to_string(absolute).unwrap(), OUTSIDE);
}

#[tokio::test]
async fn no_link_is_followed() {
    let place = place_with_secret().await;
    let (notes, outside) = (place.folder.notes(), place.folder.path().join("outside"));
    fs::create_dir(notes.join("inside")).unwrap();
    fs::write(notes.join("inside/a.md"), "a").unwrap();
    symlink(outside.join("secret.md"), notes.join("file-link")).unwrap();
    symlink(&outside, notes.join("folder-link")).unwrap();
    symlink("../outside", notes.join("relative-link")).unwrap();
    symlink("inside", notes.join("inner-link")).unwrap();
    symlink(outside.join("new.md"), notes.join("dangling-link")).unwrap();
    let paths =
        ["file-link", "folder-link/secret.md", "relative-link/secret.md", "inner-link/a.md"];
    for path in paths {
        let read = place.read(path).await;
        assert_eq!(code(&read), "FORBIDDEN", "{path}");
        assert!(read.error().unwrap().contains("link"), "{:?}", read.error());
    }
    for folder in ["folder-link", "relative-link", "inner-link"] {
        let listed = place.run(FileOperation, "files.list", json!({"path": folder})).await;
        assert_eq!(code(&listed), "FORBIDDEN", "{folder}");
    }
    for path in ["dangling-link", "file-link", "folder-link/new.md", "inner-link/new.md"] {
        assert_eq!(place.write(path, "text").await.as_deref(), Some("FORBIDDEN"), "{path}");
    }
    assert!(!outside.join("new.md").exists() && !notes.join("inside/new.md").exists());
    assert_eq!(fs::read_to_string(outside.join("secret.md")).unwrap(), OUTSIDE);
    let listed = data(&place.run(FileOperation, "files.list", json!({})).await);
    let link = listed.as_array().unwrap().iter().find(|it| it["name"] == "file-link").unwrap();
    assert_eq!(link["kind"], "other");
}

#[tokio::test]
async fn a_file_that_is_no_short_text_is_not_read() {
    let place = Place::new().await;
    let notes = place.folder.notes();
    fs::write(notes.join("long.md"), vec![b'x'; 64 * 1024 + 1]).unwrap();
    fs::write(notes.join("image.png"), [0x89, b'P', 0xff]).unwrap();
    fs::create_dir(notes.join("folder")).unwrap();
    let pipe = Command::new("mkfifo").arg(notes.join("pipe")).status().unwrap();
    assert!(pipe.success());
    let expected = [
        ("long.md", "FILE_TOO_LONG"),
        ("image.png", "FILE_NOT_TEXT"),
        ("folder", "INVALID_ARGUMENT"),
        ("pipe", "INVALID_ARGUMENT"),
        ("checklist.md/x", "INVALID_ARGUMENT"),
        ("missing.md", "NOT_FOUND"),
        ("missing/x.md", "NOT_FOUND"),
    ];
    for (path, expected) in expected {
        assert_eq!(code(&place.read(path).await), expected, "{path}");
    }
}
