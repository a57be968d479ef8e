//! Prints a public item as a declaration: no documentation, no bodies, no private fields.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{
    Attribute, Block, Fields, ImplItem, Item, ItemImpl, ItemStruct, TraitItem, Visibility,
    parse_quote,
};

use crate::source::is_hidden;

/// Prints an item, then its methods in the order of their names, then its traits.
pub(super) fn item<'a>(
    items: impl Iterator<Item = &'a Item>,
    impls: impl Iterator<Item = &'a Item>,
) -> String {
    let mut all: Vec<Item> = items.map(|item| declared(item.clone())).collect();
    let mut methods: BTreeMap<String, ItemImpl> = BTreeMap::new();
    let mut others = BTreeMap::new();
    for found in impls {
        let mut found = match found.clone() {
            Item::Impl(found) => found,
            call => {
                let call = declared(call);
                others.insert(call.to_token_stream().to_string(), call);
                continue;
            }
        };
        found.attrs.retain(is_shown);
        if found.trait_.is_some() {
            found.items.retain(|item| matches!(item, ImplItem::Type(_)));
            others.insert(found.to_token_stream().to_string(), Item::Impl(found));
            continue;
        }
        let items = std::mem::take(&mut found.items).into_iter().filter_map(method);
        let items: Vec<_> = items.collect();
        let header = found.to_token_stream().to_string();
        methods.entry(header).or_insert(found).items.extend(items);
    }
    methods.retain(|_, methods| !methods.items.is_empty());
    for methods in methods.values_mut() {
        methods.items.sort_by_key(|item| match item {
            ImplItem::Fn(item) => (1, item.sig.ident.to_string()),
            other => (0, other.to_token_stream().to_string()),
        });
    }
    all.extend(methods.into_values().map(Item::Impl).chain(others.into_values()));
    let file = syn::File { shebang: None, frontmatter: None, attrs: Vec::new(), items: all };
    prettyplease::unparse(&file).replace("    __private: (),\n", "    ..\n")
}

fn declared(mut item: Item) -> Item {
    match &mut item {
        Item::Const(item) => item.attrs.retain(is_shown),
        Item::Enum(item) => {
            item.attrs.retain(is_shown);
            for variant in &mut item.variants {
                variant.attrs.retain(is_shown);
                variant.fields.iter_mut().for_each(|field| field.attrs.retain(is_shown));
            }
        }
        Item::Fn(item) => {
            item.attrs.retain(is_shown);
            *item.block = empty();
            declared_inputs(&mut item.sig);
        }
        Item::Static(item) => item.attrs.retain(is_shown),
        Item::Struct(item) => public_fields(item),
        Item::Trait(item) => {
            item.attrs.retain(is_shown);
            item.items.retain(|item| !is_hidden(trait_attributes(item)));
            item.items.iter_mut().for_each(trait_item);
        }
        Item::Type(item) => item.attrs.retain(is_shown),
        Item::Macro(item) => {
            item.attrs.retain(is_shown);
            item.mac.tokens = declared_tokens(std::mem::take(&mut item.mac.tokens));
        }
        _ => {}
    }
    item
}

fn public_fields(item: &mut ItemStruct) {
    item.attrs.retain(is_shown);
    let is_public = |field: &syn::Field| matches!(field.vis, Visibility::Public(_));
    item.fields.iter_mut().for_each(|field| field.attrs.retain(is_shown));
    match &mut item.fields {
        Fields::Named(fields) => {
            let all = fields.named.len();
            let mut shown: Vec<_> =
                std::mem::take(&mut fields.named).into_iter().filter(is_public).collect();
            if shown.len() < all {
                shown.push(parse_quote!(__private: ()));
            }
            fields.named = shown.into_iter().collect();
        }
        Fields::Unnamed(fields) => {
            for field in fields.unnamed.iter_mut().filter(|field| !is_public(field)) {
                field.vis = Visibility::Inherited;
                field.ty = parse_quote!(_);
            }
        }
        Fields::Unit => {}
    }
}

fn trait_attributes(item: &TraitItem) -> &[Attribute] {
    match item {
        TraitItem::Const(item) => &item.attrs,
        TraitItem::Fn(item) => &item.attrs,
        TraitItem::Type(item) => &item.attrs,
        _ => &[],
    }
}

fn trait_item(item: &mut TraitItem) {
    match item {
        TraitItem::Const(item) => item.attrs.retain(is_shown),
        TraitItem::Fn(item) => {
            item.attrs.retain(is_shown);
            item.default = item.default.take().map(|_| empty());
        }
        TraitItem::Type(item) => item.attrs.retain(is_shown),
        _ => {}
    }
}

fn method(item: ImplItem) -> Option<ImplItem> {
    match item {
        ImplItem::Const(mut item) => {
            let shown = matches!(item.vis, Visibility::Public(_)) && !is_hidden(&item.attrs);
            item.attrs.retain(is_shown);
            shown.then_some(ImplItem::Const(item))
        }
        ImplItem::Fn(mut item) => {
            let shown = matches!(item.vis, Visibility::Public(_)) && !is_hidden(&item.attrs);
            item.attrs.retain(is_shown);
            item.block = empty();
            declared_inputs(&mut item.sig);
            shown.then_some(ImplItem::Fn(item))
        }
        ImplItem::Macro(mut item) => {
            item.mac.tokens = declared_tokens(item.mac.tokens);
            Some(ImplItem::Macro(item))
        }
        _ => None,
    }
}

/// Removes `mut` from the parameters, which concerns the body alone.
fn declared_inputs(signature: &mut syn::Signature) {
    for input in &mut signature.inputs {
        match input {
            syn::FnArg::Receiver(receiver) => receiver.mutability = None,
            syn::FnArg::Typed(typed) => {
                if let syn::Pat::Ident(name) = &mut *typed.pat {
                    name.mutability = None;
                }
            }
        }
    }
}

fn empty() -> Block {
    parse_quote!({})
}

/// Returns true for attributes that a user of the item depends on.
fn is_shown(attribute: &Attribute) -> bool {
    const SHOWN: [&str; 6] =
        ["cfg", "derive", "deprecated", "diagnostic", "must_use", "non_exhaustive"];
    let first = attribute.path().segments.first();
    first.is_some_and(|first| SHOWN.iter().any(|shown| first.ident == shown))
}

/// Removes the documentation and the bodies (`=> { … }`) from a macro call.
fn declared_tokens(tokens: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let TokenTree::Group(group) = token else {
            kept.push(token);
            continue;
        };
        let before = kept.last().map(ToString::to_string).unwrap_or_default();
        let first = group.stream().into_iter().next().map(|first| first.to_string());
        if before == "#" && first.as_deref() == Some("doc") {
            kept.pop();
            continue;
        }
        let is_body = before == ">" && group.delimiter() == Delimiter::Brace;
        let inner = if is_body { TokenStream::new() } else { declared_tokens(group.stream()) };
        kept.push(TokenTree::Group(Group::new(group.delimiter(), inner)));
    }
    kept.into_iter().collect()
}
