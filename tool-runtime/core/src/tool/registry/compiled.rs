//! A tool after compilation: its contract, its validators and its entry point.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use tool_contracts::{Effect, ToolAnnotations, ToolSpec, ToolSpecBuilder, ToolkitSpec};
use tool_runtime_schema::Limits;
use tool_runtime_schema::schema;
use tool_runtime_schema::schema::subschemas::{SchemaRole, subschemas};
use tool_runtime_schema::schema::{
    AnswerCheck, ChoiceReading, Coerce, IsClosed, SchemaFinding, SchemaKind, UncheckedRule,
    ValidationReport, Validator,
};

use super::definition::EstimateFn;
use super::dynamic::Handler;
use super::state::Slot;
use super::tool_settings::ToolSettings;
use super::{Definition, DynamicTool, HostNeed, Registration, ToolSource};
use crate::failure::FailureCode;
use crate::timer::whole_millis;
use crate::tool::{BuildProblem, CallScope, ToolFuture};

/// A tool after compilation, which can be called once the policy has a plan for it.
pub struct CompiledTool {
    pub spec: Arc<ToolSpec>,
    /// The bytes of the contract as JSON.
    pub(crate) listing_bytes: usize,
    pub(crate) start: ToolStart,
    pub(crate) needs: Vec<HostNeed>,
    pub codes: Arc<[FailureCode]>,
    pub(crate) slots: Box<[Option<Slot>]>,
    pub(crate) timeout: Duration,
    pub(crate) coerce: Coerce,
    pub input: Validator,
    pub output: Option<Validator>,
    /// The rules of its schemas that are not checked.
    pub(crate) unchecked: Vec<UncheckedRule>,
    /// The rules of its schemas that are probably mistakes.
    pub(crate) findings: Vec<SchemaFinding>,
    /// The condition under which an output is checked against `output`.
    pub(crate) answer_check: AnswerCheck,
    /// True if the validator reads the raw text before the typed reader.
    pub(crate) validates_before_decoding: bool,
    pub has_secrets: bool,
    /// True if an argument may be personal data.
    pub has_personal: bool,
    pub behavior: ToolBehavior,
    largest_output: AtomicUsize,
}

/// Behaviour of a tool that its contract does not contain.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is one thing that a tool says of itself")]
#[allow(dead_code, reason = "only the features `policy` and `evidence` read most of them")]
pub struct ToolBehavior {
    /// True if a function of its own shows what a call would do.
    pub(crate) has_preview: bool,
    /// True if the tool can reconcile an earlier run.
    pub(crate) reconciles: bool,
    /// True if the tool's downstream service enforces the idempotency key itself.
    pub(crate) forwards_key: bool,
    /// True if the tool's effect is in a transaction of the store.
    pub(crate) takes_transaction: bool,
    /// The retention of an output under its idempotency key.
    pub(crate) retention: Option<Duration>,
    /// True if a cached output is valid for every user of a tenant.
    pub(crate) shared: bool,
    /// True if outputs leave evidence.
    pub evidence: bool,
    /// True if an output is withheld if its evidence cannot be stored.
    pub requires_evidence: bool,
    /// True if numbers of outputs may be wider than 64 bits.
    pub(crate) keeps_wide_numbers: bool,
    /// Estimates the cost of a call, if the tool names such a function.
    pub(crate) estimate: Option<EstimateFn>,
    /// The hash of its source, for functions with `#[ai_tool]`.
    pub source: Option<&'static str>,
}

/// Creates the deferred future of a call.
pub(crate) enum ToolStart {
    Static(fn(CallScope) -> ToolFuture),
    Dynamic { handler: Handler, preview: Option<Handler>, reconcile: Option<Handler> },
}

impl ToolStart {
    pub(crate) fn start(&self, scope: CallScope) -> ToolFuture {
        match self {
            Self::Static(start) => start(scope),
            Self::Dynamic { reconcile: Some(it), .. } if scope.reconciles() => it(scope),
            Self::Dynamic { preview: Some(preview), .. } if scope.dry_run() => preview(scope),
            Self::Dynamic { handler, .. } => handler(scope),
        }
    }
}

/// The shortest retention of an output under its idempotency key.
pub(crate) const SHORTEST_RETENTION: Duration = Duration::from_secs(24 * 60 * 60);

/// The most bytes that are reserved for an output in advance.
const MAX_EXPECTED: usize = 64 * 1024;

impl CompiledTool {
    /// Compiles a registration; returns all its problems at once.
    pub(crate) fn compile(
        entry: &Registration,
        settings: &ToolSettings,
    ) -> Result<Self, Vec<BuildProblem>> {
        match &entry.source {
            ToolSource::Static(definition) => Self::from_definition(definition, settings),
            ToolSource::Dynamic(tool) => Self::from_dynamic(tool, settings),
        }
    }

