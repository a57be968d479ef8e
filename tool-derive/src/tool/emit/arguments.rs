//! Generates the argument tuple, and functions for defaults.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, ExprLit, Lit};

use super::super::model::{Argument, ArgumentType, ExecutionStyle, Tool};
use crate::syntax::arg::ArgDefault;

/// Generates the functions for defaults.
pub(super) fn emit(tool: &Tool) -> TokenStream {
    let defaults = tool.arguments().filter_map(|argument| default(tool, argument));
    quote!(#(#defaults)*)
}

/// Generates the deserialization of the arguments, as a tuple in the order of the parameters.
pub(super) fn read(tool: &Tool) -> TokenStream {
    let open = tool.open;
    let arms = tool.arguments().enumerate().map(|(index, argument)| {
        let name = argument.wire_name();
        quote!(#name => #index,)
    });
    let types = tool.arguments().map(|argument| storage_type(tool, argument, "'_"));
    let defaults =
        tool.arguments().map(|argument| argument.arg.default_function(argument.default_name()));
    let index_of = if tool.arguments().next().is_none() {
        quote!(|_| __p::UNKNOWN_FIELD)
    } else {
        quote!(|__name| match __name {
            #(#arms)*
            _ => __p::UNKNOWN_FIELD,
        })
    };
    quote! {
        __call.read::<(#(#types,)*)>(
            __p::Fields { index_of: #index_of, open: #open },
            (#(#defaults,)*),
        )
    }
}

/// Generates the type in which an argument is stored.
fn storage_type(tool: &Tool, argument: &Argument, lifetime: &str) -> TokenStream {
    match &argument.ty {
        ArgumentType::Owned(ty) => quote!(#ty),
        ArgumentType::Text if tool.style == ExecutionStyle::Blocking => quote!(__p::String),
        ArgumentType::Text => {
            let lifetime = syn::Lifetime::new(lifetime, proc_macro2::Span::call_site());
            quote!(__p::Text<#lifetime>)
        }
    }
}

fn default(tool: &Tool, argument: &Argument) -> Option<TokenStream> {
    let Some(ArgDefault::Value(value)) = &argument.arg.default else { return None };
    let function = argument.default_name();
    let ty = storage_type(tool, argument, "'static");
    let value = match argument.ty {
        ArgumentType::Text => quote!(::core::convert::From::from(#value)),
        ArgumentType::Owned(_) => converted(value),
    };
    Some(quote! {
        #[allow(clippy::unnecessary_wraps)]
        fn #function() -> #ty {
            #value
        }
    })
}

/// Generates a default; text is converted to the argument's type.
fn converted(value: &Expr) -> TokenStream {
    if matches!(value, Expr::Lit(ExprLit { lit: Lit::Str(_), .. })) {
        return quote!(::core::convert::From::from(#value));
    }
    quote!(#value)
}
