//! The names of components: in upper camel case, and different by more than case and punctuation.
//!
//! Generators of clients make types and files of the names, and drop or rewrite other characters.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The names in use, each with the number of its last variant.
#[derive(Default)]
pub(super) struct ComponentNames(BTreeMap<String, usize>);

impl ComponentNames {
    /// Starts with the names of these schemas.
    pub(super) fn from_schemas(schemas: &Map<String, Value>) -> Self {
        Self(schemas.keys().map(|name| (key(name), 1)).collect())
    }

    /// Returns this name, with a number if it is taken, and takes it.
    pub(super) fn take(&mut self, name: &str) -> String {
        let mut number = self.0.get(&key(name)).copied().unwrap_or_default();
        let free = loop {
            number += 1;
            let numbered = if number == 1 { name.to_owned() } else { format!("{name}{number}") };
            if !self.0.contains_key(&key(&numbered)) {
                break numbered;
            }
        };
        self.0.insert(key(&free), 1);
        self.0.insert(key(name), number);
        free
    }
}

fn key(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|it| it.to_ascii_lowercase()).collect()
}

/// Returns the name of a tool as the start of components' names.
pub(super) fn for_tool(tool: &str) -> String {
    let name = camel_case(tool);
    // Types begin with a letter.
    if name.starts_with(|it: char| it.is_ascii_digit()) { format!("Tool{name}") } else { name }
}

/// Turns a text into upper camel case, without characters other than ASCII letters and digits.
pub(super) fn camel_case(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for word in text.split(|it: char| !it.is_ascii_alphanumeric()) {
        let mut characters = word.chars();
        name.extend(characters.next().map(|it| it.to_ascii_uppercase()));
        name.push_str(characters.as_str());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_no_punctuation_and_begins_with_a_letter() {
        assert_eq!(for_tool("boats.count-all"), "BoatsCountAll");
        assert_eq!(for_tool("getNPCProfile"), "GetNPCProfile");
        assert_eq!(for_tool("2fa"), "Tool2fa");
        assert_eq!(camel_case("A/b"), "AB");
    }

    #[test]
    fn no_two_names_differ_by_case_or_punctuation_alone() {
        let mut names = ComponentNames::default();
        let taken = ["Ab", "AB", "A_b", "Ab2", "Ab", "c", "c"].map(|name| names.take(name));
        assert_eq!(taken, ["Ab", "AB2", "A_b3", "Ab22", "Ab4", "c", "c2"]);
    }
}
