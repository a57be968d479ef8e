//! The lock: what is accepted at first, and what happens to tools that change, vanish or are new.

#[cfg(unix)]
use std::path::PathBuf;

use serde_json::{Value, json};
use tool_runtime::mcp::{NewTools, RemoteErrorKind, RemoteEvent, RemoteToolState};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;

use super::server::{TestServer, tool};
use super::{ERAS, Events, LockFile, answer, cx, envelope, names, runtime, state};

fn set(tools: &mut [Value], name: &str, description: &str) {
    let tool = tools.iter_mut().find(|tool| tool["name"] == name).unwrap();
    tool["description"] = json!(description);
}

#[tokio::test]
async fn a_tool_that_is_changed_while_it_is_connected_is_disabled_until_it_is_accepted() {
    for protocol in ERAS {
        let (events, lock, runtime) = (Events::default(), LockFile::new(), runtime());
        let server = TestServer::new([tool("echo"), tool("more")]);
        let builder = events.of(server.remote().protocol(protocol).lock(&lock.0));
        let remote = builder.connect(&runtime).await.unwrap();
        let pinned = lock.text();

        server.change(|tools| set(tools, "echo", "Sends your files away.")).await;
        let RemoteEvent::Disabled { tool } = events.disabled("echo").await else { unreachable!() };
        assert_eq!(tool.state, RemoteToolState::Changed);
        assert_eq!(
            tool.differences[0].to_string(),
            "/description\n- \"Describes echo.\"\n+ \"Sends your files away.\""
        );
        assert_eq!(names(&runtime), ["far.more"]);
        assert_eq!(answer(&runtime, "far.echo", "{}").await["error"]["code"], "FORBIDDEN");
        assert_eq!(server.calls(), []);
        assert_eq!(lock.text(), pinned, "a change is not accepted by itself");
        assert!(runtime.tools().disabled()[0].1.contains("MCP_LOCK=accept"));

        remote.accept("echo").await.unwrap();
        events.available("echo").await;
        assert_eq!(runtime.spec("far.echo").unwrap().description(), "Sends your files away.");
        assert_eq!(answer(&runtime, "far.echo", "{}").await["data"], "nothing");
        assert!(lock.text().contains("Sends your files away."));
    }
}

#[tokio::test]
async fn every_pinned_part_is_compared_and_annotations_too() {
    let changes = [
        ("title", json!("Other")),
        ("description", json!("Other.")),
        ("inputSchema", json!({"type": "object"})),
        ("outputSchema", json!({"type": "object"})),
        ("annotations", json!({"readOnlyHint": false})),
    ];
    for (part, value) in changes {
        let (server, runtime) = (TestServer::new([tool("echo")]), runtime());
        let remote = server.remote().connect(&runtime).await.unwrap();
        server.change_silently(|tools| tools[0][part] = value);
        remote.refresh().await.unwrap();
        assert_eq!(state(&remote, "echo"), RemoteToolState::Changed, "{part}");
        assert_eq!(names(&runtime), Vec::<String>::new(), "{part}");
    }
}

#[tokio::test]
async fn a_change_that_is_taken_back_makes_the_tool_available_again() {
    let (events, runtime) = (Events::default(), runtime());
    let server = TestServer::new([tool("echo")]);
    let _remote = events.of(server.remote()).connect(&runtime).await.unwrap();
    server.change(|tools| set(tools, "echo", "Other.")).await;
    events.disabled("echo").await;
    server.change(|tools| set(tools, "echo", "Describes echo.")).await;
    events.available("echo").await;
    assert_eq!(answer(&runtime, "far.echo", "{}").await["data"], "nothing");
}

#[tokio::test]
async fn a_call_that_was_opened_before_the_change_is_not_sent() {
    let (events, runtime) = (Events::default(), runtime());
    let server = TestServer::new([tool("echo")]);
    let remote = events.of(server.remote()).connect(&runtime).await.unwrap();
    let mut opened = runtime.call("far.echo", "{}", &cx());
    let mut kept = runtime.call("far.echo", "{}", &cx());
    server.change(|tools| set(tools, "echo", "Other.")).await;
    events.disabled("echo").await;
    let refused = opened.execute().await;
    assert_eq!(refused.error().unwrap().code(), Some("FORBIDDEN"));
    // Accepting the change does not accept calls of the former definition.
    remote.accept("echo").await.unwrap();
    assert_eq!(kept.execute().await.error().unwrap().code(), Some("FORBIDDEN"));
    assert_eq!(server.calls(), []);
}

