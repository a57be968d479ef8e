//! `#[ai_tool]`: turns a function into a tool.

pub(crate) mod check;
pub(crate) mod emit;
pub(crate) mod model;
pub(crate) mod raw;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ItemFn;

use crate::errors::Errors;
use raw::RawTool;

/// The error for a write without dry runs, from the macro or the compiler.
const DRY_RUN_RULE: &str = "a write must support dry runs: take a `&DryRun` parameter and \
     perform no effect while it is active, or name a function with the same parameters: \
     `preview = preview_it`";

/// The error for a tool that forwards a key without reading it, from the macro or the compiler.
const KEY_RULE: &str = "`forwards_key` needs the idempotency key: take an `&Idempotency` \
     parameter and send its key on, or remove `forwards_key`";

/// Expands `#[ai_tool]` over a free function.
pub(crate) fn expand(options: TokenStream, item: &TokenStream) -> TokenStream {
    let errors = Errors::new();
    let mut function: ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            errors.add(not_a_function(item, &error));
            let errors = errors.finish();
            return quote!(#errors #item);
        }
    };
    let raw = RawTool::parse_fn(options, &mut function, &errors);
    let checked = check::free(raw, &errors);
    let generated = match (errors.finish(), checked) {
        (Some(errors), _) => errors,
        (None, Some(tool)) => emit::free(&tool),
        (None, None) => TokenStream::new(),
    };
    quote!(#function #generated)
}

/// Distinguishes an invalid function from another item.
fn not_a_function(item: &TokenStream, error: &syn::Error) -> syn::Error {
    let is_function = item.to_token_stream().into_iter().any(|token| token.to_string() == "fn");
    if is_function && syn::parse2::<syn::Item>(item.clone()).is_err() {
        return error.clone();
    }
    syn::Error::new_spanned(
        item,
        "`#[ai_tool]` goes on a function with a body; on an `impl` block write `#[ai_toolkit]`, \
         on a struct or enum `#[ai_type]`",
    )
}
