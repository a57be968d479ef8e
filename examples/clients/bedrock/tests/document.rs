//! Values of documents and JSON are converted without loss, or not at all.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

use std::collections::HashMap;
use std::mem;

use aws_smithy_types::{Document, Number};
use bedrock_client::document::{
    ConversionError, ConversionErrorKind, MAX_DEPTH, to_document, to_json,
};
use tool_runtime::serde_json::{self, Value, json};

/// Generates the same documents in each run (xorshift64).
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn document(&mut self, depth: usize) -> Document {
        let kinds = if depth == 0 { 6 } else { 8 };
        match self.next() % kinds {
            0 => Document::Null,
            1 => Document::Bool(self.next() % 2 == 0),
            2 => Document::String(self.text()),
            3 => Document::Number(Number::PosInt(self.next() >> (self.next() % 64))),
            // The negative integers: a `NegInt` of a positive one is a `PosInt` in JSON.
            4 => Document::Number(Number::NegInt(-1 - i64::try_from(self.next() >> 1).unwrap())),
            5 => Document::Number(Number::Float(self.float())),
            6 => Document::Array((0..self.next() % 5).map(|_| self.document(depth - 1)).collect()),
            7.. => {
                let field = |_| (self.text(), self.document(depth - 1));
                Document::Object((0..5).map(field).collect())
            }
        }
    }

    fn float(&mut self) -> f64 {
        loop {
            let float = f64::from_bits(self.next());
            if float.is_finite() {
                return float;
            }
        }
    }

    fn text(&mut self) -> String {
        let texts = ["", "sku", "a/b", "m~n", "\u{0}\n\"\\", "grüner Tee 🍵", "__proto__", "0"];
        format!("{}{}", texts[usize::try_from(self.next() % 8).unwrap()], self.next() % 100)
    }
}

#[track_caller]
fn fails(
    result: Result<impl std::fmt::Debug, ConversionError>,
    kind: ConversionErrorKind,
    at: &str,
) {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.pointer()), (kind, at));
    assert!(error.to_string().ends_with(&format!("at `{at}`")), "{error}");
}

#[test]
fn generated_documents_survive_the_way_to_json_and_back() {
    let mut generator = Generator(0x9e37_79b9_7f4a_7c15);
    for round in 0..2_000 {
        let document = generator.document(6);
        let json = to_json(&document).unwrap();
        assert_eq!(to_document(&json).unwrap(), document, "round {round}");
        // The JSON also survives as text.
        let text = json.to_string();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), json, "round {round}");
    }
}

#[test]
fn numbers_are_exact() {
    for integer in [0, 1, 9_007_199_254_740_993, 1 << 63, u64::MAX] {
        let document = to_document(&json!(integer)).unwrap();
        assert_eq!(document, Document::Number(Number::PosInt(integer)));
        assert_eq!(to_json(&document).unwrap().to_string(), integer.to_string());
    }
    for integer in [-1, -9_007_199_254_740_993, i64::MIN] {
        let document = to_document(&json!(integer)).unwrap();
        assert_eq!(document, Document::Number(Number::NegInt(integer)));
        assert_eq!(to_json(&document).unwrap().to_string(), integer.to_string());
    }
    for float in [0.0, -0.0, 1.0, 0.1, f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::MIN, 1e19] {
        let document = to_document(&json!(float)).unwrap();
        let Document::Number(Number::Float(converted)) = document else { panic!("{document:?}") };
        assert_eq!(converted.to_bits(), float.to_bits());
        assert_eq!(to_json(&document).unwrap().as_f64().unwrap().to_bits(), float.to_bits());
    }
    // The SDK makes such a number from a positive `i64`.
    assert_eq!(to_json(&Document::from(7_i64)).unwrap(), json!(7));
}

#[test]
fn numbers_that_json_cannot_express_are_errors_with_their_place() {
    for float in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let number = Document::from(float);
        fails(to_json(&number), ConversionErrorKind::NotFinite, "");
        let array = Document::Array(vec![Document::Null, number]);
        let object = Document::Object(HashMap::from([("a/b~c".to_owned(), array)]));
        fails(to_json(&object), ConversionErrorKind::NotFinite, "/a~1b~0c/1");
    }
}

#[test]
fn deep_nesting_is_an_error_and_overflows_no_stack() {
    let arrays = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    let deepest = to_document(&arrays(MAX_DEPTH)).unwrap();
    let json = to_json(&deepest).unwrap();
    assert_eq!(json, arrays(MAX_DEPTH));
    // `serde_json` reads this text, and none that is deeper.
    assert_eq!(serde_json::from_str::<Value>(&json.to_string()).unwrap(), json);
    serde_json::from_str::<Value>(&arrays(MAX_DEPTH + 1).to_string()).unwrap_err();

    let place = "/0".repeat(MAX_DEPTH);
    fails(to_document(&arrays(MAX_DEPTH + 1)), ConversionErrorKind::TooDeep, &place);
    let array = |inner, _| Document::Array(vec![inner]);
    let document = (0..=MAX_DEPTH).fold(Document::Null, array);
    fails(to_json(&document), ConversionErrorKind::TooDeep, &place);

    let place = "/a".repeat(MAX_DEPTH);
    let object = |inner, _| Document::Object(HashMap::from([("a".to_owned(), inner)]));
    let document = (0..100_000).fold(Document::Null, object);
    fails(to_json(&document), ConversionErrorKind::TooDeep, &place);
    // Dropping it would overflow the stack.
    mem::forget(document);
    // A macro would copy the value in each round.
    let array = |inner, _| Value::Array(vec![inner]);
    let json = (0..100_000).fold(Value::Null, array);
    fails(to_document(&json), ConversionErrorKind::TooDeep, &"/0".repeat(MAX_DEPTH));
    mem::forget(json);
}
