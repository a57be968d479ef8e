//! Iterates over a type's fields, and reads relevant serde options.

use syn::punctuated::Punctuated;
use syn::{Attribute, Data, Expr, ExprLit, Field, Fields, Ident, Lit, LitStr, Meta, Token};

/// Lists every field with its variant.
pub(crate) fn all_mut(data: &mut Data) -> Vec<(Option<Ident>, &mut Field)> {
    match data {
        Data::Struct(data) => data.fields.iter_mut().map(|field| (None, field)).collect(),
        Data::Enum(data) => data
            .variants
            .iter_mut()
            .flat_map(|variant| {
                let name = variant.ident.clone();
                variant.fields.iter_mut().map(move |field| (Some(name.clone()), field))
            })
            .collect(),
        Data::Union(data) => data.fields.named.iter_mut().map(|field| (None, field)).collect(),
    }
}

/// Returns whether the type can have unknown fields.
pub(crate) fn has_named(data: &Data) -> bool {
    match data {
        Data::Struct(data) => matches!(data.fields, Fields::Named(_)),
        Data::Enum(_) => true,
        Data::Union(_) => false,
    }
}

/// Lists the names in `#[serde(alias = "…")]`.
pub(crate) fn aliases(attributes: &[Attribute]) -> Vec<LitStr> {
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    let lists = attributes.iter().filter(|it| it.path().is_ident("serde"));
    let metas = lists.filter_map(|it| it.parse_args_with(parser).ok()).flatten();
    let values = metas.filter_map(|meta| match meta {
        Meta::NameValue(pair) if pair.path.is_ident("alias") => Some(pair.value),
        Meta::NameValue(_) | Meta::List(_) | Meta::Path(_) => None,
    });
    let texts = values.filter_map(|value| match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        _ => None,
    });
    texts.collect()
}

/// Returns whether a `#[serde(…)]` or `#[schemars(…)]` attribute contains one of these words.
pub(crate) fn has_attribute_word(attributes: &[Attribute], words: &[&str]) -> bool {
    let lists = attributes
        .iter()
        .filter(|it| it.path().is_ident("serde") || it.path().is_ident("schemars"));
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    lists
        .filter_map(|it| it.parse_args_with(parser).ok())
        .flatten()
        .any(|meta| words.iter().any(|word| meta.path().is_ident(word)))
}
