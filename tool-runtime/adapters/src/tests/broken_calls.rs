//! A call that no provider takes back, beside calls that are right.

use super::super::RequestedCall;
use super::*;

/// A complete response with calls, each given by the JSON of its name and of its arguments.
fn response(dialect: Dialect, calls: &[(&str, &str)]) -> String {
    let numbered = || calls.iter().enumerate();
    let list = |calls: Vec<String>| calls.join(",");
    match dialect {
        Dialect::OpenAiChat => {
            let call = |(at, (name, arguments)): (usize, &(&str, &str))| {
                let arguments = Value::from(*arguments);
                format!(
                    r#"{{"id":"c{at}","type":"function","function":{{"name":{name},"arguments":{arguments}}}}}"#
                )
            };
            let calls = list(numbered().map(call).collect());
            format!(
                r#"{{"choices":[{{"finish_reason":"tool_calls","message":{{"role":"assistant","tool_calls":[{calls}]}}}}]}}"#
            )
        }
        Dialect::OpenAiResponses => {
            let call = |(at, (name, arguments)): (usize, &(&str, &str))| {
                let arguments = Value::from(*arguments);
                format!(
                    r#"{{"type":"function_call","call_id":"c{at}","name":{name},"arguments":{arguments}}}"#
                )
            };
            let calls = list(numbered().map(call).collect());
            format!(r#"{{"status":"completed","output":[{calls}]}}"#)
        }
        Dialect::Anthropic => {
            let call = |(at, (name, arguments)): (usize, &(&str, &str))| {
                format!(r#"{{"type":"tool_use","id":"c{at}","name":{name},"input":{arguments}}}"#)
            };
            let calls = list(numbered().map(call).collect());
            format!(r#"{{"stop_reason":"tool_use","content":[{calls}]}}"#)
        }
        Dialect::Gemini => {
            let call = |(_, (name, arguments)): (usize, &(&str, &str))| {
                format!(r#"{{"functionCall":{{"name":{name},"args":{arguments}}}}}"#)
            };
            let calls = list(numbered().map(call).collect());
            format!(
                r#"{{"candidates":[{{"finishReason":"STOP","content":{{"parts":[{calls}]}}}}]}}"#
            )
        }
        Dialect::BedrockConverse => {
            let call = |(at, (name, arguments)): (usize, &(&str, &str))| {
                format!(
                    r#"{{"toolUse":{{"toolUseId":"c{at}","name":{name},"input":{arguments}}}}}"#
                )
            };
            let calls = list(numbered().map(call).collect());
            format!(r#"{{"stopReason":"tool_use","output":{{"message":{{"content":[{calls}]}}}}}}"#)
        }
        Dialect::Ollama => {
            let call = |(_, (name, arguments)): (usize, &(&str, &str))| {
                format!(r#"{{"function":{{"name":{name},"arguments":{arguments}}}}}"#)
            };
            let calls = list(numbered().map(call).collect());
            format!(r#"{{"done":true,"message":{{"role":"assistant","tool_calls":[{calls}]}}}}"#)
        }
    }
}

/// The same response in the events of a stream; arguments come in two pieces where they can.
fn events(dialect: Dialect, calls: &[(&str, &str)]) -> Vec<String> {
    let numbered = calls.iter().enumerate().map(|(at, (name, arguments))| (at, *name, *arguments));
    let mut events = Vec::new();
    match dialect {
        Dialect::OpenAiChat => {
            let chunk = |call: &str| {
                format!(r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{call}]}}}}]}}"#)
            };
            for (at, name, arguments) in numbered {
                events.push(chunk(&format!(
                    r#"{{"index":{at},"id":"c{at}","type":"function","function":{{"name":{name},"arguments":""}}}}"#
                )));
                let pieces = halves(arguments).map(|piece| {
                    chunk(&format!(r#"{{"index":{at},"function":{{"arguments":{piece}}}}}"#))
                });
                events.extend(pieces);
            }
            events.push(
                r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#.into(),
            );
        }
        Dialect::OpenAiResponses => {
            for (at, name, arguments) in numbered {
                let item = |arguments: &str, status: &str| {
                    format!(
                        r#""output_index":{at},"item":{{"type":"function_call","id":"f{at}","call_id":"c{at}","name":{name},"arguments":{arguments},"status":"{status}"}}"#
                    )
                };
                let early = item("\"\"", "in_progress");
                events.push(format!(r#"{{"type":"response.output_item.added",{early}}}"#));
                let pieces = halves(arguments).map(|piece| {
                    format!(
                        r#"{{"type":"response.function_call_arguments.delta","output_index":{at},"delta":{piece}}}"#
                    )
                });
                events.extend(pieces);
                let done = item(&Value::from(arguments).to_string(), "completed");
                events.push(format!(r#"{{"type":"response.output_item.done",{done}}}"#));
            }
            events
                .push(r#"{"type":"response.completed","response":{"status":"completed"}}"#.into());
        }
        Dialect::Anthropic => {
            for (at, name, arguments) in numbered {
                events.push(format!(
                    r#"{{"type":"content_block_start","index":{at},"content_block":{{"type":"tool_use","id":"c{at}","name":{name},"input":{{}}}}}}"#
                ));
                let pieces = halves(arguments).map(|piece| {
                    format!(
                        r#"{{"type":"content_block_delta","index":{at},"delta":{{"type":"input_json_delta","partial_json":{piece}}}}}"#
                    )
                });
                events.extend(pieces);
            }
            events.push(r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#.into());
            events.push(r#"{"type":"message_stop"}"#.into());
        }
        Dialect::BedrockConverse => {
            for (at, name, arguments) in numbered {
                events.push(format!(
                    r#"{{"contentBlockStart":{{"contentBlockIndex":{at},"start":{{"toolUse":{{"toolUseId":"c{at}","name":{name}}}}}}}}}"#
                ));
                let pieces = halves(arguments).map(|piece| {
                    format!(
                        r#"{{"contentBlockDelta":{{"contentBlockIndex":{at},"delta":{{"toolUse":{{"input":{piece}}}}}}}}}"#
                    )
                });
                events.extend(pieces);
            }
            events.push(r#"{"messageStop":{"stopReason":"tool_use"}}"#.into());
        }
        Dialect::Gemini => {
            let part = |(_, name, arguments): (usize, &str, &str)| {
                format!(
                    r#"{{"candidates":[{{"content":{{"parts":[{{"functionCall":{{"name":{name},"args":{arguments}}}}}]}}}}]}}"#
                )
            };
            events.extend(numbered.map(part));
            events.push(r#"{"candidates":[{"finishReason":"STOP"}]}"#.into());
        }
        Dialect::Ollama => {
            let line = |(_, name, arguments): (usize, &str, &str)| {
                format!(
                    r#"{{"done":false,"message":{{"role":"assistant","tool_calls":[{{"function":{{"name":{name},"arguments":{arguments}}}}}]}}}}"#
                )
            };
            events.extend(numbered.map(line));
            events.push(r#"{"done":true,"message":{"role":"assistant","content":""}}"#.into());
        }
    }
    events
}

/// A text of ASCII characters in two pieces, each as JSON.
fn halves(text: &str) -> [String; 2] {
    let (first, second) = text.split_at(text.len() / 2);
    [first, second].map(|piece| Value::from(piece).to_string())
}

/// The turn of the response as a whole, and that of its stream.
fn turns(adapter: &Adapter, calls: &[(&str, &str)]) -> [(&'static str, Turn); 2] {
    let dialect = adapter.dialect();
    let context = |error| panic!("{dialect} {calls:?}: {error}");
    let whole = adapter.read(&response(dialect, calls)).unwrap_or_else(context);
    let mut stream = adapter.stream();
    for event in events(dialect, calls) {
        stream.push(&event).unwrap_or_else(|error| panic!("{dialect} {calls:?}: {error}"));
    }
    [("whole", whole), ("streamed", stream.finish().unwrap())]
}

/// The ids of the calls in the messages, or of the calls in their answers, in their order.
fn ids_in(messages: &[Value]) -> Vec<String> {
    const NAMES: [&str; 5] = ["tool_call_id", "call_id", "tool_use_id", "toolUseId", "id"];
    fn collect(value: &Value, ids: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                let id = NAMES.iter().find_map(|name| fields.get(*name)?.as_str());
                ids.extend(id.map(str::to_owned));
                fields.values().for_each(|value| collect(value, ids));
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, ids)),
            _ => {}
        }
    }
    let mut ids = Vec::new();
    for message in messages {
        collect(message, &mut ids);
    }
    ids
}

/// The names of the calls in the messages, in their order.
fn repeated_names(message: &Value, names: &mut Vec<String>) {
    match message {
        Value::Object(fields) => {
            names.extend(fields.get("name").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| repeated_names(value, names));
        }
        Value::Array(items) => items.iter().for_each(|item| repeated_names(item, names)),
        _ => {}
    }
}

/// Returns whether the provider accepts a name of this dialect's calls.
fn is_accepted(dialect: Dialect, name: &str) -> bool {
    let dots = dialect == Dialect::Gemini;
    let is_known = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c) || dots && c == '.';
    (1..=dialect.format().name_rules().max_length).contains(&name.len())
        && name.chars().all(is_known)
}

/// Checks that each call is answered under the id and the name that the messages repeat.
#[track_caller]
fn check_pairs(adapter: &Adapter, turn: &Turn, context: &str) {
    let answers = turn.calls().iter().map(|call| ToolAnswer::from_text(call.call_id(), "done"));
    let answers = adapter.answer_messages(turn, answers).unwrap();
    let mut names = Vec::new();
    for message in turn.messages() {
        repeated_names(message, &mut names);
    }
    let answered: Vec<_> = match adapter.dialect() {
        Dialect::Gemini => {
            let parts = answers[0]["parts"].as_array().unwrap().iter();
            parts.map(|part| part["functionResponse"]["name"].clone()).collect()
        }
        Dialect::Ollama => answers.iter().map(|answer| answer["tool_name"].clone()).collect(),
        Dialect::OpenAiResponses => {
            let repeated = turn.messages().iter().map(|item| item["call_id"].as_str().unwrap());
            let repeated: Vec<_> = repeated.map(str::to_owned).collect();
            return assert_eq!(ids_in(&answers), repeated, "{context}");
        }
        Dialect::OpenAiChat | Dialect::Anthropic | Dialect::BedrockConverse => {
            return assert_eq!(ids_in(&answers), ids_in(turn.messages()), "{context}");
        }
    };
    assert_eq!(json!(answered), json!(names), "{context}");
}

#[test]
fn a_call_without_a_name_or_with_one_that_no_provider_takes_back_spoils_no_other() {
    let long = format!("\"{}\"", "x".repeat(300));
    let odd = [
        "\"\"",
        "\" \"",
        "null",
        "7",
        "\"multi_tool_use.parallel\"",
        "\"search content!\"",
        r#""half \ud83d""#,
        &long,
    ];
    for dialect in Dialect::ALL {
        let adapter = adapter(dialect);
        for name in odd {
            let calls = [("\"ping\"", "{}"), (name, "{}"), ("\"add\"", "{}")];
            for (form, turn) in turns(&adapter, &calls) {
                let context = format!("{dialect} {form} {name}");
                let runnable: Vec<_> =
                    turn.requests().map(|request| request.name().to_owned()).collect();
                assert_eq!(
                    (turn.calls().len(), &*runnable.join(" ")),
                    (3, "ping add"),
                    "{context}"
                );
                let mut names = Vec::new();
                for message in turn.messages() {
                    repeated_names(message, &mut names);
                }
                assert!(
                    names.iter().all(|name| is_accepted(dialect, name)),
                    "{context}: {names:?}"
                );
                assert_eq!((names.len(), &*names[0], &*names[2]), (3, "ping", "add"), "{context}");
                check_pairs(&adapter, &turn, &context);
            }
        }
    }
}

#[test]
fn odd_names_and_half_a_surrogate_pair_in_one_response_spoil_no_other_call() {
    let long = format!("\"{}\"", "x".repeat(300));
    let half = r#"{"text":"tea \ud83d"}"#;
    let calls = [
        ("\"\"", half),
        ("\"ping\"", half),
        (&*long, "{}"),
        ("\"a b\"", "{}"),
        ("\"a b\"", half),
        ("null", "{}"),
        ("\"add\"", r#"{"a":1}"#),
    ];
    for dialect in Dialect::ALL {
        let adapter = adapter(dialect);
        for (form, turn) in turns(&adapter, &calls) {
            let context = format!("{dialect} {form}");
            let arguments: Vec<_> = turn.calls().iter().map(RequestedCall::arguments).collect();
            assert_eq!(arguments, calls.map(|(_, arguments)| arguments), "{context}");
            let last = turn.requests().last().map(|request| request.name().to_owned());
            assert_eq!(last.as_deref(), Some("add"), "{context}");
            check_pairs(&adapter, &turn, &context);
        }
    }
}

#[test]
fn half_a_surrogate_pair_in_the_arguments_of_one_call_spoils_no_other() {
    let half = r#"{"text":"tea \ud83d"}"#;
    let calls = [("\"ping\"", half), ("\"add\"", r#"{"a":"\ud83d\ude00"}"#)];
    for dialect in Dialect::ALL {
        for (form, turn) in turns(&adapter(dialect), &calls) {
            let arguments: Vec<_> = turn.calls().iter().map(RequestedCall::arguments).collect();
            assert_eq!(arguments, [half, r#"{"a":"\ud83d\ude00"}"#], "{dialect} {form}");
            let repeated = serde_json::to_string(turn.messages()).unwrap();
            assert!(
                !repeated.contains("tea") && repeated.contains('😀') | repeated.contains("ude00"),
                "{form}: {repeated}"
            );
        }
    }
}

#[test]
fn chat_pieces_without_an_index_begin_a_call_of_their_own_with_another_id() {
    let chunk = |call: Value| json!({ "choices": [{ "delta": { "tool_calls": [call] } }] });
    let piece = |id: &str, name: &str, arguments: &str| {
        chunk(json!({ "id": id, "function": { "name": name, "arguments": arguments } }))
    };
    let more = |arguments: &str| chunk(json!({ "function": { "arguments": arguments } }));
    let end = json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] });
    let events = [
        piece("a", "ping", "{}"),
        piece("b", "", ""),
        more("{\"n\":"),
        more("1}"),
        piece("c", "add", "{\"a\":2}"),
        chunk(json!({ "id": "d", "function": { "arguments": "{\"n\":3}" } })),
        piece("e", " ", "{}"),
        end.clone(),
    ];
    let (turn, deltas) = stream(Dialect::OpenAiChat, &events);
    let expected = [
        ("a", "ping", "{}"),
        ("b", "", "{\"n\":1}"),
        ("c", "add", "{\"a\":2}"),
        ("d", "", "{\"n\":3}"),
        ("e", " ", "{}"),
    ];
    assert_eq!(asked(&turn), expected);
    assert_eq!(deltas.len(), 5);
    check_pairs(&adapter(Dialect::OpenAiChat), &turn, "");

    // Servers that give every piece another id, or repeat an empty name, continue the call.
    let other_id = |id: &str, arguments: &str| {
        chunk(json!({ "id": id, "function": { "arguments": arguments } }))
    };
    let events = [
        piece("a", "add", ""),
        other_id("x", "{\"a\""),
        piece("a", "", ":"),
        piece("", "", "1}"),
        other_id("y", ""),
        end,
    ];
    let (turn, _) = stream(Dialect::OpenAiChat, &events);
    assert_eq!(asked(&turn), [("a", "add", "{\"a\":1}")]);
}

#[test]
fn half_a_surrogate_pair_in_a_text_becomes_a_replacement_character() {
    let text = r#"{"content":[{"type":"text","text":"a\ud83d"},{"type":"tool_use","id":"a","name":"ping","input":{}}],"stop_reason":"tool_use"}"#;
    let turn = adapter(Dialect::Anthropic).read(text).unwrap();
    assert_eq!((turn.text(), turn.requests().count()), ("a\u{fffd}", 1));
    assert_eq!(turn.messages()[0]["content"][0]["text"], "a\u{fffd}");
}

#[test]
fn half_a_surrogate_pair_outside_of_the_arguments_json_is_no_other_character() {
    // The provider's own text has the half, so that the arguments would be read without it.
    let text = response(Dialect::OpenAiChat, &[("\"ping\"", "{\"text\":\"PAIR\"}")]);
    let turn = adapter(Dialect::OpenAiChat).read(&text.replace("PAIR", r"\ud83d")).unwrap();
    assert_eq!(asked(&turn), [("c0", "ping", r#"{"text":"\ud83d"}"#)]);
    assert_eq!(turn.messages()[0]["tool_calls"][0]["function"]["arguments"], "{}");
}

#[test]
fn arguments_are_repeated_as_they_were_written() {
    let written = r#"{"z": 1.0, "a":12345678901234567890123}"#;
    for dialect in Dialect::ALL {
        let calls = [("\"ping\"", "[1]"), ("\"ping\"", written), ("\"add\"", r#"{"a":1,"a":2}"#)];
        let turn = adapter(dialect).read(&response(dialect, &calls)).unwrap();
        let raw: Vec<_> = turn.raw_messages().iter().map(|raw| raw.get().to_owned()).collect();
        let text = raw.join("\n");
        let is_text = [Dialect::OpenAiChat, Dialect::OpenAiResponses].contains(&dialect);
        let expected = if is_text { Value::from(written).to_string() } else { written.to_owned() };
        assert!(text.contains(&expected), "{dialect}: {text}");
        // But for the digits, they are the messages.
        let parsed: Vec<Value> = raw.iter().map(|raw| serde_json::from_str(raw).unwrap()).collect();
        assert_eq!(parsed, turn.messages(), "{dialect}");
    }
}

#[test]
fn a_surrogate_pair_that_a_stream_splits_is_whole_again() {
    for dialect in Dialect::ALL {
        let adapter = adapter(dialect);
        let mut stream = adapter.stream();
        // Each half is an escape of the provider's own JSON, and in a piece of its own.
        let calls = [("\"ping\"", r#"{"n":"XY    "}"#), ("\"add\"", r#"{"n":"X"}"#)];
        for event in events(dialect, &calls) {
            stream.push(&event.replace('X', r"\ud83d").replace('Y', r"\ude00")).unwrap();
        }
        let turn = stream.finish().unwrap();
        let text: Value = serde_json::from_str(turn.calls()[0].arguments()).unwrap();
        assert_eq!(text, json!({ "n": "😀    " }), "{dialect}");
        // A half alone is no other character.
        assert_eq!(turn.calls()[1].arguments(), r#"{"n":"\ud83d"}"#, "{dialect}");
    }
}
