//! Converts tool contracts to declarations of one dialect.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use tool_contracts::ToolSpec;
use tool_runtime_schema::json::normalized;

use super::disclosure::DisclosurePlan;
use super::examples;
use super::format::{DeclaredTool, DialectFormat, ToolLoading};
use super::names::ToolNames;
use super::provider_schema::{LoweredSchema, UnsupportedKeyword, lower};
use super::renamed::RenamedProperties;
use super::restore::DeclarationChanges;
use super::strict_quota::StrictQuota;
use super::toolkits::{Descriptions, declared_toolkit, toolkit_names};
use super::{CacheLifetime, DeclarationLoss, DeclarationReport, Disclosure, ToolkitText};

/// The host's options for declarations.
#[derive(Debug, Clone)]
pub(super) struct DeclareOptions {
    /// True if the provider enforces the schemas; the dialect's default without a choice.
    pub(super) strict: Option<bool>,
    /// True if the titles of types are declared.
    pub(super) titles: bool,
    /// True if examples of arguments are declared.
    pub(super) examples: bool,
    pub(super) toolkits: ToolkitText,
    pub(super) disclosure: Option<Disclosure>,
    /// By tool.
    pub(super) allowed_callers: BTreeMap<String, Vec<String>>,
}

/// The declarations of a set of tools.
#[derive(Debug)]
pub(super) struct Declarations {
    /// By the tools' own names.
    pub(super) tools: Vec<(String, DeclaredTool)>,
    pub(super) report: DeclarationReport,
    pub(super) undo: HashMap<String, DeclarationChanges>,
}

/// Declares each tool, in the given order.
pub(super) fn declare(
    format: &dyn DialectFormat,
    options: &DeclareOptions,
    plan: &DisclosurePlan,
    names: &ToolNames,
    specs: &[&ToolSpec],
) -> Declarations {
    let mut tools = Vec::new();
    let mut descriptions = Descriptions::new(format.name_rules(), options.toolkits);
    let (mut report, mut undo) = (DeclarationReport::default(), HashMap::new());
    let mut quota = format.strict_quota();
    let toolkits = toolkit_names(format.name_rules(), specs);
    for spec in specs {
        let Some(name) = names.wire(spec.name()).filter(|_| !undo.contains_key(spec.name())) else {
            continue;
        };
        let schema = Value::Object(spec.input_schema().clone());
        let callers = options.allowed_callers.get(spec.name()).map_or(&[][..], Vec::as_slice);
        // The declaration of a search has no field `strict`.
        let strict =
            options.strict.unwrap_or(format.is_strict_by_default()) && !plan.is_client_search(spec);
        let form = AskedForm { strict, titles: options.titles, callers };
        let (lowered, strict) = lower_for(format, &form, quota.as_mut(), &schema);
        lowered.losses.into_iter().for_each(|lost| report.add(loss(spec.name(), lost)));
        let omitted = lowered.omitted.map(DeclarationChanges::Omitted);
        let renamed = || DeclarationChanges::Renamed(RenamedProperties::new(schema));
        let changes = omitted.or_else(|| lowered.renamed.then(renamed));
        let mut tool = DeclaredTool {
            name: name.to_owned(),
            description: descriptions.describe(spec, plan.defers(spec)).into_owned(),
            schema: normalized(Value::Object(lowered.schema)),
            strict,
            custom: None,
            examples: Vec::new(),
            allowed_callers: callers.to_vec(),
            toolkit: spec.toolkit().map(|it| declared_toolkit(&toolkits, it)),
            loading: plan.loading(spec),
            is_search: plan.is_client_search(spec),
        };
        if options.examples {
            let has_field = format.has_examples() && !plan.is_provider();
            add_examples(&mut tool, spec, changes.as_ref(), has_field);
        }
        undo.insert(spec.name().to_owned(), changes);
        tools.push((spec.name().to_owned(), tool));
    }
    let undo = undo.into_iter().filter_map(|(tool, undo)| Some((tool, undo?))).collect();
    Declarations { tools, report, undo }
}

/// Writes the list of all declarations of a request.
///
/// The part that stays the same for a whole conversation comes first, with a mark for the prompt cache
/// at its end.
pub(super) fn combined(
    format: &dyn DialectFormat,
    tools: &[&DeclaredTool],
    plan: &DisclosurePlan,
    cache: Option<CacheLifetime>,
) -> Value {
    let loaded = |when: ToolLoading| tools.iter().copied().filter(move |tool| tool.loading == when);
    let declaration = |tool| format.declaration(tool);
    let mut list: Vec<_> = loaded(ToolLoading::AtStart).map(declaration).collect();
    list.extend(plan.search_tool().cloned());
    if let Some(lifetime) = cache {
        format.mark_declarations(&mut list, lifetime);
    }
    list.extend(loaded(ToolLoading::Found).map(declaration));
    let deferred: Vec<_> = loaded(ToolLoading::ByProvider).collect();
    list.extend(format.deferred_declarations(&deferred));
    normalized(format.declarations(list))
}

/// Adds examples to their field, or to the description.
///
/// Anthropic's tool search does not accept the field.
fn add_examples(
    tool: &mut DeclaredTool,
    spec: &ToolSpec,
    changes: Option<&DeclarationChanges>,
    has_field: bool,
) {
    let examples = examples::declared(spec.input_examples(), changes);
    if has_field {
        tool.examples = examples;
    } else {
        examples::append_to(&mut tool.description, &examples);
    }
}

/// The form in which one tool is to be declared.
struct AskedForm<'c> {
    strict: bool,
    titles: bool,
    callers: &'c [String],
}

/// Converts a schema to a dialect; returns whether the provider enforces the declaration.
///
/// A declaration is strict if the provider can enforce it without rejecting valid calls.
fn lower_for(
    format: &dyn DialectFormat,
    asked: &AskedForm<'_>,
    quota: Option<&mut StrictQuota>,
    schema: &Value,
) -> (LoweredSchema, bool) {
    let strict_profile = format.strict_profile().filter(|_| asked.strict);
    let lowered = strict_profile.map(|profile| {
        callable(format, asked.callers)?;
        within(quota, lower(schema, profile, asked.titles)?)
    });
    let obstacle = match lowered {
        Some(Ok(lowered)) => return (lowered, true),
        Some(Err(obstacle)) => Some(obstacle),
        None => None,
    };
    let lowered = lower(schema, format.profile(), asked.titles);
    let mut lowered = lowered.unwrap_or_else(LoweredSchema::nothing);
    if let Some(UnsupportedKeyword { pointer, keyword, consequence }) = obstacle {
        let consequence = format!("not declared strict: {consequence}");
        lowered.losses.insert(0, UnsupportedKeyword { pointer, keyword, consequence });
    }
    (lowered, false)
}

/// The caller that is the model itself, for all providers.
const DIRECT: &str = "direct";

/// Returns an error if a caller of the tool may not call strict tools.
fn callable(format: &dyn DialectFormat, callers: &[String]) -> Result<(), UnsupportedKeyword> {
    if format.lets_programs_call_strict_tools() || callers.iter().all(|caller| caller == DIRECT) {
        return Ok(());
    }
    Err(UnsupportedKeyword {
        pointer: String::new(),
        keyword: "allowed_callers".to_owned(),
        consequence: "the provider lets programs call no strict tool".to_owned(),
    })
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
