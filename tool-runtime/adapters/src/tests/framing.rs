//! The bytes of a stream are read the same, wherever they are split.

use proptest::prelude::*;

use super::*;
use crate::ReadError;

/// Reads a body in pieces that end at these places; gives the deltas and the turn.
fn pushed(adapter: &Adapter, body: &[u8], cuts: &[usize]) -> Result<(Vec<Delta>, Turn), ReadError> {
    let mut stream = adapter.stream();
    let (mut deltas, mut start) = (Vec::new(), 0);
    for end in cuts.iter().copied().chain([body.len()]) {
        deltas.extend(stream.push_bytes(&body[start..end])?);
        start = end;
    }
    Ok((deltas, stream.finish()?))
}

/// Reads a body whole, split in two at every byte, and byte by byte.
#[track_caller]
fn check_splits(dialect: Dialect, body: &[u8], expected: &str) {
    let adapter = adapter(dialect);
    let (whole, turn) = pushed(&adapter, body, &[]).unwrap();
    assert_eq!((turn.text(), turn.stop_reason()), (expected, &StopReason::Done), "{dialect}");
    let singly: Vec<_> = (0..body.len()).collect();
    for cuts in (0..=body.len()).map(|cut| vec![cut]).chain([singly]) {
        let (deltas, turn) = pushed(&adapter, body, &cuts).unwrap();
        assert_eq!(deltas, whole, "{dialect}, split at {cuts:?}");
        assert_eq!(turn.text(), expected, "{dialect}, split at {cuts:?}");
    }
}

fn chunk(content: &str) -> String {
    json!({ "choices": [{ "index": 0, "delta": { "content": content } }] }).to_string()
}

const END: &str = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;

#[test]
fn server_sent_events_may_end_their_lines_in_three_ways() {
    for end in ["\n", "\r\n", "\r"] {
        let (first, second) = (chunk("Thé "), chunk("\u{1F375}"));
        let (first, second) = (format!("data: {first}"), format!("data:{second}"));
        let end_event = format!("data: {END}");
        let lines = [
            "\u{feff}: connected",
            "",
            "event: chunk",
            "id: 1",
            "retry:3",
            "data",
            "",
            &first,
            "",
            ": comment",
            "",
            &second,
            "",
            &end_event,
            "",
            "data: [DONE]",
            "",
            "",
        ];
        let body = lines.join(end);
        check_splits(Dialect::OpenAiChat, body.as_bytes(), "Thé \u{1F375}");
    }
}

#[test]
fn several_lines_of_data_are_one_event() {
    let pretty = serde_json::to_string_pretty(&json!({ "choices": [{ "index": 0,
        "delta": { "content": "Hi" } }] }));
    let pretty = pretty.unwrap();
    for end in ["\n", "\r\n", "\r"] {
        let data = |text: &str| {
            let lines: Vec<_> = text.lines().map(|line| format!("data: {line}")).collect();
            lines.join(end) + end + end
        };
        let body = data(&pretty) + &data(END);
        check_splits(Dialect::OpenAiChat, body.as_bytes(), "Hi");
    }
}

#[test]
fn a_last_event_without_a_blank_line_counts_if_it_is_whole() {
    for end in ["", "\n"] {
        let body = format!("data: {}\n\ndata: {END}{end}", chunk("Hi"));
        let (_, turn) = pushed(&adapter(Dialect::OpenAiChat), body.as_bytes(), &[]).unwrap();
        assert_eq!(turn.stop_reason(), &StopReason::Done);
    }
    let body = format!("data: {}\n\ndata: {}", chunk("Hi"), &END[..END.len() - 1]);
    let (_, turn) = pushed(&adapter(Dialect::OpenAiChat), body.as_bytes(), &[]).unwrap();
    assert_eq!(turn.stop_reason(), &StopReason::Interrupted);
}

#[test]
fn lines_of_ollama_are_split_at_their_objects() {
    let line = |text: &str, done: bool| {
        json!({ "message": { "role": "assistant", "content": text }, "done": done }).to_string()
    };
    let body =
        format!("\n{}\r\n\n{}\n{}", line("Thé \"}{\\", false), line("!", false), line("", true));
    check_splits(Dialect::Ollama, body.as_bytes(), "Thé \"}{\\!");
}

