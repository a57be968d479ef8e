//! `#[ai_toolkit]`: turns an `impl` block into tools that share state.

mod check;
mod emit;
mod model;
mod raw;

use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemImpl;

use crate::errors::Errors;
use raw::RawToolkit;

/// Expands `#[ai_toolkit]` over an `impl` block.
pub(crate) fn expand(options: TokenStream, item: &TokenStream) -> TokenStream {
    let errors = Errors::new();
    let Ok(mut block) = syn::parse2::<ItemImpl>(item.clone()) else {
        errors.at(
            item,
            "`#[ai_toolkit]` goes on an `impl` block whose methods carry `#[ai_tool(…)]`; on a \
             function write `#[ai_tool(…)]`",
        );
        let errors = errors.finish();
        return quote!(#errors #item);
    };
    let raw = RawToolkit::parse(options, &mut block, &errors);
    let checked = check::check(raw, &errors);
    let generated = match (errors.finish(), checked) {
        (Some(errors), _) => errors,
        (None, Some(toolkit)) => emit::emit(&toolkit),
        (None, None) => TokenStream::new(),
    };
    quote!(#block #generated)
}
