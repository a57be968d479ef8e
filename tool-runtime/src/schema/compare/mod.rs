//! What a change of a schema means to who reads by it.

mod alike;
mod explain;
mod part;
mod prove;
mod shape;
#[cfg(test)]
mod tests;
mod words;

use serde_json::Value;

use self::explain::Explainer;
use self::part::Part;

/// Who reads instances by a schema, and so is hurt if it says something new of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reader {
    /// The tool reads its arguments: what was valid before must be valid after.
    Callee,
    /// The caller reads the answer: what is valid after must have been valid before.
    Caller,
}

/// What a change means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Compatibility {
    /// Nothing that an instance could show: descriptions, titles, examples.
    None,
    /// Nobody who kept to the schema before is hurt.
    Compatible,
    /// Somebody may be, or nobody can tell.
    Breaking,
}

/// One change between two schemas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaChange {
    pub(crate) pointer: String,
    pub(crate) rule: &'static str,
    pub(crate) compatibility: Compatibility,
    pub(crate) message: String,
}

impl SchemaChange {
    /// Returns the place in the schema, as a JSON Pointer (RFC 6901).
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Names the rule that classed it, such as `required-added`.
    #[must_use]
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// Says what it means to the reader.
    #[must_use]
    pub fn compatibility(&self) -> Compatibility {
        self.compatibility
    }

    /// Says what has changed, for a person.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// Lists what has changed between two schemas, and what each change means to who reads by them.
#[must_use]
pub fn compare(before: &Value, after: &Value, reader: Reader) -> Vec<SchemaChange> {
    let (before, after) = (Part::root(before), Part::root(after));
    Explainer::new(before, after, reader).explained(before, after)
}
