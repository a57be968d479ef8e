//! Tokens of declarations with and without deferred tools, and the rate at which a search finds them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use tool_runtime::adapters::{Adapter, Dialect, Disclosure, ToolSearch};
use tool_runtime::contracts::{Effect, ToolSpec};
use tool_runtime::search::{ToolIndex, search_tools};
use tool_runtime::tokens::{Encoding, ExactTokens, TokenCounter};
use tool_tests::bfcl::{self, Case};
use tool_tests::choosing::{self, DEPTHS, Half, Recall};

/// The results of one search, which the next request declares.
const FOUND: usize = 5;

/// Prints the tokens that a model reads of all tools' declarations, and the rate of found tools.
///
/// # Errors
/// A file cannot be read as cases.
pub fn figures(files: &[&str]) -> Result<(), String> {
    let mut cases = Vec::new();
    for file in files {
        cases.extend(bfcl::read(&PathBuf::from(file))?);
    }
    let specs = specs(&cases)?;
    println!("{} tools, {} questions", specs.len() - 1, cases.len());
    println!("{:<34}{:>10}{:>10}{:>14}{:>10}", "", "all", "deferred", "after search", "fewer");
    let mut last = String::new();
    for dialect in Dialect::ALL {
        for search in [ToolSearch::SearchTools, ToolSearch::Provider] {
            let tokens = Tokens::of(dialect, search, &specs, &cases);
            if let Some(tokens) = tokens {
                last += &tokens.print(dialect, search);
            }
        }
    }
    println!("{:<34}{:>10}{:>10}", "right tool among the first", "5", "10");
    for (name, half) in [("tuned", Half::Tuned), ("held_out", Half::HeldOut)] {
        last += &print_recall(name, &Recall::of_half(&cases, half)?);
    }
    last += &print_recall("all", &Recall::of(&cases)?);
    println!("disclosure:{last}");
    Ok(())
}

/// The tools of the cases under names of their own, and the tool with which a model searches.
fn specs(cases: &[Case]) -> Result<Vec<ToolSpec>, String> {
    let mut used = BTreeSet::new();
    let mut specs = Vec::new();
    for spec in choosing::distinct(cases)? {
        let numbered = (2..).map(|number| format!("{}_{number}", spec.name()));
        let mut names = std::iter::once(spec.name().to_owned()).chain(numbered);
        let name = names.find(|name| used.insert(name.clone()));
        let renamed = ToolSpec::builder(name.unwrap_or_default(), Effect::Read)
            .description(spec.description())
            .input_schema(Value::Object(spec.input_schema().clone()))
            .build();
        specs.push(renamed.map_err(|error| error.to_string())?);
    }
    let runtime = tool_runtime::Runtime::builder().dynamic(search_tools()).build();
    specs.extend(runtime.map_err(|error| error.to_string())?.specs().map(Arc::unwrap_or_clone));
    Ok(specs)
}

/// Tokens of declarations (`o200k_base`).
struct Tokens {
    all: u64,
    deferred: u64,
    /// With the tools that a search finds for a question, on average over all questions.
    after_search: u64,
}

impl Tokens {
    /// Counts the tokens in a dialect; `None` if it has no search of the provider.
    fn of(
        dialect: Dialect,
        search: ToolSearch,
        specs: &[ToolSpec],
        cases: &[Case],
    ) -> Option<Self> {
        let counter = ExactTokens::new(Encoding::O200kBase);
        let disclosure = Disclosure::defer_above(FOUND).search(search);
        let adapter = Adapter::builder(dialect).disclosure(disclosure).build(specs);
        let is_provider = adapter.wire_name("search_tools").is_none();
        if search == ToolSearch::Provider && !is_provider {
            return None;
        }
        // The tool `search_tools` is no tool of the cases.
        let own = specs.iter().filter(|spec| spec.name() != "search_tools");
        let whole = Adapter::new(dialect, own.clone());
        let count = |value: &Value| counter.count(&value.to_string());
        let costs: Vec<u64> =
            own.clone().map(|spec| count(Adapter::new(dialect, [spec]).declarations())).collect();
        let names: Vec<&str> = own.clone().map(ToolSpec::name).collect();
        let index = ToolIndex::new(own);
        let found = |case: &Case| -> u64 {
            let hits = index.search(&case.question, FOUND);
            let cost = |name| names.iter().position(|known| *known == name).map(|at| costs[at]);
            hits.iter().filter_map(|hit| cost(hit.name())).sum()
        };
        let questions = cases.len().max(1) as u64;
        let deferred = count(&read_at_start(adapter.declarations()));
        let after_search = deferred + cases.iter().map(found).sum::<u64>() / questions;
        Some(Self { all: count(whole.declarations()), deferred, after_search })
    }

    fn print(&self, dialect: Dialect, search: ToolSearch) -> String {
        let name = match search {
            ToolSearch::SearchTools => dialect.to_string(),
            _ => format!("{dialect}_provider"),
        };
        let fewer = 1.0 - ratio(self.after_search, self.all);
        println!(
            "{name:<34}{:>10}{:>10}{:>14}{:>9.1}%",
            self.all,
            self.deferred,
            self.after_search,
            fewer * 100.0
        );
        format!(" {name}={fewer:.3}")
    }
}

/// The declarations that a model reads before it searches: none of Anthropic's deferred tools, and
/// names and descriptions of OpenAI's.
fn read_at_start(declarations: &Value) -> Value {
    let Some(list) = declarations.as_array() else { return declarations.clone() };
    let read = |tool: &Value| match (tool["defer_loading"] == true, tool["type"].as_str()) {
        (false, _) => Some(tool.clone()),
        (true, Some("function")) => {
            Some(json!({ "name": tool["name"], "description": tool["description"] }))
        }
        (true, _) => None,
    };
    list.iter().filter_map(read).collect()
}

fn print_recall(name: &str, recall: &Recall) -> String {
    let share = |at: usize| ratio(recall.found[at] as u64, recall.pairs as u64);
    let by_name = |at: usize| ratio(recall.found_by_name[at] as u64, recall.pairs as u64);
    let label = format!("{name}: {} questions", recall.questions);
    println!("{label:<34}{:>10.3}{:>10.3}", share(1), share(2));
    debug_assert_eq!(DEPTHS[1], FOUND);
    format!(" {name}_recall@5={:.3} {name}_by_name@5={:.3}", share(1), by_name(1))
}

#[allow(clippy::cast_precision_loss, reason = "counts of tokens and cases are far below 2^52")]
fn ratio(of: u64, over: u64) -> f64 {
    of as f64 / over.max(1) as f64
}
