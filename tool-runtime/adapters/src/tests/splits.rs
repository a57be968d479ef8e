//! A streamed response equals the complete one, for any split into events.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// The content of a response.
#[derive(Debug, Clone)]
struct Script {
    text: String,
    /// Each call's name and arguments, a JSON object in a model's formatting.
    calls: Vec<(String, String)>,
    /// Positions at which texts are split, and the interleaving of parallel calls.
    cuts: Vec<usize>,
}

fn script() -> impl Strategy<Value = Script> {
    let name = prop_oneof!["content_search", "add", "ping", "unheard_of"].prop_map(String::from);
    let value = prop_oneof![
        Just("12345678901234567890.50".to_owned()),
        Just(r#"[ {"a":"\\}\"{"} ,null]"#.to_owned()),
        any::<String>().prop_map(|text| json!(text).to_string()),
    ];
    let key = "[a-zé{]{1,3}";
    let arguments = prop::collection::vec((key, value), 0..4).prop_map(|pairs| {
        let pair = |(key, value): (String, String)| format!("{}: {value}", json!(key));
        format!("{{{}}}", pairs.into_iter().map(pair).collect::<Vec<_>>().join(" ,"))
    });
    let calls = prop::collection::vec((name, arguments), 0..4);
    ("[a-z é\u{1F375}]{0,12}[a-z]", calls, prop::collection::vec(0..64_usize, 1..24))
        .prop_map(|(text, calls, cuts)| Script { text, calls, cuts })
}

impl Script {
    /// The text in pieces, split between characters.
    fn pieces<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut places: Vec<_> = self.cuts.iter().map(|cut| cut % (text.len() + 1)).collect();
        places.retain(|place| text.is_char_boundary(*place));
        places.extend([0, text.len()]);
        places.sort_unstable();
        places.windows(2).map(|ends| &text[ends[0]..ends[1]]).collect()
    }

    fn enumerated(&self) -> impl Iterator<Item = (usize, &str, &str)> {
        self.calls
            .iter()
            .enumerate()
            .map(|(place, (name, arguments))| (place, &**name, &**arguments))
    }

    /// The events of several lists, interleaved, each in its own order.
    fn mixed(&self, mut lists: Vec<Vec<Value>>) -> Vec<Value> {
        let mut events = Vec::new();
        let mut turns = self.cuts.iter().cycle();
        for list in &mut lists {
            list.reverse();
        }
        while !lists.is_empty() {
            let turn = turns.next().unwrap() % lists.len();
            events.extend(lists[turn].pop());
            lists.retain(|list| !list.is_empty());
        }
        events
    }

    fn is_split(&self) -> bool {
        !self.calls.is_empty()
    }
}

/// A complete response, and the same in events.
fn chat(script: &Script) -> (String, Vec<Value>) {
    let chunk = |delta: Value| json!({ "choices": [{ "index": 0, "delta": delta }] });
    let call = |(place, name, arguments): (usize, &str, &str)| {
        json!({ "id": format!("call_{place}"), "type": "function",
            "function": { "name": name, "arguments": arguments } })
    };
    let mut message = json!({ "role": "assistant", "content": script.text });
    if script.is_split() {
        message["tool_calls"] = script.enumerated().map(call).collect();
    }
    let reason = if script.is_split() { "tool_calls" } else { "stop" };
    let whole = json!({ "choices": [{ "index": 0, "message": message, "finish_reason": reason }] });

    let texts =
        script.pieces(&script.text).into_iter().map(|text| chunk(json!({ "content": text })));
    let heads = script.enumerated().map(|(place, name, _)| {
        let mut head = call((place, name, ""));
        head["index"] = place.into();
        chunk(json!({ "tool_calls": [head] }))
    });
    let lists = script.enumerated().map(|(place, _, arguments)| {
        let more = |piece| json!({ "index": place, "function": { "arguments": piece } });
        let pieces = script.pieces(arguments).into_iter();
        pieces.map(|piece| chunk(json!({ "tool_calls": [more(piece)] }))).collect()
    });
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] });
    let mixed = script.mixed(lists.collect());
    (whole.to_string(), texts.chain(heads).chain(mixed).chain([end]).collect())
}

