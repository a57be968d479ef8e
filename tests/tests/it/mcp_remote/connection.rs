//! The life of a connection: lost, made again, closed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use tool_runtime::mcp::{Remote, RemoteConnection, RemoteErrorKind, RemoteEvent, RemoteToolState};

use super::raw::RawServer;
use super::server::{TestServer, tool};
use super::{Events, answer, cx, names, runtime, state};

const SHORT: Duration = Duration::from_millis(1);

fn is_connected(event: &RemoteEvent) -> bool {
    matches!(event, RemoteEvent::Connected(_))
}

fn is_disconnected(event: &RemoteEvent) -> bool {
    matches!(event, RemoteEvent::Disconnected { .. })
}

#[tokio::test]
async fn a_lost_connection_is_made_again_and_compared_with_what_was_accepted() {
    let (events, runtime) = (Events::default(), runtime());
    let server = RawServer::new([tool("echo"), tool("more")]);
    let builder = events.of(server.remote()).reconnect_delays(SHORT, SHORT);
    let remote = builder.connect(&runtime).await.unwrap();
    events.wait(is_connected).await;
    server.set_tools([tool("more"), {
        let mut echo = tool("echo");
        echo["description"] = json!("Other.");
        echo
    }]);
    server.hang_up();
    events.wait(is_disconnected).await;
    events.disabled("echo").await;
    events.wait(is_connected).await;
    assert_eq!(state(&remote, "echo"), RemoteToolState::Changed);
    assert_eq!(answer(&runtime, "far.more", "{}").await["data"], "raw");
}

#[tokio::test]
async fn a_call_whose_connection_is_lost_fails_with_an_unknown_effect() {
    let (events, runtime) = (Events::default(), runtime());
    let server = RawServer::new([tool("hang")]);
    let builder = events.of(server.remote()).reconnect_delays(SHORT, SHORT);
    let _remote = builder.connect(&runtime).await.unwrap();
    let mut call = runtime.call("far.hang", "{}", &cx());
    let hang_up = async {
        server.called().await;
        server.hang_up();
    };
    let (output, ()) = tokio::join!(call.execute(), hang_up);
    let error = super::envelope(output)["error"].clone();
    assert_eq!(error["code"], "UPSTREAM_ERROR", "{error}");
    assert_eq!(error["details"]["effect"], "unknown");
}

#[tokio::test]
async fn calls_without_a_connection_are_answered_at_once() {
    let (events, runtime) = (Events::default(), runtime());
    let (server, down) = (RawServer::new([tool("echo")]), Arc::new(AtomicBool::new(false)));
    let (opened, is_down) = (server.clone(), down.clone());
    let builder = Remote::stream(move || {
        let (server, is_down) = (opened.clone(), is_down.clone());
        async move {
            if is_down.load(Ordering::SeqCst) {
                return Err(std::io::Error::other("down"));
            }
            Ok(server.accept())
        }
    });
    let builder = events.of(builder.prefix("far")).reconnect_delays(SHORT, SHORT).max_reconnects(2);
    let remote = builder.connect(&runtime).await.unwrap();
    down.store(true, Ordering::SeqCst);
    server.hang_up();
    events.wait(is_disconnected).await;
    let refused = answer(&runtime, "far.echo", "{}").await["error"].clone();
    assert!(["UNAVAILABLE", "FORBIDDEN"].contains(&refused["code"].as_str().unwrap()), "{refused}");

    let given_up =
        |event: &RemoteEvent| matches!(event, RemoteEvent::Disconnected { retry_after: None, .. });
    events.wait(given_up).await;
    while remote.status().connection != RemoteConnection::GivenUp {
        tokio::task::yield_now().await;
    }
    assert_eq!(names(&runtime), Vec::<String>::new());
    assert!(runtime.tools().disabled()[0].1.contains("cannot be reached"));

    down.store(false, Ordering::SeqCst);
    let error = remote.refresh().await.unwrap_err();
    assert_eq!(error.kind(), RemoteErrorKind::Connection);
    events.wait(is_connected).await;
    assert_eq!(answer(&runtime, "far.echo", "{}").await["data"], "raw");
}

