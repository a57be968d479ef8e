//! Tools' names in a dialect and back.

use std::collections::HashMap;

/// The names of a set of tools in a dialect: reversible, and no two the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    to_wire: HashMap<String, String>,
    to_tool: HashMap<String, String>,
}

impl Names {
    pub(super) fn add(&mut self, tool: &str, wire: String) {
        self.to_tool.insert(wire.clone(), tool.to_owned());
        self.to_wire.insert(tool.to_owned(), wire);
    }

    /// What a model calls the tool.
    pub(super) fn wire(&self, tool: &str) -> Option<&str> {
        self.to_wire.get(tool).map(String::as_str)
    }

    /// The tool that a model means by a name; none if it was told no such name.
    pub(super) fn tool(&self, wire: &str) -> Option<&str> {
        self.to_tool.get(wire).map(String::as_str)
    }
}
