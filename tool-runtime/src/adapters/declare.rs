//! Converts tool contracts to declarations of one dialect.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value, json};
use tool_contracts::ToolSpec;

use super::lower::{
    ANTHROPIC, BEDROCK, GEMINI, LoweredSchema, OLLAMA, OPENAI, OPENAI_STRICT, UnsupportedKeyword,
    lower,
};
use super::names::ToolNames;
use super::restore::DeclarationChanges;
use super::toolkits::Descriptions;
use super::{
    DeclarationLoss, DeclarationReport, Dialect, ToolkitText, anthropic, bedrock, gemini, ollama,
    openai,
};

/// One tool, converted to a dialect.
#[derive(Debug)]
pub(super) struct DeclaredTool<'s> {
    /// The declared name.
    pub(super) name: &'s str,
    pub(super) description: Cow<'s, str>,
    pub(super) schema: Map<String, Value>,
    /// True if the provider enforces the schema.
    pub(super) strict: bool,
}

/// The host's options for declarations.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeclareOptions {
    /// True if OpenAI enforces the schemas.
    pub(super) strict: bool,
    /// True if the titles of types are declared.
    pub(super) titles: bool,
    pub(super) toolkits: ToolkitText,
}

/// The declarations of a set of tools.
#[derive(Debug)]
pub(super) struct Declarations {
    pub(super) value: Value,
    pub(super) report: DeclarationReport,
    pub(super) undo: HashMap<String, DeclarationChanges>,
}

/// Declares each tool, in the given order.
pub(super) fn declare(
    dialect: Dialect,
    options: DeclareOptions,
    names: &ToolNames,
    specs: &[&ToolSpec],
) -> Declarations {
    let mut declared = Vec::new();
    let mut descriptions = Descriptions::new(dialect, options.toolkits);
    let (mut report, mut undo) = (DeclarationReport::default(), HashMap::new());
    for spec in specs {
        let Some(name) = names.wire(spec.name()).filter(|_| !undo.contains_key(spec.name())) else {
            continue;
        };
        let schema = Value::Object(spec.input_schema().clone());
        let (lowered, strict) = said(dialect, options, &schema);
        lowered.losses.into_iter().for_each(|lost| report.add(loss(spec.name(), lost)));
        let (nulls, names) = (lowered.nulls, lowered.renamed);
        let changed = (nulls || names).then_some(DeclarationChanges { schema, nulls, names });
        undo.insert(spec.name().to_owned(), changed);
        let tool = DeclaredTool {
            name,
            description: descriptions.next(spec),
            schema: lowered.schema,
            strict,
        };
        declared.push(one(dialect, &tool));
    }
    let undo = undo.into_iter().filter_map(|(tool, undo)| Some((tool, undo?))).collect();
    Declarations { value: all(dialect, declared), report, undo }
}

/// Converts a schema to a dialect; returns whether the declaration is strict.
fn said(dialect: Dialect, options: DeclareOptions, schema: &Value) -> (LoweredSchema, bool) {
    let profile = match dialect {
        Dialect::OpenAiChat | Dialect::OpenAiResponses => return by_openai(options, schema),
        Dialect::Anthropic => &ANTHROPIC,
        Dialect::Gemini => &GEMINI,
        Dialect::BedrockConverse => &BEDROCK,
        Dialect::Ollama => &OLLAMA,
    };
    (lower(schema, profile, options.titles).unwrap_or_else(LoweredSchema::nothing), false)
}

/// A strict declaration if it rejects nothing that the tool accepts, else one that is not strict.
fn by_openai(options: DeclareOptions, schema: &Value) -> (LoweredSchema, bool) {
    let obstacle = match options.strict.then(|| lower(schema, &OPENAI_STRICT, options.titles)) {
        Some(Ok(lowered)) => return (lowered, true),
        Some(Err(obstacle)) => Some(obstacle),
        None => None,
    };
    let mut lowered = lower(schema, &OPENAI, options.titles).unwrap_or_else(LoweredSchema::nothing);
    if let Some(UnsupportedKeyword { pointer, keyword, consequence }) = obstacle {
        let consequence = format!("not declared strict: {consequence}");
        lowered.losses.insert(0, UnsupportedKeyword { pointer, keyword, consequence });
    }
    (lowered, false)
}

fn loss(tool: &str, lost: UnsupportedKeyword) -> DeclarationLoss {
    DeclarationLoss {
        tool: tool.to_owned(),
        pointer: lost.pointer,
        keyword: lost.keyword,
        consequence: lost.consequence,
    }
}

fn one(dialect: Dialect, tool: &DeclaredTool<'_>) -> Value {
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