#[tokio::test]
async fn a_host_starts_without_its_server() {
    let (events, runtime) = (Events::default(), runtime());
    let (server, down) = (TestServer::new([tool("echo")]), Arc::new(AtomicBool::new(true)));
    let builder = {
        let (server, down) = (RawServer::new([tool("echo")]), down.clone());
        Remote::stream(move || {
            let (server, down) = (server.clone(), down.clone());
            async move {
                if down.swap(false, Ordering::SeqCst) {
                    return Err(std::io::Error::other("down"));
                }
                Ok(server.accept())
            }
        })
    };
    let builder = events.of(builder.prefix("far")).reconnect_delays(SHORT, SHORT);
    let remote = builder.start(&runtime).unwrap();
    assert_eq!(remote.status().connection, RemoteConnection::Connecting);
    events.wait(is_disconnected).await;
    events.wait(is_connected).await;
    assert_eq!(names(&runtime), ["far.echo"]);
    drop(server);
}

#[tokio::test]
async fn closing_removes_the_tools_and_so_does_the_last_handle() {
    let (events, runtime) = (Events::default(), runtime());
    let server = TestServer::new([tool("echo")]);
    let remote = server.remote().connect(&runtime).await.unwrap();
    let mut opened = runtime.call("far.echo", "{}", &cx());
    remote.close().await;
    remote.close().await;
    assert_eq!(names(&runtime), Vec::<String>::new());
    assert_eq!(remote.status().connection, RemoteConnection::Closed);
    assert_eq!(remote.accept("echo").await.unwrap_err().kind(), RemoteErrorKind::Closed);
    assert_eq!(opened.execute().await.error().unwrap().code(), Some("FORBIDDEN"));

    let remote = events.of(server.remote()).connect(&runtime).await.unwrap();
    let other = remote.clone();
    drop(remote);
    assert_eq!(names(&runtime), ["far.echo"]);
    drop(other);
    events.wait(|event| matches!(event, RemoteEvent::Closed)).await;
    assert_eq!(names(&runtime), Vec::<String>::new());
}

#[tokio::test]
async fn a_server_that_says_nothing_is_left_after_the_time_of_the_host() {
    let runtime = runtime();
    let builder = Remote::stream(|| async {
        let (ours, theirs) = tokio::io::duplex(64);
        tokio::spawn(async move {
            let _kept = ours;
            std::future::pending::<()>().await;
        });
        Ok(theirs)
    });
    let builder = builder.prefix("far").connect_timeout(Duration::from_millis(50));
    let error = builder.connect(&runtime).await.unwrap_err();
    assert_eq!(error.kind(), RemoteErrorKind::Timeout);
}

#[tokio::test]
async fn a_setting_that_does_not_fit_is_an_error_before_anything_is_opened() {
    let runtime = runtime();
    let server = TestServer::new([]);
    let error = |builder: tool_runtime::mcp::RemoteBuilder| {
        let runtime = runtime.clone();
        async move { builder.connect(&runtime).await.unwrap_err() }
    };
    let no_prefix = error(Remote::http("https://example.com/mcp")).await;
    assert!(no_prefix.to_string().contains("prefix"), "{no_prefix}");
    let misfit = error(server.remote().bearer_token("hunter2")).await;
    assert_eq!(misfit.kind(), RemoteErrorKind::Setting);
    assert!(misfit.to_string().contains("bearer_token") && !misfit.to_string().contains("hunter2"));
    assert!(error(server.remote().prefix("a b")).await.to_string().contains("prefix"));
    assert!(error(Remote::http("mcp").prefix("x")).await.to_string().contains("URL"));
}

#[tokio::test]
async fn the_tools_of_a_malformed_list_are_read_one_by_one() {
    let runtime = runtime();
    let server = RawServer::new([tool("echo"), json!({"name": "odd"}), json!(7), tool("echo")]);
    let remote = server.remote().connect(&runtime).await.unwrap();
    assert_eq!(names(&runtime), ["far.echo"]);
    assert_eq!(state(&remote, "odd"), RemoteToolState::Refused);
    assert_eq!(answer(&runtime, "far.echo", "{}").await["data"], "raw");
}

