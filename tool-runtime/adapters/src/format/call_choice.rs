//! The rules for calls, as the dialects write them.

use super::DeclaredTool;

/// A choice among the declared tools.
#[derive(Debug)]
pub(crate) enum CallChoice<'t> {
    Auto { allowed: Option<&'t [&'t DeclaredTool]> },
    Required { allowed: Option<&'t [&'t DeclaredTool]> },
    None,
    Tool(&'t DeclaredTool),
}

/// A rule that a dialect has no field for.
#[derive(Debug)]
pub(crate) struct UnsupportedRule {
    pub(crate) rule: &'static str,
    pub(crate) cure: &'static str,
}

impl UnsupportedRule {
    /// Returns the error for a provider that always allows parallel calls, if these are disabled.
    pub(crate) fn without_parallel_calls(parallel: Option<bool>) -> Result<(), UnsupportedRule> {
        match parallel {
            Some(false) => Err(Self {
                rule: "one call at a time",
                cure: "ask for it in the prompt, or decline the further calls of a response",
            }),
            Some(true) | None => Ok(()),
        }
    }
}
