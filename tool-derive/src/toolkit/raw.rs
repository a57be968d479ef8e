//! The unchecked model of a toolkit: the block and its tools.

use proc_macro2::TokenStream;
use syn::{Attribute, Generics, ImplItem, ImplItemFn, ItemImpl, LitStr, Meta, Path, Token, Type};

use crate::errors::Errors;
use crate::syntax::options::{AllowedOptions, DOC_COMMENT, KeyedValue, Options};
use crate::tool::raw::{RawTool, lints};

const ALLOWED_OPTIONS: AllowedOptions = AllowedOptions {
    attribute: "#[ai_toolkit]",
    keys: &[("crate", "crate = ::tool_runtime"), ("name", "name = \"content\"")],
    misplaced: &[],
    repeatable: &[],
    synonyms: &[("description", DOC_COMMENT)],
};

/// An `impl` block with `#[ai_toolkit]`, as written.
#[derive(Debug)]
pub(crate) struct RawToolkit {
    pub(crate) crate_: Option<KeyedValue<Path>>,
    pub(crate) name: Option<KeyedValue<LitStr>>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) generics: Generics,
    pub(crate) of_trait: Option<(Path, Token![for])>,
    pub(crate) this: Type,
    /// The tools whose attribute can be parsed.
    pub(crate) tools: Vec<RawTool>,
    /// True if any method has the attribute.
    pub(crate) any: bool,
}

impl RawToolkit {
    /// Parses the block, and removes the macros' own attributes.
    pub(crate) fn parse(options: TokenStream, block: &mut ItemImpl, errors: &Errors) -> Self {
        let mut options = Options::read(options, ALLOWED_OPTIONS, errors);
        let any = block.items.iter().any(|item| match item {
            ImplItem::Fn(method) => method.attrs.iter().any(is_tool),
            _ => false,
        });
        let methods = block.items.iter_mut().filter_map(|item| match item {
            ImplItem::Fn(method) => Some(method),
            _ => None,
        });
        let tools = methods.filter_map(|method| tool(method, errors)).collect();
        Self {
            crate_: options.path("crate", errors),
            name: options.text("name", errors),
            attributes: block.attrs.clone(),
            generics: block.generics.clone(),
            of_trait: block.trait_.clone(),
            this: block.self_ty.as_ref().clone(),
            tools,
            any,
        }
    }
}

/// Parses a method with `#[ai_tool]`.
fn tool(method: &mut ImplItemFn, errors: &Errors) -> Option<RawTool> {
    let (mut found, others): (Vec<_>, Vec<_>) = method.attrs.drain(..).partition(is_tool);
    method.attrs = others;
    for second in found.drain(1.min(found.len())..) {
        errors.at(second, "a method is one tool; keep one `#[ai_tool(…)]`");
    }
    let options = match found.pop()?.meta {
        Meta::List(list) => list.tokens,
        Meta::Path(_) => TokenStream::new(),
        Meta::NameValue(pair) => {
            errors.at(pair, "options stand in parentheses: `#[ai_tool(effect = \"read\")]`");
            return None;
        }
    };
    let ImplItemFn { attrs, vis, sig, block, .. } = method;
    let raw = RawTool::parse(options, attrs, vis, (sig, block), errors);
    attrs.push(lints());
    Some(raw)
}

/// Returns whether the attribute is `#[ai_tool]`, by any path.
fn is_tool(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == "ai_tool")
}