    fn from_definition(
        definition: &'static Definition,
        settings: &ToolSettings,
    ) -> Result<Self, Vec<BuildProblem>> {
        let mut input = (definition.input)(&mut schema::input_generator()).to_value();
        let unchecked_bounds = schema::take_unchecked_bounds(&mut input);
        let written = input.clone();
        let closed = schema::close(&mut input, ChoiceReading::OneBranch);
        let output = (definition.output)(&mut schema::output_generator()).to_value();
        let mut spec = ToolSpec::builder(definition.name, definition.effect)
            .version(definition.version)
            .description(definition.description)
            .requires_auth(definition.requires_auth)
            .ai_callable(definition.ai_callable)
            .annotations(annotations(definition.idempotent, definition.open_world));
        spec = with(spec, definition.title, ToolSpecBuilder::title);
        spec = with(spec, definition.category, ToolSpecBuilder::category);
        let toolkit = definition.toolkit.map(|it| ToolkitSpec::new(it.name, it.description));
        let toolkit = toolkit.transpose().map_err(|error| {
            vec![BuildProblem::Contract { tool: definition.name.to_owned(), error }]
        })?;
        spec = with(spec, definition.ttl, |spec, ttl| spec.ttl_seconds(ttl.div_ceil(1_000)));
        let timeout = definition.timeout.map_or(settings.timeout, Duration::from_millis);
        let start = Some(ToolStart::Static(definition.start));
        let parts = ToolParts {
            name: definition.name,
            toolkit,
            spec,
            input,
            examples: definition.examples.iter().map(|&text| text.into()).collect(),
            findings: findings(&written, Some(closed), Some(&output)),
            output: Some(output),
            timeout,
            start,
            typed: Some(TypeGuarantees { bounds_checked: !unchecked_bounds }),
        };
        let mut tool = parts.compile_parts(definition.effect, settings, Vec::new())?;
        let needs = (definition.host)();
        tool.behavior = ToolBehavior {
            has_preview: definition.has_preview,
            reconciles: definition.reconciles,
            forwards_key: definition.forwards_key,
            takes_transaction: needs.iter().any(|need| need.transaction_type().is_some()),
            retention: definition.retention.map(Duration::from_millis),
            shared: definition.shared,
            evidence: definition.source_hash.is_some(),
            requires_evidence: definition.requires_evidence,
            keeps_wide_numbers: false,
            estimate: definition.estimate,
            source: definition.source_hash,
        };
        tool.needs = needs;
        tool.codes = (definition.codes)().into();
        Ok(tool)
    }

    pub(crate) fn from_dynamic(
        tool: &DynamicTool,
        settings: &ToolSettings,
    ) -> Result<Self, Vec<BuildProblem>> {
        let problems = incomplete(tool);
        // A tool that lacks something is compiled too, so that all of its problems are reported.
        let no_schema = || serde_json::json!({"type": "object"});
        let mut input = tool.input_schema.clone().unwrap_or_else(no_schema);
        let written = input.clone();
        let closed = (!tool.open).then(|| schema::close(&mut input, ChoiceReading::AnyBranches));
        let mut spec = ToolSpec::builder(&*tool.name, tool.effect)
            .version(tool.version.as_deref().unwrap_or("0.0.0"))
            .description(&*tool.description)
            .requires_auth(tool.requires_auth)
            .ai_callable(tool.ai_callable)
            .annotations(annotations(tool.idempotent, tool.open_world));
        spec = with(spec, tool.title.as_deref(), ToolSpecBuilder::title);
        spec = with(spec, tool.category.as_deref(), ToolSpecBuilder::category);
        let ttl = tool.ttl.filter(|_| tool.effect == Effect::Read);
        spec = with(spec, ttl, |spec, ttl| spec.ttl_seconds(whole_seconds(ttl)));
        let timeout = tool.timeout.unwrap_or(settings.timeout);
        let (preview, reconcile) = (tool.preview.clone(), tool.reconcile.clone());
        let behavior = ToolBehavior {
            has_preview: preview.is_some(),
            reconciles: reconcile.is_some(),
            forwards_key: tool.forwards_key,
            takes_transaction: tool.takes_transaction,
            retention: tool.retention,
            shared: tool.shared,
            evidence: tool.evidence,
            requires_evidence: tool.requires_evidence,
            keeps_wide_numbers: tool.keeps_wide_numbers,
            estimate: None,
            source: None,
        };
        let start = tool.handler.clone();
        let start = start.map(|handler| ToolStart::Dynamic { handler, preview, reconcile });
        let parts = ToolParts {
            name: &tool.name,
            toolkit: tool.toolkit.clone(),
            spec,
            input,
            examples: tool.examples.iter().map(|example| example.to_string().into()).collect(),
            findings: findings(&written, closed, tool.output_schema.as_ref()),
            output: tool.output_schema.clone(),
            timeout,
            start,
            typed: None,
        };
        parts
            .compile_parts(tool.effect, settings, problems)
            .map(|tool| CompiledTool { behavior, ..tool })
    }

