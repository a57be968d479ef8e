//! The calls of a real model, compared with the right ones of the cases.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use needle_model::NeedleModel;
use serde_json::Value;
use tool_runtime::Limits;
use tool_runtime::agent::{ChatModel, ChatReply, ChatRequest, ModelCall};
use tool_runtime::contracts::ToolSpec;
use tool_runtime::schema::{Coerce, Validator};
use tool_runtime::search::ToolIndex;
use tool_runtime::tokens::{TokenCounter, TokenEstimate};
use tool_tests::bfcl::{self, Call, Case, Tool};
use tool_tests::choosing;

/// The cases of a run that names no number.
const CASES: usize = 40;

/// The tools that the search puts before the model.
const FOUND: usize = 5;

/// The time limit of a question, generous for machines that are busy.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The tools that a question is asked with.
#[derive(Clone, Copy)]
enum Offer {
    /// The tools of the case.
    Own,
    /// The first tools that a search by the question finds, among those of all cases.
    Found,
    /// The tools of all cases.
    All,
}

const OFFERS: [(&str, Offer); 3] = [
    ("(a) the case's own tools", Offer::Own),
    ("(b) five found among all", Offer::Found),
    ("(c) all tools", Offer::All),
];

/// Counts of cases, and of the model's calls.
#[derive(Debug, Default)]
struct Score {
    cases: u32,
    /// Cases whose right tools were all offered.
    offered: u32,
    /// Cases whose right tools were called, each as often as it must be, and no other one.
    tools: u32,
    /// The same, with every required argument right, and each other one right or left out.
    arguments: u32,
    /// The same, with the very arguments.
    exact: u32,
    calls: u32,
    /// Calls that fit their tool's schema.
    valid: u32,
    /// Cases that the model did not answer.
    failed: u32,
    seconds: f64,
}

