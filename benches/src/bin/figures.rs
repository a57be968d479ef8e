//! Prints a published figure: `cargo figures NAME [ARGS]`.
//!
//! Prints a table, and then a machine-readable last line: `NAME: key=value key=value`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[cfg(target_os = "linux")]
use tool_benches::http;
use tool_benches::{
    articulate, canonical, choosing, dialects, disclosure, distillation, instructions, ledger,
    model, plots, retention, similarity, store, store_postgres, tokens, turn, work,
};
#[cfg(unix)]
use tool_benches::{faults, webhooks};
use tool_runtime::schema::Coerce;
use tool_tests::bfcl;
use tool_tests::run::{self, CallCounts};

const USAGE: &str = "\
cargo figures NAME [ARGS]

  dispatch           instructions of a call through the runtime, beside the same by hand
  turn               instructions of an agent's request with 200 tools, beside their conversion
  bfcl FILE…         real models' calls: right ones admitted, broken variants refused
  dialects FILE…     real tools and calls, in every dialect and back
  random-dialects SEEDS
                     calls of random schemas, in the same dialects and back
  canonical [FILE…]  canonical JSON beside a crate's: instructions of the files' arguments, and
                     a million documents compared
  search FILE…       real questions: how often the right tool is among the first that are found
  disclosure FILE…   tokens of real tools' declarations with and without deferred tools, and how often
                     the right tool is among the first that are found
  model [COUNT] FILE…
                     a real model's calls for a sample of real questions: with the case's tools,
                     with those that the search finds, with all
  articulate FILE…   tokens of documents in TOON and compact JSON, and the speed of writing TOON
  tokens FILE…       the estimate of tokens beside the exact count, for texts of any kind
  retention FILE…    long conversations with questions: how many answers are left in the compressed
                     context, by strategy
  retention --summarizer URL MODEL FILE…
                     the same for the summaries of a model, on a server with OpenAI's API
  retention --embedder URL MODEL FILE…
                     how similar the compressed contexts are to the whole ones, by a server's vectors
  faults [URL] [KILLS]  keyed writes in processes that are killed or frozen, whose clock is set, whose
                     store is damaged: none twice, no success lost
  budgets [URL] [KILLS]  payments under budgets of three scopes, in processes that are killed or frozen and whose
                     clock is set: no limit exceeded, no amount stuck, lost or paid twice
  webhooks [URL] [DELIVERIES]
                     events from processes that are killed, to receivers that fail and answer too late: none lost,
                     no call decided twice
  store [FOLDER | URL]
                     keyed writes through the store, beside the same commits by hand: in files, or on a
                     server of PostgreSQL
  ledger [FOLDER]    in-process calls with the ledger on, beside the same calls with it off
  http               requests a second of processor time, beside the same endpoint by hand
  mcp                the same over the Model Context Protocol, beside rmcp's own server
  soak [SECONDS [SEED]]
                     a server under load and faults, and what is left of it afterwards
  plots [FILE | -]   draws the recorded figures (benches/README.md), or those that are printed in a
                     file or on standard input, into docs/images";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["dispatch"] => dispatch(),
        ["turn"] => turn::figures(),
        ["measure-turn", work] => turn::measure(work),
        ["bfcl", files @ ..] if !files.is_empty() => figures_of_cases(files),
        ["dialects", files @ ..] if !files.is_empty() => dialects::figures(files),
        ["random-dialects", seeds] => dialects::random_figures(seeds),
        ["canonical", files @ ..] => canonical::figures(files),
        ["measure-canonical", style, files @ ..] => canonical::measure(style, files),
        ["articulate", files @ ..] if !files.is_empty() => articulate::figures(files),
        ["tokens", files @ ..] if !files.is_empty() => tokens::figures(files),
        ["retention", "--summarizer", base_url, model, files @ ..] if !files.is_empty() => {
            distillation::figures(base_url, model, files)
        }
        ["retention", "--embedder", base_url, model, files @ ..] if !files.is_empty() => {
            similarity::figures(base_url, model, files)
        }
        ["retention", files @ ..] if !files.is_empty() => retention::figures(files),
        ["model", words @ ..] if !words.is_empty() => model::figures(words),
        ["disclosure", files @ ..] if !files.is_empty() => disclosure::figures(files),
        ["search", files @ ..] if !files.is_empty() => choosing::figures(files),
        #[cfg(unix)]
        ["budgets", runs @ ..] => faults::print_budgets(runs),
        #[cfg(unix)]
        ["webhooks", runs @ ..] => webhooks::print(runs),
        #[cfg(unix)]
        ["webhooks-child", work, place, url, seed] => webhooks::play(work, place, url, seed),
        #[cfg(unix)]
        ["faults", runs @ ..] => faults::print(runs),
        #[cfg(unix)]
        ["faults-child"] => faults::play(),
        ["store", url] if url.starts_with("postgres") => store_postgres::print(url),
        ["store-child", url, schema, number, processes] => {
            store_postgres::play(url, schema, number, processes)
        }
        ["measure-store", style, calls] => store::measure(style, calls),
        ["store"] => store::print(&std::env::temp_dir()),
        ["store", folder] => store::print(Path::new(folder)),
        ["ledger"] => ledger::print(&std::env::temp_dir()),
        ["ledger", folder] => ledger::print(Path::new(folder)),
        #[cfg(target_os = "linux")]
        ["http"] => http::print(),
        #[cfg(target_os = "linux")]
        ["http-serve", contestant, folder] => http::serve(contestant, folder),
        #[cfg(target_os = "linux")]
        ["mcp"] => http::mcp::print(),
        #[cfg(target_os = "linux")]
        ["mcp-serve", contestant, folder] => http::mcp::serve(contestant, folder),
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        ["soak", words @ ..] => http::soak::print(words),
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        ["soak-serve", folder] => http::soak::serve(folder),
        ["plots"] => draw(&workspace().join("benches/README.md").to_string_lossy()),
        ["plots", file] => draw(file),
        ["measure", style, items, further] => measure(style, items, further),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Draws the figures whose lines are in the file, or on standard input for `-`.
