//! Random schemas of tools, whose calls are written under each dialect's declaration and read back.
//!
//! The description of each property says whether the tool requires it, as a careful author writes it,
//! so that a call is written as a model writes it that knows what it wants to say: an optional
//! property is left out, or `null` where the declaration requires it, and a required one never.

mod call_writer;
mod generator;

use serde_json::Value;
use tool_runtime::adapters::{Adapter, Dialect};
use tool_runtime::contracts::{Effect, ToolSpec};
use tool_runtime::testing::Instances;

use self::call_writer::CallWriter;
use super::{check_written, declared};

/// The calls that are written for each schema.
const CALLS: u64 = 4;

/// The declarations that are tried: of each dialect as it declares by itself, and strict ones where a
/// host chooses them.
pub const DECLARATIONS: [(Dialect, Option<bool>); 8] = [
    (Dialect::OpenAiChat, None),
    (Dialect::OpenAiResponses, None),
    (Dialect::Anthropic, None),
    (Dialect::Anthropic, Some(true)),
    (Dialect::Gemini, None),
    (Dialect::BedrockConverse, None),
    (Dialect::BedrockConverse, Some(true)),
    (Dialect::Ollama, None),
];

/// The counts of random schemas in one dialect.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomCounts {
    /// Schemas with at least one value.
    pub schemas: usize,
    /// Schemas that are declared strict.
    pub strict: usize,
    /// Calls that came back unchanged.
    pub calls: usize,
}

/// Declares the tools of some seeds, and sends calls of each through a dialect and back; strict or not
/// as the host chooses, or as the dialect does by itself.
///
/// # Errors
/// A call cannot be written under its declaration, or comes back changed; with the seed.
pub fn round_trips(
    dialect: Dialect,
    strict: Option<bool>,
    seeds: impl IntoIterator<Item = u64>,
) -> Result<RandomCounts, String> {
    let mut counts = RandomCounts::default();
    for seed in seeds {
        let schema = generator::schema(seed);
        // Some schemas contradict themselves.
        let Ok(instances) = Instances::for_schema(&schema) else { continue };
        let spec = ToolSpec::builder("random.tool", Effect::Write).input_schema(schema.clone());
        let spec = spec.build().map_err(|error| format!("seed {seed}: {error}"))?;
        let builder = Adapter::builder(dialect);
        let builder = match strict {
            Some(strict) => builder.strict(strict),
            None => builder,
        };
        let adapter = builder.build([&spec]);
        counts.schemas += 1;
        counts.strict += usize::from(adapter.tools()[0].is_strict());
        for call in 0..CALLS {
            let arguments = instances.valid(call);
            round_trip(&adapter, (spec.name(), &schema), &arguments)
                .map_err(|what| format!("seed {seed}, call {call}: {what}\n{schema}"))?;
            counts.calls += 1;
        }
    }
    Ok(counts)
}

fn round_trip(
    adapter: &Adapter,
    (tool, schema): (&str, &Value),
    arguments: &Value,
) -> Result<(), String> {
    let declared = declared(adapter.dialect(), adapter.declarations());
    let root = &declared[0].schema;
    // Elsewhere a strict declaration leaves optional properties optional.
    let requires_all = [Dialect::OpenAiChat, Dialect::OpenAiResponses].contains(&adapter.dialect());
    let strict = requires_all && adapter.tools()[0].is_strict();
    let writer = CallWriter { root, strict };
    let written = writer
        .written(root, arguments)
        .ok_or_else(|| format!("{arguments} cannot be written under {root}"))?;
    check_written(adapter, &declared, (tool, schema), arguments, &written)
}
