//! The handle: the type that names the tool.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::model::{Output, Tool};

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
        Output::Named(ty) => quote! {
            impl __p::TypedTool for #handle {
                type Output = <#ty as __p::Select<{ __p::Probe::<#ty>::IS_RESULT }>>::Value;
            }
        },
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
