//! Generates a checked type: the item with its derives and attributes. This step cannot fail.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, DeriveInput, Expr, ExprLit, Lit, Type, parse_quote};

use super::fields::{self, all_mut, has_attribute_word, has_named};
use super::model::{AiField, AiType, DeserializeImpl, Directions};
use super::{debug, deserialize, wide};
use crate::syntax::arg::{Arg, ArgDefault};
use crate::syntax::bounds::Bounds;
use crate::syntax::docs::title_and_description;
use crate::syntax::types::{is_named, optional};

/// Generates the item.
pub(crate) fn emit(ty: &AiType, mut item: DeriveInput) -> TokenStream {
    let container_attributes = container(ty, &item, ty.deserialize_impl);
    let this = this(&item);
    let debug = debug::masked(ty, &mut item);
    for ((_, field), checked) in all_mut(&mut item.data).into_iter().zip(&ty.fields) {
        let texts = texts(&field.attrs);
        let aliases = aliases(&field.attrs);
        let field_attributes =
            attributes(ty, checked, &this).into_iter().chain(texts).chain(aliases);
        field.attrs.extend(field_attributes.collect::<Vec<_>>());
    }
    item.attrs = container_attributes.into_iter().chain(item.attrs).collect();
    let defaults = defaults(ty, &item);
    let deserialize = deserialize::emit(ty, &item);
    let wide = wide::emit(ty, &item);
    quote!(#item #defaults #debug #deserialize #wide)
}

/// Generates the item with its derives only, for a type with errors.
pub(crate) fn bare(ty: &AiType, mut item: DeriveInput) -> TokenStream {
    item.attrs =
        container(ty, &item, DeserializeImpl::Serde).into_iter().chain(item.attrs).collect();
    quote!(#item)
}

/// Generates the derives and their options, before the user's attributes, which depend on them.
fn container(ty: &AiType, item: &DeriveInput, used: DeserializeImpl) -> Vec<Attribute> {
    let private = ty.root.private();
    let (serde, schemars) = (ty.root.private_text("serde"), ty.root.private_text("schemars"));
    let derives = [
        (ty.directions != Directions::Deserialize, "Serialize", quote!(serde::Serialize)),
        (
            ty.directions != Directions::Serialize && used == DeserializeImpl::Serde,
            "Deserialize",
            quote!(serde::Deserialize),
        ),
        (true, "JsonSchema", quote!(schemars::JsonSchema)),
    ];
    let wanted = derives
        .into_iter()
        .filter(|(wanted, name, _)| *wanted && ty.derived.iter().all(|derived| derived != name))
        .map(|(_, _, path)| quote!(#private::#path));
    let mut attributes: Vec<Attribute> = vec![parse_quote!(#[derive(#(#wanted),*)])];
    attributes.push(parse_quote!(#[serde(crate = #serde)]));
    attributes.push(parse_quote!(#[schemars(crate = #schemars)]));
    attributes.push(parse_quote!(#[schemars(transform = #private::title::<Self>)]));
    attributes.extend(texts(&item.attrs));
    if ty.allow_unknown_fields {
        attributes.push(parse_quote!(#[schemars(transform = #private::open)]));
    }
    if ty.deny_unknown_fields && has_named(&item.data) {
        attributes.push(parse_quote!(#[serde(deny_unknown_fields)]));
    }
    attributes
}

/// Converts a doc comment to a title and a description. Otherwise schemars generates two constants
/// that split the comment, and the compiler evaluates them for each field of each type.
fn texts(attributes: &[Attribute]) -> Option<Attribute> {
    if has_attribute_word(attributes, &["title", "description"]) {
        return None;
    }
    let (title, description) = title_and_description(attributes)?;
    Some(parse_quote!(#[schemars(title = #title, description = #description)]))
}

/// Writes the aliases of a field into its schema, whose derive does not know them.
fn aliases(attributes: &[Attribute]) -> Option<Attribute> {
    let aliases = fields::aliases(attributes);
    (!aliases.is_empty()).then(|| parse_quote!(#[schemars(extend("x-aliases" = [#(#aliases),*]))]))
}

/// Generates the type's path with its parameters, for the text of an attribute.
fn this(item: &DeriveInput) -> String {
    let name = &item.ident;
    let (_, types, _) = item.generics.split_for_impl();
    let turbofish = types.as_turbofish();
    quote!(#name #turbofish).to_string()
}

/// Converts a field's `#[arg(…)]` and type to attributes of serde and schemars.
fn attributes(ty: &AiType, field: &AiField, this: &str) -> Vec<Attribute> {
    let mut field_attributes = serde(field, this);
    field_attributes.extend(schemars(&field.arg, &field.ty));
    if field.titled {
        let (private, of) = (ty.root.private(), &field.ty);
        field_attributes.push(parse_quote!(#[schemars(transform = #private::title::<#of>)]));
    }
    field_attributes
}

fn serde(field: &AiField, this: &str) -> Vec<Attribute> {
    let mut serde_attributes = Vec::new();
    if let Some(rename) = &field.arg.rename {
        serde_attributes.push(parse_quote!(#[serde(rename = #rename)]));
    }
    match (&field.arg.default, &field.default) {
        (Some(ArgDefault::OfType), _) => serde_attributes.push(parse_quote!(#[serde(default)])),
        (Some(ArgDefault::Value(_)), Some(function)) => {
            let path = format!("{this}::{function}");
            serde_attributes.push(parse_quote!(#[serde(default = #path)]));
        }
        (Some(ArgDefault::Value(_)), None) | (None, _) => {}
    }
    serde_attributes
}

fn schemars(arg: &Arg, ty: &Type) -> Vec<Attribute> {
    let mut schema_attributes: Vec<Attribute> = Vec::new();
    let mut extend = |key: &str, value: TokenStream| {
        schema_attributes.push(parse_quote!(#[schemars(extend(#key = #value))]));
    };
    if let Some(bounds) = &arg.range {
        ends(bounds, "minimum", "maximum", "exclusiveMaximum", &mut extend);
    }
    if let Some(bounds) = &arg.length {
        for (least, most) in length_words(ty) {
            lengths(bounds, least, most, &mut extend);
        }
    }
    if let Some(pattern) = &arg.pattern {
        extend("pattern", pattern.to_token_stream());
    }
    if let Some(sensitivity) = arg.sensitivity {
        extend("x-sensitivity", sensitivity.as_str().to_token_stream());
    }
    if let Some(example) = &arg.example {
        schema_attributes.push(parse_quote!(#[schemars(example = &(#example))]));
    }
    schema_attributes
}

fn ends(
    bounds: &Bounds,
    least: &str,
    most: &str,
    below: &str,
    extend: &mut impl FnMut(&str, TokenStream),
) {
    if let Some(start) = bounds.start() {
        extend(least, start.to_token_stream());
    }
    if let Some(end) = bounds.end() {
        extend(if bounds.is_closed() { most } else { below }, end.to_token_stream());
    }
}

fn lengths(bounds: &Bounds, least: &str, most: &str, extend: &mut impl FnMut(&str, TokenStream)) {
    if let Some(start) = bounds.start() {
        extend(least, start.to_token_stream());
    }
    if let Some(end) = bounds.end() {
        let end = if bounds.is_closed() { quote!(#end) } else { quote!((#end) - 1) };
        extend(most, end);
    }
}

/// The length keywords of a type; all of them if it is unknown, since each applies only to its own
/// type of value.
fn length_words(ty: &Type) -> Vec<(&'static str, &'static str)> {
    const TEXT: (&str, &str) = ("minLength", "maxLength");
    const LIST: (&str, &str) = ("minItems", "maxItems");
    const MAP: (&str, &str) = ("minProperties", "maxProperties");
    let ty = optional(ty).unwrap_or(ty);
    if is_named(ty, &["String", "Cow", "PathBuf"]) {
        vec![TEXT]
    } else if is_named(ty, &["Vec", "VecDeque", "HashSet", "BTreeSet"]) {
        vec![LIST]
    } else if is_named(ty, &["HashMap", "BTreeMap"]) {
        vec![MAP]
    } else {
        vec![TEXT, LIST, MAP]
    }
}

/// Generates the functions for defaults.
fn defaults(ty: &AiType, item: &DeriveInput) -> Option<TokenStream> {
    let functions: Vec<TokenStream> = ty.fields.iter().filter_map(default).collect();
    if functions.is_empty() {
        return None;
    }
    let name = &item.ident;
    let (impls, types, wheres) = item.generics.split_for_impl();
    Some(quote! {
        impl #impls #name #types #wheres {
            #(#functions)*
        }
    })
}

fn default(field: &AiField) -> Option<TokenStream> {
    let (Some(ArgDefault::Value(value)), Some(function)) = (&field.arg.default, &field.default)
    else {
        return None;
    };
    let ty = &field.ty;
    let text = matches!(**value, Expr::Lit(ExprLit { lit: Lit::Str(_), .. }));
    let value = if text { quote!(::core::convert::From::from(#value)) } else { quote!(#value) };
    Some(quote! {
        #[doc(hidden)]
        #[allow(clippy::unnecessary_wraps)]
        fn #function() -> #ty {
            #value
        }
    })
}
