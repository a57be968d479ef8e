//! `#[derive(ToolFailure)]`: maps the variants of an error to failures.

mod check;
mod codes;
mod emit;
mod message;
mod model;
mod raw;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::errors::Errors;
use crate::syntax::root::Root;
use raw::RawFailure;

/// Expands `#[derive(ToolFailure)]`.
pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let errors = Errors::new();
    let raw = RawFailure::parse(&input, &errors);
    let root = Root::given(raw.crate_.clone(), &errors);
    let checked = check::check(raw, root.clone(), &errors);
    match (errors.finish(), checked) {
        (Some(errors), _) => {
            let stub = emit::stub(&input, &root);
            quote::quote!(#errors #stub)
        }
        (None, Some(failure)) => emit::emit(&failure),
        (None, None) => TokenStream::new(),
    }
}
