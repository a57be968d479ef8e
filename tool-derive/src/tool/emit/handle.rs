//! Generates the tool's handle type.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

use super::super::model::{Output, Tool};

/// Generates the handle's declaration, if the tool has one.
///
/// It has the function's span and documentation, which an editor shows.
pub(super) fn declaration(tool: &Tool) -> TokenStream {
    let Some(handle) = &tool.handle else { return TokenStream::new() };
    let (vis, conditions) = (&tool.vis, &tool.conditions);
    let description = &tool.metadata.description;
    let (function, name) = (tool.function.name.unraw(), &tool.metadata.name);
    let text = format!(
        "Identifies the tool `{name}` ([`{function}`](fn@{function})) at compile time. This type \
         has no values; pass it as a type parameter."
    );
    let item = quote_spanned!(super::span_of(handle)=> #vis enum #handle {});
    quote! {
        #(#conditions)*
        #[doc = #description]
        #[doc = ""]
        #[doc = #text]
        #[doc(hidden)]
        #[derive(::core::clone::Clone, ::core::marker::Copy)]
        #item
    }
}

/// Generates the handle's implementations.
pub(super) fn implementation(tool: &Tool) -> TokenStream {
    let Some(handle) = &tool.handle else { return TokenStream::new() };
    let typed = match &tool.output {
        Output::Named(answer) => {
            let value = super::value(answer);
            quote! {
                impl __p::TypedTool for #handle {
                    type Output = #value;
                }
            }
        }
        Output::Opaque(_) => TokenStream::new(),
    };
    let name = handle.to_string();
    quote! {
        impl ::core::fmt::Debug for #handle {
            fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                __f.write_str(#name)
            }
        }
        impl __p::Tool for #handle {
            fn definition() -> &'static __p::Definition {
                &__TOOL
            }
        }
        #typed
        // A use of the handle: the tool may be found by discovery alone.
        #[used]
        static __HANDLE: ::core::marker::PhantomData<#handle> = ::core::marker::PhantomData;
    }
}
