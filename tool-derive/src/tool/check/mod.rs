//! Checks a raw tool:
//!
//! - its signature: an ordinary function without type parameters, which returns
//! - its receiver: `&self` in a toolkit, none elsewhere
//! - its effect: given once, and one of three
//! - no option contradicts the effect
//! - a write supports dry runs
//! - a key that is forwarded is read
//! - `ttl`, `timeout` and `retention` are durations, and long enough
//! - `shared`: there is something to share
//! - tool, version and handle have valid forms
//! - the function has a description
//! - each example is a JSON object
//! - each parameter is either the model's or the host's, described, and uniquely named
//! - the return type is suitable for a model

mod metadata;
mod parameters;
mod signature;

use proc_macro2::Span;
use syn::{Ident, Path, Type};

use super::model::{
    Effect, ExecutionStyle, NamedReturnType, Output, Parameter, Tool, ToolFunction, ToolMetadata,
};
use super::raw::RawTool;
use crate::errors::Errors;
use crate::syntax::deprecation;
use crate::syntax::names::handle_of;
use crate::syntax::options::{Evidence, KeyedValue};
use crate::syntax::root::Root;

/// The toolkit of a method.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolkitContext<'k> {
    pub(crate) name: &'k str,
    pub(crate) this: &'k Type,
    pub(crate) root: &'k Root,
}

/// Checks a free function.
pub(crate) fn free(raw: RawTool, errors: &Errors) -> Option<Tool> {
    check(raw, None, errors)
}

/// Checks a method of a toolkit.
pub(crate) fn method(raw: RawTool, kit: ToolkitContext<'_>, errors: &Errors) -> Option<Tool> {
    check(raw, Some(kit), errors)
}

fn check(raw: RawTool, kit: Option<ToolkitContext<'_>>, errors: &Errors) -> Option<Tool> {
    let before = errors.count();
    let this = kit.map(|kit| kit.this);
    let style = signature::check(&raw, kit.is_some(), errors);
    let handle = handle(&raw, kit.is_some(), errors);
    let root = root(raw.options.crate_.as_ref(), kit, errors);
    let open = unknown_fields(&raw, errors);
    let output = signature::output(&raw.signature.output, this, errors);
    let parameters = parameters::check(raw.parameters, this, errors);
    let metadata =
        metadata::check(&raw.options, &raw.attributes, &raw.signature.ident, kit, errors);
    let (metadata, output) = (metadata?, output?);
    dry_run(
        raw.options.preview.as_ref(),
        metadata.effect,
        &parameters,
        &raw.signature.ident,
        errors,
    );
    key(&metadata, &parameters, errors);
    if errors.count() > before {
        return None;
    }
    let evidence = raw.options.evidence.map(|given| given.value);
    Some(Tool {
        root,
        may_be_deprecated: deprecation::is_named_by(&raw.attributes),
        conditions: raw.attributes.into_iter().filter(|it| it.path().is_ident("cfg")).collect(),
        vis: raw.vis,
        function: ToolFunction {
            keyword: raw.signature.fn_token.span,
            name: raw.signature.ident,
            this: this.cloned(),
            receiver: raw.receiver.is_some(),
        },
        handle,
        metadata,
        requires_evidence: evidence == Some(Evidence::Required),
        source_hash: evidence.filter(|given| *given != Evidence::None).map(|_| raw.source),
        style: style?,
        preview: raw.options.preview.map(|given| given.value),
        reconcile: raw.options.reconcile.map(|given| given.value),
        parameters,
        output,
        open,
    })
}

fn root(
    given: Option<&KeyedValue<Path>>,
    kit: Option<ToolkitContext<'_>>,
    errors: &Errors,
) -> Root {
    let Some(kit) = kit else { return Root::given(given.cloned(), errors) };
    if let Some(given) = given {
        errors.at(
            &given.key,
            "all tools of a toolkit use the same path of the runtime: move this option \
             to `#[ai_toolkit(…)]`",
        );
    }
    kit.root.clone()
}

fn dry_run(
    preview: Option<&KeyedValue<Path>>,
    effect: Effect,
    parameters: &[Parameter],
    function: &Ident,
    errors: &Errors,
) {
    match (effect, preview) {
        (Effect::Read, Some(preview)) => errors
            .at(&preview.key, "`preview` is for writes; remove it, or set `effect = \"write\"`"),
        (Effect::Write | Effect::Destructive, None) if !any_host(parameters) => {
            errors.at(function, super::DRY_RUN_RULE);
        }
        (Effect::Read, None) | (Effect::Write | Effect::Destructive, _) => {}
    }
}

fn key(metadata: &ToolMetadata, parameters: &[Parameter], errors: &Errors) {
    if let Some(option) = metadata.forwards_key.as_ref().filter(|_| !any_host(parameters)) {
        errors.at(option, super::KEY_RULE);
    }
}

fn any_host(parameters: &[Parameter]) -> bool {
    parameters.iter().any(|it| matches!(it, Parameter::Host(_)))
}

fn handle(raw: &RawTool, in_toolkit: bool, errors: &Errors) -> Option<Ident> {
    let given = raw.options.handle.as_ref();
    if in_toolkit {
        if let Some(given) = given {
            errors.at(&given.key, "a toolkit's tools have no handles; remove it");
        }
        return None;
    }
    match given {
        Some(given) if given.value.is_ident("none") => None,
        Some(given) => named_handle(given, errors),
        None => derived_handle(&raw.signature.ident, errors),
    }
}

fn named_handle(given: &KeyedValue<Path>, errors: &Errors) -> Option<Ident> {
    let ident = given.value.get_ident();
    if ident.is_none() {
        errors.at(&given.value, "a handle is a plain name, as in `handle = SearchContentTool`");
    }
    ident.cloned()
}

fn derived_handle(function: &Ident, errors: &Errors) -> Option<Ident> {
    let handle_ident = handle_of(function);
    if handle_ident.is_none() {
        errors.at(function, "no handle name follows from this name; give one: `handle = MyTool`");
    }
    handle_ident
}

fn unknown_fields(raw: &RawTool, errors: &Errors) -> bool {
    let Some(given) = &raw.options.unknown_fields else { return false };
    match given.value.value().as_str() {
        "ignore" => return true,
        "deny" => {}
        _ => errors.at(&given.value, "`unknown_fields` is \"deny\" (the default) or \"ignore\""),
    }
    false
}

/// Determines the execution style from `async` and `blocking`.
fn style(raw: &RawTool, errors: &Errors) -> Option<ExecutionStyle> {
    let blocking = raw.options.blocking.as_ref().filter(|given| given.value);
    match (raw.signature.asyncness, blocking) {
        (Some(_), Some(blocking)) => {
            errors.at(
                &blocking.key,
                "`blocking` moves a function off the async threads, so it cannot be `async`; \
                 remove one of them",
            );
            None
        }
        (Some(_), None) => Some(ExecutionStyle::Async),
        (None, Some(_)) => Some(ExecutionStyle::Blocking),
        (None, None) => Some(ExecutionStyle::Sync),
    }
}

/// Wraps a type that can be named.
fn named(arrow: Span, ty: Type) -> Output {
    Output::Named(Box::new(NamedReturnType { arrow, ty }))
}