fn responses(script: &Script) -> (String, Vec<Value>) {
    let content = json!([{ "type": "output_text", "text": script.text, "annotations": [] }]);
    let mut output = vec![json!({ "type": "message", "id": "msg", "role": "assistant",
        "status": "completed", "content": content })];
    output.extend(script.enumerated().map(|(place, name, arguments)| {
        json!({ "type": "function_call", "id": format!("fc_{place}"), "call_id": format!("call_{place}"),
            "name": name, "arguments": arguments, "status": "completed" })
    }));
    let whole = json!({ "status": "completed", "output": output });
    let lists = output.iter().enumerate().map(|(place, item)| {
        let event = |kind: &str, rest: Value| {
            let mut event = json!({ "type": kind, "output_index": place });
            event.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            event
        };
        let (kind, text) = match item["arguments"].as_str() {
            Some(arguments) => ("response.function_call_arguments.delta", arguments),
            None => ("response.output_text.delta", &*script.text),
        };
        let mut early = item.clone();
        early["status"] = "in_progress".into();
        if early.get("arguments").is_some() {
            early["arguments"] = "".into();
        }
        let pieces =
            script.pieces(text).into_iter().map(|piece| event(kind, json!({ "delta": piece })));
        let first = event("response.output_item.added", json!({ "item": early }));
        let last = event("response.output_item.done", json!({ "item": item }));
        [first].into_iter().chain(pieces).chain([last]).collect()
    });
    let mut events = script.mixed(lists.collect());
    events.push(json!({ "type": "response.completed", "response": whole }));
    (whole.to_string(), events)
}

