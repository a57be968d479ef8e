//! Generates `Deserialize` for a plain struct through a tuple, instead of a derive.
//!
//! A derive writes about 150 lines for three fields, which the compiler checks for each type. For a
//! tool with an answer of its own type, that was a third of the time of `cargo check`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{Attribute, DeriveInput, Ident, Index};

use super::model::{AiField, AiType, DeserializeImpl};
use super::raw::RawType;
use crate::syntax::deprecation;
use crate::syntax::types::borrowed_inside;

/// The most fields that the runtime reads into a tuple.
const MAX_FIELDS: usize = 16;

/// Returns whether the type can do without a derive: a struct of named fields, without parameters,
/// and without attributes that serde reads.
pub(super) fn is_plain(raw: &RawType) -> bool {
    let is_plain = |attributes: &[Attribute]| attributes.iter().all(is_unread);
    let fields = raw.fields.len();
    raw.is_named_struct
        && (1..=MAX_FIELDS).contains(&fields)
        && is_plain(&raw.attributes)
        && raw
            .fields
            .iter()
            .all(|field| is_plain(&field.attributes) && borrowed_inside(&field.ty).is_none())
}

/// Returns whether serde does not read this attribute, even if it is conditional.
fn is_unread(attribute: &Attribute) -> bool {
    ["serde", "cfg", "cfg_attr"].iter().all(|name| !attribute.path().is_ident(name))
}

/// Generates the implementation; `None` if the type has a derive.
pub(super) fn emit(ty: &AiType, item: &DeriveInput) -> Option<TokenStream> {
    if ty.deserialize_impl == DeserializeImpl::Serde {
        return None;
    }
    let (private, name) = (ty.root.private(), &item.ident);
    let text = name.unraw().to_string();
    let open = !ty.deny_unknown_fields;
    let idents: Vec<&Ident> = ty.fields.iter().filter_map(|field| field.name.as_ref()).collect();
    let names = ty.fields.iter().map(AiField::wire_name);
    let types = ty.fields.iter().map(|field| &field.ty);
    let defaults = ty.fields.iter().map(default);
    let places = (0..idents.len()).map(Index::from);
    let allowance = deprecation::allowance(deprecation::is_named_in(item));
    Some(quote! {
        const _: () = {
            use #private as __p;
            #[automatically_derived]
            #allowance
            impl<'de> __p::serde::Deserialize<'de> for #name {
                fn deserialize<__D: __p::serde::Deserializer<'de>>(
                    __deserializer: __D,
                ) -> ::core::result::Result<Self, __D::Error> {
                    let __fields = __p::read_struct::<(#(#types,)*), _>(
                        __deserializer,
                        __p::StructFields { name: #text, fields: &[#(#names),*], open: #open },
                        (#(#defaults,)*),
                    )?;
                    ::core::result::Result::Ok(Self { #(#idents: __fields.#places,)* })
                }
            }
        };
    })
}

fn default(field: &AiField) -> TokenStream {
    let function = &field.default;
    field.arg.default_function(quote!(Self::#function))
}
