//! Generates the functions that create the schemas.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Type;
use syn::ext::IdentExt;

use super::super::model::{Argument, ArgumentType, Cost, ExecutionStyle, Output, Tool};
use super::span_of;
use crate::syntax::arg::{Arg, ArgDefault, Spends};
use crate::syntax::types;

/// Generates the two functions.
pub(super) fn emit(tool: &Tool) -> TokenStream {
    let path = super::path(tool);
    let open = tool.open.then(|| quote!(__s.open();));
    let cost = tool.metadata.cost.as_ref().map(|cost| match cost {
        Cost::Fixed(amount) => quote!(__s.cost(#amount);),
        Cost::Estimate(_) => quote!(__s.estimated_cost();),
    });
    let properties = tool.arguments().map(property);
    // Without `mut` where nothing changes it: the user may forbid to allow the lint about that.
    let changes =
        (tool.open || cost.is_some() || tool.arguments().next().is_some()).then(|| quote!(mut));
    let output = output(tool);
    quote! {
        fn __input(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            let #changes __s = __p::InputSchema::new(__g, #path);
            #open
            #cost
            #(#properties)*
            __s.finish()
        }
        fn __output(__g: &mut __p::SchemaGenerator) -> __p::Schema {
            #output
        }
    }
}

/// The error for an owned parameter of a type that only the host may provide.
const HOSTS_OWN: &str = "an owned parameter is filled by the model, which must never choose its \
    own context: borrow it, `&ToolContext`";

fn property(argument: &Argument) -> TokenStream {
    let (name, description) = (argument.wire_name(), &argument.description);
    let (ty, span) = match &argument.ty {
        ArgumentType::Text => (quote!(__p::String), Span::call_site()),
        ArgumentType::Owned(ty) => (quote!(#ty), span_of(ty)),
    };
    let default = default(argument, &ty);
    let constraints = constraints(&argument.arg, &ty);
    let property = if let Some(shared) = shared(&argument.ty) {
        quote!(__p::shared_property::<#ty, #shared>)
    } else {
        quote!(__p::property::<#ty>)
    };
    let is_models = quote!(!__p::Probe::<#ty>::IS_HOST_ONLY, #HOSTS_OWN);
    let models = super::const_assertion(super::call_site_at(argument.colon), span, &is_models);
    let exact = argument.arg.spends.as_ref().map(|spends| exact_amount(spends, &ty, span));
    quote! {
        const _: () = #models;
        #exact
        #property(&mut __s, #name, #description) #default #constraints;
    }
}

/// The `T` of an argument that is spelled `Arc<T>` or `Rc<T>`: it gets an error of its own.
fn shared(ty: &ArgumentType) -> Option<&Type> {
    match ty {
        ArgumentType::Owned(ty) => types::only_argument(ty, &["Arc", "Rc"]),
        ArgumentType::Text => None,
    }
}

fn default(argument: &Argument, ty: &TokenStream) -> TokenStream {
    let value = match &argument.arg.default {
        None => return TokenStream::new(),
        Some(ArgDefault::OfType) => quote!(<#ty as ::core::default::Default>::default()),
        Some(ArgDefault::Value(_)) => {
            let function = argument.default_name();
            quote!(#function())
        }
    };
    quote!(.default((&&__p::DefaultProbe(&#value)).to_json()))
}

fn constraints(arg: &Arg, ty: &TokenStream) -> TokenStream {
    let range =
        arg.range.as_ref().map(|bounds| quote!(.range::<<#ty as __p::AsNumber>::Number>(#bounds)));
    let length = arg.length.as_ref().map(|bounds| quote!(.length(#bounds)));
    let pattern = arg.pattern.as_ref().map(|pattern| quote!(.pattern(#pattern)));
    let example = arg.example.as_ref().map(|example| quote!(.example(&(#example))));
    let sensitivity = arg.sensitivity.map(|sensitivity| {
        let text = sensitivity.as_str();
        quote!(.sensitivity(#text))
    });
    let spends = arg.spends.as_ref().map(|spends| match spends {
        Spends::Money => quote!(.spends_money()),
        Spends::Decimal(currency) => quote!(.spends_decimal(#currency)),
        Spends::MinorUnits(currency) => quote!(.spends_minor_units(#currency)),
        Spends::DecimalBeside(argument) => {
            let argument = argument.unraw().to_string();
            quote!(.spends_decimal_beside(#argument))
        }
    });
    quote!(#range #length #pattern #example #sensitivity #spends)
}

/// Generates the check that a type holds an amount without rounding it.
fn exact_amount(spends: &Spends, ty: &TokenStream, span: Span) -> TokenStream {
    let bound = match spends {
        Spends::Money => quote!(MoneyAmount),
        Spends::Decimal(_) | Spends::DecimalBeside(_) => quote!(DecimalAmount),
        Spends::MinorUnits(_) => quote!(MinorUnits),
    };
    quote_spanned! {span=>
        const _: fn() = || {
            fn __exact<T: __p::budgets::#bound>() {}
            __exact::<#ty>();
        };
    }
}

fn output(tool: &Tool) -> TokenStream {
    match &tool.output {
        Output::Named(answer) => {
            let value = super::value(answer);
            quote!(__p::output_schema::<#value>(__g))
        }
        Output::Opaque(_) => opaque_output(tool),
    }
}

/// Generates type inference for a return type that cannot be named: from a call that never runs.
///
/// A type without a schema gets none here, because `__p::opaque_answered` reports it.
fn opaque_output(tool: &Tool) -> TokenStream {
    let function = tool.function.path();
    let receiver = usize::from(tool.function.receiver);
    let arguments = (0..tool.parameters.len() + receiver).map(|_| quote!(__p::never_passed()));
    let (bound, ty) = match tool.style {
        ExecutionStyle::Async => (quote!(F: ::core::future::Future), quote!(F::Output)),
        ExecutionStyle::Sync | ExecutionStyle::Blocking => (quote!(F), quote!(F)),
    };
    quote! {
        fn __returned<#bound>(_: impl ::core::ops::FnOnce() -> F) -> __p::Probe<#ty> {
            __p::Probe::NEW
        }
        (&__returned(|| #function(#(#arguments),*))).output_schema(__g)
    }
}
