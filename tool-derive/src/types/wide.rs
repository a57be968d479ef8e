//! Rejects 128-bit integers where serde buffers its input: it cannot read them from its buffers.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Fields, GenericArgument, Path, PathArguments, PathSegment, Type,
};

use super::model::{AiField, AiType, Directions};

const MESSAGE: &str = "serde buffers the fields of tagged, untagged and flattened types, and reads no \
     128-bit integer from its buffer; use a 64-bit integer, or a `String` of digits";

/// A type that is checked, which exists under some conditions.
struct CheckedType<'a> {
    field: &'a AiField,
    conditions: Vec<&'a Attribute>,
    ty: &'a Type,
}

/// Generates the assertions for buffered fields, and what other types must know of this one's fields.
pub(super) fn emit(ty: &AiType, item: &DeriveInput) -> Option<TokenStream> {
    let types = checked_types(ty, &item.data);
    let is_read = ty.directions != Directions::Serialize && item.generics.params.is_empty();
    if types.is_empty() || !is_read {
        return None;
    }
    let (private, name) = (ty.root.private(), &item.ident);
    let assertions = types.iter().filter(|it| it.field.is_buffered).map(assertion);
    let steps = types.iter().map(|CheckedType { conditions, ty, .. }| {
        quote!(#(#conditions)* let __found = __found || __p::WideProbe::<#ty>::IN_TYPE;)
    });
    Some(quote! {
        const _: () = {
            use #private as __p;
            use __p::{NoWideFields as _, NoWideInteger as _};
            impl __p::WideFields for #name {
                const FOUND: bool = {
                    let __found = false;
                    #(#steps)*
                    __found
                };
            }
            #(#assertions)*
        };
    })
}

fn assertion(CheckedType { conditions, ty, .. }: &CheckedType<'_>) -> TokenStream {
    quote_spanned! {ty.span()=>
        #(#conditions)*
        const _: () = ::core::assert!(
            !(__p::WideProbe::<#ty>::IN_TYPE || __p::WideProbe::<#ty>::IN_FIELDS),
            #MESSAGE
        );
    }
}

/// Lists the types of the fields, and those of the elements of tuples in them: a trait cannot tell which
/// element of a tuple is wide.
fn checked_types<'a>(ty: &'a AiType, data: &'a Data) -> Vec<CheckedType<'a>> {
    let mut types = Vec::new();
    for (field, attributes) in ty.fields.iter().zip(attributes(data)) {
        // A condition in `cfg_attr` may change how the field is read.
        if !field.may_be_wide || attributes.iter().any(|it| it.path().is_ident("cfg_attr")) {
            continue;
        }
        let conditions: Vec<_> =
            attributes.into_iter().filter(|it| it.path().is_ident("cfg")).collect();
        let mut parts = vec![&field.ty];
        push_elements(&field.ty, &mut parts);
        let checked = |ty| CheckedType { field, conditions: conditions.clone(), ty };
        types.extend(parts.into_iter().map(checked));
    }
    types
}

/// Lists the attributes of each field, with those of its variant, in the order of the item.
fn attributes(data: &Data) -> Vec<Vec<&Attribute>> {
    match data {
        Data::Struct(data) => field_attributes(&[], &data.fields).collect(),
        Data::Enum(data) => {
            data.variants.iter().flat_map(|it| field_attributes(&it.attrs, &it.fields)).collect()
        }
        Data::Union(_) => Vec::new(),
    }
}

fn field_attributes<'a>(
    of_variant: &'a [Attribute],
    fields: &'a Fields,
) -> impl Iterator<Item = Vec<&'a Attribute>> {
    fields.iter().map(move |field| of_variant.iter().chain(&field.attrs).collect())
}

/// Adds the elements of the tuples in a type, at any depth.
fn push_elements<'a>(ty: &'a Type, elements: &mut Vec<&'a Type>) {
    match ty {
        Type::Tuple(tuple) => {
            for element in &tuple.elems {
                elements.push(element);
                push_elements(element, elements);
            }
        }
        Type::Array(array) => push_elements(&array.elem, elements),
        Type::Slice(slice) => push_elements(&slice.elem, elements),
        Type::Paren(inner) => push_elements(&inner.elem, elements),
        Type::Group(inner) => push_elements(&inner.elem, elements),
        Type::Path(named) => {
            type_arguments(&named.path).for_each(|it| push_elements(it, elements));
        }
        // No other type holds a value that serde reads.
        _ => {}
    }
}

fn type_arguments(path: &Path) -> impl Iterator<Item = &Type> {
    let arguments =
        path.segments.iter().filter_map(|PathSegment { arguments, .. }| match arguments {
            PathArguments::AngleBracketed(list) => Some(&list.args),
            PathArguments::None | PathArguments::Parenthesized(_) => None,
        });
    arguments.flatten().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}
