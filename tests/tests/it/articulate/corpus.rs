//! Real outputs of tools: what they cost, and that they read back.

use std::fs;
use std::path::Path;

use serde_json::Value;
use serde_json::value::RawValue;
use tool_runtime::articulate::{Articulator, from_toon};
use tool_runtime::contracts::articulate::{
    OutputSerializer, SerializationFormat, SerializationRequest, SerializedOutput,
};
use tool_runtime::tokens::{Encoding, ExactTokens, TokenCounter};

use super::generated::plain;

/// The corpus: the name of each file, and its JSON.
pub(super) fn documents() -> Vec<(String, Box<RawValue>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/outputs");
    let files = fs::read_dir(folder).expect("the folder").map(|file| file.expect("a file").path());
    let read = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).expect("a text");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, serde_json::from_str(&text).expect("JSON"))
    };
    let is_json = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "json");
    files.filter(is_json).map(read).collect()
}

fn serialized(data: &RawValue, format: Option<SerializationFormat>) -> SerializedOutput {
    let request = SerializationRequest::new(data);
    let request = match format {
        Some(format) => request.with_format(format),
        None => request,
    };
    Articulator::new().serialize(&request).expect("it is JSON")
}

#[test]
fn every_output_reads_back_in_both_formats() {
    let documents = documents();
    assert!(documents.len() >= 40, "{} documents", documents.len());
    for (name, data) in documents {
        let value: Value = serde_json::from_str(data.get()).expect("JSON");
        let toon = serialized(&data, Some(SerializationFormat::Toon));
        assert_eq!(toon.format_used(), SerializationFormat::Toon, "{name}");
        let read: Value = from_toon(toon.serialized_text()).expect("TOON");
        assert_eq!(plain(read), plain(value.clone()), "{name}");
        let json = serialized(&data, Some(SerializationFormat::CompactJson));
        let read: Value = serde_json::from_str(json.serialized_text()).expect("JSON");
        assert!(read == value && toon.is_valid() && json.is_valid(), "{name}");
    }
}

#[test]
fn the_chosen_format_saves_a_tenth_and_never_costs_more() {
    let exact = ExactTokens::new(Encoding::O200kBase);
    let (mut chosen, mut json) = (0, 0);
    for (name, data) in documents() {
        let count = |format| exact.count(serialized(&data, format).serialized_text());
        let (tokens, compact) = (count(None), count(Some(SerializationFormat::CompactJson)));
        assert!(tokens <= compact, "{name}: {tokens} of {compact}");
        chosen += tokens;
        json += compact;
    }
    assert!(chosen * 100 <= json * 90, "{chosen} of {json}");
}

#[test]
fn exact_counts_are_those_of_the_reference_library() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/outputs");
    let recorded = fs::read_to_string(folder.join("tokens.tsv")).expect("the counts");
    let [o200k, cl100k] = Encoding::ALL.map(ExactTokens::new);
    for line in recorded.lines().skip(1) {
        let mut cells = line.split('\t');
        let text = fs::read_to_string(folder.join(cells.next().expect("a name"))).expect("a text");
        let counts: Vec<u64> = cells.map(|cell| cell.parse().expect("a number")).collect();
        assert_eq!(counts, [o200k.count(&text), cl100k.count(&text)], "{line}");
    }
}
