//! Writes the implementation of `ToolFailure`. Nothing here can fail.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::DeriveInput;

use super::model::{Case, Code, Effect, Failure, Meaning, Message, Own, Source};
use crate::syntax::root::Root;

/// Writes the implementation.
pub(crate) fn emit(failure: &Failure) -> TokenStream {
    let Failure { name, generics, root, cases } = failure;
    let private = root.private();
    let (impls, types, wheres) = generics.split_for_impl();
    let arms = cases.iter().map(|case| arm(case, name.span()));
    let matched = if cases.is_empty() { quote!(*self) } else { quote!(self) };
    let codes = codes(cases);
    quote! {
        #[allow(deprecated)]
        const _: () = {
            use #private as __p;
            #[automatically_derived]
            impl #impls __p::ToolFailure for #name #types #wheres {
                #[allow(unused_variables)]
                fn failure(&self) -> __p::Failure {
                    match #matched {
                        #(#arms)*
                    }
                }
                fn codes() -> &'static [__p::FailureCode] {
                    #codes
                }
            }
        };
    }
}

/// Writes an implementation that lets the rest of a broken type's uses compile.
pub(crate) fn stub(input: &DeriveInput, root: &Root) -> TokenStream {
    let name = &input.ident;
    let (impls, types, wheres) = input.generics.split_for_impl();
    let private = root.private();
    quote! {
        #[automatically_derived]
        impl #impls #private::ToolFailure for #name #types #wheres {
            fn failure(&self) -> #private::Failure {
                ::core::unreachable!()
            }
            fn codes() -> &'static [#private::FailureCode] {
                &[]
            }
        }
    }
}

fn arm(case: &Case, at: Span) -> TokenStream {
    let path = &case.path;
    let (pattern, value) = match &case.meaning {
        Meaning::Transparent(_) => {
            let inner = case.bindings().next();
            (bound(case), quote!(__p::ToolFailure::failure(#inner)))
        }
        Meaning::Own(own) if reads_fields(own) => (bound(case), meaning(own, at)),
        Meaning::Own(own) => (quote!({ .. }), meaning(own, at)),
    };
    quote!(#path #pattern => #value,)
}

/// Writes a pattern that binds every field.
fn bound(case: &Case) -> TokenStream {
    let bindings = case.bindings();
    if matches!(case.fields, syn::Fields::Unnamed(_)) {
        return quote!((#(#bindings),*));
    }
    quote!({ #(#bindings),* })
}

fn reads_fields(own: &Own) -> bool {
    let sources = [&own.retry_after, &own.upstream_code, &own.upstream_status, &own.endpoint];
    matches!(own.message, Message::Format(_))
        || sources.iter().any(|source| matches!(source, Some(Source::Field(_))))
        || !own.details.is_empty()
}

fn meaning(own: &Own, at: Span) -> TokenStream {
    let code = code(&own.code);
    let message = message(&own.message, at);
    let retry_after = number(own.retry_after.as_ref(), &quote!(u64), &quote!(with_retry_after_ms));
    let status = number(own.upstream_status.as_ref(), &quote!(u16), &quote!(with_upstream_status));
    let endpoint = own.endpoint.as_ref().map(|source| match source {
        Source::Field(field) => quote!(.with_endpoint(::std::string::ToString::to_string(#field))),
        Source::Fixed(value) => quote!(.with_endpoint(#value)),
    });
    let upstream_code = own.upstream_code.as_ref().map(|source| match source {
        Source::Field(field) => quote!(.with_upstream_code(#field)),
        Source::Fixed(value) => quote!(.with_upstream_code(#value)),
    });
    let details = own.details.iter().map(|field| {
        let key = field.to_string();
        quote!(.with_detail(#key, #field))
    });
    let effect = own.effect.map(|effect| match effect {
        Effect::None => quote!(.with_effect_none()),
        Effect::Unknown => quote!(.with_effect_unknown()),
    });
    let value =
        quote!(__p::Failure::new(#code) #message #endpoint #upstream_code #(#details)* #effect);
    if retry_after.is_empty() && status.is_empty() {
        return value;
    }
    quote!({
        let __failure = #value;
        #retry_after
        #status
        __failure
    })
}

fn message(message: &Message, at: Span) -> TokenStream {
    let at = Span::call_site().located_at(at);
    match message {
        Message::Generic => TokenStream::new(),
        Message::Display => {
            let public_message = quote!(__p::public_message);
            let text = quote_spanned!(at=> #public_message(self));
            quote!(.with_message(#text))
        }
        Message::Format(format) => quote!(.with_message(::std::format!(#format))),
    }
}

/// Writes the setting of a number, which a field may hold or not.
fn number(source: Option<&Source>, ty: &TokenStream, setter: &TokenStream) -> TokenStream {
    match source {
        None => TokenStream::new(),
        Some(Source::Fixed(value)) => quote!(let __failure = __failure.#setter(#value);),
        Some(Source::Field(field)) => quote! {
            let __given: ::core::option::Option<#ty> =
                ::core::convert::From::from(::core::clone::Clone::clone(#field));
            let __failure = match __given {
                ::core::option::Option::Some(__value) => __failure.#setter(__value),
                ::core::option::Option::None => __failure,
            };
        },
    }
}

fn code(code: &Code) -> TokenStream {
    match code {
        Code::Closed(name) => quote!(__p::FailureCode::closed(__p::ErrorCode::#name)),
        Code::Own(text, class) => {
            quote!(__p::FailureCode::own(#text, __p::ToolErrorType::#class))
        }
    }
}

/// Writes every code that may come out: known here, or asked from the errors inside.
fn codes(cases: &[Case]) -> TokenStream {
    let mut own = Vec::new();
    let mut inner = Vec::new();
    for case in cases {
        match &case.meaning {
            Meaning::Own(found) => own.push(code(&found.code)),
            Meaning::Transparent(ty) => inner.push(ty),
        }
    }
    let mut texts: Vec<String> = Vec::new();
    own.retain(|code| {
        let text = code.to_string();
        let new = !texts.contains(&text);
        texts.push(text);
        new
    });
    if inner.is_empty() {
        return quote!(const { &[#(#own),*] });
    }
    quote! {
        static __CODES: ::std::sync::OnceLock<__p::Vec<__p::FailureCode>> =
            ::std::sync::OnceLock::new();
        __CODES.get_or_init(|| {
            let mut __codes = __p::Vec::from([#(#own),*]);
            #(__codes.extend_from_slice(<#inner as __p::ToolFailure>::codes());)*
            __codes
        })
    }
}
