//! Integers beyond 64 bits in messages that are repeated, and those that a float rounds in answers.

use serde_json::{Value, json};

use super::replies::{ok, plain, turn};
use super::*;
use crate::ToolAnswer;

const WIDE: &str = "12345678901234567890123";

/// A complete response with a wide integer in the arguments of a call of an undeclared tool and in
/// something that no tool of ours is concerned with.
fn whole(dialect: Dialect) -> String {
    let (call, own) = (r#"{"n":WIDE}"#, r#"{"deep":[1,{"n":WIDE},-WIDE]}"#);
    let text = match dialect {
        Dialect::OpenAiChat => {
            let call = Value::from(call);
            format!(
                r#"{{"choices":[{{"finish_reason":"tool_calls","message":{{"role":"assistant","annotations":[{own}],"tool_calls":[
                {{"id":"o","type":"retrieval","retrieval":{own}}},
                {{"id":"a","type":"function","function":{{"name":"unheard_of","arguments":{call}}}}}]}}}}]}}"#
            )
        }
        Dialect::OpenAiResponses => {
            let call = Value::from(call);
            format!(
                r#"{{"status":"completed","output":[{{"type":"web_search_call","id":"w","status":"completed","action":{own}}},
                {{"type":"function_call","id":"f","call_id":"a","name":"unheard_of","arguments":{call},"status":"completed"}}]}}"#
            )
        }
        Dialect::Anthropic => format!(
            r#"{{"stop_reason":"tool_use","content":[{{"type":"server_tool_use","id":"s","name":"search","input":{own}}},
            {{"type":"search_result","tool_use_id":"s","content":{own}}},
            {{"type":"tool_use","id":"a","name":"unheard_of","input":{call}}}]}}"#
        ),
        Dialect::Gemini => format!(
            r#"{{"candidates":[{{"finishReason":"STOP","content":{{"parts":[{{"toolCall":{{"args":{own}}}}},
            {{"functionCall":{{"name":"unheard_of","args":{call}}}}}]}}}}]}}"#
        ),
        Dialect::BedrockConverse => format!(
            r#"{{"stopReason":"tool_use","output":{{"message":{{"content":[
            {{"toolUse":{{"type":"server_tool_use","toolUseId":"s","name":"search","input":{own}}}}},
            {{"toolResult":{{"toolUseId":"s","content":[{{"json":{own}}}]}}}},
            {{"toolUse":{{"toolUseId":"a","name":"unheard_of","input":{call}}}}}]}}}}}}"#
        ),
        Dialect::Ollama => format!(
            r#"{{"done":true,"message":{{"role":"assistant","content":"","extra":{own},
            "tool_calls":[{{"function":{{"name":"unheard_of","arguments":{call}}}}}]}}}}"#
        ),
    };
    text.replace("WIDE", WIDE)
}

#[track_caller]
fn check(turn: &Turn, digits: usize, context: &str) {
    let raw: Vec<_> = turn.raw_messages().iter().map(|raw| raw.get().to_owned()).collect();
    let text = raw.join("\n");
    assert_eq!(text.matches(WIDE).count(), digits, "{context}: {text}");
    // But for the digits, they are the messages, which have rounded numbers.
    let parsed: Vec<Value> = raw.iter().map(|raw| serde_json::from_str(raw).unwrap()).collect();
    assert_eq!(parsed, turn.messages(), "{context}");
    let rounded = Value::from(turn.messages().to_vec()).to_string();
    assert!(!rounded.contains("\"integer "), "{context}: {rounded}");
}

#[test]
fn integers_beyond_64_bits_keep_their_digits_wherever_they_are_repeated() {
    for dialect in Dialect::ALL {
        let turn = adapter(dialect).read(&whole(dialect)).unwrap();
        assert_eq!(turn.calls()[0].arguments(), format!(r#"{{"n":{WIDE}}}"#), "{dialect}");
        let in_two_items =
            [Dialect::OpenAiChat, Dialect::Anthropic, Dialect::BedrockConverse].contains(&dialect);
        check(&turn, if in_two_items { 5 } else { 3 }, dialect.as_str());
    }
}

#[test]
fn integers_of_streamed_items_keep_their_digits_too() {
    let event = |text: &str| text.replace("WIDE", WIDE);
    let events = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"search","input":{}}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"n\":1234567890"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"1234567890123}"}}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"search_result","tool_use_id":"s","content":[{"n":WIDE}]}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    let adapter = adapter(Dialect::Anthropic);
    let mut stream = adapter.stream();
    for text in events {
        stream.push(&event(text)).unwrap();
    }
    check(&stream.finish().unwrap(), 2, "anthropic");
}

#[test]
fn an_integer_that_no_float_holds_loses_no_response() {
    let huge = "9".repeat(400);
    let text = whole(Dialect::Anthropic).replace(WIDE, &huge);
    let turn = adapter(Dialect::Anthropic).read(&text).unwrap();
    assert_eq!(turn.raw_messages()[0].get().matches(&huge).count(), 5);
}

#[test]
fn gemini_reads_integers_that_its_floats_would_round_as_texts() {
    let data = r#"{"ids":[9007199254740992,9007199254740993,-9007199254740993,18446744073709551615,WIDE],
        "price":0.1000000000000000055,"large":1e300,"text":"9007199254740993 \u00e9","none":null}"#;
    let data = data.replace("WIDE", WIDE);
    let answers = [
        ToolAnswer::new("a", &ok(&data, &plain())),
        ToolAnswer::new("b", &ok(r#""tea""#, &plain())),
    ];
    let messages =
        adapter(Dialect::Gemini).answer_messages(&turn(Dialect::Gemini), answers).unwrap();
    let response = |at: usize| messages[0]["parts"][at]["functionResponse"]["response"].clone();
    let ids = json!([
        9_007_199_254_740_992_u64,
        "9007199254740993",
        "-9007199254740993",
        "18446744073709551615",
        WIDE
    ]);
    let expected = json!({"ids": ids, "price": 0.1, "large": 1e300,
        "text": "9007199254740993 é", "none": null});
    assert_eq!(response(0)["output"], expected);
    assert_eq!(response(1)["output"], "tea");
}