#[test]
fn gemini_may_send_one_list() {
    let response = |text: &str, end: Value| json!({ "candidates": [{ "content": { "parts": [{ "text": text }] }, "finishReason": end }] });
    let list = json!([response("Thé ", Value::Null), response("]}", "STOP".into())]);
    check_splits(Dialect::Gemini, list.to_string().as_bytes(), "Thé ]}");
    let pretty = serde_json::to_string_pretty(&list).unwrap();
    check_splits(Dialect::Gemini, pretty.as_bytes(), "Thé ]}");
    let events = format!("data: {}\r\n\r\n", response("Hi", "STOP".into()));
    check_splits(Dialect::Gemini, events.as_bytes(), "Hi");
}

/// A message as Amazon frames it, written apart from the decoder.
fn message(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
    let mut head = Vec::new();
    // A header of each other type comes first.
    for (kind, value) in [
        (0, &[][..]),
        (1, &[]),
        (2, &[1]),
        (3, &[1; 2]),
        (4, &[1; 4]),
        (5, &[1; 8]),
        (6, &[0, 2, 1, 1]),
        (8, &[1; 8]),
        (9, &[1; 16]),
    ] {
        head.extend([1, b'x', kind]);
        head.extend(value);
    }
    for (name, value) in headers {
        head.push(u8::try_from(name.len()).unwrap());
        head.extend(name.as_bytes());
        head.push(7);
        head.extend(u16::try_from(value.len()).unwrap().to_be_bytes());
        head.extend(value.as_bytes());
    }
    let number = |count: usize| u32::try_from(count).unwrap().to_be_bytes();
    let mut message = [number(16 + head.len() + payload.len()), number(head.len())].concat();
    message.extend(slow_crc32(&message).to_be_bytes());
    message.extend(head);
    message.extend(payload);
    message.extend(slow_crc32(&message).to_be_bytes());
    message
}

/// The checksum bit by bit.
fn slow_crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc: u32, _| {
            if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 }
        })
    })
}

fn event(name: &str, payload: &Value) -> Vec<u8> {
    let headers =
        [(":event-type", name), (":content-type", "application/json"), (":message-type", "event")];
    message(&headers, payload.to_string().as_bytes())
}

fn bedrock_body() -> Vec<u8> {
    let delta = json!({ "contentBlockIndex": 0, "delta": { "text": "Thé" }, "p": "abc" });
    [
        event("messageStart", &json!({ "role": "assistant" })),
        event("contentBlockDelta", &delta),
        message(&[(":message-type", "event"), (":event-type", "contentBlockStop")], b""),
        event("messageStop", &json!({ "stopReason": "end_turn" })),
        event("metadata", &json!({ "usage": { "inputTokens": 3, "outputTokens": 1 } })),
    ]
    .concat()
}

#[test]
fn messages_of_amazon_are_split_by_their_lengths() {
    check_splits(Dialect::BedrockConverse, &bedrock_body(), "Thé");
    let (_, turn) = pushed(&adapter(Dialect::BedrockConverse), &bedrock_body(), &[]).unwrap();
    assert_eq!(turn.usage().unwrap().input, Some(3));
}

#[test]
fn a_message_of_amazon_that_is_altered_is_an_error() {
    let adapter = adapter(Dialect::BedrockConverse);
    let body = bedrock_body();
    for at in 0..body.len() {
        let mut altered = body.clone();
        altered[at] ^= 0x10;
        let read = pushed(&adapter, &altered, &[]);
        assert!(read.is_err(), "byte {at} is altered unnoticed");
    }
    let mut altered = body;
    let last = altered.len() - 1;
    altered[last] ^= 1;
    let error = pushed(&adapter, &altered, &[]).unwrap_err().to_string();
    assert!(error.starts_with("expected a message with its checksum at byte "), "{error}");
}

