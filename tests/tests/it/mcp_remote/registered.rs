//! What the runtime has of a server's tools: names, effects, schemas.

use serde_json::json;
use tool_runtime::budgets::Budget;
use tool_runtime::mcp::{AmountArgument, RemoteLimits, RemoteToolState};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;

use super::server::{TestServer, adder, tool};
use super::{ERAS, Events, answer, names, runtime, state};

#[tokio::test]
async fn the_tools_of_a_server_are_called_in_both_eras() {
    for protocol in ERAS {
        let server = TestServer::new([tool("echo"), adder()]);
        let runtime = runtime();
        let remote = server.remote().protocol(protocol).connect(&runtime).await.unwrap();
        assert_eq!(names(&runtime), ["far.add", "far.echo"]);
        let echoed = answer(&runtime, "far.echo", r#"{"message":"tea"}"#).await;
        assert_eq!(echoed["data"], "tea", "{echoed}");
        let added = answer(&runtime, "far.add", r#"{"count":2}"#).await;
        assert_eq!(added["data"], json!({"sum": 3}));
        assert_eq!(server.calls().len(), 2);
        let status = remote.status();
        let server = status.server.as_ref().unwrap();
        assert_eq!((server.name(), server.version()), ("test-server", "1.2.3"));
        let stateless = server.protocol() == "2026-07-28";
        assert_eq!(stateless, protocol == tool_runtime::mcp::RemoteProtocol::Stateless);
    }
}

#[tokio::test]
async fn the_newest_revision_of_the_server_is_used() {
    let server = TestServer::new([tool("echo")]);
    let runtime = runtime();
    let remote = server.remote().connect(&runtime).await.unwrap();
    assert_eq!(remote.status().server.as_ref().unwrap().protocol(), "2026-07-28");
}

#[tokio::test]
async fn an_effect_is_the_hosts_and_the_annotations_are_claims() {
    let server = TestServer::new([tool("echo"), tool("find"), tool("save")]);
    let runtime = Runtime::builder().build().unwrap();
    let builder = server.remote().effect("find", Effect::Read).open_world("find", false);
    let builder = builder.effect("save", Effect::Write).idempotent("save", true);
    let _remote = builder.connect(&runtime).await.unwrap();
    let of = |name: &str| {
        let spec = runtime.spec(name).unwrap();
        let annotations = spec.annotations();
        (spec.effect(), annotations.open_world(), annotations.idempotent(), spec.permission())
    };
    assert_eq!(of("far.echo"), (Effect::Destructive, true, false, Permission::Ask));
    assert_eq!(of("far.find"), (Effect::Read, false, false, Permission::Allow));
    assert_eq!(of("far.save"), (Effect::Write, true, true, Permission::Ask));
    let spec = runtime.spec("far.find").unwrap();
    assert_eq!(spec.title(), Some("Title of find"));
    assert_eq!(spec.toolkit().unwrap().name(), "far");
}

#[tokio::test]
async fn a_tool_without_an_effect_asks_before_anything_is_sent() {
    let server = TestServer::new([tool("echo")]);
    let runtime = Runtime::builder().build().unwrap();
    let _remote = server.remote().connect(&runtime).await.unwrap();
    let asked = answer(&runtime, "far.echo", "{}").await;
    assert_eq!(asked["error"]["code"], "NEEDS_USER_CONFIRMATION");
    assert_eq!(server.calls(), []);
}

#[tokio::test]
async fn a_dry_run_of_a_write_sends_nothing() {
    let server = TestServer::new([tool("echo")]);
    let runtime = runtime();
    let _remote = server.remote().connect(&runtime).await.unwrap();
    let cx = super::cx().with_dry_run(true);
    let mut call = runtime.call("far.echo", "{}", &cx);
    let preview: serde_json::Value = call.execute().await.data().unwrap();
    assert_eq!(preview["server"], "far");
    assert_eq!(server.calls(), []);
}

#[tokio::test]
async fn names_become_legal_and_collisions_are_reported() {
    let (events, runtime) = (Events::default(), runtime());
    let server = TestServer::new([tool("get/user"), tool("get user"), tool("größe")]);
    let remote = events.of(server.remote()).connect(&runtime).await.unwrap();
    assert_eq!(names(&runtime), ["far.get_user", "far.gr__e"]);
    assert_eq!(state(&remote, "get/user"), RemoteToolState::Refused);
    assert!(events.texts().contains("its name collides with that of `get user`"));
    let found = answer(&runtime, "far.get_user", "{}").await;
    assert_eq!(found["data"], "nothing", "{found}");
    assert_eq!(server.calls()[0].0, "get user");
}

#[tokio::test]
async fn a_tool_of_the_host_with_the_same_name_stays() {
    let runtime = runtime();
    let own = DynamicTool::new("far.echo", Effect::Read)
        .description("The host's.")
        .input_schema(json!({"type": "object"}))
        .handler(|_| async { Ok::<_, Failure>("own") });
    runtime.tools().add(own).unwrap();
    let server = TestServer::new([tool("echo"), tool("more")]);
    let remote = server.remote().connect(&runtime).await.unwrap();
    assert_eq!(state(&remote, "echo"), RemoteToolState::Refused);
    assert_eq!(state(&remote, "more"), RemoteToolState::Available);
    assert_eq!(answer(&runtime, "far.echo", "{}").await["data"], "own");
    remote.close().await;
    assert_eq!(names(&runtime), ["far.echo"]);
}

#[tokio::test]
async fn a_schema_that_cannot_be_checked_refuses_only_its_tool() {
    let mut broken = tool("broken");
    broken["inputSchema"]["properties"]["message"]["pattern"] = json!("(");
    let mut loose = tool("loose");
    loose["inputSchema"]["properties"]["message"]["pattern"] = json!("^(?!x)");
    let server = TestServer::new([broken, tool("echo"), loose]);
    let runtime = runtime();
    let remote = server.remote().connect(&runtime).await.unwrap();
    assert_eq!(names(&runtime), ["far.echo", "far.loose"]);
    let status = remote.status();
    let refused = status.tool("broken").unwrap();
    assert_eq!(refused.state, RemoteToolState::Refused);
    let reason = refused.reason.as_ref().unwrap();
    assert!(reason.contains("/properties/message/pattern"), "{reason}");
    assert!(runtime.tools().unchecked_rules().any(|(tool, _)| tool == "far.loose"));
}

#[tokio::test]
async fn a_tool_beyond_the_bound_on_all_definitions_is_refused() {
    let large = |name: &str| {
        let mut large = tool(name);
        large["inputSchema"]["description"] = json!("x".repeat(60_000));
        large
    };
    let server = TestServer::new([large("a"), large("b"), large("c"), tool("d")]);
    let runtime = Runtime::builder().max_listing_bytes(150_000).build().unwrap();
    let remote = server.remote().connect(&runtime).await.unwrap();
    assert_eq!(names(&runtime), ["far.a", "far.b", "far.d"]);
    let status = remote.status();
    let refused = status.tool("c").unwrap();
    assert_eq!(refused.state, RemoteToolState::Refused);
    let reason = refused.reason.as_ref().unwrap();
    assert!(reason.contains("more than the limit of 150000"), "{reason}");
}

#[tokio::test]
async fn pages_are_read_to_their_end_and_tools_to_the_limit() {
    let tools: Vec<_> = (0..7).map(|at| tool(&format!("t{at}"))).collect();
    let server = TestServer::paged(tools, 2);
    let (events, runtime) = (Events::default(), runtime());
    let limits = RemoteLimits::new().with_max_tools(5);
    let remote = events.of(server.remote().limits(limits)).connect(&runtime).await.unwrap();
    assert_eq!(names(&runtime).len(), 5);
    assert!(events.texts().contains("2 tools are left out"));
    drop(remote);
    let limits = RemoteLimits::new().with_max_pages(3);
    let error = server.remote().limits(limits).connect(&runtime).await.unwrap_err();
    assert!(error.to_string().contains("more than 3 pages"), "{error}");
}

#[tokio::test]
async fn only_the_selected_tools_are_registered() {
    let server = TestServer::new([tool("echo"), tool("more")]);
    let runtime = runtime();
    let remote = server.remote().only(["echo"]).connect(&runtime).await.unwrap();
    assert_eq!(names(&runtime), ["far.echo"]);
    assert_eq!(remote.status().tools.len(), 1);
}

#[tokio::test]
async fn a_setting_for_a_tool_that_the_server_does_not_list_is_reported() {
    let (events, runtime) = (Events::default(), runtime());
    let server = TestServer::new([tool("echo")]);
    let builder = events.of(server.remote().effect("ecko", Effect::Read));
    let _remote = builder.connect(&runtime).await.unwrap();
    assert!(events.texts().contains("`ecko`"));
}

/// A runtime with a budget of five euros a day.
fn budgeted() -> Runtime {
    let policy = Policy::new().budget(Budget::new("shopping").per_day("5.00 EUR"));
    let builder = Runtime::builder().policy(policy).permission("far", Permission::Allow);
    builder.expect_more_tools().build().unwrap()
}

#[tokio::test]
async fn amounts_that_the_host_marks_count_for_budgets() {
    let server = TestServer::new([tool("pay"), tool("buy"), tool("ask"), tool("wait")]);
    let runtime = budgeted();
    let builder = server
        .remote()
        .spends("pay", "count", AmountArgument::MinorUnits("EUR".to_owned()))
        .spends("buy", "message", AmountArgument::Decimal("EUR".to_owned()))
        .cost("ask", "0.50 EUR");
    let remote = builder.connect(&runtime).await.unwrap();
    for (tool, arguments, left) in [
        ("far.pay", r#"{"count":125}"#, "3.75"),
        ("far.buy", r#"{"message":"2.25"}"#, "1.50"),
        ("far.ask", "{}", "1.00"),
    ] {
        let answer = answer(&runtime, tool, arguments).await;
        assert_eq!(answer["meta"]["budget"][0]["left"], left, "{tool}: {answer}");
    }
    assert!(answer(&runtime, "far.wait", "{}").await["meta"].get("budget").is_none());
    let calls = server.calls().len();
    let refused = answer(&runtime, "far.pay", r#"{"count":101}"#).await;
    assert_eq!(refused["error"]["details"]["reason"], "budget_exceeded", "{refused}");
    // The server would choose the amount of a call that names none.
    let unnamed = answer(&runtime, "far.pay", "{}").await;
    assert_eq!(unnamed["error"]["code"], "INVALID_ARGUMENT", "{unnamed}");
    assert_eq!(server.calls().len(), calls);
    // The lock has what the server lists.
    assert_eq!(state(&remote, "pay"), RemoteToolState::Available);
    let schema = runtime.spec("far.pay").unwrap();
    assert_eq!(schema.input_schema()["required"], json!(["count"]));
}

#[tokio::test]
async fn a_tool_without_the_amount_that_the_host_marks_is_not_used() {
    let server = TestServer::new([tool("pay"), tool("buy")]);
    let runtime = budgeted();
    let builder = server
        .remote()
        .spends("pay", "cents", AmountArgument::MinorUnits("EUR".to_owned()))
        .spends("buy", "message", AmountArgument::Decimal("EURO".to_owned()));
    let remote = builder.connect(&runtime).await.unwrap();
    let reason = |tool: &str| {
        let status = remote.status();
        let tool = status.tool(tool).unwrap();
        assert_eq!(tool.state, RemoteToolState::Refused);
        tool.reason.clone().unwrap_or_default()
    };
    assert!(reason("pay").contains("it has no argument of this name"), "{}", reason("pay"));
    assert!(reason("buy").contains("is in `EURO`, and the code"), "{}", reason("buy"));
    assert_eq!(names(&runtime), [""; 0]);
}

#[tokio::test]
async fn a_server_cannot_take_an_amount_out_of_the_count() {
    // The server's schema of the argument, and a call whose amount the server would choose.
    for (property, arguments) in [
        (json!({"type": "integer", "x-aliases": ["amt"]}), r#"{"amt":9900}"#),
        (json!({"type": ["integer", "null"]}), r#"{"count":null}"#),
        (json!({}), r#"{"count":null}"#),
        (json!(true), r#"{"count":null}"#),
        (json!({"type": "integer", "default": 9900}), "{}"),
        (json!({"type": ["integer", "null"], "default": null}), "{}"),
        (json!({"$ref": "#/$defs/count"}), r#"{"count":null}"#),
    ] {
        let mut pay = tool("pay");
        pay["inputSchema"]["properties"]["count"] = property.clone();
        pay["inputSchema"]["$defs"] = json!({"count": {"type": ["integer", "null"]}});
        let server = TestServer::new([pay]);
        let runtime = budgeted();
        let amount = AmountArgument::MinorUnits("EUR".to_owned());
        let _remote =
            server.remote().spends("pay", "count", amount).connect(&runtime).await.unwrap();
        let refused = answer(&runtime, "far.pay", arguments).await;
        assert_eq!(refused["error"]["code"], "INVALID_ARGUMENT", "{property}: {refused}");
        assert_eq!(server.calls().len(), 0, "{property}");
        let paid = answer(&runtime, "far.pay", r#"{"count":125}"#).await;
        assert_eq!(paid["meta"]["budget"][0]["left"], "3.75", "{property}: {paid}");
    }
}

#[tokio::test]
async fn an_approver_sees_an_amount_that_a_server_calls_secret() {
    let mut pay = tool("pay");
    pay["inputSchema"]["properties"]["count"]["x-sensitivity"] = json!("secret");
    let server = TestServer::new([pay]);
    let runtime = Runtime::builder().expect_more_tools().build().unwrap();
    let amount = AmountArgument::MinorUnits("EUR".to_owned());
    let _remote = server.remote().spends("pay", "count", amount).connect(&runtime).await.unwrap();
    let call = runtime.call("far.pay", r#"{"count":125}"#, &super::cx());
    let preview = call.preview();
    assert!(preview.arguments().is_some_and(|it| it.contains("125")), "{preview:?}");
}
