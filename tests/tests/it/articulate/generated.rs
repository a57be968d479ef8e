//! Generated documents read back as they were.

use std::thread;

use serde_json::Value;
use tool_runtime::articulate::{Articulator, from_toon};
use tool_runtime::contracts::articulate::{
    OutputSerializer, SerializationFormat, SerializationRequest,
};
use tool_runtime::tokens::{TokenCounter, TokenEstimate};

use super::documents::Documents;

const DOCUMENTS: usize = 100_000;
const THREADS: usize = 4;

/// Replaces whole floats by integers up to 2^53, and larger integers by floats: TOON does not tell
/// 1.0 from 1.
pub(super) fn plain(value: Value) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() <= EXACT => whole(float),
            float => float.into(),
        },
        Value::Array(items) => items.into_iter().map(plain).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, it)| (key, plain(it))).collect(),
        scalar => scalar,
    }
}

#[allow(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
fn whole(number: f64) -> Value {
    (number as i64).into()
}

fn check(document: &Value) {
    let forced = SerializationRequest::new(document).with_format(SerializationFormat::Toon);
    let output = Articulator::new().serialize(&forced).expect("it is JSON");
    assert_eq!(output.format_used(), SerializationFormat::Toon, "{document}: {output:?}");
    assert!(output.is_valid(), "{document}");
    let read: Value = from_toon(output.serialized_text()).expect("it is TOON");
    assert_eq!(plain(read), plain(document.clone()), "{}", output.serialized_text());
}

#[test]
fn a_hundred_thousand_documents_read_back_from_toon() {
    thread::scope(|scope| {
        for seed in 0..THREADS {
            scope.spawn(move || {
                let mut documents = Documents::new(seed as u64);
                for _ in 0..DOCUMENTS / THREADS {
                    check(&documents.next_document());
                }
            });
        }
    });
}

#[test]
fn a_chosen_text_never_takes_more_tokens_than_compact_json() {
    let (mut documents, mut toon) = (Documents::new(7), 0);
    for _ in 0..5_000 {
        let document = documents.next_document();
        let request = SerializationRequest::new(&document);
        let output = Articulator::new().serialize(&request).expect("it is JSON");
        let compact = TokenEstimate.count(&document.to_string());
        let tokens = output.optimized_tokens();
        assert!(tokens <= compact, "{tokens} of {compact}: {document}");
        assert_eq!(Articulator::new().negotiate_format(&request), Ok(output.format_used()));
        toon += usize::from(output.format_used() == SerializationFormat::Toon);
    }
    assert!(toon > 100, "{toon} tables");
}
