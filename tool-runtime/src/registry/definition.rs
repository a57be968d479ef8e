//! What `#[ai_tool]` knows of a function, and the traits its handle implements.

use std::fmt;

use schemars::{Schema, SchemaGenerator};
use tool_contracts::Effect;

use super::state::HostNeed;
use crate::call::{CallScope, ToolFuture};
use crate::failure::FailureCode;

/// Everything the macro knows of one tool; built at compile time, read at `build()`.
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
    pub reconciles: bool,
    pub forwards_key: bool,
    /// Milliseconds.
    pub retention: Option<u64>,
    pub shared: bool,
    /// The hash of the function's source, if its answers leave evidence.
    pub evidence: Option<&'static str>,
    /// Whether an answer whose evidence cannot be kept is withheld.
    pub requires_evidence: bool,
    pub rust_path: &'static str,
    pub file: &'static str,
    pub line: u32,
    pub input: fn(&mut SchemaGenerator) -> Schema,
    pub output: fn(&mut SchemaGenerator) -> Schema,
    pub host: fn() -> Vec<HostNeed>,
    pub codes: fn() -> &'static [FailureCode],
    pub start: fn(CallScope) -> ToolFuture,
}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Definition")
            .field("name", &self.name)
            .field("rust_path", &self.rust_path)
            .finish_non_exhaustive()
    }
}

/// The toolkit that a tool's method stands in.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct ToolkitFacts {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
}

impl ToolkitFacts {
    /// Reads them from the toolkit's type.
    #[must_use]
    pub const fn of<T: Toolkit>() -> Self {
        Self { name: T::NAME, description: T::DESCRIPTION }
    }
}

/// The handle of a tool: the type that `#[ai_tool]` makes beside the function.
///
/// For `fn search_content` it is `SearchContent`. It has no values; it names the tool where a type
/// is asked for, as in [`RuntimeBuilder::tool`](crate::RuntimeBuilder::tool).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the handle of a tool",
    note = "`#[ai_tool]` over `fn search_content` makes the handle `SearchContent`; \
            register that: `.tool::<SearchContent>()`"
)]
pub trait Tool: 'static {
    /// Returns what the macro knows of the tool.
    #[doc(hidden)]
    fn definition() -> &'static Definition;
}

/// A handle whose tool's answer has a type that can be named.
///
/// Every handle is one, but for functions that return `impl Trait`. `Output` is what stands in
/// `data`: `T` for a function that returns `T`, or `Result<T, E>` by whatever alias.
#[diagnostic::on_unimplemented(
    message = "the answer of `{Self}` has no type that can be named",
    note = "a function that returns `impl Trait` has none; use `runtime.call(…)`"
)]
pub trait TypedTool: Tool {
    /// The type of the envelope's `data`.
    type Output;
}

/// State with tools on it: what `#[ai_toolkit]` makes of an `impl` block.
///
/// Register a value with [`RuntimeBuilder::toolkit`](crate::RuntimeBuilder::toolkit); its tools are
/// named `toolkit.tool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a toolkit",
    note = "write `#[ai_toolkit]` over one `impl {Self}` block and `#[ai_tool(…)]` on its methods"
)]
pub trait Toolkit: Send + Sync + 'static {
    /// The first half of its tools' names.
    const NAME: &'static str;
    /// What the toolkit is for.
    const DESCRIPTION: &'static str;

    /// Lists its tools.
    #[doc(hidden)]
    fn definitions() -> &'static [&'static Definition];
}
