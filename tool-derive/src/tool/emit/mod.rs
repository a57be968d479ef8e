//! Generates the code of a checked tool. This step cannot fail.
//!
//! All decisions about types are left to the compiler, through the runtime's hidden module.
//! Generated code is small, because it is compiled once for every tool.

mod arguments;
mod handle;
mod schema;
mod start;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

use super::model::{Cost, Effect, NamedReturnType, Tool};
use crate::syntax::deprecation;

/// The span of a user's token for generated tokens, so that errors point there.
///
/// No generated name may have the span of a user's name, because an editor would resolve both.
/// Names are therefore quoted separately, or get the span of a `&` or a `->`.
fn span_of(tokens: &impl Spanned) -> Span {
    call_site_at(tokens.span())
}

fn call_site_at(place: Span) -> Span {
    Span::call_site().located_at(place)
}

/// Generates the items beside a free function.
pub(crate) fn free(tool: &Tool) -> TokenStream {
    let private = tool.root.private();
    let conditions = &tool.conditions;
    let handle = handle::declaration(tool);
    let implementation = handle::implementation(tool);
    let definition = definition(tool);
    let imports = imports();
    let allowance = deprecation::allowance(tool.may_be_deprecated);
    quote! {
        #handle
        #(#conditions)*
        #allowance
        const _: () = {
            use #private as __p;
            #imports
            static __TOOL: __p::Definition = #definition;
            #implementation
            __p::discover! { &__TOOL }
        };
    }
}

/// Imports the probe traits.
pub(crate) fn imports() -> TokenStream {
    quote! {
        use __p::traits::*;
    }
}

/// Generates the definition as one expression.
pub(crate) fn definition(tool: &Tool) -> TokenStream {
    let arguments = arguments::emit(tool);
    let schemas = schema::emit(tool);
    let start = start::emit(tool);
    let metadata = metadata(tool);
    let estimates = matches!(tool.metadata.cost, Some(Cost::Estimate(_)));
    let estimate = option(estimates.then(|| quote!(__estimate)));
    quote! {{
        #schemas
        #arguments
        #start
        __p::Definition {
            #metadata
            input: __input,
            output: __output,
            host: __host,
            codes: __codes,
            estimate: #estimate,
            start: __start,
        }
    }}
}

/// Generates the type of `data`: the success type of a `Result`, else the return type.
fn value(answer: &NamedReturnType) -> TokenStream {
    let ty = &answer.ty;
    let select = quote!(__p::Select<{ __p::Probe::<#ty>::IS_RESULT }>);
    let value = Ident::new("Value", call_site_at(answer.arrow));
    quote_spanned!(span_of(ty)=> <#ty as #select>::#value)
}

fn metadata(tool: &Tool) -> TokenStream {
    let metadata = &tool.metadata;
    let name = &metadata.name;
    let (title, category) = (option(metadata.title.as_ref()), option(metadata.category.as_ref()));
    let (ttl, timeout) = (option(metadata.ttl_ms), option(metadata.timeout_ms));
    let (retention, shared) = (option(metadata.retention_ms), metadata.shared);
    let (source_hash, requires_evidence) =
        (option(tool.source_hash.as_ref()), tool.requires_evidence);
    let (version, description, examples) =
        (&metadata.version, &metadata.description, &metadata.examples);
    let effect = effect(metadata.effect);
    let (idempotent, open_world) = (metadata.idempotent, metadata.open_world);
    let (requires_auth, ai_callable) = (metadata.requires_auth, metadata.ai_callable);
    let (dry_run, forwards_key) = (dry_run(tool), forwards_key(tool));
    let (has_preview, reconciles) = (tool.preview.is_some(), tool.reconcile.is_some());
    let path = path(tool);
    let toolkit = tool.function.this.as_ref();
    let toolkit = option(toolkit.map(|this| quote!(__p::ToolkitFacts::for_toolkit::<#this>())));
    quote! {
        name: #name,
        title: #title,
        version: #version,
        description: #description,
        category: #category,
        toolkit: #toolkit,
        examples: &[#(#examples),*],
        effect: #effect,
        idempotent: #idempotent,
        open_world: #open_world,
        ttl: #ttl,
        timeout: #timeout,
        requires_auth: #requires_auth,
        ai_callable: #ai_callable,
        dry_run: #dry_run,
        has_preview: #has_preview,
        reconciles: #reconciles,
        forwards_key: #forwards_key,
        retention: #retention,
        shared: #shared,
        source_hash: #source_hash,
        requires_evidence: #requires_evidence,
        rust_path: #path,
        file: ::core::file!(),
        line: ::core::line!(),
    }
}

fn option(value: Option<impl quote::ToTokens>) -> TokenStream {
    value.map_or_else(
        || quote!(::core::option::Option::None),
        |value| quote!(::core::option::Option::Some(#value)),
    )
}

fn effect(effect: Effect) -> TokenStream {
    match effect {
        Effect::Read => quote!(__p::Effect::Read),
        Effect::Write => quote!(__p::Effect::Write),
        Effect::Destructive => quote!(__p::Effect::Destructive),
    }
}

/// Generates the function's full path as an expression.
fn path(tool: &Tool) -> TokenStream {
    let path = tool.function.rust_path();
    quote!(::core::concat!(::core::module_path!(), "::", #path))
}

/// Generates the flag for dry-run support: by a preview, or by a parameter whose type the compiler
/// resolves. The generated code does not compile for a write without support.
fn dry_run(tool: &Tool) -> TokenStream {
    let hosts: Vec<_> = tool.hosts().map(|host| &host.ty).collect();
    if tool.preview.is_some() {
        return quote!(true);
    }
    let handles = quote!(#(__p::Probe::<#hosts>::HANDLES_DRY_RUN)|*);
    if tool.metadata.effect == Effect::Read {
        return if hosts.is_empty() { quote!(false) } else { handles };
    }
    let rule = super::DRY_RUN_RULE;
    let (from, to) = (call_site_at(tool.function.keyword), span_of(&tool.function.name));
    let const_assertion = const_assertion(from, to, &quote!(#handles, #rule));
    quote!({ #const_assertion; true })
}

/// Generates an assertion whose error underlines the tokens between two spans.
fn const_assertion(from: Span, to: Span, condition: &TokenStream) -> TokenStream {
    let arguments = quote_spanned!(to=> (#condition));
    quote_spanned!(from=> ::core::assert! #arguments)
}

/// Generates the flag for key forwarding. The code does not compile for a tool without the key.
fn forwards_key(tool: &Tool) -> TokenStream {
    let Some(option) = &tool.metadata.forwards_key else { return quote!(false) };
    let (hosts, rule) = (tool.hosts().map(|host| &host.ty), super::KEY_RULE);
    let reads = quote!(#(__p::Probe::<#hosts>::READS_KEY)|*);
    // An editor does not resolve the span of an option.
    let const_assertion = const_assertion(span_of(option), span_of(option), &quote!(#reads, #rule));
    quote!({ #const_assertion; true })
}
