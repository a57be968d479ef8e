//! Checks a raw type. In order:
//!
//! - `kind`: a struct or an enum
//! - `directions`: at most one direction is excluded
//! - `deserialize::is_plain`: `Deserialize` needs no derive of serde
//! - `derives`: the user does not derive the same traits, and `#[serde_as]` stands below
//! - `deny_unknown_fields`: unknown fields are denied if serde supports it
//! - `variants`: no variant has names that only `Deserialize` knows
//! - `fields`: `#[arg(…)]` is consistent, and does not repeat serde attributes

use quote::format_ident;
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{Attribute, Path, Token, Type};

use super::deserialize;
use super::fields::has_attribute_word;
use super::model::{AiField, AiType, DeserializeImpl, Directions};
use super::raw::{RawField, RawOptions, RawType};
use crate::errors::Errors;
use crate::syntax::arg::{Arg, ArgDefault};
use crate::syntax::root::Root;
use crate::syntax::types;

const DERIVED: [&str; 3] = ["Serialize", "Deserialize", "JsonSchema"];

/// The derive that `#[serde_as]` leaves on a type that it has expanded.
const CONSUMED_BY_SERDE_AS: &str = "__private_consume_serde_as_attributes";

const SCALARS: [&str; 17] = [
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32",
    "f64", "bool", "char", "String",
];

/// Checks the type and its fields.
pub(crate) fn check(raw: RawType, errors: &Errors) -> Option<AiType> {
    if let Some(token) = raw.union {
        errors.at(token, "a union has no JSON form: make it an enum");
        return None;
    }
    let directions = directions(&raw.options, errors);
    if directions != Directions::Serialize {
        raw.variants.iter().for_each(|attributes| variant(attributes, errors));
    }
    let is_plain = directions != Directions::Serialize && deserialize::is_plain(&raw);
    let derived = derives(&raw.attributes, errors);
    let allow_unknown_fields = raw.options.open.as_ref().is_some_and(|given| given.value);
    let flattened =
        raw.fields.iter().any(|field| has_attribute_word(&field.attributes, &["flatten"]));
    let excluded = ["deny_unknown_fields", "transparent", "from", "try_from", "remote"];
    let deny_unknown_fields =
        !allow_unknown_fields && !flattened && !has_attribute_word(&raw.attributes, &excluded);
    let is_buffered = has_attribute_word(&raw.attributes, &["tag", "untagged"]);
    let fields = raw.fields.into_iter().map(|raw| field(raw, is_buffered, errors)).collect();
    Some(AiType {
        root: Root::given(raw.options.crate_, errors),
        directions,
        derived,
        deny_unknown_fields,
        allow_unknown_fields,
        deserialize_impl: if is_plain { DeserializeImpl::Tuple } else { DeserializeImpl::Serde },
        own_debug: raw.options.own_debug.is_some_and(|given| given.value),
        fields,
    })
}

fn derives(attributes: &[Attribute], errors: &Errors) -> Vec<String> {
    let mut derive_names = Vec::new();
    let parser = Punctuated::<Path, Token![,]>::parse_terminated;
    let lists = attributes.iter().filter(|it| it.path().is_ident("derive"));
    let paths = lists.filter_map(|it| it.parse_args_with(parser).ok()).flatten();
    for path in paths {
        let last = path.segments.last().map(|segment| segment.ident.to_string());
        let last = last.unwrap_or_default();
        if last == CONSUMED_BY_SERDE_AS {
            errors.at(
                &path,
                "`#[serde_as]` stands above `#[ai_type]` and cannot see its derives; write \
                 `#[serde_as]` below `#[ai_type]`",
            );
        }
        if DERIVED.contains(&last.as_str()) {
            errors.at(&path, format!("`#[ai_type]` derives `{last}` already; remove it here"));
            derive_names.push(last);
        }
    }
    derive_names
}

