//! The struct that a call's arguments are read into, and the functions of their defaults.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, ExprLit, Lit};

use super::super::model::{Argument, ArgumentType, Style, Tool};
use crate::syntax::arg::Default_;

/// Writes the struct and its defaults.
pub(super) fn emit(tool: &Tool) -> TokenStream {
    let lifetime = lifetime(tool, "'__de");
    let serde = tool.root.private_text("serde");
    let closed = (!tool.open).then(|| quote!(, deny_unknown_fields));
    let fields = tool.arguments().map(|argument| field(tool, argument));
    let defaults = tool.arguments().filter_map(|argument| default(tool, argument));
    quote! {
        #[derive(__p::serde::Deserialize)]
        #[serde(crate = #serde #closed)]
        struct __ToolArgs #lifetime {
            #(#fields)*
        }
        #(#defaults)*
    }
}

/// Writes `<'lifetime>` if the arguments need one.
pub(super) fn lifetime(tool: &Tool, name: &str) -> TokenStream {
    let lifetime = syn::Lifetime::new(name, proc_macro2::Span::call_site());
    if tool.borrows() { quote!(<#lifetime>) } else { TokenStream::new() }
}

/// Writes the type that an argument is held in.
fn held(tool: &Tool, argument: &Argument, lifetime: &str) -> TokenStream {
    match &argument.ty {
        ArgumentType::Owned(ty) => quote!(#ty),
        ArgumentType::Text if tool.style == Style::Blocking => quote!(__p::String),
        ArgumentType::Text => {
            let lifetime = syn::Lifetime::new(lifetime, proc_macro2::Span::call_site());
            quote!(__p::Cow<#lifetime, str>)
        }
    }
}

fn field(tool: &Tool, argument: &Argument) -> TokenStream {
    let name = &argument.name;
    let ty = held(tool, argument, "'__de");
    let borrow = matches!(argument.ty, ArgumentType::Text) && tool.style != Style::Blocking;
    let borrow = borrow.then(|| quote!(#[serde(borrow)]));
    let rename = argument.arg.rename.as_ref().map(|rename| quote!(#[serde(rename = #rename)]));
    let default = match &argument.arg.default {
        Some(Default_::OfType) => quote!(#[serde(default)]),
        Some(Default_::Value(_)) => {
            let function = argument.default_name().to_string();
            quote!(#[serde(default = #function)])
        }
        None => TokenStream::new(),
    };
    quote!(#borrow #rename #default #name: #ty,)
}

fn default(tool: &Tool, argument: &Argument) -> Option<TokenStream> {
    let Some(Default_::Value(value)) = &argument.arg.default else { return None };
    let function = argument.default_name();
    let ty = held(tool, argument, "'static");
    let value = converted(value);
    Some(quote! {
        #[allow(clippy::unnecessary_wraps)]
        fn #function() -> #ty {
            #value
        }
    })
}

/// Writes a default; text becomes whatever holds it.
fn converted(value: &Expr) -> TokenStream {
    if matches!(value, Expr::Lit(ExprLit { lit: Lit::Str(_), .. })) {
        return quote!(::core::convert::From::from(#value));
    }
    quote!(#value)
}
