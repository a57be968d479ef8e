//! Several texts of one response, of which one is the answer.

use serde_json::{Value, json};

use super::*;

const ANSWER: &str = r#"{"port":1}"#;

#[track_caller]
fn check(turn: &Turn, texts: &[&str], answer: &str) {
    assert_eq!(turn.texts().collect::<Vec<_>>(), texts);
    assert_eq!(turn.text(), answer);
}

fn message(id: &str, phase: Option<&str>, text: &str) -> Value {
    let part = json!({ "type": "output_text", "text": text, "annotations": [] });
    json!({ "type": "message", "id": id, "role": "assistant", "status": "completed",
        "phase": phase, "content": [part] })
}

#[test]
fn the_final_answer_of_a_response_is_its_text() {
    let (comment, answer) = (Some("commentary"), Some("final_answer"));
    let cases = [
        [message("1", comment, "Let me check."), message("2", answer, ANSWER)],
        [message("1", answer, ANSWER), message("2", comment, "That was it.")],
        [message("1", None, "Let me check."), message("2", None, ANSWER)],
    ];
    for output in cases {
        let texts = output.each_ref().map(|it| it["content"][0]["text"].as_str().unwrap());
        let whole = json!({ "status": "completed", "output": output });
        check(&read(Dialect::OpenAiResponses, &whole), &texts, ANSWER);
        let mut events: Vec<_> = (0..)
            .zip(&output)
            .map(|(at, item)| json!({ "type": "response.output_item.done", "output_index": at, "item": item }))
            .collect();
        events.push(json!({ "type": "response.completed", "response": whole }));
        check(&stream(Dialect::OpenAiResponses, &events).0, &texts, ANSWER);
    }
    // A comment before a call is the only text.
    let call = json!({ "type": "function_call", "call_id": "c", "name": "add", "arguments": "{}" });
    let output = json!([message("1", comment, "Let me check."), call]);
    let turn = read(Dialect::OpenAiResponses, &json!({ "status": "completed", "output": output }));
    check(&turn, &["Let me check."], "Let me check.");
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn cited(text: &str) -> Value {
    json!({ "type": "text", "text": text, "citations": [{ "type": "char_location" }] })
}

fn anthropic(content: &Value) -> Turn {
    let message = json!({ "type": "message", "content": content, "stop_reason": "end_turn" });
    let whole = read(Dialect::Anthropic, &message);
    let mut events = vec![json!({ "type": "message_start", "message": { "content": [] } })];
    for (at, block) in content.as_array().unwrap().iter().enumerate() {
        let mut start = block.clone();
        if block["type"] == "text" {
            start["text"] = "".into();
        }
        events.push(json!({ "type": "content_block_start", "index": at, "content_block": start }));
        if let Some(text) = block["text"].as_str() {
            let delta = json!({ "type": "text_delta", "text": text });
            events.push(json!({ "type": "content_block_delta", "index": at, "delta": delta }));
        }
        events.push(json!({ "type": "content_block_stop", "index": at }));
    }
    events.push(json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }));
    events.push(json!({ "type": "message_stop" }));
    let (streamed, _) = stream(Dialect::Anthropic, &events);
    assert_eq!(streamed.messages(), whole.messages());
    assert_eq!(streamed.texts().collect::<Vec<_>>(), whole.texts().collect::<Vec<_>>());
    whole
}

#[test]
fn blocks_of_anthropic_are_texts_of_their_own_unless_a_citation_divides_them() {
    check(
        &anthropic(&json!([text("Let me check."), text(ANSWER)])),
        &["Let me check.", ANSWER],
        ANSWER,
    );
    let search = json!({ "type": "server_tool_use", "id": "s", "name": "web_search", "input": {} });
    let found = json!({ "type": "web_search_tool_result", "tool_use_id": "s", "content": [] });
    let content =
        json!([text("Let me look."), search, found, text("Grass is "), cited("green"), text(".")]);
    check(&anthropic(&content), &["Let me look.", "Grass is green."], "Grass is green.");
    check(&anthropic(&json!([text("a"), cited("b"), cited("c")])), &["abc"], "abc");
    check(&anthropic(&json!([text("Done."), text(" \n")])), &["Done.", " \n"], "Done.");
    let call = json!({ "type": "tool_use", "id": "a", "name": "add", "input": {} });
    check(&anthropic(&json!([text("Let me add."), call])), &["Let me add."], "Let me add.");
}

#[test]
fn blocks_of_bedrock_are_texts_of_their_own_unless_a_citation_divides_them() {
    let text = |text: &str| json!({ "text": text });
    let cited = |text: &str| json!({ "citationsContent": { "content": [{ "text": text }], "citations": [{}] } });
    let whole = |content: Value| {
        let output = json!({ "message": { "role": "assistant", "content": content } });
        read(Dialect::BedrockConverse, &json!({ "output": output, "stopReason": "end_turn" }))
    };
    check(&whole(json!([text("Let me check."), text(ANSWER)])), &["Let me check.", ANSWER], ANSWER);
    let turn = whole(json!([text("Grass is "), cited("green"), text(".")]));
    check(&turn, &["Grass is green."], "Grass is green.");
    let piece = |at: u32, delta: Value| json!({ "contentBlockDelta": { "contentBlockIndex": at, "delta": delta } });
    let events = [
        piece(0, json!({ "text": "Grass is " })),
        piece(1, json!({ "text": "gre" })),
        piece(1, json!({ "text": "en" })),
        piece(1, json!({ "citation": { "title": "t" } })),
        piece(2, json!({ "text": "." })),
        json!({ "messageStop": { "stopReason": "end_turn" } }),
    ];
    let (turn, _) = stream(Dialect::BedrockConverse, &events);
    check(&turn, &["Grass is green."], "Grass is green.");
}

#[test]
fn a_text_of_gemini_ends_at_a_part_of_another_kind() {
    let text = |text: &str| json!({ "text": text });
    let code = json!({ "executableCode": { "language": "PYTHON", "code": "1" } });
    let signed = json!({ "text": "", "thoughtSignature": "cw" });
    let thought = json!({ "text": "hm", "thought": true });
    let whole = |parts: &[Value]| json!({ "candidates": [{ "content": { "parts": parts }, "finishReason": "STOP" }] });
    let parts = [text("Let me compute."), code, thought, text("It is "), signed, text("1.")];
    let turn = read(Dialect::Gemini, &whole(&parts));
    check(&turn, &["Let me compute.", "It is 1."], "It is 1.");
    let events = parts.each_ref().map(|part| whole(std::slice::from_ref(part)));
    check(&stream(Dialect::Gemini, &events).0, &["Let me compute.", "It is 1."], "It is 1.");
}

#[test]
fn parts_of_a_chat_message_are_one_text() {
    let thinking = json!({ "type": "thinking", "thinking": [text("Hm.")] });
    let reference = json!({ "type": "reference", "reference_ids": [1] });
    let content = json!([thinking, text("Grass is "), reference, text("green"), text(".")]);
    let choice = json!({ "message": { "content": content }, "finish_reason": "stop" });
    let turn = read(Dialect::OpenAiChat, &json!({ "choices": [choice] }));
    check(&turn, &["Grass is green."], "Grass is green.");
}
