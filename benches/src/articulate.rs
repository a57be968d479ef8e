//! Tokens of documents in TOON and in compact JSON, and the speed of writing TOON.

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::value::RawValue;
use tool_runtime::articulate::{Articulator, to_toon};
use tool_runtime::contracts::articulate::{
    OutputSerializer, SerializationFormat, SerializationRequest,
};
use tool_runtime::tokens::{Encoding, ExactTokens, TokenCounter};

/// A document in all formats, in exact tokens.
struct DocumentTokens {
    compact: u64,
    toon: u64,
    chosen: u64,
}

/// Prints the tokens of each file and of all together, and the speed of writing.
///
/// # Errors
/// Returns an error if a file cannot be read, is not JSON, or does not read back as itself.
pub fn figures(files: &[&str]) -> Result<(), String> {
    println!("{:<44} {:>8} {:>7} {:>7}", "tokens (o200k_base)", "compact", "TOON", "chosen");
    let exact = ExactTokens::new(Encoding::O200kBase);
    let (mut total, mut worst) = (DocumentTokens { compact: 0, toon: 0, chosen: 0 }, 0.0_f64);
    for file in files {
        let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        let found = tokens(&text, &exact).map_err(|error| format!("{file}: {error}"))?;
        let name = file.rsplit('/').next().unwrap_or(file);
        let (toon, chosen) = (ratio(found.toon, found.compact), ratio(found.chosen, found.compact));
        println!("{name:<44} {:>8} {toon:>7.3} {chosen:>7.3}", found.compact);
        worst = worst.max(chosen);
        total.compact += found.compact;
        total.toon += found.toon;
        total.chosen += found.chosen;
    }
    let (toon, chosen) = (ratio(total.toon, total.compact), ratio(total.chosen, total.compact));
    println!("{:<44} {:>8} {toon:>7.3} {chosen:>7.3}", "all", total.compact);
    let speed = speed();
    println!(
        "articulate: chosen_vs_compact={chosen:.3} worst={worst:.3} encode_vs_serde_json={speed:.2}"
    );
    Ok(())
}

fn tokens(json: &str, exact: &ExactTokens) -> Result<DocumentTokens, String> {
    let articulator = Articulator::new();
    let data: Box<RawValue> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let text = |format: Option<SerializationFormat>| {
        let request = SerializationRequest::new(&data);
        let request = match format {
            Some(format) => request.with_format(format),
            None => request,
        };
        let output = articulator.serialize(&request).map_err(|error| error.to_string())?;
        if output.is_valid() {
            Ok(output.into_text())
        } else {
            Err("does not read back".to_owned())
        }
    };
    let count = |format| text(format).map(|text| exact.count(&text));
    Ok(DocumentTokens {
        compact: count(Some(SerializationFormat::CompactJson))?,
        toon: count(Some(SerializationFormat::Toon))?,
        chosen: count(None)?,
    })
}

#[allow(clippy::cast_precision_loss, reason = "a ratio of two counts")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// A row of the table whose writing is timed.
#[derive(Serialize)]
struct Row {
    id: u32,
    name: String,
    email: String,
    price: f64,
    active: bool,
}

/// The rows of the table whose writing is timed: about 300 KB of JSON.
const ROWS: u32 = 4_000;
const ROUNDS: usize = 15;

/// Returns the speed of writing TOON as a share of that of `serde_json`, on uniform rows.
fn speed() -> f64 {
    let row = |id: u32| Row {
        id,
        name: format!("Person {id}"),
        email: format!("person.{id}@example.org"),
        price: f64::from(id) / 8.0,
        active: id % 3 == 0,
    };
    let rows: Vec<Row> = (0..ROWS).map(row).collect();
    // One after the other in each round, so that the machine's noise falls on both.
    let (mut json, mut toon) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        json = json.min(time(|| serde_json::to_string(&rows).map_or(0, |text| text.len())));
        toon = toon.min(time(|| to_toon(&rows).map_or(0, |text| text.len())));
    }
    json.as_secs_f64() / toon.as_secs_f64()
}

fn time(work: impl Fn() -> usize) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}
