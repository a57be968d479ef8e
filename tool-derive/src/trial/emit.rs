//! Generates the trial.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use super::raw::{RawTrial, Tool};

pub(super) fn emit(trial: &RawTrial) -> TokenStream {
    let private = trial.root.private();
    let start = match &trial.tool {
        Tool::Handle(handle) => quote!(for_tool::<#handle>()),
        Tool::Method { toolkit, method } => {
            let method = method.unraw().to_string();
            quote!(for_method::<#toolkit>(#method))
        }
        Tool::Named(name) => quote!(named(#name)),
    };
    let settings = trial.settings.iter().map(|(name, value)| quote!(.#name(#value)));
    // The folder is relative to the manifest of the test's crate.
    quote! {
        #private::ToolTrial::#start
            .snapshots_in(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/tests/snapshots"))
            #(#settings)*
            .assert()
    }
}