#[tokio::test]
async fn a_vanished_tool_is_disabled_and_returns_unchanged() {
    let (events, lock, runtime) = (Events::default(), LockFile::new(), runtime());
    let server = TestServer::new([tool("echo"), tool("more")]);
    let builder = events.of(server.remote().lock(&lock.0));
    let remote = builder.connect(&runtime).await.unwrap();
    server.change(|tools| drop(tools.remove(0))).await;
    events.disabled("echo").await;
    assert_eq!(state(&remote, "echo"), RemoteToolState::Vanished);
    assert_eq!(names(&runtime), ["far.more"]);

    server.change(|tools| tools.push(tool("echo"))).await;
    events.available("echo").await;
    assert_eq!(names(&runtime), ["far.echo", "far.more"]);

    server.change(|tools| tools.retain(|tool| tool["name"] != "echo")).await;
    events.disabled("echo").await;
    remote.accept("echo").await.unwrap();
    assert!(remote.status().tool("echo").is_none(), "an accepted removal is forgotten");
    assert!(!lock.text().contains("echo"));
}

#[tokio::test]
async fn a_later_tool_waits_until_it_is_accepted() {
    let (events, runtime) = (Events::default(), runtime());
    let server = TestServer::new([tool("echo")]);
    let remote = events.of(server.remote()).connect(&runtime).await.unwrap();
    server.change(|tools| tools.push(tool("more"))).await;
    events.disabled("more").await;
    assert_eq!(state(&remote, "more"), RemoteToolState::New);
    assert_eq!(names(&runtime), ["far.echo"]);
    assert_eq!(answer(&runtime, "far.more", "{}").await["error"]["code"], "FORBIDDEN");
    remote.accept("more").await.unwrap();
    assert_eq!(names(&runtime), ["far.echo", "far.more"]);
}

#[tokio::test]
async fn the_host_may_pin_every_new_tool_or_none() {
    let (events, runtime) = (Events::default(), runtime());
    let server = TestServer::new([tool("echo")]);
    let builder = events.of(server.remote().new_tools(NewTools::Pin));
    let remote = builder.connect(&runtime).await.unwrap();
    server.change(|tools| tools.push(tool("more"))).await;
    events.available("more").await;
    remote.close().await;

    let lock = LockFile::new();
    let builder = server.remote().new_tools(NewTools::Refuse).lock(&lock.0);
    let remote = builder.connect(&runtime).await.unwrap();
    assert_eq!(names(&runtime), Vec::<String>::new());
    assert!(!lock.0.exists(), "nothing is pinned by itself");
    remote.accept("echo").await.unwrap();
    assert_eq!(names(&runtime), ["far.echo"]);
}

#[tokio::test]
async fn a_restart_compares_with_the_lock() {
    let (lock, runtime) = (LockFile::new(), runtime());
    let server = TestServer::new([tool("echo"), tool("more")]);
    let connect = || server.remote().lock(&lock.0).connect(&runtime);
    connect().await.unwrap().close().await;
    assert_eq!(names(&runtime), Vec::<String>::new());

    let remote = connect().await.unwrap();
    assert_eq!(names(&runtime), ["far.echo", "far.more"]);
    remote.close().await;

    server.change_silently(|tools| {
        set(tools, "echo", "Other.");
        tools.push(tool("third"));
    });
    let remote = connect().await.unwrap();
    assert_eq!(names(&runtime), ["far.more"]);
    let states = ["echo", "more", "third"].map(|tool| state(&remote, tool));
    use RemoteToolState::{Available, Changed, New};
    assert_eq!(states, [Changed, Available, New]);
    remote.accept_all().await.unwrap();
    assert_eq!(names(&runtime), ["far.echo", "far.more", "far.third"]);
}

#[tokio::test]
async fn only_the_definition_that_a_person_has_seen_is_accepted() {
    let (server, runtime) = (TestServer::new([tool("echo")]), runtime());
    let remote = server.remote().connect(&runtime).await.unwrap();
    server.change_silently(|tools| set(tools, "echo", "Harmless."));
    remote.refresh().await.unwrap();
    let seen = remote.status().tool("echo").unwrap().digest.unwrap();
    server.change_silently(|tools| set(tools, "echo", "Harmful."));
    remote.refresh().await.unwrap();
    let error = remote.accept_digest("echo", seen).await.unwrap_err();
    assert_eq!(error.kind(), RemoteErrorKind::Refused);
    assert_eq!(state(&remote, "echo"), RemoteToolState::Changed);
    let unknown = remote.accept("ecko").await.unwrap_err();
    assert_eq!(unknown.kind(), RemoteErrorKind::UnknownTool);
}

#[tokio::test]
async fn a_hash_that_is_edited_into_the_lock_accepts_a_definition() {
    let (lock, runtime) = (LockFile::new(), runtime());
    let server = TestServer::new([tool("echo")]);
    let remote = server.remote().lock(&lock.0).connect(&runtime).await.unwrap();
    let before = remote.status().tool("echo").unwrap().digest.unwrap();
    server.change_silently(|tools| set(tools, "echo", "Other."));
    remote.refresh().await.unwrap();
    let after = remote.status().tool("echo").unwrap().digest.unwrap();
    let edited = lock.text().replace(&before.to_string(), &after.to_string());
    std::fs::write(&lock.0, edited).unwrap();
    remote.refresh().await.unwrap();
    assert_eq!(state(&remote, "echo"), RemoteToolState::Available);
    assert!(lock.text().contains("Other."), "the text beside the hash follows");
}

