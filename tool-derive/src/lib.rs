//! The macros of `tool-runtime`: how a function becomes a tool.
//!
//! Use them through `tool-runtime`, whose re-exports carry the documentation.
//!
//! Each macro goes through the same three steps. *Parse* reads tokens into a raw model, as written;
//! *check* turns it into a checked model or says everything that is wrong with it at once; *emit*
//! writes code from a checked model and cannot fail. Whatever happens, the user's own item is
//! emitted, so that one mistake is one message.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod errors;
mod syntax;

mod failure;
mod tool;
mod toolkit;
mod trial;
mod types;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod places;

use proc_macro::TokenStream;

/// A function becomes a tool that a model can call: see `tool_runtime::ai_tool`.
#[proc_macro_attribute]
pub fn ai_tool(options: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(options.into(), &item.into()).into()
}

/// An `impl` block becomes tools that share state: see `tool_runtime::ai_toolkit`.
#[proc_macro_attribute]
pub fn ai_toolkit(options: TokenStream, item: TokenStream) -> TokenStream {
    toolkit::expand(options.into(), &item.into()).into()
}

/// A struct or enum becomes readable by models: see `tool_runtime::ai_type`.
#[proc_macro_attribute]
pub fn ai_type(options: TokenStream, item: TokenStream) -> TokenStream {
    types::expand(options.into(), &item.into()).into()
}

/// Each variant of an error says what it means to a caller: see `tool_runtime::ToolFailure`.
#[proc_macro_derive(ToolFailure, attributes(failure))]
pub fn tool_failure(item: TokenStream) -> TokenStream {
    failure::expand(item.into()).into()
}

/// Stands in `tool-derive`; `tool-runtime` re-exports and documents it.
#[proc_macro]
pub fn assert_tool(input: TokenStream) -> TokenStream {
    trial::expand(input.into()).into()
}
