//! Rejects 128-bit integers where serde buffers its input: it cannot read them from its buffers.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::DeriveInput;
use syn::spanned::Spanned;

use super::model::{AiField, AiType, Directions};

const MESSAGE: &str = "serde buffers the fields of tagged, untagged and flattened types, and reads no \
     128-bit integer from its buffer; use a 64-bit integer, or a `String` of digits";

/// Generates the assertions for buffered fields, and what other types must know of this one's fields.
pub(super) fn emit(ty: &AiType, item: &DeriveInput) -> Option<TokenStream> {
    let fields: Vec<&AiField> = ty.fields.iter().filter(|field| field.may_be_wide).collect();
    let is_read = ty.directions != Directions::Serialize && item.generics.params.is_empty();
    if fields.is_empty() || !is_read {
        return None;
    }
    let (private, name) = (ty.root.private(), &item.ident);
    let assertions = fields.iter().filter(|field| field.is_buffered).map(|field| {
        let of = &field.ty;
        quote_spanned! {of.span()=>
            const _: () = ::core::assert!(
                !(__p::WideProbe::<#of>::IN_TYPE || __p::WideProbe::<#of>::IN_FIELDS),
                #MESSAGE
            );
        }
    });
    let types = fields.iter().map(|field| &field.ty);
    Some(quote! {
        const _: () = {
            use #private as __p;
            use __p::{NoWideFields as _, NoWideInteger as _};
            impl __p::WideFields for #name {
                const FOUND: bool = #(__p::WideProbe::<#types>::IN_TYPE)||*;
            }
            #(#assertions)*
        };
    })
}