    /// Checks the data of an answer against the output schema, if there is one.
    pub(crate) fn check_output(&self, data: &str) -> Option<ValidationReport> {
        let mut report = self.output.as_ref()?.check(data, &Limits::WIDEST, Coerce::Off);
        if self.behavior.keeps_wide_numbers {
            report.violations.retain(|violation| violation.rule() != "precision");
        }
        Some(report)
    }

    /// Returns an error if the tool has to leave evidence, and the runtime keeps none.
    pub(crate) fn check_evidence(&self, keeps_evidence: bool) -> Result<(), BuildProblem> {
        if self.behavior.evidence && !keeps_evidence {
            return Err(BuildProblem::NoEvidence { tool: self.spec.name().to_owned() });
        }
        Ok(())
    }

    /// Checks a call's arguments. In a tool of the program, `null` for an optional argument means that
    /// it is left out, also without coercion; a dynamic tool's own schema decides.
    pub(crate) fn check_arguments(&self, text: &str, limits: &Limits) -> ValidationReport {
        match &self.start {
            ToolStart::Static(_) => self.input.check_arguments(text, limits, self.coerce),
            ToolStart::Dynamic { .. } => self.input.check(text, limits, self.coerce),
        }
    }

    /// The number of bytes to reserve for the next output.
    pub(crate) fn expected_output(&self) -> usize {
        self.largest_output.load(Ordering::Relaxed)
    }

    pub(crate) fn expect_output(&self, bytes: usize) {
        if bytes > self.expected_output() && bytes <= MAX_EXPECTED {
            self.largest_output.store(bytes, Ordering::Relaxed);
        }
    }
}

/// The common parts of static and dynamic tools before compilation.
struct ToolParts<'t> {
    name: &'t str,
    toolkit: Option<ToolkitSpec>,
    spec: ToolSpecBuilder,
    input: Value,
    findings: Vec<SchemaFinding>,
    /// Examples of all arguments, as JSON.
    examples: Vec<Cow<'t, str>>,
    output: Option<Value>,
    timeout: Duration,
    /// None for a dynamic tool without a handler.
    start: Option<ToolStart>,
    typed: Option<TypeGuarantees>,
}

/// Guarantees that a typed tool's types provide.
#[derive(Clone, Copy)]
struct TypeGuarantees {
    /// True if generated code compares all bounds of the arguments.
    bounds_checked: bool,
}

impl ToolParts<'_> {
    /// Compiles the schemas and builds the contract; reports their problems with the earlier ones.
    fn compile_parts(
        self,
        effect: Effect,
        settings: &ToolSettings,
        mut problems: Vec<BuildProblem>,
    ) -> Result<CompiledTool, Vec<BuildProblem>> {
        let mut unchecked = Vec::new();
        let mut compile = |kind: SchemaKind, schema: &Value| {
            let side = kind.as_str();
            let problem = |error| BuildProblem::Schema { tool: self.name.to_owned(), side, error };
            let validator = if self.typed.is_some() {
                Validator::compile(schema)
            } else {
                let (loosened, rules) = schema::loosened(schema, kind);
                unchecked.extend(rules);
                Validator::compile(&loosened)
            };
            validator.map_err(|error| problems.push(problem(error))).ok()
        };
        let input = compile(SchemaKind::Input, &self.input);
        // Without a schema, a dynamic tool's output must still be valid JSON.
        let any = Value::Bool(true);
        let output = self.output.as_ref().or(self.typed.is_none().then_some(&any));
        let output = output.and_then(|schema| compile(SchemaKind::Output, schema));
        if self.typed.is_some() {
            problems.extend(super::schema_examples::check(self.name, &self.input));
        }
        if let Some(input) = &input {
            problems.extend(super::input_examples::check(
                self.name,
                &self.examples,
                input,
                &settings.limits,
            ));
        }
        let spec =
            self.spec.input_schema(self.input).timeout_ms(whole_millis(self.timeout)).permission(
                settings.permission(
                    self.name,
                    self.toolkit.as_ref().map(ToolkitSpec::name),
                    effect,
                ),
            );
        // One that is no object is a problem already.
        let parsed = self.examples.iter().filter_map(|text| serde_json::from_str(text).ok());
        let examples = parsed.filter(Value::is_object);
        let spec = examples.fold(spec, ToolSpecBuilder::input_example);
        let spec = with(spec, self.toolkit, ToolSpecBuilder::toolkit);
        let spec = with(spec, self.output, ToolSpecBuilder::output_schema);
        let spec = spec.build().map_err(|error| {
            problems.push(BuildProblem::Contract { tool: self.name.to_owned(), error });
        });
        let (Some(input), Some(start), Ok(spec), true) =
            (input, self.start, spec, problems.is_empty())
        else {
            return Err(problems);
        };
        let answer_check = match &output {
            None => AnswerCheck::Never,
            Some(output) if self.typed.is_some() => output.answer_check(),
            Some(_) => AnswerCheck::Always,
        };
        let too_deep = depth(spec.input_schema()) > settings.limits.max_depth();
        Ok(CompiledTool {
            validates_before_decoding: too_deep
                || self.typed.is_none_or(|typed| input.needs_scan(typed.bounds_checked)),
            has_secrets: input.has_secrets(),
            has_personal: input.has_personal(),
            output,
            unchecked,
            findings: self.findings,
            answer_check,
            coerce: settings.coerce(effect),
            timeout: self.timeout,
            start,
            needs: Vec::new(),
            codes: Arc::default(),
            slots: Box::default(),
            behavior: ToolBehavior::default(),
            largest_output: AtomicUsize::new(0),
            listing_bytes: serde_json::to_string(&spec).map_or(usize::MAX, |text| text.len()),
            spec: Arc::new(spec),
            input,
        })
    }
}

