//! The macros of `tool-runtime`, which turn functions into tools.
//!
//! Use them through `tool-runtime`, whose re-exports contain the documentation.
//!
//! Each macro has three steps. *Parse* reads tokens into a raw model; *check* converts it to a
//! checked model or reports all errors at once; *emit* generates code from a checked model and
//! cannot fail. The user's own item is always emitted, so that one mistake is one error.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod errors;
mod syntax;

mod failure;
mod tool;
mod toolkit;
mod trial;
mod types;

#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Turns a function into a tool that a model can call: see `tool_runtime::ai_tool`.
#[proc_macro_attribute]
pub fn ai_tool(options: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(options.into(), &item.into()).into()
}

/// Turns an `impl` block into tools that share state: see `tool_runtime::ai_toolkit`.
#[proc_macro_attribute]
pub fn ai_toolkit(options: TokenStream, item: TokenStream) -> TokenStream {
    toolkit::expand(options.into(), &item.into()).into()
}

/// Derives the traits of argument and output types: see `tool_runtime::ai_type`.
#[proc_macro_attribute]
pub fn ai_type(options: TokenStream, item: TokenStream) -> TokenStream {
    types::expand(options.into(), &item.into()).into()
}

/// Maps each variant of an error to a failure: see `tool_runtime::ToolFailure`.
#[proc_macro_derive(ToolFailure, attributes(failure))]
pub fn tool_failure(item: TokenStream) -> TokenStream {
    failure::expand(item.into()).into()
}

/// Documented by the re-export in `tool-runtime`.
#[proc_macro]
pub fn assert_tool(input: TokenStream) -> TokenStream {
    trial::expand(input.into()).into()
}
