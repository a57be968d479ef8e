//! Generates the implementation of `ToolFailure`. This step cannot fail.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::DeriveInput;

use super::model::{
    CaseFailure, Code, Effect, Failure, FailureCase, Message, OwnFailure, ValueSource,
};
use crate::syntax::deprecation;
use crate::syntax::root::Root;

/// Generates the implementation.
pub(crate) fn emit(failure: &Failure) -> TokenStream {
    let Failure { name, generics, root, cases, may_be_deprecated } = failure;
    let allowance = deprecation::allowance(*may_be_deprecated);
    let private = root.private();
    let (impls, types, wheres) = generics.split_for_impl();
    let arms = cases.iter().map(|case| arm(case, name.span()));
    let matched = if cases.is_empty() { quote!(*self) } else { quote!(self) };
    let codes = codes(cases);
    quote! {
        #allowance
        const _: () = {
            use #private as __p;
            #[automatically_derived]
            impl #impls __p::ToolFailure for #name #types #wheres {
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

/// Generates a stub, so that other uses of an invalid type compile.
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

fn arm(case: &FailureCase, at: Span) -> TokenStream {
    let path = &case.path;
    let (pattern, value) = match &case.meaning {
        CaseFailure::Transparent(_) => {
            let inner = case.bindings().next();
            (bound(case), quote!(__p::ToolFailure::failure(#inner)))
        }
        CaseFailure::OwnFailure(own) if reads_fields(own) => {
            let (meaning, bindings) = (meaning(own, at), case.bindings());
            // The failure may read some of the fields only.
            (bound(case), quote!({ let _ = (#(#bindings,)*); #meaning }))
        }
        CaseFailure::OwnFailure(own) => (quote!({ .. }), meaning(own, at)),
    };
    quote!(#path #pattern => #value,)
}

/// Generates a pattern that binds every field.
fn bound(case: &FailureCase) -> TokenStream {
    let bindings = case.bindings();
    if matches!(case.fields, syn::Fields::Unnamed(_)) {
        return quote!((#(#bindings),*));
    }
    quote!({ #(#bindings),* })
}

fn reads_fields(own: &OwnFailure) -> bool {
    let sources = [&own.retry_after, &own.upstream_code, &own.upstream_status, &own.endpoint];
    matches!(own.message, Message::Format(_))
        || sources.iter().any(|source| matches!(source, Some(ValueSource::Field(_))))
        || !own.details.is_empty()
}

fn meaning(own: &OwnFailure, at: Span) -> TokenStream {
    let code = code(&own.code);
    let message = message(&own.message, at);
    let retry_after = number(own.retry_after.as_ref(), &quote!(u64), &quote!(with_retry_after_ms));
    let status = number(own.upstream_status.as_ref(), &quote!(u16), &quote!(with_upstream_status));
    let endpoint = own.endpoint.as_ref().map(|source| match source {
        ValueSource::Field(field) => {
            quote!(.with_endpoint(::std::string::ToString::to_string(#field)))
        }
        ValueSource::Literal(value) => quote!(.with_endpoint(#value)),
    });
    let upstream_code = own.upstream_code.as_ref().map(|source| match source {
        ValueSource::Field(field) => quote!(.with_upstream_code(#field)),
        ValueSource::Literal(value) => quote!(.with_upstream_code(#value)),
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

/// Generates the setter call of a number, whose field may be optional.
fn number(source: Option<&ValueSource>, ty: &TokenStream, setter: &TokenStream) -> TokenStream {
    match source {
        None => TokenStream::new(),
        Some(ValueSource::Literal(value)) => {
            quote!(let __failure = __failure.#setter(#value);)
        }
        Some(ValueSource::Field(field)) => quote! {
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
        Code::Standard(name) => quote!(__p::FailureCode::standard(__p::ErrorCode::#name)),
        Code::Own(text, error_type) => {
            quote!(__p::FailureCode::own(#text, __p::ToolErrorType::#error_type))
        }
    }
}

/// Generates the list of all codes: own ones, and those of inner errors.
fn codes(cases: &[FailureCase]) -> TokenStream {
    let mut own_codes = Vec::new();
    let mut inner = Vec::new();
    for case in cases {
        match &case.meaning {
            CaseFailure::OwnFailure(found) => own_codes.push(code(&found.code)),
            CaseFailure::Transparent(ty) => inner.push(ty),
        }
    }
    let mut texts: Vec<String> = Vec::new();
    own_codes.retain(|code| {
        let text = code.to_string();
        let new = !texts.contains(&text);
        texts.push(text);
        new
    });
    if inner.is_empty() {
        return quote!(const { &[#(#own_codes),*] });
    }
    quote! {
        static __CODES: ::std::sync::OnceLock<__p::Vec<__p::FailureCode>> =
            ::std::sync::OnceLock::new();
        __CODES.get_or_init(|| {
            let mut __codes: __p::Vec<__p::FailureCode> = ::core::convert::From::from([#(#own_codes),*]);
            #(__codes.extend_from_slice(<#inner as __p::ToolFailure>::codes());)*
            __codes
        })
    }
}
