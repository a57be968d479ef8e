//! Counts of tokens on texts of many kinds, against the counts of Python `tiktoken`.
//!
//! The fit of the estimate has seen none of these texts.

use std::fs;
use std::path::Path;

use tool_runtime::tokens::{Encoding, ExactTokens, TokenCounter, TokenEstimate};

/// A text of the corpus, and its recorded counts.
struct CountedText {
    kind: String,
    file: String,
    text: String,
    o200k: u64,
    cl100k: u64,
}

/// The corpus, as `counts.tsv` lists it.
fn corpus() -> Vec<CountedText> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/texts");
    let read = |file: &str| fs::read_to_string(folder.join(file)).expect("a text");
    let counted = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [kind, file, o200k, cl100k] = columns[..] else { panic!("four columns: {line}") };
        CountedText {
            kind: kind.to_owned(),
            file: file.to_owned(),
            text: read(file),
            o200k: o200k.parse().expect("a count"),
            cl100k: cl100k.parse().expect("a count"),
        }
    };
    read("counts.tsv").lines().skip(1).map(counted).collect()
}

#[allow(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^52")]
fn error(estimate: u64, exact: u64) -> f64 {
    (estimate as f64 / exact as f64 - 1.0).abs()
}

/// Returns the mean and the worst error of an estimate over texts.
fn errors(texts: &[&CountedText], estimate: impl Fn(&str) -> u64) -> (f64, f64) {
    let errors = texts.iter().map(|text| error(estimate(&text.text), text.o200k));
    let (sum, worst) = errors.fold((0.0, 0.0_f64), |(sum, worst), e| (sum + e, worst.max(e)));
    #[allow(clippy::cast_precision_loss, reason = "there are few texts")]
    let mean = sum / texts.len() as f64;
    (mean, worst)
}

#[track_caller]
fn check(kinds: &[&str], at_least: usize, mean_at_most: f64, worst_at_most: f64) {
    let corpus = corpus();
    let texts: Vec<_> = corpus.iter().filter(|text| kinds.contains(&&*text.kind)).collect();
    assert!(texts.len() >= at_least, "{} texts", texts.len());
    let (mean, worst) = errors(&texts, |text| TokenEstimate.count(text));
    assert!(mean <= mean_at_most && worst <= worst_at_most, "mean {mean:.3}, worst {worst:.3}");
}

#[test]
fn the_estimate_is_within_6_percent_on_average_and_30_percent_on_each_text() {
    let kinds = ["prose", "json", "code", "log", "chinese", "cyrillic", "table"];
    check(&kinds, 30, 0.06, 0.30);
    for kind in kinds {
        check(&[kind], 3, 0.10, 0.30);
    }
}

#[test]
fn the_estimate_is_within_30_percent_for_other_scripts() {
    check(&["other"], 4, 0.15, 0.30);
}

#[test]
fn the_estimate_is_several_times_as_close_as_a_quarter_of_the_bytes() {
    let corpus = corpus();
    let texts: Vec<_> = corpus.iter().collect();
    let (mean, _) = errors(&texts, |text| TokenEstimate.count(text));
    let (by_bytes, _) = errors(&texts, |text| text.len() as u64 / 4);
    assert!(mean * 4.0 < by_bytes, "{mean:.3} and {by_bytes:.3}");
}

#[test]
fn exact_counts_are_those_of_the_reference_library() {
    let [o200k, cl100k] = Encoding::ALL.map(ExactTokens::new);
    for text in corpus() {
        let counts = (o200k.count(&text.text), cl100k.count(&text.text));
        assert_eq!(counts, (text.o200k, text.cl100k), "{}", text.file);
    }
}
