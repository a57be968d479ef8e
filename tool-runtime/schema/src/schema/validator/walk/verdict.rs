//! Verdicts of schemas about values, each reached once.

use std::collections::BTreeMap;
use std::mem;
use std::rc::Rc;

use super::super::model::SchemaId;
use super::coerce::ParsedValue;
use super::{Document, Walk};

/// The values that are converted, besides whole numbers in another notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Conversions {
    None,
    /// `null` for a property that may be left out and accepts no null.
    OmittedNulls,
    /// Those of [`Coerce::Lossless`](super::Coerce::Lossless).
    Lossless,
}

/// Settings of a quiet check, which returns only a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct VerdictMode {
    pub(super) coerce: Conversions,
    pub(super) check_precision: bool,
}

impl VerdictMode {
    /// Applies JSON Schema alone. The stricter rules of this validator must not invert a `not` or
    /// an `if` and so accept a value that the schema rejects.
    pub(super) const SCHEMA: Self = Self { coerce: Conversions::None, check_precision: false };
    /// Checks the value as it was sent.
    pub(super) const PLAIN: Self = Self { coerce: Conversions::None, check_precision: true };
}

/// Cached verdicts and parsed strings.
#[derive(Debug, Default)]
pub(super) struct VerdictCache {
    pub(super) verdicts: BTreeMap<(SchemaId, u32, u32, VerdictMode), bool>,
    pub(super) inner: BTreeMap<(u32, u32), Option<Rc<ParsedValue>>>,
    /// Results of schemas that several others apply, also where violations are recorded.
    pub(super) applied: BTreeMap<(SchemaId, u32, u32, VerdictMode, bool), bool>,
}

impl Walk<'_> {
    /// Applies a schema that several others apply to the same value, unless the result is known.
    pub(super) fn apply_once(&mut self, id: SchemaId, doc: &Document<'_>, at: u32) {
        let mode = VerdictMode { coerce: self.coerce, check_precision: self.check_precision };
        let key = (id, doc.id, at, mode, self.quiet);
        let cached_verdict = self.cache.as_ref().and_then(|cache| cache.applied.get(&key));
        match cached_verdict {
            Some(true) => return,
            Some(false) if self.quiet => {
                self.failed = true;
                return;
            }
            Some(false) | None => {}
        }
        let failed_before = mem::take(&mut self.failed);
        let edits = self.edits.len();
        self.apply(self.schema(id), doc, at, doc.view.node(at));
        let passed = !self.failed;
        self.failed |= failed_before;
        // Edits belong to each application, and a stopped one has no result.
        let is_complete = !self.overflow && self.aborted.is_none() && self.edits.len() == edits;
        if is_complete && (passed || self.quiet) {
            self.cache.get_or_insert_default().applied.insert(key, passed);
        }
    }

    /// Returns whether the value is valid, without recording violations.
    pub(super) fn passes(
        &mut self,
        id: SchemaId,
        doc: &Document<'_>,
        at: u32,
        mode: VerdictMode,
    ) -> bool {
        // Nested quiet checks may reach a choice once per path; cached verdicts prevent exponential
        // growth.
        let mode =
            VerdictMode { check_precision: self.check_precision && mode.check_precision, ..mode };
        let key = (id, doc.id, at, mode);
        let remember = self.quiet && doc.view.node(at).count() > 0;
        let cached_verdict = self.cache.as_ref().and_then(|cache| cache.verdicts.get(&key));
        if let Some(verdict) = cached_verdict.filter(|_| remember) {
            return *verdict;
        }
        let before = (self.quiet, self.failed, self.coerce, self.check_precision);
        let VerdictMode { coerce, check_precision } = mode;
        (self.quiet, self.failed, self.coerce, self.check_precision) =
            (true, false, coerce, check_precision);
        self.value(id, doc, at);
        let verdict = !self.failed;
        (self.quiet, self.failed, self.coerce, self.check_precision) = before;
        if remember {
            self.cache.get_or_insert_default().verdicts.insert(key, verdict);
        }
        verdict
    }
}
