//! Generates the code of a checked toolkit. This step cannot fail.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Ident;

use super::model::Toolkit;
use crate::syntax::deprecation;
use crate::tool::emit;
use crate::tool::model::Tool;

/// Generates the items beside the `impl` block.
pub(crate) fn emit(toolkit: &Toolkit) -> TokenStream {
    let Toolkit { root, conditions, name, description, this, tools, may_be_deprecated } = toolkit;
    let uses_deprecated = *may_be_deprecated || tools.iter().any(|tool| tool.may_be_deprecated);
    let allowance = deprecation::allowance(uses_deprecated);
    let private = root.private();
    let imports = emit::imports();
    let tools: Vec<(Ident, &Tool)> = tools
        .iter()
        .enumerate()
        .map(|(index, tool)| (format_ident!("__TOOL_{index}"), tool))
        .collect();
    let definitions = tools.iter().map(|(place, tool)| definition(place, tool));
    let entries = tools.iter().map(|(place, tool)| {
        let conditions = &tool.conditions;
        quote!(#(#conditions)* &#place)
    });
    quote! {
        #(#conditions)*
        #allowance
        const _: () = {
            use #private as __p;
            #imports
            #(#definitions)*
            static __TOOLS: &[&__p::Definition] = &[#(#entries),*];
            impl __p::Toolkit for #this {
                const NAME: &'static str = #name;
                const DESCRIPTION: &'static str = #description;
                fn definitions() -> &'static [&'static __p::Definition] {
                    __TOOLS
                }
            }
        };
    }
}

fn definition(place: &Ident, tool: &Tool) -> TokenStream {
    let conditions = &tool.conditions;
    let definition = emit::definition(tool);
    quote! {
        #(#conditions)*
        static #place: __p::Definition = #definition;
    }
}