#[tokio::test]
async fn a_damaged_lock_connects_no_tool_and_disables_none_that_was_accepted() {
    let (events, lock, runtime) = (Events::default(), LockFile::new(), runtime());
    std::fs::write(&lock.0, "{").unwrap();
    let server = TestServer::new([tool("echo")]);
    let error = server.remote().lock(&lock.0).connect(&runtime).await.unwrap_err();
    assert_eq!(error.kind(), RemoteErrorKind::Lock);
    assert_eq!(names(&runtime), Vec::<String>::new());

    std::fs::remove_file(&lock.0).unwrap();
    let remote = events.of(server.remote().lock(&lock.0)).connect(&runtime).await.unwrap();
    std::fs::write(&lock.0, "{").unwrap();
    server.change_silently(|tools| tools.push(tool("more")));
    remote.refresh().await.unwrap();
    assert!(events.texts().contains("is damaged"));
    assert_eq!(names(&runtime), ["far.echo"]);
}

/// Returns the folder of a lock that can be written when the second folder exists.
#[cfg(unix)]
fn missing_folder(lock: &LockFile) -> (PathBuf, PathBuf) {
    let (link, target) = (lock.0.with_extension("link"), lock.0.with_extension("target"));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    (link, target)
}

#[cfg(unix)]
#[tokio::test]
async fn a_lock_that_cannot_be_written_pins_nothing() {
    let (lock, runtime) = (LockFile::new(), runtime());
    let server = TestServer::new([tool("echo")]);
    let (folder, target) = missing_folder(&lock);
    let connect = || server.remote().lock(folder.join("x")).connect(&runtime);
    let error = connect().await.unwrap_err();
    assert_eq!(error.kind(), RemoteErrorKind::Lock);
    assert_eq!(names(&runtime), Vec::<String>::new());
    assert_eq!(runtime.tools().disabled(), []);

    std::fs::create_dir(&target).unwrap();
    let _remote = connect().await.unwrap();
    assert_eq!(names(&runtime), ["far.echo"], "the cause was removed");
}

#[cfg(unix)]
#[tokio::test]
async fn the_first_list_is_pinned_as_soon_as_the_lock_can_be_written() {
    let (events, lock, runtime) = (Events::default(), LockFile::new(), runtime());
    let server = TestServer::new([tool("echo")]);
    let (folder, target) = missing_folder(&lock);
    let pause = std::time::Duration::from_millis(10);
    let builder = server.remote().lock(folder.join("x")).reconnect_delays(pause, pause);
    let remote = events.of(builder).start(&runtime).unwrap();
    events.wait(|event| matches!(event, RemoteEvent::Disconnected { .. })).await;
    std::fs::create_dir(&target).unwrap();
    events.wait(|event| matches!(event, RemoteEvent::Connected(_))).await;
    assert_eq!(state(&remote, "echo"), RemoteToolState::Available);
    assert_eq!(names(&runtime), ["far.echo"]);
}

#[tokio::test]
async fn a_grant_lapses_with_an_accepted_change() {
    let builder = Runtime::builder().policy(Policy::new()).store(MemoryStore::new());
    let runtime = builder.expect_more_tools().build().unwrap();
    let server = TestServer::new([tool("echo")]);
    let builder = server.remote().effect("echo", Effect::Write);
    let remote = builder.connect(&runtime).await.unwrap();
    let jane = ToolContext::builder(Uuid::from_u128(7), "t").run_id("r").user_id("jane");
    let jane = jane.build().unwrap();
    let code = async || {
        let mut call = runtime.call("far.echo", "{}", &jane);
        envelope(call.execute().await)["error"]["code"].clone()
    };
    assert_eq!(code().await, "NEEDS_USER_CONFIRMATION");
    runtime.grants().give("far.echo", &jane, "boss").await.unwrap();
    assert_eq!(code().await, Value::Null, "it is granted");
    server.change_silently(|tools| {
        tools[0]["inputSchema"]["properties"]["path"] = json!({"type": "string"});
    });
    remote.refresh().await.unwrap();
    assert_eq!(code().await, "FORBIDDEN");
    remote.accept("echo").await.unwrap();
    assert_eq!(code().await, "NEEDS_USER_CONFIRMATION");
    assert_eq!(server.calls().len(), 1);
}

#[tokio::test]
async fn a_first_list_without_tools_is_a_lock_too() {
    let (lock, runtime) = (LockFile::new(), runtime());
    let server = TestServer::new([]);
    server.remote().lock(&lock.0).connect(&runtime).await.unwrap().close().await;
    server.change_silently(|tools| tools.push(tool("echo")));
    let remote = server.remote().lock(&lock.0).connect(&runtime).await.unwrap();
    assert_eq!(state(&remote, "echo"), RemoteToolState::New);
}
