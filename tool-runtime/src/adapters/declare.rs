//! Converts tool contracts to declarations of one dialect.

use std::collections::HashMap;

use serde_json::Value;
use tool_contracts::ToolSpec;

use super::format::{DeclaredTool, DialectFormat};
use super::lower::{LoweredSchema, UnsupportedKeyword, lower};
use super::names::ToolNames;
use super::renamed::RenamedProperties;
use super::restore::DeclarationChanges;
use super::strict_quota::StrictQuota;
use super::toolkits::Descriptions;
use super::{DeclarationLoss, DeclarationReport, ToolkitText};

/// The host's options for declarations.
#[derive(Debug, Clone, Copy)]
pub(super) struct DeclareOptions {
    /// True if the provider enforces the schemas; the dialect's default without a choice.
    pub(super) strict: Option<bool>,
    /// True if the titles of types are declared.
    pub(super) titles: bool,
    pub(super) toolkits: ToolkitText,
}

/// The declarations of a set of tools.
#[derive(Debug)]
pub(super) struct Declarations {
    pub(super) tools: Vec<DeclaredTool>,
    pub(super) value: Value,
    pub(super) report: DeclarationReport,
    pub(super) undo: HashMap<String, DeclarationChanges>,
}

/// Declares each tool, in the given order.
pub(super) fn declare(
    format: &dyn DialectFormat,
    options: DeclareOptions,
    names: &ToolNames,
    specs: &[&ToolSpec],
) -> Declarations {
    let mut tools = Vec::new();
    let mut descriptions = Descriptions::new(format.name_rules(), options.toolkits);
    let (mut report, mut undo) = (DeclarationReport::default(), HashMap::new());
    let mut quota = format.strict_quota();
    for spec in specs {
        let Some(name) = names.wire(spec.name()).filter(|_| !undo.contains_key(spec.name())) else {
            continue;
        };
        let schema = Value::Object(spec.input_schema().clone());
        let (lowered, strict) = lower_for(format, options, quota.as_mut(), &schema);
        lowered.losses.into_iter().for_each(|lost| report.add(loss(spec.name(), lost)));
        let omitted = lowered.omitted.map(DeclarationChanges::Omitted);
        let renamed = || DeclarationChanges::Renamed(RenamedProperties::new(schema));
        let changes = omitted.or_else(|| lowered.renamed.then(renamed));
        undo.insert(spec.name().to_owned(), changes);
        tools.push(DeclaredTool {
            name: name.to_owned(),
            description: descriptions.describe(spec).into_owned(),
            schema: Value::Object(lowered.schema),
            strict,
            custom: None,
        });
    }
    let undo = undo.into_iter().filter_map(|(tool, undo)| Some((tool, undo?))).collect();
    let declarations = tools.iter().map(|tool| format.declaration(tool)).collect();
    Declarations { value: format.declarations(declarations), tools, report, undo }
}

/// Converts a schema to a dialect; returns whether the provider enforces the declaration.
///
/// A declaration is strict if the provider can enforce it without rejecting valid calls.
fn lower_for(
    format: &dyn DialectFormat,
    options: DeclareOptions,
    quota: Option<&mut StrictQuota>,
    schema: &Value,
) -> (LoweredSchema, bool) {
    let is_strict = options.strict.unwrap_or(format.is_strict_by_default());
    let strict_profile = format.strict_profile().filter(|_| is_strict);
    let lowered = strict_profile.map(|profile| lower(schema, profile, options.titles));
    let obstacle = match lowered.map(|lowered| lowered.and_then(|it| within(quota, it))) {
        Some(Ok(lowered)) => return (lowered, true),
        Some(Err(obstacle)) => Some(obstacle),
        None => None,
    };
    let lowered = lower(schema, format.profile(), options.titles);
    let mut lowered = lowered.unwrap_or_else(LoweredSchema::nothing);
    if let Some(UnsupportedKeyword { pointer, keyword, consequence }) = obstacle {
        let consequence = format!("not declared strict: {consequence}");
        lowered.losses.insert(0, UnsupportedKeyword { pointer, keyword, consequence });
    }
    (lowered, false)
}

/// Returns the schema if the strict tools of the request have room for it.
fn within(
    quota: Option<&mut StrictQuota>,
    lowered: LoweredSchema,
) -> Result<LoweredSchema, UnsupportedKeyword> {
    match quota.map_or(Ok(()), |quota| quota.take(&lowered.schema)) {
        Ok(()) => Ok(lowered),
        Err(reason) => Err(UnsupportedKeyword {
            pointer: String::new(),
            keyword: "strict".to_owned(),
            consequence: reason.to_owned(),
        }),
    }
}

fn loss(tool: &str, lost: UnsupportedKeyword) -> DeclarationLoss {
    DeclarationLoss {
        tool: tool.to_owned(),
        pointer: lost.pointer,
        keyword: lost.keyword,
        consequence: lost.consequence,
    }
}
