//! Declares tools with one text argument as OpenAI's custom tools, which take text in place of JSON.

mod argument;
mod builder;
mod grammar;

pub(super) use self::argument::CustomTool;
pub use self::builder::{CustomToolError, CustomToolsBuilder};

/// The texts that a model may write for a custom tool.
///
/// The provider makes the model write only these. With a grammar of the host's own, the model cannot
/// make a call that the grammar does not accept, although the tool would.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CustomToolFormat {
    /// Texts that match the argument's `pattern`, as far as the provider can express it; else any.
    ///
    /// The grammar of a regular expression matches the whole text. So a `pattern` becomes one only if
    /// it begins with `^` and ends with `$`, and has no part that the syntaxes read differently: no
    /// look-around, reference, lazy repetition, further anchor or negated class such as `\D`, and no
    /// alternative outside of a group. The report lists a `pattern` that is not sent.
    FromSchema,
    /// Any text.
    Text,
    /// Texts of a grammar in Lark's syntax.
    Lark(String),
    /// Texts that match a regular expression as a whole, in the syntax of the crate `regex`.
    Regex(String),
}