/// Asks the model about a sample of the files' cases, evenly chosen, and prints how often its calls
/// are right.
///
/// # Errors
/// The model is not installed, or a file cannot be read as cases.
pub fn figures(words: &[&str]) -> Result<(), String> {
    let (count, files) = match words.split_first() {
        Some((first, files)) if first.parse::<usize>().is_ok() => (first.parse().ok(), files),
        _ => (None, words),
    };
    let model = NeedleModel::installed().ok_or(
        "the model is not installed; put examples/proxy-agent/real-model/run before the command",
    )?;
    let mut cases = Vec::new();
    for file in files {
        cases.extend(bfcl::read(&PathBuf::from(file))?);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let sample = sample(&cases, count.unwrap_or(CASES));
    runtime.block_on(print(&model.with_timeout(TIMEOUT), &cases, &sample))
}

/// Returns so many cases, evenly chosen.
fn sample(cases: &[Case], count: usize) -> Vec<&Case> {
    let count = count.min(cases.len());
    (0..count).map(|number| &cases[number * cases.len() / count]).collect()
}

async fn print(model: &NeedleModel, cases: &[Case], sample: &[&Case]) -> Result<(), String> {
    let all = choosing::distinct(cases)?;
    let index = ToolIndex::new(&all);
    println!("{} of {} questions, {} tools", sample.len(), cases.len(), all.len());
    println!(
        "{:<28}{:>9}{:>8}{:>12}{:>8}{:>13}{:>8}{:>10}",
        "", "offered", "tools", "arguments", "exact", "valid calls", "failed", "s a case"
    );
    // The process repeats its last answer to the same request, so that this costs nothing.
    let unsure = model.clone().with_unsure_calls();
    let mut scores = Vec::new();
    for (name, offer) in OFFERS {
        if let (Offer::All, Some(tokens)) = (offer, beyond_context(&all)) {
            println!(
                "{name:<28}do not fit: about {tokens} tokens, and the context has {}",
                NeedleModel::CONTEXT_TOKENS
            );
            continue;
        }
        let (mut score, mut unsure_score) = (Score::default(), Score::default());
        for case in sample {
            let request = ChatRequest::new(&case.question);
            let request = request.with_tools(offered(offer, case, &all, &index)?);
            let is_answered = score.ask(model, &request, case).await;
            if is_answered {
                unsure_score.ask(&unsure, &request, case).await;
            } else {
                unsure_score.miss(&request, case);
            }
        }
        score.print(name);
        unsure_score.seconds = score.seconds;
        unsure_score.print("    with its unsure calls");
        scores.push((score, unsure_score));
    }
    last_line(&scores)
}

/// Returns the tokens of the tools if they are far beyond the model's context.
fn beyond_context(tools: &[ToolSpec]) -> Option<u64> {
    let tokens = |tool: &ToolSpec| {
        let schema = Value::from(tool.input_schema().clone()).to_string();
        TokenEstimate.count(tool.description()) + TokenEstimate.count(&schema)
    };
    Some(tools.iter().map(tokens).sum()).filter(|tokens| *tokens > NeedleModel::CONTEXT_TOKENS)
}

/// Returns the tools that a question is asked with; one of each name.
fn offered(
    offer: Offer,
    case: &Case,
    all: &[ToolSpec],
    index: &ToolIndex,
) -> Result<Vec<ToolSpec>, String> {
    let tools: Vec<ToolSpec> = match offer {
        Offer::Own => case.tools.iter().map(choosing::spec).collect::<Result<_, _>>()?,
        Offer::Found => {
            index.search(&case.question, FOUND).iter().map(|hit| hit.spec().clone()).collect()
        }
        Offer::All => all.to_vec(),
    };
    let mut offered: Vec<ToolSpec> = Vec::new();
    for tool in tools {
        if !offered.iter().any(|known| known.name() == tool.name()) {
            offered.push(tool);
        }
    }
    Ok(offered)
}

impl Score {
    /// Asks a question, and counts what the model answers; returns whether it does.
    async fn ask(&mut self, model: &NeedleModel, request: &ChatRequest, case: &Case) -> bool {
        match model.chat(request).await {
            Ok(reply) => {
                self.begin(request, case);
                self.count(&reply, request.tools(), case);
                true
            }
            Err(error) => {
                eprintln!("{}: {}", case.id, error.message());
                self.miss(request, case);
                false
            }
        }
    }

    fn miss(&mut self, request: &ChatRequest, case: &Case) {
        self.begin(request, case);
        self.failed += 1;
    }

    fn begin(&mut self, request: &ChatRequest, case: &Case) {
        self.cases += 1;
        let is_offered = |right: &Call| request.tools().iter().any(|it| it.name() == right.name);
        self.offered += u32::from(case.calls.iter().all(is_offered));
    }

    fn count(&mut self, reply: &ChatReply, offered: &[Arc<ToolSpec>], case: &Case) {
        self.seconds += reply.latency().as_secs_f64();
        let calls = reply.calls();
        let is_valid = |call: &&ModelCall| is_valid(call, offered);
        self.calls += u32::try_from(calls.len()).unwrap_or(u32::MAX);
        self.valid += u32::try_from(calls.iter().filter(is_valid).count()).unwrap_or(u32::MAX);
        let named = |right: &Call, call: &ModelCall| right.name == call.name();
        let right = |right: &Call, call: &ModelCall| {
            named(right, call) && case.tool_of(right).is_some_and(|tool| fits(tool, right, call))
        };
        let exact = |right: &Call, call: &ModelCall| {
            named(right, call)
                && equal(&parsed(right.arguments.get()), &parsed(call.arguments()), &str::to_owned)
        };
        self.tools += u32::from(all_match(&case.calls, calls, named));
        self.arguments += u32::from(all_match(&case.calls, calls, right));
        self.exact += u32::from(all_match(&case.calls, calls, exact));
    }

    fn print(&self, name: &str) {
        let Self { cases, offered, tools, arguments, exact, calls, valid, failed, .. } = self;
        let of = |count: &u32| format!("{count}/{cases}");
        println!(
            "{name:<28}{:>9}{:>8}{:>12}{:>8}{:>13}{failed:>8}{:>10.1}",
            of(offered),
            of(tools),
            of(arguments),
            of(exact),
            format!("{valid}/{calls}"),
            self.seconds_per_case()
        );
    }

    fn seconds_per_case(&self) -> f64 {
        self.seconds / f64::from((self.cases - self.failed).max(1))
    }
}

/// Prints the line for machines.
fn last_line(scores: &[(Score, Score)]) -> Result<(), String> {
    let [(own, unsure), (found, _), ..] = scores else {
        return Err("the model has no tools to choose".to_owned());
    };
    println!(
        "model: tools={}/{cases} arguments={}/{cases} exact={}/{cases} unsure_tools={}/{cases} unsure_exact={}/{cases} with_search_tools={}/{cases} \
         with_search_exact={}/{cases} seconds_per_case={:.1} with_search_seconds={:.1}",
        own.tools,
        own.arguments,
        own.exact,
        unsure.tools,
        unsure.exact,
        found.tools,
        found.exact,
        own.seconds_per_case(),
        found.seconds_per_case(),
        cases = own.cases,
    );
    Ok(())
}

/// Returns whether each right call has a call of its own that matches it, in any order, and none is
/// left over.
fn all_match(
    right: &[Call],
    calls: &[ModelCall],
    matches: impl Fn(&Call, &ModelCall) -> bool,
) -> bool {
    let mut left: Vec<&ModelCall> = calls.iter().collect();
    let found = right.iter().all(|right| {
        let place = left.iter().position(|call| matches(right, call));
        place.map(|place| left.swap_remove(place)).is_some()
    });
    found && left.is_empty()
}

/// Returns whether a call has every required argument right, and no other one wrong. Texts are
/// compared as the leaderboard does.
fn fits(tool: &Tool, right: &Call, call: &ModelCall) -> bool {
    let (right, given) = (parsed(right.arguments.get()), parsed(call.arguments()));
    let required = tool.input_schema["required"].as_array().into_iter().flatten();
    let mut required = required.filter_map(Value::as_str);
    let Some(fields) = given.as_object() else { return false };
    required.all(|name| fields.contains_key(name))
        && fields
            .iter()
            .all(|(name, value)| right.get(name).is_some_and(|right| equal(right, value, &plain)))
}

/// Returns a text without case, white space and punctuation.
fn plain(text: &str) -> String {
    text.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn parsed(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap_or(Value::Null)
}

/// Returns whether two values are equal: 5 is 5.0, and texts are equal in a form.
fn equal(left: &Value, right: &Value, form: &dyn Fn(&str) -> String) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::String(left), Value::String(right)) => form(left) == form(right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| equal(left, right, form))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, left)| {
                    right.get(name).is_some_and(|right| equal(left, right, form))
                })
        }
        (left, right) => left == right,
    }
}

/// Returns whether a call fits the schema of an offered tool.
fn is_valid(call: &ModelCall, offered: &[Arc<ToolSpec>]) -> bool {
    let Some(spec) = offered.iter().find(|spec| spec.name() == call.name()) else { return false };
    let schema = Value::from(spec.input_schema().clone());
    Validator::compile(&schema).is_ok_and(|validator| {
        let report = validator.check(call.arguments(), &Limits::default(), Coerce::Off);
        report.malformed.is_none() && report.violations.is_empty()
    })
}
