//! The toolkit that a tool belongs to.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    ContractError,
    contract_error::Problems,
    wire::{self, reads},
};

/// The description of a toolkit: a set of related tools.
///
/// The names of its tools begin with the toolkit's name and a dot, as in `content.search`.
///
/// ```
/// use tool_contracts::{Effect, ToolSpec, ToolkitSpec};
///
/// let content = ToolkitSpec::new("content", "Finds and edits the pages of a site.")?;
/// let spec = ToolSpec::builder("content.search", Effect::Read).toolkit(content).build()?;
/// assert_eq!(spec.toolkit().map(ToolkitSpec::name), Some("content"));
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("toolkit_spec"))]
pub struct ToolkitSpec {
    /// The first part of the tools' names: letters, digits, `_`, `.` and `-`.
    #[schemars(regex(pattern = "^[A-Za-z0-9_.-]{1,64}$"))]
    name: String,
    /// The common purpose of the tools, for a model that selects one.
    #[schemars(length(min = 1))]
    description: String,
}

impl ToolkitSpec {
    /// Creates the description of a toolkit.
    ///
    /// # Errors
    /// Returns an error if the name is not 1 to 64 of the letters A-Z and a-z, digits, `_`, `.` and
    /// `-`, or the description is empty; it lists both problems.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
    ) -> Result<Self, ContractError> {
        Self { name: name.into(), description: description.into() }.checked()
    }

    /// Returns the first part of the tools' names.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the common purpose of the tools.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    fn checked(self) -> Result<Self, ContractError> {
        let mut problems = Problems::new("ToolkitSpec");
        problems.check(
            is_toolkit_name(&self.name),
            "name",
            "expected 1 to 64 of the letters A-Z and a-z, digits, `_`, `.` and `-`",
        );
        problems.filled("description", Some(&self.description));
        problems.finish().map(|()| self)
    }
}

/// Checks that a tool's name begins with its toolkit's name and a dot.
pub(crate) fn check_prefix(problems: &mut Problems, tool: &str, toolkit: Option<&ToolkitSpec>) {
    let begins = |toolkit: &ToolkitSpec| {
        let own_name = tool.strip_prefix(toolkit.name()).and_then(|rest| rest.strip_prefix('.'));
        own_name.is_some_and(|own_name| !own_name.is_empty())
    };
    problems.check(
        toolkit.is_none_or(begins),
        "toolkit",
        "expected the toolkit whose name and a dot begin the tool's name, as in `toolkit.tool`",
    );
}

fn is_toolkit_name(name: &str) -> bool {
    let admitted = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    (1..=64).contains(&name.len()) && name.bytes().all(admitted)
}

reads! {
    ToolkitSpec, "a toolkit's description";
    required name = "name", leaf wire::Text;
    required description = "description", leaf wire::Text;
    => {
        let toolkit = ToolkitSpec { name, description };
        toolkit.checked().map_err(wire::refused)
    }
}
