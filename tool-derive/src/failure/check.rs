//! Checks a raw error type. In order:
//!
//! - `shape`: an enum, or a struct, which has a single case
//! - options: every case has one
//! - `transparent`: it is the only option, and there is exactly one field
//! - `code`: one code, standard or fully described
//! - `message`: at most one source of the public text, over existing fields
//! - `advice`: retry, status, endpoint and details are literals or existing fields
//! - `effect`: one of two values, and no field of the same name in the details

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Lit, LitStr, Token};

use super::codes::{CODES, ERROR_TYPES, RESERVED};
use super::message;
use super::model::{
    CaseFailure, Code, Effect, Failure, FailureCase, Message, OwnFailure, ValueSource, binding,
};
use super::raw::{RawFailure, RawFailureCase, RawOptions, TypeShape};
use crate::errors::Errors;
use crate::syntax::duration::milliseconds;
use crate::syntax::names::closest;
use crate::syntax::options::{KeyedValue, OptionValue};
use crate::syntax::root::Root;

/// Checks every case.
pub(crate) fn check(raw: RawFailure, root: Root, errors: &Errors) -> Option<Failure> {
    let cases = match raw.shape {
        TypeShape::Enum(cases) => cases
            .into_iter()
            .filter_map(|case| {
                let name = &case.name;
                let path = quote!(Self::#name);
                check_case(case, path, errors)
            })
            .collect(),
        TypeShape::Struct(case) => {
            check_case(*case, quote!(Self), errors).into_iter().collect::<Vec<_>>()
        }
        TypeShape::Union(token) => {
            errors.at(token, "a union does not record its active field; use an enum");
            return None;
        }
    };
    let transparent = cases.iter().any(|case| matches!(case.meaning, CaseFailure::Transparent(_)));
    if transparent {
        if let Some(parameter) = raw.generics.type_params().next() {
            errors.at(
                parameter,
                "a generic error cannot be `transparent`: implement `ToolFailure` by hand, or \
                 name the type",
            );
        }
    }
    let RawFailure { name, generics, may_be_deprecated, .. } = raw;
    Some(Failure { name, generics, root, cases, may_be_deprecated })
}

fn check_case(raw: RawFailureCase, path: TokenStream, errors: &Errors) -> Option<FailureCase> {
    let RawFailureCase { name, fields, options } = raw;
    let Some(options) = options else {
        errors.at(
            &name,
            format!(
                "`{name}` has no error code: add `#[failure(NOT_FOUND)]`, or another of {}",
                codes()
            ),
        );
        return None;
    };
    let meaning = match &options.transparent {
        Some(given) => transparent(given, &options, &fields, errors),
        None => own(&options, &fields, errors).map(|own| CaseFailure::OwnFailure(Box::new(own))),
    };
    Some(FailureCase { path, fields, meaning: meaning? })
}

fn codes() -> String {
    CODES.map(|(code, _)| code).join(", ")
}

fn transparent(
    given: &KeyedValue<bool>,
    options: &RawOptions,
    fields: &syn::Fields,
    errors: &Errors,
) -> Option<CaseFailure> {
    if has_failure_options(options) {
        errors.at(
            &options.attribute,
            "`transparent` takes everything from the error inside; remove the other options",
        );
        return None;
    }
    let mut inner = fields.iter();
    if let (Some(field), None) = (inner.next(), inner.next()) {
        return Some(CaseFailure::Transparent(Box::new(field.ty.clone())));
    }
    errors.at(&given.key, "`transparent` needs exactly one field: the error inside");
    None
}

/// Returns whether any option describes a failure.
fn has_failure_options(options: &RawOptions) -> bool {
    options.standard.is_some()
        || options.code.is_some()
        || options.error_type.is_some()
        || options.message.is_some()
        || options.hide.is_some()
        || options.retry_after.is_some()
        || options.retry_after_ms.is_some()
        || options.upstream_code.is_some()
        || options.upstream_status.is_some()
        || options.endpoint.is_some()
        || options.details.is_some()
        || options.effect.is_some()
}

fn own(options: &RawOptions, fields: &syn::Fields, errors: &Errors) -> Option<OwnFailure> {
    let names: Vec<Ident> =
        fields.iter().enumerate().map(|(index, field)| binding(index, field)).collect();
    let message = message_of(options.message.as_ref(), options.hide.as_ref(), &names, errors);
    let retry_after = retry_after(options, &names, errors);
    let upstream_status = options
        .upstream_status
        .as_ref()
        .and_then(|given| number(given, "upstream_status = 503", &names, errors));
    let text = |given: Option<&KeyedValue<OptionValue>>, name: &str, form: &str| {
        given.and_then(|given| text(given, name, form, &names, errors))
    };
    let upstream_code =
        text(options.upstream_code.as_ref(), "upstream_code", "upstream_code = \"E42\"");
    let endpoint = text(options.endpoint.as_ref(), "endpoint", "endpoint = \"search\"");
    let details = options.details.as_ref().map(|given| details(given, fields, &names, errors));
    let details = details.unwrap_or_default();
    let effect = options.effect.as_ref().and_then(|given| effect(given, &details, errors));
    Some(OwnFailure {
        code: code(options, errors)?,
        message: message?,
        retry_after,
        upstream_code,
        upstream_status,
        endpoint,
        details,
        effect,
    })
}

fn code(options: &RawOptions, errors: &Errors) -> Option<Code> {
    match (&options.standard, &options.code) {
        (Some(standard), Some(own)) => {
            errors.at(&own.key, format!("the code is `{standard}` already; keep one of them"));
            None
        }
        (Some(standard), None) => {
            if let Some(error_type) = &options.error_type {
                errors.at(
                    &error_type.key,
                    format!("`{standard}` has its type already; remove `type`"),
                );
            }
            standard_code(standard, errors)
        }
        (None, Some(own)) => own_code(own, options.error_type.as_ref(), errors),
        (None, None) => {
            errors.at(
                &options.attribute,
                format!("`#[failure(…)]` begins with a code, one of {}", codes()),
            );
            None
        }
    }
}

fn standard_code(code: &Ident, errors: &Errors) -> Option<Code> {
    let text = code.to_string();
    if let Some((_, name)) = CODES.into_iter().find(|(known, _)| *known == text) {
        return Some(Code::Standard(Ident::new(name, Span::call_site())));
    }
    let message = if RESERVED.contains(&text.as_str()) {
        format!("`{text}` is reserved for the runtime; use `FORBIDDEN` or `INTERNAL`")
    } else if let Some(near) = closest(&text, CODES.into_iter().map(|(known, _)| known)) {
        format!("there is no code `{text}`; did you mean `{near}`?")
    } else {
        format!(
            "there is no code `{text}`; a code of your own is written \
             `code = \"{text}\", type = FATAL`"
        )
    };
    errors.at(code, message);
    None
}

fn own_code(
    code: &KeyedValue<LitStr>,
    error_type: Option<&KeyedValue<syn::Path>>,
    errors: &Errors,
) -> Option<Code> {
    let text = code.value.value();
    let capitals = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit();
    let form = text.starts_with(|letter: char| letter.is_ascii_uppercase())
        && text.chars().all(|letter| capitals(letter) || letter == '_');
    if !form {
        errors.at(&code.value, "a code is written in capitals, as in `code = \"SEAT_TAKEN\"`");
    } else if CODES.iter().any(|(known, _)| *known == text) || RESERVED.contains(&text.as_str()) {
        errors.at(
            &code.value,
            format!("`{text}` is one of the standard codes: write `#[failure({text})]`"),
        );
    }
    let Some(error_type) = error_type else {
        errors.at(
            &code.value,
            "a code of your own needs a type: add `type = FATAL`, `RETRYABLE`, `RATE_LIMIT`, \
             `TIMEOUT`, `UPSTREAM` or `VALIDATION`",
        );
        return None;
    };
    error_type_of(error_type, errors).map(|error_type| Code::Own(text, error_type))
}

fn error_type_of(error_type: &KeyedValue<syn::Path>, errors: &Errors) -> Option<Ident> {
    let text = error_type.value.get_ident().map(ToString::to_string).unwrap_or_default();
    let type_entry = ERROR_TYPES.into_iter().find(|(known, _)| *known == text);
    if type_entry.is_none() {
        let type_names = ERROR_TYPES.map(|(known, _)| known);
        let cure = match closest(&text, type_names.into_iter()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it is one of {}", type_names.join(", ")),
        };
        errors.at(&error_type.value, format!("there is no such type; {cure}"));
    }
    type_entry.map(|(_, name)| Ident::new(name, Span::call_site()))
}

fn message_of(
    message: Option<&KeyedValue<LitStr>>,
    hide: Option<&KeyedValue<bool>>,
    fields: &[Ident],
    errors: &Errors,
) -> Option<Message> {
    match (message, hide) {
        (Some(_), Some(hide)) => {
            errors.at(&hide.key, "`hide` and `message` both set the message; keep one of them");
            None
        }
        (Some(given), None) => message::check(&given.value, fields, errors).map(Message::Format),
        (None, Some(_)) => Some(Message::Generic),
        (None, None) => Some(Message::Display),
    }
}

fn retry_after(options: &RawOptions, fields: &[Ident], errors: &Errors) -> Option<ValueSource> {
    match (&options.retry_after, &options.retry_after_ms) {
        (Some(_), Some(second)) => {
            errors.at(&second.key, "`retry_after` is set already; keep one of them");
            None
        }
        (Some(given), None) => {
            milliseconds(&given.value, errors).map(|found| ValueSource::Literal(quote!(#found)))
        }
        (None, Some(given)) => number(given, "retry_after_ms = 2_000", fields, errors),
        (None, None) => None,
    }
}

/// Reads a literal number or a field name.
fn number(
    given: &KeyedValue<Expr>,
    form: &str,
    fields: &[Ident],
    errors: &Errors,
) -> Option<ValueSource> {
    match &given.value {
        Expr::Lit(ExprLit { lit: Lit::Int(lit), .. }) => {
            Some(ValueSource::Literal(lit.to_token_stream()))
        }
        value => field(value, fields, form, errors),
    }
}

fn text(
    given: &KeyedValue<OptionValue>,
    name: &str,
    form: &str,
    fields: &[Ident],
    errors: &Errors,
) -> Option<ValueSource> {
    let OptionValue::Is(expr) = &given.value else {
        errors.at(&given.key, format!("`{name}` is written `{form}`, or names a field"));
        return None;
    };
    match expr.as_ref() {
        Expr::Lit(ExprLit { lit: Lit::Str(lit), .. }) => {
            Some(ValueSource::Literal(lit.to_token_stream()))
        }
        other => field(other, fields, form, errors),
    }
}

fn field(value: &Expr, fields: &[Ident], form: &str, errors: &Errors) -> Option<ValueSource> {
    let name = match value {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    };
    let Some(name) = name else {
        errors.at(
            value,
            format!("write a literal (`{form}`) or a field's name (`_0` for the first of a tuple)"),
        );
        return None;
    };
    if !fields.contains(name) {
        errors.at(name, message::unknown(&name.to_string(), fields));
        return None;
    }
    Some(ValueSource::Field(name.clone()))
}

fn details(
    given: &KeyedValue<TokenStream>,
    fields: &syn::Fields,
    names: &[Ident],
    errors: &Errors,
) -> Vec<Ident> {
    if let syn::Fields::Unnamed(_) = fields {
        errors.at(&given.key, "details need names: give the variant named fields");
        return Vec::new();
    }
    let parser = Punctuated::<Ident, Token![,]>::parse_terminated;
    let Ok(found) = parser.parse2(given.value.clone()) else {
        errors.at(&given.value, "`details` lists fields: `details(seat, row)`");
        return Vec::new();
    };
    for name in found.iter().filter(|name| !names.contains(name)) {
        errors.at(name, message::unknown(&name.to_string(), names));
    }
    found.into_iter().collect()
}

fn effect(given: &KeyedValue<LitStr>, details: &[Ident], errors: &Errors) -> Option<Effect> {
    if let Some(field) = details.iter().find(|field| *field == "effect") {
        errors.at(
            field,
            "the option `effect` fills `details.effect` already; rename this field, or remove \
             one of the two",
        );
    }
    match given.value.value().as_str() {
        "none" => Some(Effect::None),
        "unknown" => Some(Effect::Unknown),
        _ => {
            errors.at(
                &given.value,
                "`effect` declares what a failed write left behind: write \"none\" if \
                 it certainly changed nothing, \"unknown\" if it may have changed something",
            );
            None
        }
    }
}
