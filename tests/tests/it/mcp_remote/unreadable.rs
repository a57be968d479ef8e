//! Answers and tools that cannot be read: the calls that wait for them end, and nothing else is lost.
//!
//! Time is paused: a call that waits for its deadline fails with `TIMEOUT`.

use std::sync::Mutex;

use serde_json::Value;
use tool_runtime::mcp::{RemoteErrorKind, RemoteFindingKind, RemoteLimits, RemoteToolState};

use super::scripted::{Lines, TEXT, answered, answered_text, tool};
use super::{answer, names, runtime, state};

/// Calls a tool whose server answers with this line.
async fn called(line: &str) -> Value {
    let runtime = runtime();
    let _remote = Lines::with_line(line).remote().connect(&runtime).await.unwrap();
    answer(&runtime, "far.t", "{}").await
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_read_ends_its_call() {
    let text = |text: &str| TEXT.replace("$TEXT", text);
    let data = |data: &str| {
        let answer = r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":$}}"#;
        answer.replace('$', data).replace(&format!("{data}ID"), "$ID")
    };
    for line in [
        text(r"cut in an emoji \ud83d"),
        text(r"not an escape \x"),
        text("a\ttab"),
        data(r#"{"a":NaN}"#),
        data(r#"{"a":Infinity}"#),
        data(&format!(r#"{{"a":{}{}}}"#, "[".repeat(200), "]".repeat(200))),
        data(r#"{"a":1,}"#),
        data(r#"{"a":1e400}"#),
        data(&format!(r#"{{"a":1{}}}"#, "0".repeat(400))),
        r#"{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"te"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":$ID}"#.to_owned(),
        r#"{"result":{"content":[NaN]},"jsonrpc":"2.0","id":$ID}"#.to_owned(),
        r#"{"result":{"content":[NaN]},"jsonrpc":"2.0","id":"$ID"}"#.to_owned(),
        r#"{"result":{"content":[]},"jsonrpc":"2.0"}"#.to_owned(),
        r#"{"result":NaN,"jsonrpc":"2.0","id":null}"#.to_owned(),
    ] {
        let failed = called(&line).await;
        assert_eq!(failed["error"]["code"], "INVALID_OUTPUT", "{line}: {failed}");
        assert_eq!(failed["error"]["message"], "the answer of the server cannot be read", "{line}");
        assert_eq!(failed["error"]["details"]["effect"], "unknown", "{line}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_invalid_utf_8_ends_its_call() {
    let runtime = runtime();
    let server = Lines::new(|request| {
        let mut line = answered_text(request, "x").into_bytes();
        let at = line.iter().position(|byte| *byte == b'x').unwrap();
        line[at] = 0xff;
        line.push(b'\n');
        line
    });
    let _remote = server.remote().connect(&runtime).await.unwrap();
    assert_eq!(answer(&runtime, "far.t", "{}").await["error"]["code"], "INVALID_OUTPUT");
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_the_manner_of_other_libraries_is_read() {
    let result = r#""result":{"content":[{"type":"text","text":"ok"}]}"#;
    for line in [
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"error":null,{result}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":"$ID",{result}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":$ID.0,{result}}}"#),
        format!(r#"{{"id":$ID,{result}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":$ID,"method":null,"params":null,"error":null,{result}}}"#),
        format!(r#"[{{"jsonrpc":"2.0","id":$ID,{result}}}]"#),
        format!(
            r#"[{{"jsonrpc":"2.0","id":null,"method":"notifications/progress","params":{{}},"result":null}},
            {{"jsonrpc":"2.0","id":99,"result":{{}}}},{{"id":$ID,"error":null,{result}}}]"#
        )
        .replace('\n', ""),
        format!("\u{feff}{{\"jsonrpc\":\"2.0\",\"id\":$ID,{result}}}\r"),
        format!("Server is running\n{{\"level\":\"info\",\"id\":1}}\n\n{{\"id\":$ID,{result}}}"),
    ] {
        assert_eq!(called(&line).await["data"], "ok", "{line}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_with_missing_parts_ends_its_call_and_says_what_there_is() {
    for (error, message) in [
        (r#"{"code":-32000}"#, "the server failed: it does not say why"),
        (r#"{"message":"no tea"}"#, "the server failed: no tea"),
        (r#""no cup""#, "the server failed: no cup"),
        (r#"{"code":"E1","message":"no pot"}"#, "the server failed: no pot"),
        (r#"{"code":-32603,"message":"","data":"no leaf"}"#, "the server failed: no leaf"),
        (r#"{"code":-32602,"message":7}"#, "the server does not accept the call: 7"),
    ] {
        let failed = called(&format!(r#"{{"jsonrpc":"2.0","id":$ID,"error":{error}}}"#)).await;
        assert_eq!(failed["error"]["message"], message, "{failed}");
    }
    // One request waits, so that an error without an id is about it.
    let failed = called(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}}"#);
    assert_eq!(failed.await["error"]["message"], "the server failed: bad");
}

#[tokio::test(start_paused = true)]
async fn the_connection_and_other_calls_go_on_beside_an_unreadable_answer() {
    let runtime = runtime();
    let server = Lines::new(|request| {
        let line = match request["params"]["name"].as_str() {
            Some("t") => answered_text(request, r"\ud83d"),
            _ => answered_text(request, "done"),
        };
        format!("{line}\n").into_bytes()
    });
    let remote = server.remote().connect(&runtime).await.unwrap();
    let (bad, good) =
        tokio::join!(answer(&runtime, "far.t", "{}"), answer(&runtime, "far.u", "{}"));
    assert_eq!((&bad["error"]["code"], &good["data"]), (&"INVALID_OUTPUT".into(), &"done".into()));
    assert_eq!(remote.status().connection, tool_runtime::mcp::RemoteConnection::Connected);
}

#[tokio::test(start_paused = true)]
async fn an_unreadable_answer_that_names_no_call_ends_all_that_wait() {
    let runtime = runtime();
    let server = Lines::new(|request| match request["params"]["name"].as_str() {
        Some("t") => Vec::new(),
        _ => b"{\"jsonrpc\":\"2.0\",\"result\":{\"content\":[NaN]}}\n".to_vec(),
    });
    let _remote = server.remote().connect(&runtime).await.unwrap();
    let (one, other) =
        tokio::join!(answer(&runtime, "far.t", "{}"), answer(&runtime, "far.u", "{}"));
    for ended in [one, other] {
        assert_eq!(ended["error"]["code"], "INVALID_OUTPUT", "{ended}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_beyond_a_limit_ends_its_call_wherever_its_id_stands() {
    let large = "x".repeat(5_000);
    let many = format!("[{}0]", "0,".repeat(1_500));
    for line in [
        TEXT.replace("$TEXT", &large),
        format!(r#"{{"result":{{"content":[{{"type":"text","text":"{large}"}}]}},"id":$ID}}"#),
        format!(r#"{{"id":$ID,"result":{{"content":[],"structuredContent":{{"a":{many}}}}}}}"#),
    ] {
        let runtime = runtime();
        let limits = RemoteLimits::new().with_max_message_bytes(4_096);
        let limits = limits.with_max_message_nodes(1_000);
        let server = Lines::with_line(&line).remote().limits(limits);
        let _remote = server.connect(&runtime).await.unwrap();
        let failed = answer(&runtime, "far.t", "{}").await;
        let message = "the answer of the server is larger than the limit";
        assert_eq!(failed["error"]["message"], message, "{failed}");
    }
}

#[tokio::test(start_paused = true)]
async fn answers_in_a_batch_beyond_a_limit_end_their_calls() {
    for batch in [format!("[{{}}{}]", ",{}".repeat(1_500)), format!("[{{\"a\":\"{:5000}\"}}]", "")]
    {
        let runtime = runtime();
        let limits =
            RemoteLimits::new().with_max_message_bytes(4_800).with_max_message_nodes(1_000);
        let _remote =
            Lines::with_line(&batch).remote().limits(limits).connect(&runtime).await.unwrap();
        let failed = answer(&runtime, "far.t", "{}").await;
        let message = "the answer of the server is larger than the limit";
        assert_eq!(failed["error"]["message"], message, "{failed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_cannot_be_read_is_answered_and_its_call_goes_on() {
    let many = format!("[{}0]", "0,".repeat(1_500));
    let large = format!("{{\"message\":\"{:5000}\"}}", "");
    for params in [r#"{"message":"\ud83d"}"#, "NaN", &many, &large] {
        let asked = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"elicitation/create\",\"params\":{params}}}\n"
        );
        let call = Mutex::new(Value::Null);
        let server = Lines::new(move |message| {
            let mut call = call.lock().unwrap();
            if message["method"] == "tools/call" {
                *call = message.clone();
                return asked.clone().into_bytes();
            }
            assert_eq!((&message["id"], &message["error"]["code"]), (&5.into(), &(-32600).into()));
            format!("{}\n", answered_text(&call, "done")).into_bytes()
        });
        let runtime = runtime();
        let limits =
            RemoteLimits::new().with_max_message_bytes(4_096).with_max_message_nodes(1_000);
        let _remote = server.remote().limits(limits).connect(&runtime).await.unwrap();
        let done = answer(&runtime, "far.t", "{}").await;
        assert_eq!(done["data"], "done", "{done}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_cannot_be_read_is_refused_and_the_others_stay() {
    let described = |name: &str, description: &str| {
        format!(r#"{{"name":"{name}","description":{description},"inputSchema":{{}}}}"#)
    };
    let server = Lines::with_tools(&[
        described("cut", r#""\ud83d""#),
        described("number", "NaN"),
        described("deep", &format!("{}{}", "[".repeat(300), "]".repeat(300))),
        tool("t"),
    ]);
    let runtime = runtime();
    let remote = server.remote().connect(&runtime).await.unwrap();
    assert_eq!(names(&runtime), ["far.t"]);
    for name in ["cut", "number", "deep"] {
        assert_eq!(state(&remote, name), RemoteToolState::Refused, "{name}");
        let status = remote.status();
        let reason = status.tool(name).unwrap().reason.clone().unwrap();
        assert!(reason.contains("not valid JSON"), "{reason}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_and_a_handshake_that_cannot_be_read_say_so() {
    let mut server = Lines::with_tools(&[]);
    server.tools = "[".to_owned();
    let error = server.remote().connect(&runtime()).await.unwrap_err();
    assert_eq!(error.to_string(), "`far`: the answer of the server cannot be read");
}

#[tokio::test(start_paused = true)]
async fn a_revision_that_this_client_does_not_have_is_refused() {
    for revision in ["2023-01-01", "2099-12-31", "", "DRAFT-2026-v1"] {
        let server = Lines { revision, ..Lines::with_tools(&[]) };
        let error = server.remote().connect(&runtime()).await.unwrap_err();
        assert_eq!(error.kind(), RemoteErrorKind::Protocol);
        let expected = format!("the server has chosen revision `{revision}` of the protocol");
        assert!(error.to_string().contains(&expected), "{error}");
    }
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let server = Lines { revision, ..Lines::with_tools(&[]) };
        let remote = server.remote().connect(&runtime()).await.unwrap();
        assert_eq!(remote.status().server.as_ref().unwrap().protocol(), revision);
    }
}

#[tokio::test(start_paused = true)]
async fn of_two_tools_of_one_name_the_first_counts_and_the_other_is_reported() {
    let other = tool("t").replace("A tool.", "Another tool.");
    let runtime = runtime();
    let server = Lines::with_tools(&[tool("t"), other, tool("u")]);
    let remote = server.remote().connect(&runtime).await.unwrap();
    assert_eq!(names(&runtime), ["far.t", "far.u"]);
    assert_eq!(runtime.spec("far.t").unwrap().description(), "A tool.");
    let status = remote.status();
    let findings: Vec<_> = status.findings.iter().map(|one| (one.tool(), one.kind())).collect();
    assert_eq!(findings, [("t", RemoteFindingKind::RepeatedName)]);
}

#[tokio::test(start_paused = true)]
async fn of_two_tools_of_one_name_the_readable_one_is_used_and_the_other_is_reported() {
    let bad = r#"{"name":"t","inputSchema":7}"#.to_owned();
    for tools in [[tool("t"), bad.clone()], [bad, tool("t")]] {
        let (events, runtime) = (super::Events::default(), runtime());
        let server = Lines::with_tools(&tools);
        let _remote = events.of(server.remote()).connect(&runtime).await.unwrap();
        assert_eq!(names(&runtime), ["far.t"], "{tools:?}");
        assert!(events.texts().contains("more than one tool of this name"), "{}", events.texts());
    }
}

#[tokio::test(start_paused = true)]
async fn an_open_schema_of_a_server_stays_open() {
    for (schema, arguments) in [
        (r#"{"type":"object"}"#, r#"{"anything":1}"#),
        (r#"{"type":"object","properties":{}}"#, r#"{"anything":{"a":[1]}}"#),
        (r#"{"type":"object","minProperties":1}"#, r#"{"x":1}"#),
        (r#"{"type":"object","properties":{"a":{"type":"string"}}}"#, r#"{"a":"x","b":2}"#),
        (r#"{"type":"object","required":["zz"]}"#, r#"{"zz":1}"#),
        (r#"{"type":"object","properties":{"o":{"type":"object"}}}"#, r#"{"o":{"x":1}}"#),
        (r#"{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}"#, r#"{"b":1}"#),
    ] {
        let listed = tool("t").replace(r#"{"type":"object"}"#, schema);
        let runtime = runtime();
        let _remote = Lines::with_tools(&[listed]).remote().connect(&runtime).await.unwrap();
        let done = answer(&runtime, "far.t", arguments).await;
        assert_eq!(done["data"], arguments, "{schema}: {done}");
    }
    let closed = r#"{"type":"object","properties":{},"additionalProperties":false}"#;
    let listed = tool("t").replace(r#"{"type":"object"}"#, closed);
    let runtime = runtime();
    let _remote = Lines::with_tools(&[listed]).remote().connect(&runtime).await.unwrap();
    let refused = answer(&runtime, "far.t", r#"{"a":1}"#).await;
    assert_eq!(refused["error"]["code"], "INVALID_ARGUMENT");
}

#[tokio::test(start_paused = true)]
async fn numbers_of_results_keep_their_digits() {
    let data = r#"{"a":12345678901234567890123,"b":1.10,"c":-0.0,"d":0.12345678901234567890123}"#;
    let line = format!(r#"{{"id":$ID,"result":{{"content":[],"structuredContent":{data}}}}}"#);
    let runtime = runtime();
    let _remote = Lines::with_line(&line).remote().connect(&runtime).await.unwrap();
    let mut call = runtime.call("far.t", "{}", &super::cx());
    assert_eq!(call.execute().await.data_json(), Some(data));
}

#[tokio::test(start_paused = true)]
async fn an_error_of_a_tool_is_said_wherever_its_text_stands() {
    for (parts, message) in [
        (r#""content":[{"type":"text","text":"no tea"}]"#, "no tea"),
        (r#""content":[],"structuredContent":{"error":"no cup"}"#, r#"{"error":"no cup"}"#),
        (r#""content":[{"type":"resource","resource":{"uri":"e://1","text":"no pot"}}]"#, "no pot"),
        (r#""content":[{"type":"error","text":"no leaf"}]"#, "no leaf"),
        (r#""content":[{"type":"resource_link","uri":"e://1","name":"no milk"}]"#, "no milk"),
        (r#""content":"no sugar""#, "no sugar"),
        (r#""content":[]"#, "the tool of the server failed, and does not say why"),
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":$ID,"result":{{"isError":true,{parts}}}}}"#);
        assert_eq!(called(&line).await["error"]["message"], message, "{parts}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_whole_list_has_one_bound() {
    let large = |at: usize| tool(&format!("t{at}")).replace("A tool.", &"x".repeat(60_000));
    let tools: Vec<_> = (0..60).map(large).collect();
    let (events, runtime) = (super::Events::default(), runtime());
    let server = Lines::with_tools(&tools);
    let _remote = events.of(server.remote()).connect(&runtime).await.unwrap();
    let registered = names(&runtime).len();
    assert_eq!(registered, 17, "60,000 bytes each, and 1 MiB for all");
    let reason =
        "43 tools are left out: the definitions of a server may have 1048576 bytes together";
    assert!(events.texts().contains(reason), "{}", events.texts());
    assert!(!events.texts().contains("may have 256"), "{}", events.texts());
}

/// A server may answer a notification with an error, which names no request.
#[tokio::test(start_paused = true)]
async fn an_error_about_a_notification_ends_no_call() {
    let runtime = runtime();
    let server = Lines::new(|request| {
        answered(
            &format!(
                "{{\"id\":null,\"error\":{{\"code\":-32601}}}}\n{}\n",
                TEXT.replace("$TEXT", "x")
            ),
            request,
        )
        .into_bytes()
    });
    let _remote = server.remote().connect(&runtime).await.unwrap();
    // After the answer to the list, an error without an id is about the call.
    assert_eq!(answer(&runtime, "far.t", "{}").await["error"]["code"], "NOT_FOUND");
}
