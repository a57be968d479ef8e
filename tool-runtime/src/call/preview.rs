//! The description of a call for the person who decides about it.

use std::fmt;

use tool_contracts::{Effect, ToolSpec};

use super::ToolCall;

/// A call as a person sees it before deciding: what would run, with which arguments.
///
/// Secrets are masked. `Display` gives one line, such as
/// `Delete an article: content.delete (destructive) {"id":7}`.
#[derive(Debug, Clone, Copy)]
pub struct Preview<'c> {
    name: &'c str,
    title: Option<&'c str>,
    effect: Option<Effect>,
    arguments: Option<&'c str>,
}

impl<'c> Preview<'c> {
    pub(super) fn of(call: &'c ToolCall) -> Self {
        let tool = call.tool();
        Self {
            name: call.name(),
            title: tool.and_then(|tool| tool.title()),
            effect: tool.map(ToolSpec::effect),
            arguments: call.scope().and_then(|scope| scope.shown()),
        }
    }

    /// Returns the tool's name, as the model called it.
    #[must_use]
    pub fn name(&self) -> &'c str {
        self.name
    }

    /// Returns the tool's title for people, if it has one.
    #[must_use]
    pub fn title(&self) -> Option<&'c str> {
        self.title
    }

    /// Returns what the call would do to the world; none if the tool is unknown.
    #[must_use]
    pub fn effect(&self) -> Option<Effect> {
        self.effect
    }

    /// Returns the arguments as JSON text, secrets masked; none if they are not JSON.
    #[must_use]
    pub fn arguments(&self) -> Option<&'c str> {
        self.arguments
    }
}

impl fmt::Display for Preview<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(title) = self.title {
            write!(f, "{title}: ")?;
        }
        f.write_str(self.name)?;
        match self.effect {
            Some(effect) => write!(f, " ({effect})")?,
            None => return f.write_str(" (no such tool)"),
        }
        match self.arguments {
            Some(arguments) => write!(f, " {arguments}"),
            None => f.write_str(" (arguments are not readable)"),
        }
    }
}
