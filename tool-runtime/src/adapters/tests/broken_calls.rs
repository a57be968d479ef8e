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

#[test]
fn a_call_without_a_name_or_with_one_that_no_provider_takes_back_spoils_no_other() {
    let long = format!("\"{}\"", "x".repeat(300));
    let odd =
        ["\"\"", "\" \"", "null", "7", "\"multi_tool_use.parallel\"", "\"search content!\"", &long];
    for dialect in Dialect::ALL {
        let adapter = adapter(dialect);
        let dots = dialect == Dialect::Gemini;
        let longest = dialect.format().name_rules().max_length;
        for name in odd {
            let text = response(dialect, &[("\"ping\"", "{}"), (name, "{}"), ("\"add\"", "{}")]);
            let turn =
                adapter.read(&text).unwrap_or_else(|error| panic!("{dialect} {name}: {error}"));
            let runnable: Vec<_> =
                turn.requests().map(|request| request.name().to_owned()).collect();
            assert_eq!(
                (turn.calls().len(), runnable),
                (3, vec!["ping".to_owned(), "add".to_owned()])
            );
            let mut names = Vec::new();
            turn.messages().iter().for_each(|message| repeated_names(message, &mut names));
            let is_accepted = |name: &String| {
                (1..=longest).contains(&name.len())
                    && name
                        .chars()
                        .all(|c| c.is_ascii_alphanumeric() || "_-".contains(c) || dots && c == '.')
            };
            assert!(names.iter().all(is_accepted), "{dialect}: {names:?}");
            assert_eq!((names.len(), &*names[0], &*names[2]), (3, "ping", "add"), "{dialect}");
            // The answer names the same function, in the dialects that name it.
            let answers = turn.calls().iter().map(|call| Answer::from_text(call.call_id(), "done"));
            let answers = adapter.answer_messages(&turn, answers).unwrap();
            let answered: Vec<_> = match dialect {
                Dialect::Gemini => vec![answers[0]["parts"][1]["functionResponse"]["name"].clone()],
                Dialect::Ollama => vec![answers[1]["tool_name"].clone()],
                _ => Vec::new(),
            };
            assert!(answered.iter().all(|name| *name == *names[1]), "{dialect}: {answered:?}");
        }
    }
}

#[test]
fn half_a_surrogate_pair_in_the_arguments_of_one_call_spoils_no_other() {
    let half = r#"{"text":"tea \ud83d"}"#;
    for dialect in Dialect::ALL {
        let text = response(dialect, &[("\"ping\"", half), ("\"add\"", r#"{"a":"\ud83d\ude00"}"#)]);
        let turn =
            adapter(dialect).read(&text).unwrap_or_else(|error| panic!("{dialect}: {error}"));
        let arguments: Vec<_> = turn.calls().iter().map(RequestedCall::arguments).collect();
        assert_eq!(arguments, [half, r#"{"a":"\ud83d\ude00"}"#], "{dialect}");
        let repeated = serde_json::to_string(turn.messages()).unwrap();
        assert!(
            !repeated.contains("tea") && repeated.contains('😀') | repeated.contains("ude00"),
            "{repeated}"
        );
    }
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
    let piece = |arguments: &str| {
        format!(
            r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":0,"id":"a","function":{{"name":"ping","arguments":"{arguments}"}}}}]}}}}]}}"#
        )
    };
    let adapter = adapter(Dialect::OpenAiChat);
    let mut stream = adapter.stream();
    for event in [r#"{\"n\":\"\ud83d"#, r#"\ude00\"}"#] {
        stream.push(&piece(event)).unwrap();
    }
    let turn = stream.finish().unwrap();
    let text: Value = serde_json::from_str(turn.calls()[0].arguments()).unwrap();
    assert_eq!(text, json!({ "n": "😀" }));
}