fn findings(input: &Value, closed: Option<IsClosed>, output: Option<&Value>) -> Vec<SchemaFinding> {
    let mut findings = schema::schema_findings(input, SchemaKind::Input, closed);
    let output = output.map(|it| schema::schema_findings(it, SchemaKind::Output, None));
    findings.extend(output.into_iter().flatten());
    findings
}

fn incomplete(tool: &DynamicTool) -> Vec<BuildProblem> {
    let reads = tool.effect == Effect::Read;
    let dry_run = tool.handles_dry_run || tool.preview.is_some();
    let rules = [
        (tool.description.trim().is_empty(), "has no description: a model chooses by it"),
        (tool.input_schema.is_none(), "has no input schema: call `.input_schema(…)`"),
        (
            tool.input_schema.as_ref().is_some_and(admits_more_than_objects),
            "has an input schema that admits more than objects: say `\"type\": \"object\"`",
        ),
        (tool.handler.is_none(), "has nothing to run: call `.handler(…)`"),
        (
            !reads && !dry_run,
            "writes and handles no dry run: give it `.preview(…)`, or look at \
            `call.dry_run()` in the handler and say `.handles_dry_run()`",
        ),
        (!reads && tool.ttl.is_some(), "writes and has a `ttl`: only reads can be cached"),
        (reads && tool.preview.is_some(), "reads and has a `preview`: only a write needs one"),
        (
            reads && (tool.reconcile.is_some() || tool.forwards_key || tool.retention.is_some()),
            "reads and sets idempotency options, which only writes have",
        ),
        (
            reads && tool.takes_transaction,
            "reads and takes a transaction of the store, which only a write has",
        ),
        (
            tool.retention.is_some_and(|time| time < SHORTEST_RETENTION),
            "keeps its answers for less than a day under their keys: set at least `24h`",
        ),
        (
            tool.shared && tool.ttl.is_none(),
            "is `shared` and has no `ttl`: `shared` requires `ttl`",
        ),
    ];
    let broken = rules.iter().filter(|(broken, _)| *broken);
    broken.map(|(_, rule)| BuildProblem::Incomplete { tool: tool.name.clone(), rule }).collect()
}

/// Returns whether the schema's type is another one than `object`; an unknown one is an error of its
/// compilation.
fn admits_more_than_objects(schema: &Value) -> bool {
    schema["type"].as_str().is_none_or(|name| name != "object" && schema::is_type_name(name))
}

/// The deepest nesting of arguments whose schema has no references.
fn depth(keywords: &serde_json::Map<String, Value>) -> usize {
    let depths = subschemas(keywords).map(|(step, schema)| {
        let is_part = matches!(step.keyword.role, SchemaRole::Property | SchemaRole::Item);
        usize::from(is_part) + schema.as_object().map_or(0, depth)
    });
    depths.max().unwrap_or(0)
}

fn whole_seconds(time: Duration) -> u64 {
    time.as_secs().saturating_add(u64::from(time.subsec_nanos() > 0))
}

fn annotations(idempotent: bool, open_world: bool) -> ToolAnnotations {
    ToolAnnotations::new().with_idempotent(idempotent).with_open_world(open_world)
}

fn with<T, V>(builder: T, value: Option<V>, set: impl FnOnce(T, V) -> T) -> T {
    match value {
        Some(value) => set(builder, value),
        None => builder,
    }
}

impl fmt::Debug for CompiledTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledTool").field("name", &self.spec.name()).finish_non_exhaustive()
    }
}
