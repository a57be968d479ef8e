//! The handle: the type that names the tool.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

use super::super::model::{Output, Tool};
use crate::syntax::types::is_named;

/// Writes the handle's declaration, if the tool has one.
pub(super) fn declaration(tool: &Tool) -> TokenStream {
    let Some(handle) = &tool.handle else { return TokenStream::new() };
    let (vis, conditions) = (&tool.vis, &tool.conditions);
    let text = format!("Names the tool `{}`; it has no values.", tool.facts.name);
    quote! {
        #(#conditions)*
        #[doc = #text]
        #[doc(hidden)]
        #[allow(dead_code)]
        #[derive(
            ::core::clone::Clone,
            ::core::marker::Copy,
            ::core::fmt::Debug,
        )]
        #vis enum #handle {}
    }
}

/// Writes what the handle can do.
pub(super) fn implementation(tool: &Tool) -> TokenStream {
    let Some(handle) = &tool.handle else { return TokenStream::new() };
    let typed = match &tool.output {
        Output::Named(ty) => {
            let value = value(ty);
            quote! {
                impl __p::TypedTool for #handle {
                    type Output = #value;
                }
            }
        }
        Output::Opaque => TokenStream::new(),
    };
    quote! {
        impl __p::Tool for #handle {
            fn definition() -> &'static __p::Definition {
                &__TOOL
            }
        }
        #typed
    }
}

fn value(ty: &Type) -> TokenStream {
    if is_named(ty, &["Result"]) { quote!(__p::ValueOf<#ty>) } else { quote!(#ty) }
}
