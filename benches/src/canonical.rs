//! The cost of canonical JSON from raw text, compared with alternatives.

use std::path::PathBuf;

use serde_json::Value;
use tool_runtime::canonical::canonicalize;
use tool_tests::bfcl;
use tool_tests::canonical::compare;

use crate::instructions;

/// The number of generated documents that are compared.
const COMPARED: usize = 1_000_000;
/// The most documents that are measured, chosen evenly from the given ones.
const MEASURED: usize = 100;

/// Prints the cost of canonicalising tools' arguments, and checks the output.
///
/// # Errors
/// A file cannot be read as cases, or instructions cannot be counted.
pub fn figures(files: &[&str]) -> Result<(), String> {
    let cost = |style| {
        let words: Vec<_> = ["measure-canonical", style].iter().chain(files).copied().collect();
        instructions::count(&words)
    };
    let rows = [
        ("serde_json::to_vec of values", cost("to_vec")?),
        ("canonicalize, from text", cost("ours")?),
        ("Digest::from_json, from text", cost("digest")?),
        ("serde_json_canonicalizer: from_str, to_vec", cost("crate")?),
        ("serde_json_canonicalizer: pipe", cost("pipe")?),
        ("serde_json_canonicalizer: to_vec of values", cost("crate_values")?),
    ];
    let documents = arguments(files)?;
    let bytes: usize = documents.iter().map(String::len).sum();
    println!("instructions for {} documents, {bytes} bytes of text", documents.len());
    for (name, count) in rows {
        println!("{name:<44}{count:>10} ({:.3})", ratio(count, rows[0].1));
    }
    let compared = compare(COMPARED, 8785);
    println!("{} valid documents, as many with one byte changed", compared.documents);
    if let Some(first) = compared.first {
        println!("first difference: {first}");
    }
    println!(
        "canonical: vs_serde_json={:.2} vs_crate={:.2} documents={} different={}",
        ratio(rows[1].1, rows[0].1),
        ratio(rows[3].1.min(rows[4].1), rows[1].1),
        compared.documents,
        compared.different
    );
    Ok(())
}

/// The code that runs under callgrind: one style over all documents.
///
/// # Errors
/// A file cannot be read as cases, or the style is unknown.
pub fn measure(style: &str, files: &[&str]) -> Result<(), String> {
    let texts = arguments(files)?;
    let parse = |text: &String| serde_json::from_str::<Value>(text).ok();
    let values = texts.iter().map(parse).collect::<Option<Vec<_>>>();
    let values = values.ok_or("the documents are no JSON")?;
    match style {
        "to_vec" => over(&values, |value| serde_json::to_vec(value).ok()),
        "ours" => over(&texts, |text| canonicalize(text).ok()),
        "digest" => over(&texts, |text| tool_runtime::canonical::Digest::from_json("x", text).ok()),
        "crate" => over(&texts, |text| serde_json_canonicalizer::to_vec(&parse(text)?).ok()),
        "pipe" => over(&texts, |text| serde_json_canonicalizer::pipe(text).ok()),
        "crate_values" => over(&values, |value| serde_json_canonicalizer::to_vec(value).ok()),
        other => return Err(format!("no style `{other}`")),
    }
    Ok(())
}

fn over<D, T>(documents: &[D], write: impl Fn(&D) -> Option<T>) {
    instructions::measure(|| documents.iter().map(&write).collect::<Option<Vec<T>>>());
}

/// Returns the arguments of right calls as a model writes them, or of one call if no files are
/// given.
fn arguments(files: &[&str]) -> Result<Vec<String>, String> {
    if files.is_empty() {
        return Ok(vec![crate::work::ARGUMENTS.to_owned()]);
    }
    let mut all = Vec::new();
    for file in files {
        let calls = bfcl::read(&PathBuf::from(file))?.into_iter().flat_map(|case| case.calls);
        all.extend(calls.map(|call| call.arguments.get().to_owned()));
    }
    let step = all.len().div_ceil(MEASURED).max(1);
    Ok(all.into_iter().step_by(step).collect())
}

#[allow(clippy::cast_precision_loss, reason = "counts of instructions are far below 2^52")]
fn ratio(of: u64, over: u64) -> f64 {
    of as f64 / over as f64
}
