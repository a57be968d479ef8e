//! The checked model of a tool.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Attribute, Ident, LitStr, Path, Type, Visibility};

use crate::syntax::arg::Arg;
use crate::syntax::docs::Description;
use crate::syntax::root::Root;

/// A checked tool.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) root: Root,
    /// The function's `#[cfg(…)]`s, copied to generated items.
    pub(crate) conditions: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) function: ToolFunction,
    pub(crate) handle: Option<Ident>,
    pub(crate) metadata: ToolMetadata,
    /// The hash of the function's source, if its outputs leave evidence.
    pub(crate) source_hash: Option<String>,
    /// True if an output is withheld if its evidence cannot be stored.
    pub(crate) requires_evidence: bool,
    pub(crate) style: ExecutionStyle,
    pub(crate) preview: Option<Path>,
    pub(crate) reconcile: Option<Path>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) output: Output,
    pub(crate) open: bool,
    pub(crate) may_be_deprecated: bool,
}

/// The cost of a call that its arguments do not name.
#[derive(Debug)]
pub(crate) enum Cost {
    /// Each call costs the same: an amount and its currency.
    Fixed(LitStr),
    /// A function over the arguments returns it.
    Estimate(Path),
}

/// The tool's options and description.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is one option of the macro")]
pub(crate) struct ToolMetadata {
    pub(crate) name: String,
    pub(crate) title: Option<LitStr>,
    pub(crate) version: String,
    pub(crate) description: Description,
    /// The cost of a call.
    pub(crate) cost: Option<Cost>,
    pub(crate) category: Option<LitStr>,
    /// Examples of all arguments, as JSON objects.
    pub(crate) examples: Vec<LitStr>,
    pub(crate) effect: Effect,
    pub(crate) idempotent: bool,
    pub(crate) open_world: bool,
    pub(crate) ttl_ms: Option<u64>,
    pub(crate) timeout_ms: Option<u64>,
    /// The option as written, for the compiler's error.
    pub(crate) forwards_key: Option<Ident>,
    pub(crate) retention_ms: Option<u64>,
    pub(crate) shared: bool,
    pub(crate) requires_auth: bool,
    pub(crate) ai_callable: bool,
}

/// The effect of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Read,
    Write,
    Destructive,
}

/// The function of the tool.
#[derive(Debug)]
pub(crate) struct ToolFunction {
    pub(crate) name: Ident,
    /// The span of `fn`.
    pub(crate) keyword: Span,
    /// The type of the `impl` block, for a method of a toolkit.
    pub(crate) this: Option<Type>,
    /// True if it takes `&self`.
    pub(crate) receiver: bool,
}

/// The execution style of the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExecutionStyle {
    Async,
    Sync,
    Blocking,
}

/// The function's return type.
#[derive(Debug)]
pub(crate) enum Output {
    /// A type that can be named outside of the function.
    Named(Box<NamedReturnType>),
    /// `impl Trait`, alone or inside, with its span.
    Opaque(Span),
}

/// A return type that can be named.
#[derive(Debug)]
pub(crate) struct NamedReturnType {
    /// The span of `->`.
    pub(crate) arrow: Span,
    pub(crate) ty: Type,
}

/// A parameter, by its source.
#[derive(Debug)]
pub(crate) enum Parameter {
    Host(Box<HostParameter>),
    Model(Box<Argument>),
}

/// A parameter that the host provides.
#[derive(Debug)]
pub(crate) struct HostParameter {
    /// The span of `&`.
    pub(crate) borrow: Span,
    pub(crate) ty: Type,
}

/// A parameter that the model provides.
#[derive(Debug)]
pub(crate) struct Argument {
    pub(crate) name: Ident,
    /// The span of `:`.
    pub(crate) colon: Span,
    pub(crate) ty: ArgumentType,
    pub(crate) description: Description,
    pub(crate) arg: Arg,
}

/// An argument's type.
#[derive(Debug)]
pub(crate) enum ArgumentType {
    /// `&str`.
    Text,
    Owned(Box<Type>),
}

impl Tool {
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Model(argument) => Some(argument.as_ref()),
            Parameter::Host(_) => None,
        })
    }

    pub(crate) fn hosts(&self) -> impl Iterator<Item = &HostParameter> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Host(host) => Some(host.as_ref()),
            Parameter::Model(_) => None,
        })
    }
}

impl ToolFunction {
    /// Generates the path to call.
    pub(crate) fn path(&self) -> TokenStream {
        let Self { name, this, .. } = self;
        let this = this.as_ref().map(|this| quote!(<#this>::));
        quote!(#this #name)
    }

    /// The function's path relative to its module.
    pub(crate) fn rust_path(&self) -> String {
        let function = self.name.unraw();
        match &self.this {
            Some(this) => format!("{}::{function}", crate::syntax::types::to_source(this)),
            None => function.to_string(),
        }
    }
}

impl Argument {
    /// The name for the model.
    pub(crate) fn wire_name(&self) -> String {
        let rename = self.arg.rename.as_ref();
        rename.map_or_else(|| self.name.unraw().to_string(), syn::LitStr::value)
    }

    /// The name of the function that returns the default.
    pub(crate) fn default_name(&self) -> Ident {
        format_ident!("__default_{}", self.name.unraw(), span = Span::call_site())
    }
}
