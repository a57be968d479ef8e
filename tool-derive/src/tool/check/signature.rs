//! Checks the function's signature: `signature`, `receiver` and `output`.

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{GenericParam, Receiver, ReceiverKind, ReturnType, Safety, Signature, Type, parse_quote};

use super::super::model::{ExecutionStyle, Output};
use super::super::raw::RawTool;
use crate::errors::Errors;
use crate::syntax::types;

/// Checks that the function is an ordinary one.
pub(super) fn check(raw: &RawTool, in_toolkit: bool, errors: &Errors) -> Option<ExecutionStyle> {
    qualifiers(&raw.signature, errors);
    generics(&raw.signature, errors);
    receiver(raw.receiver.as_ref(), in_toolkit, errors);
    super::style(raw, errors)
}

fn qualifiers(signature: &Signature, errors: &Errors) {
    if let Safety::Unsafe(token) = signature.safety {
        errors.at(token, "a tool cannot be `unsafe`, since a model cannot uphold safety requirements: call it from a safe function");
    }
    if let Some(abi) = &signature.abi {
        errors.at(abi, "a tool is a Rust function: remove the ABI, or call it from one");
    }
    if let Some(variadic) = &signature.variadic {
        errors.at(variadic, "a tool names each argument: take a `Vec` instead");
    }
}

fn generics(signature: &Signature, errors: &Errors) {
    for parameter in &signature.generics.params {
        match parameter {
            GenericParam::Lifetime(_) => {}
            GenericParam::Type(found) => errors.at(
                found,
                "a tool has one schema, so it cannot be generic; name the type, or call the \
                 generic function from one tool for each",
            ),
            GenericParam::Const(found) => errors.at(
                found,
                "a tool has one schema, so it cannot be generic; make the constant an argument",
            ),
        }
    }
}

fn receiver(receiver: Option<&Receiver>, in_toolkit: bool, errors: &Errors) {
    let Some(receiver) = receiver else { return };
    if !in_toolkit {
        errors.at(
            receiver,
            "a method becomes a tool through its `impl` block: write `#[ai_toolkit]` over the \
             block, and `#[ai_tool(…)]` here by that name",
        );
        return;
    }
    if !matches!(receiver.kind, ReceiverKind::Reference(_, _, None)) {
        errors.at(
            receiver,
            "calls share their toolkit: take `&self`, with a `Mutex` or atomics around what \
             changes",
        );
    }
}

/// Checks the return type.
pub(super) fn output(output: &ReturnType, this: Option<&Type>, errors: &Errors) -> Option<Output> {
    let (arrow, ty) = match output {
        ReturnType::Default => return Some(super::named(Span::call_site(), parse_quote!(()))),
        ReturnType::Type(arrow, ty) => (arrow.spans[0], types::bare(ty)),
    };
    if let Type::Never(never) = ty {
        errors.at(never, "a tool must return a value: replace `!` with `()` or `Result`");
        return None;
    }
    if let Type::Ptr(pointer) = ty {
        errors.at(pointer.to_token_stream(), "a pointer cannot be serialized: return a value");
        return None;
    }
    if let Some(future) = types::future_inside(ty) {
        errors.at(
            future,
            "a tool returns its answer, and a future has no schema: write `async fn` and the \
             future's output type",
        );
        return None;
    }
    if let Some(opaque) = types::opaque_inside(ty) {
        return Some(Output::Opaque(opaque.span()));
    }
    Some(super::named(arrow, types::standalone(ty, this)))
}
