//! Reads settings by name, from TOML, environment variables or serde, and collects all problems.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

/// The expectation of a text that has no empty form.
pub(super) const NOT_EMPTY: &str = "text that is not empty";

/// The settings that are not read yet, and the problems of those that are.
#[derive(Debug)]
pub(super) struct NamedSettings {
    values: Map<String, Value>,
    /// The start of a variable's name; empty for TOML.
    prefix: String,
    pub(super) problems: Vec<String>,
}

impl NamedSettings {
    pub(super) fn new(values: Map<String, Value>, prefix: &str) -> Self {
        Self { values, prefix: prefix.to_owned(), problems: Vec::new() }
    }

    /// Reads a text into its place; an empty one is refused.
    pub(super) fn text(&mut self, name: &str, place: &mut String) {
        match self.values.remove(name) {
            None => {}
            Some(Value::String(text)) if !text.is_empty() => *place = text,
            Some(_) => self.refuse(name, NOT_EMPTY),
        }
    }

    /// Reads a text that may be absent; an empty one and null are none.
    pub(super) fn optional_text(&mut self, name: &str, place: &mut Option<String>) {
        match self.values.remove(name) {
            None => {}
            Some(Value::Null) => *place = None,
            Some(Value::String(text)) => *place = Some(text).filter(|text| !text.is_empty()),
            Some(_) => self.refuse(name, "text"),
        }
    }

    /// Reads a whole number within its range.
    pub(super) fn whole(&mut self, name: &str, range: RangeInclusive<u64>, place: &mut u64) {
        let Some(value) = self.values.remove(name) else { return };
        let number = match &value {
            Value::String(text) if self.is_environment() => text.trim().parse().ok(),
            other => other.as_u64(),
        };
        match number.filter(|number| range.contains(number)) {
            Some(number) => *place = number,
            None if *range.end() == u64::MAX => {
                self.refuse(name, &format!("a whole number from {}", range.start()));
            }
            None => {
                let expected = format!("a whole number from {} to {}", range.start(), range.end());
                self.refuse(name, &expected);
            }
        }
    }

    /// Reads a switch.
    pub(super) fn flag(&mut self, name: &str, place: &mut bool) {
        let Some(value) = self.values.remove(name) else { return };
        let flag = match &value {
            Value::String(text) if self.is_environment() => match text.trim() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
            other => other.as_bool(),
        };
        match flag {
            Some(flag) => *place = flag,
            None => self.refuse(name, "true or false"),
        }
    }

    /// Takes a value that is read elsewhere.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.values.remove(name)
    }

    /// Notes that a setting is not what was expected. The value is not repeated.
    pub(super) fn refuse(&mut self, name: &str, expected: &str) {
        let name = self.shown(name);
        self.problems.push(format!("`{name}`: expected {expected}"));
    }

    /// Refuses every setting that was not read, and returns all problems.
    pub(super) fn finish(mut self, known: &[&str]) -> Vec<String> {
        let unknown: Vec<String> = self.values.keys().map(|name| self.shown(name)).collect();
        for name in unknown {
            let setting_names: Vec<String> =
                known.iter().map(|known| format!("`{}`", self.shown(known))).collect();
            let setting_list = setting_names.join(", ");
            self.problems.push(format!("`{name}`: unknown; the settings are {setting_list}"));
        }
        self.problems
    }

    fn is_environment(&self) -> bool {
        !self.prefix.is_empty()
    }

    fn shown(&self, name: &str) -> String {
        if self.is_environment() {
            format!("{}{}", self.prefix, name.to_uppercase())
        } else {
            name.to_owned()
        }
    }
}
