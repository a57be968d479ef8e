use serde_json::{Value, json};
use tool_runtime_schema::json::value_count;

use super::{MAX_VALUES, SentMessage};

/// Returns the error of a message that is refused.
#[track_caller]
fn refusal(body: &str) -> Value {
    let refused = SentMessage::read(body.as_bytes()).expect_err("it is refused");
    serde_json::from_str(&refused.body).expect("it is a message")
}

/// Returns a message as it is passed on, without arguments of a call.
#[track_caller]
fn passed(body: &Value) -> Value {
    let body = body.to_string();
    let message = SentMessage::read(body.as_bytes()).expect("it is a message");
    serde_json::from_slice(&message.into_passed(None).expect("it is written")).expect("it is JSON")
}

fn request(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
}

/// A value of many small ones.
fn nested() -> Value {
    json!({"a": vec![json!([[], {}, {"b": []}]); 2_000]})
}

#[test]
fn arguments_keep_their_digits_and_repeated_keys() {
    let body = br#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"add","arguments":{"n":1e400,"n":12345678901234567890123}}}"#;
    let message = SentMessage::read(body).expect("it is a message");
    let arguments = message.arguments().expect("it has some");
    assert_eq!(arguments.get(), r#"{"n":1e400,"n":12345678901234567890123}"#);
}

#[test]
fn a_text_that_is_no_json_is_refused_with_its_id_wherever_that_stands() {
    for (body, id) in [
        (r#"{"jsonrpc":"2.0","params":{"a":nan},"id":7,"method":"ping"}"#, json!(7)),
        (r#"{"jsonrpc":"2.0","method":"ping","params":{"a":nan},"id":"x"}"#, json!("x")),
        (r#"{"jsonrpc":"2.0","params":{"a":nan,"id":9},"method":"ping"}"#, Value::Null),
        (r#"{"params":{"a":nan},"id":[7],"method":"ping"}"#, Value::Null),
        (r#"{"params":{"a":nan},"id":7"#, Value::Null),
        (r#"[{"params":{"a":nan},"id":7}]"#, Value::Null),
    ] {
        let error = refusal(body);
        assert_eq!(error["id"], id, "{body}");
    }
    let refused = SentMessage::read(br#"{"method":"ping","params":nan,"id":7}"#);
    assert!(!refused.expect_err("it is no JSON").is_notification);
}

#[test]
fn a_malformed_message_is_refused_with_its_place() {
    let cases = [
        (r#"{"method":"#, -32700, "line 1, column 10"),
        ("[]", -32600, "JSON-RPC"),
        ("{}", -32600, "JSON-RPC"),
        (r#"{"id":7,"method":"ping"}"#, -32600, "JSON-RPC"),
        (r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[]}"#, -32602, "`params`"),
        (r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#, -32602, "`params.name`"),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":[1]}}"#,
            -32602,
            "`params.arguments`",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":7}}"#,
            -32602,
            "`params.name`",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","arguments":{},"arguments":{}}}"#,
            -32602,
            "`params.arguments`",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":1}}"#,
            -32602,
            "`params._meta`",
        ),
        (r#"{"jsonrpc":"2.0","id":7,"method":"initialize"}"#, -32602, "`params.protocolVersion`"),
    ];
    for (body, code, place) in cases {
        let error = &refusal(body)["error"];
        assert_eq!(error["code"], code, "{body}");
        assert!(error["message"].as_str().is_some_and(|it| it.contains(place)), "{body}: {error}");
    }
    for body in [
        // The protocol answers that revisions without sessions have no such method.
        r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":null}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"?"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    ] {
        assert!(SentMessage::read(body.as_bytes()).is_ok(), "{body}");
    }
}

#[test]
fn a_refusal_carries_the_id_that_the_request_had() {
    for (members, id) in [
        (r#""id":7,"method":5"#, json!(7)),
        (r#""method":5,"id":"seven""#, json!("seven")),
        (r#""id":7,"method":"ping","method":"ping""#, json!(7)),
        (r#""id":7,"id":8,"method":"ping""#, json!(7)),
        (r#""id":7,"method":"ping","result":{}"#, json!(7)),
        (r#""id":7,"method":"tools/call","params":5"#, json!(7)),
        (r#""id":7,"method":"ping","params":{"a":nan}"#, json!(7)),
        (r#""id":1.5,"method":"ping""#, json!(1.5)),
        (r#""id":null,"method":"ping""#, Value::Null),
        (r#""id":true,"method":"ping""#, Value::Null),
        (r#""id":[7],"method":"ping""#, Value::Null),
        (r#""method":"ping","id":12345678901234567890"#, json!(12_345_678_901_234_567_890_u64)),
        (r#""id":7,"method":"tools/call","params":{"name":"\ud83d"}"#, json!(7)),
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0",{members}}}"#);
        assert_eq!(refusal(&body)["id"], id, "{body}");
    }
    assert_eq!(refusal(r#"{"jsonrpc":"2.0","method":"ping","id":7"#)["id"], Value::Null);
    let long = "x".repeat(2_000);
    assert_eq!(refusal(&request(&long, &json!({})).to_string())["id"], 7);
    let body = json!({"jsonrpc": "2.0", "id": long, "method": "ping"});
    assert_eq!(refusal(&body.to_string())["id"], Value::Null);
}

#[test]
fn a_session_keeps_of_its_first_message_what_is_read_of_it() {
    let opening = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {
            "experimental": nested(),
            "sampling": {"tools": nested(), "context": nested()},
            "elicitation": {"form": nested(), "other": nested()},
            "extensions": {"io.modelcontextprotocol/tasks": nested(), "other/one": nested()},
        },
        "clientInfo": {
            "name": "editor", "version": "v".repeat(1_000_000), "icons": nested(), "title": "E",
        },
        "_meta": nested(),
        "other": nested(),
    });
    let kept = passed(&request("initialize", &opening));
    assert_eq!(
        kept["params"],
        json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {
                "elicitation": {"form": {}},
                "extensions": {"io.modelcontextprotocol/tasks": {}},
            },
            "clientInfo": {"name": "editor", "version": ""},
            "_meta": {},
        }),
    );
    // The longest texts that are kept.
    let text = "v".repeat(250);
    let longest = json!({
        "protocolVersion": text,
        "capabilities": {"elicitation": {"form": {}, "url": {}}},
        "clientInfo": {"name": text, "version": text},
    });
    assert!(passed(&request("initialize", &longest)).to_string().len() < 1_200);
}

#[test]
fn what_nothing_reads_of_a_request_is_left_out() {
    let meta = json!({
        "progressToken": 3,
        "traceparent": nested(),
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": nested(),
        "io.modelcontextprotocol/clientCapabilities": {"experimental": nested()},
        "tool-runtime/idempotency-key": nested(),
        "other": nested(),
    });
    let read = json!({
        "progressToken": 3,
        "traceparent": null,
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "tool-runtime/idempotency-key": null,
    });
    for method in [
        "tools/call",
        "tools/list",
        "ping",
        "prompts/get",
        "resources/read",
        "completion/complete",
        "logging/setLevel",
        "tasks/get",
        "tasks/update",
        "subscriptions/listen",
        "unheard/of",
        "server/discover",
        "roots/list",
    ] {
        let params = json!({
            "_meta": meta, "name": "a", "arguments": nested(), "context": nested(), "x": nested(),
        });
        let kept = passed(&request(method, &params));
        assert_eq!(kept["params"]["_meta"], read, "{method}");
        let values = value_count(kept.to_string().as_bytes());
        assert!(values < 40, "{method}: {values}");
    }
}

#[test]
fn the_values_that_are_passed_on_are_bounded() {
    for (method, member) in [
        ("tools/call", "inputResponses"),
        ("tasks/update", "inputResponses"),
        ("resources/read", "uri"),
        ("completion/complete", "argument"),
        ("subscriptions/listen", "notifications"),
        ("notifications/cancelled", "requestId"),
    ] {
        let params = json!({"name": "a", member: nested()});
        let error = refusal(&request(method, &params).to_string());
        assert_eq!(
            (&error["id"], &error["error"]["code"]),
            (&json!(7), &json!(-32602)),
            "{method}"
        );
        let params = json!({"name": "a", member: vec![1; MAX_VALUES - 10]});
        passed(&request(method, &params));
    }
    for member in ["result", "error"] {
        let response = json!({"jsonrpc": "2.0", "id": 7, member: nested()});
        assert_eq!(refusal(&response.to_string())["error"]["code"], -32602, "{member}");
    }
    // The arguments have the limits of the runtime.
    let params = json!({"name": "a", "arguments": nested()});
    passed(&request("tools/call", &params));
}
