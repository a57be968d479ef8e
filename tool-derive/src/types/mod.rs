//! `#[ai_type]`: derives the traits of argument and output types.

mod check;
mod debug;
mod deserialize;
mod emit;
mod fields;
mod model;
mod raw;
mod wide;

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::errors::Errors;
use raw::RawType;

/// Expands `#[ai_type]`.
pub(crate) fn expand(options: TokenStream, item: &TokenStream) -> TokenStream {
    let errors = Errors::new();
    let Ok(mut input) = syn::parse2::<DeriveInput>(item.clone()) else {
        errors.at(item, "`#[ai_type]` goes on a struct or an enum");
        let errors = errors.finish();
        return quote!(#errors #item);
    };
    let raw = RawType::parse(options, &mut input, &errors);
    let checked = check::check(raw, &errors);
    match (errors.finish(), checked) {
        (Some(errors), Some(ty)) => {
            // The derives are generated anyway, so that one mistake is one error.
            let item = emit::bare(&ty, input);
            quote!(#item #errors)
        }
        (None, Some(ty)) => emit::emit(&ty, input),
        (errors, None) => quote!(#input #errors),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_that_must_stand_below_says_so() {
        // As `#[serde_as]` leaves a type that it has expanded.
        let item = quote! {
            #[derive(::serde_with::__private_consume_serde_as_attributes)]
            struct Stay {
                #[serde(with = "::serde_with::As::<::serde_with::DisplayFromStr>")]
                nights: u8,
            }
        };
        let expanded = expand(TokenStream::new(), &item).to_string();
        assert!(expanded.contains("`#[serde_as]` below `#[ai_type]`"), "{expanded}");
    }
}
