//! From tools' contracts to one dialect's declarations.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value, json};
use tool_contracts::ToolSpec;

use super::lower::{
    ANTHROPIC, BEDROCK, GEMINI, Lost, Lowered, OLLAMA, OPENAI, OPENAI_STRICT, lower,
};
use super::names::Names;
use super::restore::Undo;
use super::toolkits::Descriptions;
use super::{Dialect, Loss, Report, ToolkitText, anthropic, bedrock, gemini, ollama, openai};

/// One tool, in words that its dialect knows.
#[derive(Debug)]
pub(super) struct Declared<'s> {
    /// What a model calls it.
    pub(super) name: &'s str,
    pub(super) description: Cow<'s, str>,
    pub(super) schema: Map<String, Value>,
    /// Does the provider hold a model to the schema?
    pub(super) strict: bool,
}

/// What a host says of declarations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    /// Is OpenAI to hold a model to the schemas?
    pub(super) strict: bool,
    /// Are the titles of types declared?
    pub(super) titles: bool,
    pub(super) toolkits: ToolkitText,
}

/// What was made of a set of tools.
#[derive(Debug)]
pub(super) struct Declarations {
    pub(super) value: Value,
    pub(super) report: Report,
    pub(super) undo: HashMap<String, Undo>,
}

/// Declares each tool once, in the order in which they are given.
pub(super) fn declare(
    dialect: Dialect,
    options: Options,
    names: &Names,
    specs: &[&ToolSpec],
) -> Declarations {
    let mut declared = Vec::new();
    let mut descriptions = Descriptions::new(dialect, options.toolkits);
    let (mut report, mut undo) = (Report::default(), HashMap::new());
    for spec in specs {
        let Some(name) = names.wire(spec.name()).filter(|_| !undo.contains_key(spec.name())) else {
            continue;
        };
        let schema = Value::Object(spec.input_schema().clone());
        let (lowered, strict) = said(dialect, options, &schema);
        lowered.losses.into_iter().for_each(|lost| report.add(loss(spec.name(), lost)));
        let (nulls, names) = (lowered.nulls, lowered.renamed);
        let changed = (nulls || names).then_some(Undo { schema, nulls, names });
        undo.insert(spec.name().to_owned(), changed);
        let tool =
            Declared { name, description: descriptions.next(spec), schema: lowered.schema, strict };
        declared.push(one(dialect, &tool));
    }
    let undo = undo.into_iter().filter_map(|(tool, undo)| Some((tool, undo?))).collect();
    Declarations { value: all(dialect, declared), report, undo }
}

/// A schema as a dialect says it, and whether that is strict.
fn said(dialect: Dialect, options: Options, schema: &Value) -> (Lowered, bool) {
    let profile = match dialect {
        Dialect::OpenAiChat | Dialect::OpenAiResponses => return by_openai(options, schema),
        Dialect::Anthropic => &ANTHROPIC,
        Dialect::Gemini => &GEMINI,
        Dialect::BedrockConverse => &BEDROCK,
        Dialect::Ollama => &OLLAMA,
    };
    (lower(schema, profile, options.titles).unwrap_or_else(Lowered::nothing), false)
}

/// Strict where that refuses nothing that the tool takes.
fn by_openai(options: Options, schema: &Value) -> (Lowered, bool) {
    let obstacle = match options.strict.then(|| lower(schema, &OPENAI_STRICT, options.titles)) {
        Some(Ok(lowered)) => return (lowered, true),
        Some(Err(obstacle)) => Some(obstacle),
        None => None,
    };
    let mut lowered = lower(schema, &OPENAI, options.titles).unwrap_or_else(Lowered::nothing);
    if let Some(Lost { pointer, keyword, what }) = obstacle {
        let what = format!("not declared strict: {what}");
        lowered.losses.insert(0, Lost { pointer, keyword, what });
    }
    (lowered, false)
}

fn loss(tool: &str, lost: Lost) -> Loss {
    Loss { tool: tool.to_owned(), pointer: lost.pointer, keyword: lost.keyword, what: lost.what }
}

fn one(dialect: Dialect, tool: &Declared<'_>) -> Value {
    match dialect {
        Dialect::OpenAiChat => openai::chat::declare(tool),
        Dialect::OpenAiResponses => openai::responses::declare(tool),
        Dialect::Anthropic => anthropic::declare(tool),
        Dialect::Gemini => gemini::declare(tool),
        Dialect::BedrockConverse => bedrock::declare(tool),
        Dialect::Ollama => ollama::declare(tool),
    }
}

fn all(dialect: Dialect, tools: Vec<Value>) -> Value {
    match dialect {
        Dialect::Gemini if tools.is_empty() => json!([]),
        Dialect::Gemini => json!([{ "functionDeclarations": tools }]),
        Dialect::BedrockConverse => json!({ "tools": tools }),
        _ => Value::Array(tools),
    }
}