fn directions(options: &RawOptions, errors: &Errors) -> Directions {
    let serialize = options.serialize_only.as_ref().filter(|given| given.value);
    let deserialize = options.deserialize_only.as_ref().filter(|given| given.value);
    match (serialize, deserialize) {
        (Some(_), Some(second)) => {
            errors.at(
                &second.key,
                "`serialize_only` and `deserialize_only` exclude each other; remove one of them",
            );
            Directions::Both
        }
        (Some(_), None) => Directions::Serialize,
        (None, Some(_)) => Directions::Deserialize,
        (None, None) => Directions::Both,
    }
}

/// Refuses names of a variant that the schema does not list, so that no call could use them.
fn variant(attributes: &[Attribute], errors: &Errors) {
    let rules = [
        (
            "alias",
            "a variant's alias is not in the schema, so a call that uses it is refused: \
             remove it, or add a variant with that name",
        ),
        (
            "other",
            "the schema lists the variants, so a call with any other name is refused before \
             `#[serde(other)]` could read it: remove it",
        ),
    ];
    for attribute in attributes.iter().filter(|it| it.path().is_ident("serde")) {
        for (word, message) in rules {
            if has_attribute_word(std::slice::from_ref(attribute), &[word]) {
                errors.at(attribute, message);
            }
        }
    }
}

fn field(raw: RawField, is_buffered: bool, errors: &Errors) -> AiField {
    let RawField { variant, name, ty, attributes, arg } = raw;
    let arg = match arg {
        Some(arg) => {
            let place = arg.attribute.clone();
            let arg = arg.check(&ty, errors);
            check_repeated(&arg, &attributes, &place, errors);
            if arg.spends.is_some() {
                errors.at(
                    &place,
                    "`spends` is for a parameter of a tool; a type that has an amount and a \
                    currency is `budgets::Money`",
                );
            }
            arg
        }
        None => Arg::default(),
    };
    let hidden = ["flatten", "skip", "with", "schema_with", "skip_deserializing"];
    let titled = !is_scalar(&ty) && !has_attribute_word(&attributes, &hidden);
    let default = matches!(arg.default, Some(ArgDefault::Value(_))).then(|| {
        let name = name.as_ref().map_or_else(|| "0".to_owned(), |name| name.unraw().to_string());
        match variant {
            Some(variant) => {
                let variant = snake_case(&variant.unraw().to_string());
                format_ident!("__default_{variant}_{name}")
            }
            None => format_ident!("__default_{name}"),
        }
    });
    let is_buffered = is_buffered || has_attribute_word(&attributes, &["flatten"]);
    let read_by = ["skip", "with", "skip_deserializing", "deserialize_with", "serde_as"];
    let may_be_wide = !is_narrow(&ty) && !has_attribute_word(&attributes, &read_by);
    AiField { name, arg, ty, titled, is_buffered, may_be_wide, default }
}

fn check_repeated(arg: &Arg, attributes: &[Attribute], place: &Attribute, errors: &Errors) {
    for (word, given) in [("default", arg.default.is_some()), ("rename", arg.rename.is_some())] {
        if given && has_attribute_word(attributes, &[word]) {
            errors.at(place, format!("`#[serde({word})]` is set already; keep one of them"));
        }
    }
}

/// Writes a variant's name in snake case, as part of a function's name.
fn snake_case(variant: &str) -> String {
    let mut name = String::with_capacity(variant.len() + 2);
    for letter in variant.chars() {
        if letter.is_uppercase() {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

/// Returns whether the type is visibly a scalar of at most 64 bits.
fn is_narrow(ty: &Type) -> bool {
    is_scalar(ty) && !types::is_named(types::optional(ty).unwrap_or(ty), &["i128", "u128"])
}

/// Returns whether the type is visibly a scalar, whose name would not inform a reader.
fn is_scalar(ty: &Type) -> bool {
    types::is_named(ty, &SCALARS) || types::optional(ty).is_some_and(is_scalar)
}
