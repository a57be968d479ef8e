//! Tool definitions that `#[ai_tool]` generates, and the traits of tool handles.

use std::fmt;

use schemars::{Schema, SchemaGenerator};
use tool_contracts::Effect;

use super::state::HostNeed;
use crate::failure::FailureCode;
use crate::tool::{CallScope, Finished, ToolFuture};

/// The definition of a tool, generated at compile time and read by `build()`.
#[doc(hidden)]
#[derive(Clone, Copy)]
#[allow(clippy::exhaustive_structs, reason = "written out by generated code")]
#[allow(clippy::struct_excessive_bools, reason = "each is one attribute of the macro")]
#[allow(missing_docs, reason = "generated code's interface, not a user's")]
pub struct Definition {
    pub name: &'static str,
    pub title: Option<&'static str>,
    pub version: &'static str,
    pub description: &'static str,
    pub category: Option<&'static str>,
    pub toolkit: Option<ToolkitFacts>,
    /// Examples of all arguments, as JSON.
    pub examples: &'static [&'static str],
    pub effect: Effect,
    pub idempotent: bool,
    pub open_world: bool,
    /// Milliseconds.
    pub ttl: Option<u64>,
    /// Milliseconds.
    pub timeout: Option<u64>,
    pub requires_auth: bool,
    pub ai_callable: bool,
    pub dry_run: bool,
    /// True if a function of its own answers dry runs: `preview = function`.
    pub has_preview: bool,
    pub reconciles: bool,
    pub forwards_key: bool,
    /// Milliseconds.
    pub retention: Option<u64>,
    pub shared: bool,
    /// The hash of the function's source, if its outputs leave evidence.
    pub source_hash: Option<&'static str>,
    /// True if an output is withheld if its evidence cannot be stored.
    pub requires_evidence: bool,
    pub rust_path: &'static str,
    pub file: &'static str,
    pub line: u32,
    pub input: fn(&mut SchemaGenerator) -> Schema,
    pub output: fn(&mut SchemaGenerator) -> Schema,
    pub host: fn() -> Vec<HostNeed>,
    pub codes: fn() -> &'static [FailureCode],
    /// Estimates the cost of a call: `cost = function`.
    pub estimate: Option<EstimateFn>,
    pub start: fn(CallScope) -> ToolFuture,
}

/// The function that estimates the cost of a call from its arguments; none for a call that costs nothing.
#[doc(hidden)]
pub type EstimateFn = fn(&CallScope) -> Result<Option<CostEstimate>, Finished>;

/// The estimated cost of a call.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "the crate of budgets makes it")]
pub struct CostEstimate {
    /// The code of the currency.
    pub currency: Box<str>,
    /// The amount in millionths.
    pub millionths: u64,
}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Definition")
            .field("name", &self.name)
            .field("rust_path", &self.rust_path)
            .finish_non_exhaustive()
    }
}

/// The toolkit of a tool's method.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct ToolkitFacts {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
}

impl ToolkitFacts {
    /// Copies the constants of the toolkit's type.
    #[must_use]
    pub const fn for_toolkit<T: Toolkit>() -> Self {
        Self { name: T::NAME, description: T::DESCRIPTION }
    }
}

/// A tool's handle: the type that `#[ai_tool]` generates for a function.
///
/// For `fn search_content` it is `SearchContentTool`. It has no values; it names the tool in
/// generic arguments, as in [`RuntimeBuilder::tool`](crate::RuntimeBuilder::tool).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the handle of a tool",
    note = "`#[ai_tool]` over `fn search_content` makes the handle `SearchContentTool`; \
            register that: `.tool::<SearchContentTool>()`"
)]
pub trait Tool: 'static {
    /// Returns the tool's definition.
    #[doc(hidden)]
    fn definition() -> &'static Definition;
}

/// A handle of a tool whose output type can be named.
///
/// All handles implement it, except those of functions that return `impl Trait`. `Output` is the
/// type of `data`: `T` for a function that returns `T` or `Result<T, E>`, by any alias.
#[diagnostic::on_unimplemented(
    message = "the answer of `{Self}` has no type that can be named",
    note = "a function that returns `impl Trait` has none; use `runtime.call(…)`"
)]
pub trait TypedTool: Tool {
    /// The type of the envelope's `data`.
    type Output;
}

/// State with tools as methods: implemented by `#[ai_toolkit]` for an `impl` block.
///
/// Register a value with [`RuntimeBuilder::toolkit`](crate::RuntimeBuilder::toolkit); its tools are
/// named `toolkit.tool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a toolkit",
    note = "write `#[ai_toolkit]` over one `impl {Self}` block and `#[ai_tool(…)]` on its methods"
)]
pub trait Toolkit: Send + Sync + 'static {
    /// The part of its tools' names before the dot.
    const NAME: &'static str;
    /// The toolkit's description.
    const DESCRIPTION: &'static str;

    /// Lists its tools.
    #[doc(hidden)]
    fn definitions() -> &'static [&'static Definition];
}
