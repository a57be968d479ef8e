//! The description of a change: its location, its rule and its effect.

use serde_json::Value;

/// Selects the party that reads instances of a schema and can therefore break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaReader {
    /// The tool reads its arguments: every instance that was valid must stay valid.
    Callee,
    /// The caller reads the tool's output: every instance that is valid must have been valid
    /// before.
    Caller,
}

/// Classifies the effect of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Compatibility {
    /// No instance is affected: descriptions, titles, examples.
    None,
    /// Readers of the old schema keep working.
    Compatible,
    /// Readers of the old schema may fail, or compatibility could not be proven.
    Breaking,
}

/// Selects one of the two versions that a comparison reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ComparedVersion {
    /// The old version.
    Before,
    /// The new version.
    After,
}

/// Describes one change between two schemas.
///
/// # Rules
///
/// | rule | accepts more (+), accepts less (−), or depends on other keywords (?) |
/// | --- | --- |
/// | `type-widened`, `null-added`, `value-allowed` | +: another type, null, instead of `false` |
/// | `type-narrowed`, `null-removed`, `value-forbidden` | − |
/// | `type-changed` | + and − |
/// | `enum-value-added`, `enum-removed` | +: one more value, or any value |
/// | `enum-value-removed`, `enum-added` | − |
/// | `minimum-removed`, `minimum-lowered`, `maximum-removed`, `maximum-raised` | + |
/// | `minimum-added`, `minimum-raised`, `maximum-added`, `maximum-lowered` | − |
/// | `exclusive-minimum-removed`, `exclusive-minimum-lowered`, `exclusive-maximum-removed`, `exclusive-maximum-raised` | + |
/// | `exclusive-minimum-added`, `exclusive-minimum-raised`, `exclusive-maximum-added`, `exclusive-maximum-lowered` | − |
/// | `multiple-of-removed`, `multiple-of-added`, `multiple-of-changed` | +, −, ? |
/// | `min-length-removed`, `min-length-lowered`, `max-length-removed`, `max-length-raised` | + |
/// | `min-length-added`, `min-length-raised`, `max-length-added`, `max-length-lowered` | − |
/// | `pattern-removed`, `pattern-added`, `pattern-changed` | +, −, ? |
/// | `format-removed`, `format-widened` | +: for formats by which values are parsed, and numeric types |
/// | `format-added`, `format-narrowed` | − |
/// | `format-changed` | + and − |
/// | `items-removed`, `items-added` | +, − |
/// | `prefix-item-added`, `prefix-item-removed` | ?: depends on the previous schema of that item |
/// | `min-items-removed`, `min-items-lowered`, `max-items-removed`, `max-items-raised`, `unique-items-removed` | + |
/// | `min-items-added`, `min-items-raised`, `max-items-added`, `max-items-lowered`, `unique-items-added` | − |
/// | `contains-removed`, `contains-added`, `contains-changed` | +, −, ? |
/// | `min-contains-removed`, `min-contains-lowered`, `max-contains-removed`, `max-contains-raised` | + |
/// | `min-contains-added`, `min-contains-raised`, `max-contains-added`, `max-contains-lowered` | − |
/// | `property-added`, `property-removed`, `pattern-property-added`, `pattern-property-removed` | ?: in a closed object, + and −; in an open one, which accepted any value under that name, the reverse |
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
/// | `not-narrowed`, `not-widened`, `condition-changed` | +, −, ? |
/// | `widened`, `narrowed` | a schema expressed by other keywords, such as one that became an alternative: + or − |
/// | `restated` | the same values are valid, expressed by other keywords |
/// | `part-changed` | ?: a part whose effect no rule decides, where a proof decides the effect on the whole |
/// | `undecided` | compatibility could not be proven: always breaking |
/// | `title-changed`, `description-changed`, `examples-changed`, `comment-changed`, `deprecated-changed`, `read-only-changed`, `write-only-changed`, `annotation-changed` | no effect on instances |
/// | `default-added`, `default-removed`, `default-changed` | the same values are valid; an omitted value has another default: compatible for the callee, no effect for the caller |
/// | `alias-removed`, `alias-added` | −, +: another name by which calls may name a property; no effect for the caller, since answers have the declared name |
/// | `sensitivity-added`, `sensitivity-removed`, `sensitivity-changed` | the same values are valid; redaction has changed: compatible, and always reported |
/// | `spending-added`, `spending-removed`, `spending-changed` | the same values are valid; budgets count other amounts: + where they count now, − where they do not any longer, or otherwise |
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaChange {
    pub(crate) pointer: String,
    pub(crate) located_in: ComparedVersion,
    pub(crate) rule: &'static str,
    pub(crate) compatibility: Compatibility,
    pub(crate) message: String,
    pub(crate) counterexample: Option<Value>,
}

impl SchemaChange {
    /// The parts by which two changes are the same, before they have counterexamples.
    pub(super) fn identity(
        &self,
    ) -> (String, ComparedVersion, &'static str, Compatibility, String) {
        let (pointer, message) = (self.pointer.clone(), self.message.clone());
        (pointer, self.located_in, self.rule, self.compatibility, message)
    }

    /// Returns the location, as a JSON Pointer (RFC 6901) into the schema that
    /// [`located_in`](Self::located_in) selects.
    ///
    /// The pointer always resolves there: to the changed keyword or value, or to the schema that
    /// has changed as a whole.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the schema that [`pointer`](Self::pointer) refers to: the old one if a part of it
    /// was removed, otherwise the new one.
    #[must_use]
    pub fn located_in(&self) -> ComparedVersion {
        self.located_in
    }

    /// Returns the rule that classified the change, such as `required-added`.
    #[must_use]
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// Returns the effect on the reader.
    #[must_use]
    pub fn compatibility(&self) -> Compatibility {
        self.compatibility
    }

    /// Returns an instance that shows why the change is breaking, if a bounded search has found one:
    /// for the callee, a value that the old schema accepts and the new one rejects; for the caller,
    /// one that the new schema accepts and the old one rejects.
    ///
    /// This crate's validator has checked it by both schemas. It is made from the schemas alone. If
    /// there is none, the change is breaking all the same.
    #[must_use]
    pub fn counterexample(&self) -> Option<&Value> {
        self.counterexample.as_ref()
    }

    /// Describes the change.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}