#[tokio::test]
async fn a_message_beyond_the_limit_is_not_read() {
    let runtime = runtime();
    let server = RawServer::new([tool("large"), tool("echo")]);
    let limits = tool_runtime::mcp::RemoteLimits::new().with_max_message_bytes(10_000);
    let _remote = server.remote().limits(limits).connect(&runtime).await.unwrap();
    let lost = answer(&runtime, "far.large", "{}").await;
    assert_eq!(lost["error"]["code"], "INVALID_OUTPUT", "{lost}");
    assert_eq!(answer(&runtime, "far.echo", "{}").await["data"], "raw");
}

#[tokio::test]
async fn an_error_that_is_marked_by_no_boolean_is_no_success() {
    let runtime = runtime();
    let server = RawServer::new([tool("odd_error")]);
    let _remote = server.remote().connect(&runtime).await.unwrap();
    let failed = answer(&runtime, "far.odd_error", "{}").await;
    assert_eq!(failed["status"], "error", "{failed}");
}

/// The message is read and written as values whose integers have 64 bits.
#[tokio::test]
async fn an_integer_that_cannot_be_sent_exactly_is_not_sent() {
    let runtime = runtime();
    let mut pay = tool("echo");
    pay["inputSchema"] = json!({
        "type": "object",
        "properties": {"to": {"type": "integer", "format": "uint128"}},
    });
    let _remote = RawServer::new([pay]).remote().connect(&runtime).await.unwrap();
    let exact = answer(&runtime, "far.echo", r#"{"to":18446744073709551615}"#).await;
    assert_eq!(exact["data"], "raw", "{exact}");
    let rounded = answer(&runtime, "far.echo", r#"{"to":100000000000000000001}"#).await;
    assert_eq!(rounded["error"]["code"], "INVALID_ARGUMENT", "{rounded}");
}

#[tokio::test]
async fn a_flood_of_announcements_lists_the_tools_a_few_times() {
    let (events, runtime) = (Events::default(), runtime());
    let server = RawServer::new([tool("echo")]);
    let _remote = events.of(server.remote()).connect(&runtime).await.unwrap();
    server.set_tools([]);
    for _ in 0..1_000 {
        server.announce();
    }
    events.disabled("echo").await;
    assert!(server.lists() < 10, "{} lists", server.lists());
}

#[tokio::test]
async fn a_subscription_that_is_refused_or_ended_is_made_again() {
    let (events, runtime) = (Events::default(), runtime());
    let server = TestServer::new([tool("echo")]);
    server.refuse_subscriptions(2);
    let builder = events.of(server.remote()).reconnect_delays(SHORT, SHORT);
    let remote = builder.connect(&runtime).await.unwrap();
    // Once for the connection, and once for each attempt to subscribe.
    server.listed(3).await;
    assert_eq!(server.subscribers(), 1);
    server.change_for_subscribers(Vec::clear);
    events.disabled("echo").await;

    server.end_subscriptions();
    let ended = server.lists();
    server.listed(ended + 2).await;
    server.keep_subscriptions();
    while server.subscribers() == 0 {
        server.listed(server.lists() + 1).await;
    }
    server.change_for_subscribers(|tools| tools.push(tool("echo")));
    events.available("echo").await;
    assert_eq!(remote.status().connection, RemoteConnection::Connected);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_every_subscription_is_asked_at_growing_intervals() {
    let runtime = runtime();
    let server = TestServer::new([tool("echo")]);
    server.end_subscriptions();
    let _remote = server.remote().connect(&runtime).await.unwrap();
    let started = tokio::time::Instant::now();
    while started.elapsed() < Duration::from_secs(60 * 60) {
        server.listed(server.lists() + 1).await;
    }
    // Every half to whole minute, after the first ones.
    assert!((60..150).contains(&server.lists()), "{} lists", server.lists());
}
