//! The rate at which the right tool is among the first results of a question.

use std::path::PathBuf;

use tool_tests::bfcl;
use tool_tests::choosing::{DEPTHS, Recall};

/// Prints the number of right tools among the first results of the files' questions.
///
/// # Errors
/// A file cannot be read as cases.
pub fn figures(files: &[&str]) -> Result<(), String> {
    let mut cases = Vec::new();
    for file in files {
        cases.extend(bfcl::read(&PathBuf::from(file))?);
    }
    let recall = Recall::of(&cases)?;
    println!("{} questions, {} tools, {} right tools", cases.len(), recall.tools, recall.pairs);
    println!(
        "{:<18} {:>16} {:>16} {:>16}",
        "among the first", "that very tool", "one of its name", "possible"
    );
    for (depth, most) in DEPTHS.into_iter().enumerate() {
        let share = |counts: [usize; DEPTHS.len()]| format!("{}/{}", counts[depth], recall.pairs);
        println!(
            "{most:<18} {:>16} {:>16} {:>16}",
            share(recall.found),
            share(recall.found_by_name),
            share(recall.possible)
        );
    }
    let key = |found: [usize; DEPTHS.len()], prefix: &str| {
        let one = |(most, found)| format!(" {prefix}@{most}={:.3}", ratio(found, recall.pairs));
        DEPTHS.into_iter().zip(found).map(one).collect::<String>()
    };
    println!("search:{}{}", key(recall.found, "recall"), key(recall.found_by_name, "by_name"));
    Ok(())
}

#[allow(clippy::cast_precision_loss, reason = "counts of cases are far below 2^52")]
fn ratio(of: usize, over: usize) -> f64 {
    of as f64 / over.max(1) as f64
}