#[test]
fn an_exception_of_amazon_is_the_providers() {
    let headers = [(":message-type", "exception"), (":exception-type", "throttlingException")];
    let body = message(&headers, br#"{"message":"Too many requests"}"#);
    let error = pushed(&adapter(Dialect::BedrockConverse), &body, &[]).unwrap_err();
    let expected =
        "the provider returned an error `throttlingException`; see its message in the response";
    assert_eq!(error.to_string(), expected);
    let headers = [(":message-type", "error"), (":error-code", "InternalFailure")];
    let error =
        pushed(&adapter(Dialect::BedrockConverse), &message(&headers, b""), &[]).unwrap_err();
    assert!(error.to_string().contains("InternalFailure"), "{error}");
}

#[test]
fn an_error_in_place_of_a_stream_is_the_providers() {
    let body = json!({ "error": { "type": "overloaded_error", "status": "UNAVAILABLE" } });
    let pretty = serde_json::to_string_pretty(&body).unwrap();
    for dialect in Dialect::ALL {
        let error = pushed(&adapter(dialect), pretty.as_bytes(), &[1]).unwrap_err();
        assert!(matches!(error, ReadError::Provider(_)), "{dialect}: {error}");
    }
    let refused = br#"{"message":"The security token is invalid."}"#;
    let error = pushed(&adapter(Dialect::BedrockConverse), refused, &[]).unwrap_err();
    assert!(matches!(error, ReadError::Provider(_)), "{error}");
}

#[test]
fn an_event_is_held_only_up_to_the_limit() {
    let huge = "x".repeat(2_000);
    let bodies = [
        (Dialect::OpenAiChat, huge.clone().into_bytes()),
        (Dialect::OpenAiChat, "data: x\n".repeat(1_000).into_bytes()),
        (Dialect::Ollama, format!("{{\"a\":\"{huge}").into_bytes()),
        (Dialect::BedrockConverse, event("metadata", &huge.into())),
    ];
    for (dialect, body) in bodies {
        let adapter = Adapter::builder(dialect).max_response_bytes(1_000).build(&[]);
        let mut stream = adapter.stream();
        let mut pieces = body.chunks(7);
        let error = pieces.find_map(|piece| stream.push_bytes(piece).err()).expect("an error");
        assert_eq!(error, ReadError::TooLong { limit: 1_000 }, "{dialect}");
        assert_eq!(stream.push_bytes(b"data: {}\n\n").unwrap_err(), error, "{dialect}: it is lost");
    }
    // Comments are not held.
    let adapter = Adapter::builder(Dialect::OpenAiChat).max_response_bytes(100).build(&[]);
    let body = ": keep-alive\n\n".repeat(1_000) + &format!("data: {END}\n\n");
    assert!(pushed(&adapter, body.as_bytes(), &[]).is_ok());
}

#[test]
fn bytes_of_no_framing_are_an_error() {
    let error = pushed(&adapter(Dialect::Ollama), b"<html>", &[]).unwrap_err();
    let expected = "expected a JSON object at byte 0 of the stream; pass the body's bytes, \
         decompressed and in their order";
    assert_eq!(error.to_string(), expected);
    let error = pushed(&adapter(Dialect::OpenAiChat), b"data: \xff\n\n", &[]).unwrap_err();
    assert!(error.to_string().starts_with("expected UTF-8 at byte "), "{error}");
    let error = pushed(&adapter(Dialect::OpenAiChat), b"<html>\n", &[]).unwrap_err();
    assert!(matches!(error, ReadError::Malformed(_)), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_panic_and_all_splits_agree(
        body in prop::collection::vec(
            prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'{'), Just(b'}'), Just(b'"'), Just(b'd'), any::<u8>()],
            0..80,
        ),
        cut in 0..80_usize,
    ) {
        let cut = cut.min(body.len());
        for dialect in Dialect::ALL {
            let adapter = adapter(dialect);
            let read = |cuts: &[usize]| pushed(&adapter, &body, cuts).map(|(deltas, _)| deltas);
            let kind = |read: &Result<Vec<Delta>, ReadError>| read.as_ref().err().map(std::mem::discriminant);
            let (whole, split) = (read(&[]), read(&[cut]));
            prop_assert_eq!(whole.is_ok(), split.is_ok());
            prop_assert_eq!(kind(&whole), kind(&split));
        }
    }
}
