//! The error of building an invalid value.

use std::{borrow::Cow, fmt};

use chrono::{DateTime, Utc};

use crate::hidden::{NOT_VISIBLE, has_hidden_characters};
use crate::wire::Instant;

/// The problems for which a value of the contract could not be built.
///
/// Each [`Problem`] names a field, its expected value and a correction. No rejected value is ever
/// quoted, so the text may go into a log.
///
/// ```
/// use tool_contracts::{Effect, ToolSpec};
///
/// let refused = ToolSpec::builder("no spaces, please", Effect::Read).build().unwrap_err();
/// assert_eq!(refused.problems()[0].field(), "name");
/// assert!(!refused.to_string().contains("please"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{type_name}: {}", Listed(.problems))]
pub struct ContractError {
    type_name: &'static str,
    problems: Vec<Problem>,
}

impl ContractError {
    /// Returns all problems, in the order of the fields.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Shows the problems without the type's name, for an error that has a path of its own.
    pub(crate) fn listed(&self) -> impl fmt::Display {
        Listed(&self.problems)
    }

    pub(crate) fn single(
        type_name: &'static str,
        field: &'static str,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { type_name, problems: vec![Problem::new(field, message)] }
    }
}

/// A field that breaks the contract, and its expected value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    field: &'static str,
    message: Cow<'static, str>,
}

impl Problem {
    fn new(field: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { field, message: message.into() }
    }

    /// Returns the field, or an empty text for the value as a whole.
    #[must_use]
    pub fn field(&self) -> &str {
        self.field
    }

    /// Describes the expected value of the field.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.field.is_empty() {
            write!(to, "`{}`: ", self.field)?;
        }
        to.write_str(&self.message)
    }
}

struct Listed<'a>(&'a [Problem]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.0.iter().enumerate() {
            if at > 0 {
                to.write_str("; ")?;
            }
            problem.fmt(to)?;
        }
        Ok(())
    }
}

/// The problems found so far while a value is built.
#[derive(Debug)]
#[must_use = "problems that are not read are lost"]
pub(crate) struct Problems {
    type_name: &'static str,
    found: Vec<Problem>,
}

impl Problems {
    pub(crate) fn new(type_name: &'static str) -> Self {
        Self { type_name, found: Vec::new() }
    }

    pub(crate) fn check(&mut self, holds: bool, field: &'static str, message: &'static str) {
        if !holds {
            self.found.push(Problem::new(field, message));
        }
    }

    pub(crate) fn filled(&mut self, field: &'static str, text: Option<&str>) {
        self.check(text != Some(""), field, "expected text that is not empty; leave it out");
    }

    pub(crate) fn visible(&mut self, field: &'static str, text: Option<&str>) {
        self.check(!text.is_some_and(has_hidden_characters), field, NOT_VISIBLE);
    }

    pub(crate) fn writable(&mut self, field: &'static str, time: &DateTime<Utc>) {
        let holds = Instant::is_writable(time);
        self.check(holds, field, "expected a year from 0 to 9999 and no leap second");
    }

    pub(crate) fn finish(self) -> Result<(), ContractError> {
        if self.found.is_empty() {
            return Ok(());
        }
        Err(self.refusal())
    }

    /// Returns the error, even if no problem was found.
    pub(crate) fn refusal(self) -> ContractError {
        ContractError { type_name: self.type_name, problems: self.found }
    }
}
