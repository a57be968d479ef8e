//! Replaces a derived `Debug` if a field's value must not be printed.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DeriveInput, Field, Fields, GenericParam, Generics, Ident, Index, Member,
    Path, Token, parse_quote,
};

use super::model::{AiField, AiType};

/// Removes a derived `Debug` and generates one that prints `***` for sensitive fields; `None` if no
/// field is sensitive. Without a visible derive, the type must not have `Debug` at all.
pub(super) fn masked(ty: &AiType, item: &mut DeriveInput) -> Option<TokenStream> {
    if ty.fields.iter().all(|field| field.arg.sensitivity.is_none()) {
        return None;
    }
    if !take_derive(&mut item.attrs) {
        return assert_without_debug(ty, item);
    }
    let arms = arms(ty, item);
    let name = &item.ident;
    let generics = bounded(item.generics.clone());
    let (impls, types, wheres) = generics.split_for_impl();
    Some(quote! {
        #[automatically_derived]
        impl #impls ::core::fmt::Debug for #name #types #wheres {
            fn fmt(&self, __f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self {
                    #(#arms)*
                }
            }
        }
    })
}

/// Asserts that the type has no `Debug`, unless it is handwritten: a derive above this macro would
/// print every field. Generic types cannot be checked.
fn assert_without_debug(ty: &AiType, item: &DeriveInput) -> Option<TokenStream> {
    let (private, name) = (ty.root.private(), &item.ident);
    let asserts = !ty.own_debug && item.generics.params.is_empty();
    asserts.then(|| {
        quote_spanned! {keyword(&item.data)=>
            const _: () = <#name as #private::DeriveDebugStandsBelowAiType<_>>::HOLDS;
        }
    })
}

/// The span of the type's definition, which an editor does not resolve.
fn keyword(data: &Data) -> Span {
    match data {
        Data::Struct(data) => data.struct_token.span,
        Data::Enum(data) => data.enum_token.span,
        Data::Union(data) => data.union_token.span,
    }
}

/// Removes `Debug` from the derives; returns whether it was present.
fn take_derive(attributes: &mut [Attribute]) -> bool {
    let parser = Punctuated::<Path, Token![,]>::parse_terminated;
    let mut has_debug = false;
    for attribute in attributes.iter_mut().filter(|it| it.path().is_ident("derive")) {
        let Ok(paths) = attribute.parse_args_with(parser) else { continue };
        if paths.iter().any(is_debug) {
            has_debug = true;
            let others: Vec<Path> = paths.into_iter().filter(|path| !is_debug(path)).collect();
            *attribute = parse_quote!(#[derive(#(#others),*)]);
        }
    }
    has_debug
}

/// `Debug`, or its full path.
fn is_debug(path: &Path) -> bool {
    let names: Vec<String> = path.segments.iter().map(|it| it.ident.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    matches!(names.as_slice(), ["Debug"] | ["std" | "core", "fmt", "Debug"])
}

/// Adds the derive's bounds to every type parameter.
fn bounded(mut generics: Generics) -> Generics {
    for parameter in &mut generics.params {
        if let GenericParam::Type(parameter) = parameter {
            parameter.bounds.push(parse_quote!(::core::fmt::Debug));
        }
    }
    generics
}

fn arms(ty: &AiType, item: &DeriveInput) -> Vec<TokenStream> {
    let mut checked = ty.fields.iter();
    match &item.data {
        Data::Enum(data) => data
            .variants
            .iter()
            .map(|variant| {
                let (cfgs, name) = (cfgs(&variant.attrs), &variant.ident);
                let arm = arm(&quote!(Self::#name), name, &variant.fields, &mut checked);
                quote!(#(#cfgs)* #arm)
            })
            .collect(),
        Data::Struct(data) => vec![arm(&quote!(Self), &item.ident, &data.fields, &mut checked)],
        Data::Union(_) => Vec::new(),
    }
}

/// Generates the arm of one variant, like the derive.
fn arm<'f>(
    path: &TokenStream,
    name: &Ident,
    fields: &Fields,
    checked: &mut impl Iterator<Item = &'f AiField>,
) -> TokenStream {
    let title = name.unraw().to_string();
    let printed: Vec<PrintedField<'_>> = fields
        .iter()
        .enumerate()
        .zip(checked)
        .map(|((index, field), checked)| PrintedField::new(index, field, checked))
        .collect();
    let patterns = printed.iter().map(PrintedField::pattern);
    let calls = printed.iter().map(PrintedField::call);
    let begin = match fields {
        Fields::Named(_) => quote!(__f.debug_struct(#title)),
        Fields::Unnamed(_) => quote!(__f.debug_tuple(#title)),
        Fields::Unit => return quote!(#path => __f.write_str(#title),),
    };
    quote! {
        #path { #(#patterns),* } => {
            let mut __debug = #begin;
            #(#calls)*
            __debug.finish()
        }
    }
}

/// A field to print.
struct PrintedField<'f> {
    cfgs: Vec<&'f Attribute>,
    member: Member,
    binding: Ident,
    masked: bool,
}

impl<'f> PrintedField<'f> {
    fn new(index: usize, field: &'f Field, checked: &AiField) -> Self {
        let member = match &field.ident {
            Some(name) => Member::Named(name.clone()),
            None => Member::Unnamed(Index::from(index)),
        };
        Self {
            cfgs: cfgs(&field.attrs),
            member,
            binding: format_ident!("__field{index}"),
            masked: checked.arg.sensitivity.is_some(),
        }
    }

    fn pattern(&self) -> TokenStream {
        let Self { cfgs, member, binding, .. } = self;
        let binding = if self.masked { quote!(_) } else { quote!(#binding) };
        quote!(#(#cfgs)* #member: #binding)
    }

    fn call(&self) -> TokenStream {
        let Self { cfgs, binding, .. } = self;
        let name = match &self.member {
            Member::Named(name) => {
                let name = name.unraw().to_string();
                Some(quote!(#name,))
            }
            Member::Unnamed(_) => None,
        };
        let value =
            if self.masked { quote!(&::core::format_args!("***")) } else { quote!(#binding) };
        quote!(#(#cfgs)* __debug.field(#name #value);)
    }
}

fn cfgs(attributes: &[Attribute]) -> Vec<&Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect()
}