fn anthropic(script: &Script) -> (String, Vec<Value>) {
    let head = |place: usize, name: &str| json!({ "type": "tool_use", "id": format!("toolu_{place}"), "name": name, "input": {} });
    let reason = if script.is_split() { "tool_use" } else { "end_turn" };
    // Written by hand, so that the input keeps its formatting.
    let mut blocks = vec![json!({ "type": "text", "text": script.text }).to_string()];
    blocks.extend(
        script
            .enumerated()
            .map(|(place, name, arguments)| head(place, name).to_string().replace("{}", arguments)),
    );
    let whole = format!(r#"{{"content":[{}],"stop_reason":"{reason}"}}"#, blocks.join(","));

    let delta = |index: usize, delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let start = |index: usize, block_strict: Value| json!({ "type": "content_block_start", "index": index, "content_block": block_strict });
    let stop = |index: usize| json!({ "type": "content_block_stop", "index": index });
    let mut events = vec![start(0, json!({ "type": "text", "text": "" }))];
    let text = |piece| delta(0, json!({ "type": "text_delta", "text": piece }));
    events.extend(script.pieces(&script.text).into_iter().map(text));
    for (place, name, arguments) in script.enumerated() {
        let more =
            |piece| delta(place + 1, json!({ "type": "input_json_delta", "partial_json": piece }));
        events.push(start(place + 1, head(place, name)));
        events.extend(script.pieces(arguments).into_iter().map(more));
        events.push(stop(place + 1));
    }
    events.push(json!({ "type": "message_delta", "delta": { "stop_reason": reason } }));
    events.push(json!({ "type": "message_stop" }));
    (whole, events)
}

fn bedrock(script: &Script) -> (String, Vec<Value>) {
    let reason = if script.is_split() { "tool_use" } else { "end_turn" };
    let mut blocks = vec![json!({ "text": script.text }).to_string()];
    blocks.extend(script.enumerated().map(|(place, name, arguments)| {
        format!(r#"{{"toolUse":{{"toolUseId":"t{place}","name":"{name}","input":{arguments}}}}}"#)
    }));
    let whole = format!(
        r#"{{"output":{{"message":{{"role":"assistant","content":[{}]}}}},"stopReason":"{reason}"}}"#,
        blocks.join(",")
    );
    let delta = |index: usize, delta: Value| json!({ "contentBlockDelta": { "contentBlockIndex": index, "delta": delta } });
    let texts =
        script.pieces(&script.text).into_iter().map(|piece| delta(0, json!({ "text": piece })));
    let mut events: Vec<_> = texts.collect();
    for (place, name, arguments) in script.enumerated() {
        let start = json!({ "toolUse": { "toolUseId": format!("t{place}"), "name": name } });
        events.push(
            json!({ "contentBlockStart": { "contentBlockIndex": place + 1, "start": start } }),
        );
        let more = |piece| delta(place + 1, json!({ "toolUse": { "input": piece } }));
        events.extend(script.pieces(arguments).into_iter().map(more));
    }
    events.push(json!({ "messageStop": { "stopReason": reason } }));
    (whole, events)
}

/// Gemini and Ollama send complete calls, sometimes several in one chunk.
fn chunks<'s>(script: &'s Script, calls: &'s [String]) -> Vec<&'s [String]> {
    let size = script.cuts[0] % 3 + 1;
    calls.chunks(size).collect()
}

fn gemini(script: &Script) -> (String, Vec<String>) {
    let calls: Vec<_> = script
        .enumerated()
        .map(|(place, name, arguments)| {
            format!(r#"{{"functionCall":{{"id":"fc{place}","name":"{name}","args":{arguments}}}}}"#)
        })
        .collect();
    let text = |text: &str| json!({ "text": text }).to_string();
    let response = |parts: &str, end: &str| {
        format!(r#"{{"candidates":[{{"content":{{"role":"model","parts":[{parts}]}}{end}}}]}}"#)
    };
    let end = r#","finishReason":"STOP""#;
    let parts: Vec<_> = [text(&script.text)].into_iter().chain(calls.clone()).collect();
    let mut events: Vec<_> =
        script.pieces(&script.text).into_iter().map(|piece| response(&text(piece), "")).collect();
    events.extend(chunks(script, &calls).into_iter().map(|calls| response(&calls.join(","), "")));
    events.push(response("", end));
    (response(&parts.join(","), end), events)
}

fn ollama(script: &Script) -> (String, Vec<String>) {
    let calls: Vec<_> = script
        .enumerated()
        .map(|(place, name, arguments)| {
            format!(r#"{{"id":"c{place}","function":{{"name":"{name}","arguments":{arguments}}}}}"#)
        })
        .collect();
    let line = |text: &str, calls: &[String], end: &str| {
        let calls = format!(r#","tool_calls":[{}]"#, calls.join(","));
        format!(
            r#"{{"message":{{"role":"assistant","content":{}{calls}}},"done":{end}}}"#,
            json!(text)
        )
    };
    let mut events: Vec<_> =
        script.pieces(&script.text).into_iter().map(|piece| line(piece, &[], "false")).collect();
    events.extend(chunks(script, &calls).into_iter().map(|calls| line("", calls, "false")));
    events.push(line("", &[], "true"));
    (line(&script.text, &calls, "true"), events)
}

fn texts((whole, events): (String, Vec<Value>)) -> (String, Vec<String>) {
    (whole, events.iter().map(Value::to_string).collect())
}

fn both(dialect: Dialect, script: &Script) -> (String, Vec<String>) {
    match dialect {
        Dialect::OpenAiChat => texts(chat(script)),
        Dialect::OpenAiResponses => texts(responses(script)),
        Dialect::Anthropic => texts(anthropic(script)),
        Dialect::BedrockConverse => texts(bedrock(script)),
        Dialect::Gemini => gemini(script),
        Dialect::Ollama => ollama(script),
    }
}

fn streamed(adapter: &Adapter, events: &[String]) -> (Turn, String) {
    let mut stream = adapter.stream();
    let mut shown = String::new();
    for event in events {
        for delta in stream.push(event).unwrap() {
            if let Delta::Text(text) = delta {
                shown.push_str(&text);
            }
        }
    }
    (stream.finish().unwrap(), shown)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_stream_is_the_response_that_it_was_split_from(script in script()) {
        for dialect in Dialect::ALL {
            let adapter = adapter(dialect);
            let (whole, events) = both(dialect, &script);
            let (whole, (split, shown)) = (adapter.read(&whole).unwrap(), streamed(&adapter, &events));
            prop_assert_eq!(asked(&split), asked(&whole), "{}", dialect);
            prop_assert_eq!(split.messages(), whole.messages(), "{}", dialect);
            prop_assert_eq!(split.text(), whole.text(), "{}", dialect);
            prop_assert_eq!(split.stop_reason(), &StopReason::Done, "{}", dialect);
            prop_assert_eq!(shown, &*script.text, "{}", dialect);
            let written: Vec<_> = script.calls.iter().map(|(_, arguments)| &**arguments).collect();
            let arguments: Vec<_> = asked(&split).into_iter().map(|(.., arguments)| arguments).collect();
            prop_assert_eq!(arguments, written, "{}", dialect);
        }
    }

    #[test]
    fn a_stream_that_breaks_off_runs_nothing(script in script(), left in 0..1_000_usize) {
        for dialect in Dialect::ALL {
            let adapter = adapter(dialect);
            let events = both(dialect, &script).1;
            let left = 1 + left % (events.len() - 1).max(1);
            let turn = streamed(&adapter, &events[..left.min(events.len() - 1)]).0;
            prop_assert_eq!(turn.stop_reason(), &StopReason::Interrupted, "{}", dialect);
            prop_assert_eq!(turn.requests().count(), 0, "{}", dialect);
        }
    }
}
