//! Round trips of real tools and calls through every dialect.

use std::path::Path;

use tool_runtime::adapters::Dialect;
use tool_tests::bfcl;
use tool_tests::dialects::{WidenedCounts, random_schemas, round_trip};
use tool_tests::run::CallCounts;

/// Prints the numbers of tools and calls that come back unchanged, and the constraints that
/// declarations lack.
///
/// # Errors
/// A file cannot be read, or contains an invalid tool.
pub fn figures(files: &[&str]) -> Result<(), String> {
    let mut cases = Vec::new();
    for file in files {
        cases.extend(bfcl::read(Path::new(file))?);
    }
    let mut widened = WidenedCounts::new();
    let mut shares = Vec::new();
    for dialect in Dialect::ALL {
        let mut counts = CallCounts::default();
        for case in &cases {
            round_trip(case, dialect, &mut counts, &mut widened)?;
        }
        counts.wrong.iter().for_each(|wrong| println!("  {wrong}"));
        shares.push(format!("{dialect}={}/{}", counts.right, counts.tried));
    }
    println!("{:<12} {:<22} {:>7}  what became of it", "dialect", "widened", "places");
    for ((dialect, keyword, what), places) in &widened {
        println!("{dialect:<12} {keyword:<22} {places:>7}  {what}");
    }
    println!("dialects: {}", shares.join(" "));
    Ok(())
}

/// Prints how many calls of random schemas come back unchanged, from this many seeds.
///
/// # Errors
/// The number is none, or a call comes back changed; with the seed.
pub fn random_figures(seeds: &str) -> Result<(), String> {
    let seeds: u64 = seeds.parse().map_err(|_| format!("`{seeds}` is no number of seeds"))?;
    for (dialect, strict) in random_schemas::DECLARATIONS {
        let name = match strict {
            Some(true) => format!("{dialect}, strict"),
            Some(false) | None => dialect.to_string(),
        };
        let counts = random_schemas::round_trips(dialect, strict, 0..seeds)
            .map_err(|what| format!("{name}: {what}"))?;
        println!(
            "{name}: {} schemas, {} of them strict, {} calls unchanged",
            counts.schemas, counts.strict, counts.calls
        );
    }
    Ok(())
}
