//! Compares two versions of a schema, and classifies the changes by their effect on readers.
//!
//! A change is compatible only if that is proven: `prove` splits both schemas into alternatives by
//! type (`shape`), and shows that every alternative of the one is contained in the other. A proof
//! can fail for a true statement, but never succeeds for a false one. `explain` walks both
//! documents in parallel and assigns each change a location, a rule and a message; the proof
//! overrules it. `counterexample` searches for an instance that shows why a change is breaking.

mod change;
mod counterexample;
mod equality;
mod explain;
mod keywords;
mod prove;
mod shape;
mod subschema;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub use self::change::{ComparedVersion, Compatibility, SchemaChange, SchemaReader};

use self::explain::Explainer;
use self::subschema::Subschema;

/// Lists the changes between two schemas, and classifies the effect of each on the reader.
///
/// If no change is [`Breaking`](Compatibility::Breaking), the reader is proven to keep working: for
/// the callee, everything that was valid still is; for the caller, everything that is valid already
/// was. If neither a proof nor a rule decides, one change is breaking by the rule `undecided`. The
/// comparison includes the assertions of JSON Schema (draft 2020-12), and those that this crate's
/// validator and the types behind it add: integers fit the type that `format` names, and strings
/// parse by formats such as `date-time` and `uuid`. The precision of floats is not compared.
///
/// Definitions are followed, independent of their location and name. No rule decides another
/// `pattern`, `if` or unknown keyword in place of the old one, another reference to a different
/// document, and a change of a schema that an anchor or `unevaluatedItems` refers to: they are
/// undecided, unless other keywords prove the effect, as an `enum` next to the `pattern` does.
/// Always undecided are a change of the dialect, and any change in a document with a
/// `$dynamicRef` or an inner `$id`.
///
/// A breaking change has a [`counterexample`](SchemaChange::counterexample) where a bounded search
/// finds one.
///
/// The pointer of each change resolves in the schema that [`SchemaChange::located_in`] selects.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::schema::{Compatibility, SchemaReader, compare};
///
/// let before = json!({"type": "object", "properties": {"limit": {"type": "integer", "maximum": 50}}});
/// let after = json!({"type": "object", "properties": {"limit": {"type": "integer", "maximum": 20}}});
///
/// let changes = compare(&before, &after, SchemaReader::Callee);
/// assert_eq!(changes[0].rule(), "maximum-lowered");
/// assert_eq!(changes[0].pointer(), "/properties/limit/maximum");
/// assert_eq!(changes[0].compatibility(), Compatibility::Breaking);
/// assert_eq!(changes[0].counterexample(), Some(&json!({"limit": 21})));
///
/// // In an output, a narrower schema is compatible.
/// let changes = compare(&before, &after, SchemaReader::Caller);
/// assert_eq!(changes[0].compatibility(), Compatibility::Compatible);
/// ```
#[must_use]
pub fn compare(before: &Value, after: &Value, reader: SchemaReader) -> Vec<SchemaChange> {
    let mut changes = compare_without_counterexamples(before, after, reader);
    counterexample::add_counterexamples(before, after, reader, &mut changes);
    changes
}

/// Like [`compare`], without the search for counterexamples.
#[must_use]
pub fn compare_without_counterexamples(
    before: &Value,
    after: &Value,
    reader: SchemaReader,
) -> Vec<SchemaChange> {
    if before == after {
        return Vec::new();
    }
    let (before, after) = (Subschema::root(before), Subschema::root(after));
    Explainer::new(before, after, reader).explained(before, after)
}
