//! What a change of a schema means to who reads by it.
//!
//! A change is compatible for a reader if a proof says so: `prove` takes both schemas apart into
//! alternatives by type (`shape`), and shows that each of the one lies within the other. A proof
//! may fail to find what is true, and never claims what is not. `explain` walks both documents
//! side by side and gives every change its place, its rule and its words; the proof overrules it.

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
///
/// # Rules
///
/// | rule | more passes than before (+), less (−), or it depends on the rest (?) |
/// | --- | --- |
/// | `type-widened`, `null-added`, `value-allowed` | +: another type, null, what was `false` |
/// | `type-narrowed`, `null-removed`, `value-forbidden` | − |
/// | `type-changed` | some of both |
/// | `enum-value-added`, `enum-removed` | +: one value more, or any value |
/// | `enum-value-removed`, `enum-added` | − |
/// | `minimum-removed`, `minimum-lowered`, `maximum-removed`, `maximum-raised` | + |
/// | `minimum-added`, `minimum-raised`, `maximum-added`, `maximum-lowered` | − |
/// | `exclusive-minimum-removed`, `exclusive-minimum-lowered`, `exclusive-maximum-removed`, `exclusive-maximum-raised` | + |
/// | `exclusive-minimum-added`, `exclusive-minimum-raised`, `exclusive-maximum-added`, `exclusive-maximum-lowered` | − |
/// | `multiple-of-removed`, `multiple-of-added`, `multiple-of-changed` | +, −, ? |
/// | `min-length-removed`, `min-length-lowered`, `max-length-removed`, `max-length-raised` | + |
/// | `min-length-added`, `min-length-raised`, `max-length-added`, `max-length-lowered` | − |
/// | `pattern-removed`, `pattern-added` | +, − |
/// | `format-removed`, `format-widened` | +: for formats that somebody parses by, and types of numbers |
/// | `format-added`, `format-narrowed` | − |
/// | `format-changed` | some of both |
/// | `items-removed`, `items-added` | +, − |
/// | `prefix-item-added`, `prefix-item-removed` | ?: by what was said of that item otherwise |
/// | `min-items-removed`, `min-items-lowered`, `max-items-removed`, `max-items-raised`, `unique-items-removed` | + |
/// | `min-items-added`, `min-items-raised`, `max-items-added`, `max-items-lowered`, `unique-items-added` | − |
/// | `contains-removed`, `contains-added`, `contains-changed` | +, −, ? |
/// | `min-contains-removed`, `min-contains-lowered`, `max-contains-removed`, `max-contains-raised` | + |
/// | `min-contains-added`, `min-contains-raised`, `max-contains-added`, `max-contains-lowered` | − |
/// | `property-added`, `property-removed`, `pattern-property-added`, `pattern-property-removed` | ?: in a closed object, + and −; in an open one, which took anything under that name, the reverse |
/// | `required-removed`, `required-added` | +, − |
/// | `additional-properties-widened`, `unevaluated-properties-widened` | + |
/// | `additional-properties-narrowed`, `unevaluated-properties-narrowed` | − |
/// | `property-names-removed`, `property-names-added`, `property-names-changed` | +, −, ? |
/// | `min-properties-removed`, `min-properties-lowered`, `max-properties-removed`, `max-properties-raised` | + |
/// | `min-properties-added`, `min-properties-raised`, `max-properties-added`, `max-properties-lowered` | − |
/// | `dependent-required-removed`, `dependent-schema-removed` | + |
/// | `dependent-required-added`, `dependent-schema-added`, `dependent-schema-changed` | −, −, ? |
/// | `any-of-branch-added`, `one-of-branch-added`, `all-of-branch-removed` | + |
/// | `any-of-branch-removed`, `one-of-branch-removed`, `all-of-branch-added` | − |
/// | `not-narrowed`, `not-widened`, `condition-changed` | +: less is refused; −: more is; ? |
/// | `widened`, `narrowed` | a schema in another form, such as one that became an alternative: + or − |
/// | `restated` | the same passes, and is written in another way |
/// | `undecided` | nobody can tell: breaking |
/// | `title-changed`, `description-changed`, `examples-changed`, `comment-changed`, `deprecated-changed`, `read-only-changed`, `write-only-changed`, `annotation-changed` | nothing that an instance could show |
/// | `default-added`, `default-removed`, `default-changed` | the same passes; who leaves a value out gets another: compatible for the callee, nothing for the caller |
/// | `sensitivity-added`, `sensitivity-removed`, `sensitivity-changed` | the same passes; who may see it has changed: compatible, and never silent |
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
///
/// No change is [`Breaking`](Compatibility::Breaking) only if it is proven that the reader is not
/// hurt: for the callee, everything that was valid still is; for the caller, everything that is
/// valid already was. Where nobody can tell, one is, by the rule `undecided`. What JSON Schema
/// (draft 2020-12) asserts counts, and what this crate's validator and the types behind it assert
/// beyond that: integers fit the type that `format` names, and texts parse by formats such as
/// `date-time` and `uuid`. How many digits a float keeps does not count.
///
/// Definitions are followed, wherever they stand and whatever they are called. Undecided by design
/// are another `pattern`, `if` or unknown keyword in place of the old one, another reference out of
/// the document, a change of the dialect, and any change at all beside a `$dynamicRef` or an `$id`
/// inside of the document, or of what an anchor or `unevaluatedItems` looks at.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::schema::{Compatibility, Reader, compare};
///
/// let before = json!({"type": "object", "properties": {"limit": {"type": "integer", "maximum": 50}}});
/// let after = json!({"type": "object", "properties": {"limit": {"type": "integer", "maximum": 20}}});
///
/// let changes = compare(&before, &after, Reader::Callee);
/// assert_eq!(changes[0].rule(), "maximum-lowered");
/// assert_eq!(changes[0].pointer(), "/properties/limit/maximum");
/// assert_eq!(changes[0].compatibility(), Compatibility::Breaking);
///
/// // In an answer, less than was promised hurts nobody.
/// let changes = compare(&before, &after, Reader::Caller);
/// assert_eq!(changes[0].compatibility(), Compatibility::Compatible);
/// ```
#[must_use]
pub fn compare(before: &Value, after: &Value, reader: Reader) -> Vec<SchemaChange> {
    if before == after {
        return Vec::new();
    }
    let (before, after) = (Part::root(before), Part::root(after));
    Explainer::new(before, after, reader).explained(before, after)
}