fn draw(file: &str) -> Result<(), String> {
    let text = match file {
        "-" => std::io::read_to_string(std::io::stdin()),
        file => std::fs::read_to_string(file),
    };
    let drawings = plots::draw(&text.map_err(|error| format!("{file}: {error}"))?)?;
    for (name, drawing) in drawings {
        let path = workspace().join("docs/images").join(name);
        std::fs::write(&path, drawing).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// Prints the cost of a dispatched call, compared with hand-written code.
fn dispatch() -> Result<(), String> {
    let count = |style, items, further| instructions::count(&["measure", style, items, further]);
    let (hand, hand_10) = (count("hand", "3", "0")?, count("hand", "10", "0")?);
    let (runtime, runtime_10) = (count("runtime", "3", "0")?, count("runtime", "10", "0")?);
    let (value, value_10) = (count("value", "3", "0")?, count("value", "10", "0")?);
    let crowded = count("runtime", "3", "10000")?;

    println!("instructions a call                    3 items           10 items");
    let row = |name, three, ten| {
        println!(
            "{name:<34}{three:>8} ({:.3})  {ten:>8} ({:.3})",
            ratio(three, hand),
            ratio(ten, hand_10)
        );
    };
    row("(a) by hand", hand, hand_10);
    row("(b) through the runtime", runtime, runtime_10);
    row("(c) through JSON values", value, value_10);
    println!("{:<34}{crowded:>8} ({:.3})", "(b) with 10,000 further tools", ratio(crowded, hand));
    println!(
        "dispatch: ratio={:.3} ratio_10_items={:.3} ratio_10k={:.3} value_style={:.3}",
        ratio(runtime, hand),
        ratio(runtime_10, hand_10),
        ratio(crowded, runtime),
        ratio(value, hand)
    );
    Ok(())
}

#[allow(clippy::cast_precision_loss, reason = "counts of instructions are far below 2^52")]
fn ratio(of: u64, over: u64) -> f64 {
    of as f64 / over as f64
}

/// The code that runs under callgrind: one style, a number of items, a number of further tools.
fn measure(style: &str, items: &str, further: &str) -> Result<(), String> {
    let number = |text: &str| text.parse::<usize>().map_err(|error| format!("{text}: {error}"));
    let (items, further) = (number(items)?, number(further)?);
    let index = work::Index::new(items);
    match style {
        "hand" => instructions::measure(|| work::by_hand(&index, work::ARGUMENTS)),
        "value" => instructions::measure(|| work::by_value(&index, work::ARGUMENTS)),
        "runtime" => {
            let (runtime, cx) = (work::runtime(items, further), run::context());
            instructions::measure(|| work::by_runtime(&runtime, &cx, work::ARGUMENTS));
        }
        other => return Err(format!("no style `{other}`: hand, value, runtime")),
    }
    Ok(())
}

/// Prints the numbers of right calls that are admitted and of broken ones that are rejected.
fn figures_of_cases(files: &[&str]) -> Result<(), String> {
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|error| error.to_string())?;
    let (mut admitted, mut refused) = (CallCounts::default(), CallCounts::default());
    let mut unfit = 0;
    println!(
        "{:<28} {:>6} {:>14} {:>16} {:>12}",
        "file", "cases", "admitted", "refused", "unfit enums"
    );
    for file in files.iter().map(PathBuf::from) {
        let cases = bfcl::read(&file)?;
        let (mut right, mut broken) = (CallCounts::default(), CallCounts::default());
        let mut unfit_of_file = 0;
        for case in &cases {
            unfit_of_file += executor.block_on(try_case(case, &mut right, &mut broken))?;
        }
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let share = |tally: &CallCounts| format!("{}/{}", tally.right, tally.tried);
        let (right_share, broken_share) = (share(&right), share(&broken));
        println!(
            "{name:<28} {:>6} {right_share:>14} {broken_share:>16} {unfit_of_file:>12}",
            cases.len()
        );
        unfit += unfit_of_file;
        admitted.add(right);
        refused.add(broken);
    }
    for wrong in admitted.wrong.iter().chain(&refused.wrong) {
        println!("  {wrong}");
    }
    println!(
        "bfcl: admitted={}/{} refused={}/{} unfit_enums={unfit}",
        admitted.right, admitted.tried, refused.right, refused.tried
    );
    Ok(())
}

/// Tries the calls of a case; returns the number of its tools' rules whose listed values have
/// another type.
async fn try_case(
    case: &bfcl::Case,
    right: &mut CallCounts,
    broken: &mut CallCounts,
) -> Result<usize, String> {
    let (runtime, cx) = (run::runtime(case, Coerce::Off)?, run::context());
    for call in &case.calls {
        right.count(run::admitted(&runtime, call, &cx).await);
        let tool = case.tool_of(call).ok_or_else(|| format!("{}: no `{}`", case.id, call.name))?;
        for variant in bfcl::invalid_calls(&tool.input_schema, &call.arguments) {
            broken.count(run::refused(&runtime, &call.name, &variant, &cx));
        }
    }
    let findings = runtime.tools().schema_findings();
    Ok(findings.filter(|(_, finding)| ["enum", "const"].contains(&finding.rule())).count())
}
