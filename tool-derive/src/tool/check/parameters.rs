//! `parameters`: assigns each parameter to the host or the model, and checks its type.

use std::collections::HashSet;

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, Ident, Pat, Type, TypeReference};

use super::super::model::{Argument, ArgumentType, HostParameter, Parameter};
use super::super::raw::RawParameter;
use crate::errors::Errors;
use crate::syntax::arg::{self, Arg};
use crate::syntax::types;

/// Checks every parameter; invalid ones are omitted.
pub(super) fn check(
    raw: Vec<RawParameter>,
    this: Option<&Type>,
    errors: &Errors,
) -> Vec<Parameter> {
    let parameters: Vec<Parameter> =
        raw.into_iter().filter_map(|raw| parameter(raw, this, errors)).collect();
    check_names(&parameters, errors);
    check_count(&parameters, errors);
    parameters
}

/// The most arguments of one tool: the largest tuple that the runtime deserializes.
const MAX_ARGUMENTS: usize = 16;

fn check_count(parameters: &[Parameter], errors: &Errors) {
    let mut arguments = parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Model(argument) => Some(argument),
        Parameter::Host(_) => None,
    });
    if let Some(first_too_many) = arguments.nth(MAX_ARGUMENTS) {
        errors.at(
            &first_too_many.name,
            "a tool takes at most 16 arguments, and a model gets fewer right: put those that \
             belong together into one `#[ai_type]` struct",
        );
    }
}

fn parameter(raw: RawParameter, this: Option<&Type>, errors: &Errors) -> Option<Parameter> {
    check_foreign(&raw.foreign, errors);
    let ty = types::bare(&raw.ty).clone();
    match &ty {
        Type::Reference(reference) if !types::is_str(&reference.elem) => {
            host(&raw, reference, this, errors)
        }
        _ => argument(raw, &ty, this, errors).map(|found| Parameter::Model(Box::new(found))),
    }
}

fn check_foreign(attributes: &[Attribute], errors: &Errors) {
    for attribute in attributes {
        let path = attribute.path();
        if path.is_ident("cfg") || path.is_ident("cfg_attr") {
            errors.at(
                attribute,
                "a tool has one schema, so its parameters cannot depend on a `cfg`; write two \
                 functions and put the `cfg` on them",
            );
        } else if path.is_ident("serde") || path.is_ident("schemars") {
            errors.at(
                attribute,
                "parameters take `#[arg(…)]`: `default`, `rename = \"…\"`; other serde options go \
                 on a type of your own",
            );
        }
    }
}

fn host(
    raw: &RawParameter,
    reference: &TypeReference,
    this: Option<&Type>,
    errors: &Errors,
) -> Option<Parameter> {
    let before = errors.count();
    if let Some(mutability) = &reference.mutability {
        errors.at(
            mutability,
            "the host's values are shared by all calls: take `&T`, with a `Mutex` or atomics \
             inside",
        );
    }
    if let Type::Slice(slice) = types::bare(&reference.elem) {
        let elem = types::to_source(&slice.elem);
        errors.at(
            &raw.ty,
            format!(
                "a borrowed parameter is provided by the host, not by the model; for a list from \
                 the model take `Vec<{elem}>`"
            ),
        );
    }
    if types::opaque_inside(&reference.elem).is_some() {
        errors.at(&raw.ty, "the host stores a value by its type: name it, or take `&dyn Trait`");
    }
    if let Some(arg) = &raw.arg {
        errors.at(
            &arg.attribute,
            "a borrowed parameter is provided by the host and is not in the schema: remove \
             `#[arg]`, or take an owned value",
        );
    }
    (errors.count() == before).then(|| {
        let ty = types::standalone(types::bare(&reference.elem), this);
        Parameter::Host(Box::new(HostParameter { borrow: reference.and_token.span, ty }))
    })
}

fn argument(
    raw: RawParameter,
    ty: &Type,
    this: Option<&Type>,
    errors: &Errors,
) -> Option<Argument> {
    let name = name(&raw.pattern, errors);
    let checked = argument_type(ty, this, errors);
    let arg = raw.arg.map_or_else(Arg::default, |arg| arg.check(ty, errors));
    let arg = arg.map(|expr| types::standalone_expr(expr, this));
    let name = name?;
    if raw.description.is_none() {
        errors.at(
            &raw.pattern,
            format!(
                "a model fills `{name}` by its description: add a doc comment (`/// …`) above the \
                 parameter, or borrow it (`&T`) if the host gives it"
            ),
        );
    }
    Some(Argument { name, colon: raw.colon, ty: checked?, description: raw.description?, arg })
}

fn name(pattern: &Pat, errors: &Errors) -> Option<Ident> {
    match pattern {
        Pat::Ident(found) if found.subpat.is_none() && found.by_ref.is_none() => {
            Some(found.ident.clone())
        }
        other => {
            errors.at(
                other,
                "an argument needs a name for the model: write `name: Type`, and take it apart in \
                 the body",
            );
            None
        }
    }
}

fn argument_type(ty: &Type, this: Option<&Type>, errors: &Errors) -> Option<ArgumentType> {
    if let Type::Reference(reference) = ty {
        return match &reference.mutability {
            None => Some(ArgumentType::Text),
            Some(mutability) => {
                errors.at(mutability, "the model's text cannot be changed in place: take `String`");
                None
            }
        };
    }
    if let Type::ImplTrait(found) = ty {
        errors.at(found, "a schema needs one type: name it instead of `impl Trait`");
        return None;
    }
    if let Some((found, owned)) = types::borrowed_inside(ty) {
        errors.at(found, format!("an argument cannot borrow, except as `&str`: write `{owned}`"));
        return None;
    }
    if let Type::Infer(_) | Type::FnPtr(_) | Type::Ptr(_) | Type::Never(_) = ty {
        errors.at(ty, "a model sends JSON: take a type that can be read from it");
        return None;
    }
    Some(ArgumentType::Owned(Box::new(types::standalone(ty, this))))
}

fn check_names(parameters: &[Parameter], errors: &Errors) {
    let mut seen: HashSet<String> = HashSet::new();
    let arguments = parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Model(argument) => Some(argument),
        Parameter::Host(_) => None,
    });
    for argument in arguments {
        let name = argument.wire_name();
        let place = match &argument.arg.rename {
            Some(rename) => rename.to_token_stream(),
            None => argument.name.to_token_stream(),
        };
        if !arg::is_portable(&name) {
            errors.span(
                place.span(),
                "an argument's name is 1 to 64 of `A-Z a-z 0-9 _ . -`; give one: \
                 `#[arg(rename = \"…\")]`",
            );
        } else if !seen.insert(name.clone()) {
            errors.span(place.span(), format!("two arguments are named `{name}`; rename one"));
        }
    }
}
