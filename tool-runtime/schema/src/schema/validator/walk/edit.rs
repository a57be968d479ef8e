//! Text edits that coercion requires, and the coercions to report.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tool_contracts::Coercion;

use super::super::report::ValidationReport;
use crate::json::{JsonNode, JsonView, OpaqueNodes, pointer, removed_members};

/// Most bytes of pointers in the reported coercions of one text.
const MAX_POINTER_BYTES: usize = 16 * 1024;

/// A value that is rewritten or omitted.
#[derive(Debug)]
pub(super) struct TextEdit {
    at: u32,
    span: Range<usize>,
    text: String,
    from: &'static str,
    to: &'static str,
    /// Coercions within this value, with pointers relative to it.
    inner: CoercionList,
    normalized_integer: bool,
    /// The object that a property is omitted from.
    omitted_from: Option<u32>,
}

#[derive(Debug, PartialEq)]
struct CoercionEntry {
    pointer: String,
    from: Cow<'static, str>,
    to: &'static str,
}

/// The listed coercions of one text, and the number of omitted ones.
#[derive(Debug, Default)]
pub(super) struct CoercionList {
    listed: Vec<CoercionEntry>,
    pointer_bytes: usize,
    omitted: usize,
}

impl TextEdit {
    /// Rewrites a whole number as plain digits.
    pub(super) fn normalized_integer(at: u32, node: &JsonNode, text: String) -> Self {
        Self {
            normalized_integer: true,
            ..Self::read_as(at, node, text, ["number", "integer"], CoercionList::default())
        }
    }

    /// Omits a property. The separators that go with it depend on its neighbours, so the span is
    /// set when all edits of the object are known.
    pub(super) fn omitted(at: u32, node: &JsonNode) -> Self {
        let (from, to) = ("null", "absent");
        let (text, inner) = (String::new(), CoercionList::default());
        let omitted_from = node.parent();
        let span = node.start()..node.end();
        Self { at, span, text, from, to, inner, normalized_integer: false, omitted_from }
    }

    /// Converts a value to another type.
    pub(super) fn read_as(
        at: u32,
        node: &JsonNode,
        text: String,
        [from, to]: [&'static str; 2],
        inner: CoercionList,
    ) -> Self {
        Self {
            at,
            span: node.start()..node.end(),
            text,
            from,
            to,
            inner,
            normalized_integer: false,
            omitted_from: None,
        }
    }

    /// Returns whether only the notation of the number changes.
    pub(super) const fn changes_notation_only(&self) -> bool {
        self.normalized_integer
    }
}

/// Applies all edits, and returns the coercions in text order. Those inside of a secret have the
/// secret's pointer.
pub(super) fn apply_edits(
    view: JsonView<'_>,
    secrets: &OpaqueNodes,
    mut edits: Vec<TextEdit>,
) -> (String, CoercionList) {
    // Two schemas of one value produce the same edit; the sort keeps the first.
    edits.sort_by_key(|edit| edit.at);
    edits.dedup_by_key(|edit| edit.at);
    set_spans_of_omitted(view, &mut edits);
    (written(view.text, &edits), coercions(view, secrets, edits))
}

/// Lets omitted properties of one object share its separators.
fn set_spans_of_omitted(view: JsonView<'_>, edits: &mut [TextEdit]) {
    let mut omitted: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for edit in edits.iter() {
        if let Some(object) = edit.omitted_from {
            omitted.entry(object).or_default().insert(edit.at);
        }
    }
    for (object, ids) in omitted {
        let members: Vec<_> = view.children(object).collect();
        for (id, span) in removed_members(&members, |id| ids.contains(&id)) {
            if let Ok(index) = edits.binary_search_by_key(&id, |edit| edit.at) {
                edits[index].span = span;
            }
        }
    }
}

fn written(text: &str, edits: &[TextEdit]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    // Spans do not overlap. Those of omitted properties at the end of an object begin before the
    // edits' own values, behind the last property that stays, so their order is that of the values.
    for edit in edits {
        result.push_str(&text[done..edit.span.start]);
        result.push_str(&edit.text);
        done = edit.span.end;
    }
    result.push_str(&text[done..]);
    result
}

fn coercions(view: JsonView<'_>, secrets: &OpaqueNodes, edits: Vec<TextEdit>) -> CoercionList {
    let mut coercions = CoercionList::default();
    for TextEdit { at, from, to, inner, .. } in edits {
        if coercions.is_full() {
            coercions.omitted += 1 + inner.listed.len() + inner.omitted;
            continue;
        }
        let outer = pointer(view, secrets.visible(at));
        coercions.omitted += inner.omitted;
        let entry = CoercionEntry { pointer: outer.clone(), from: Cow::Borrowed(from), to };
        if secrets.contains(at) {
            let is_inside = secrets.visible(at) != at;
            coercions.push_secret(if is_inside { entry.inside(outer.clone()) } else { entry });
            for entry in inner.listed {
                coercions.push_secret(entry.inside(outer.clone()));
            }
            continue;
        }
        coercions.push(entry);
        for entry in inner.listed {
            let pointer = format!("{outer}{}", entry.pointer);
            coercions.push(CoercionEntry { pointer, ..entry });
        }
    }
    coercions
}

impl CoercionEntry {
    /// The coercion of a value inside of the secret at a pointer.
    fn inside(self, secret: String) -> Self {
        let from = Cow::Owned(format!("{} inside", self.from));
        Self { pointer: secret, from, ..self }
    }
}

impl CoercionList {
    /// Adds a coercion of a secret or inside of it, once: their number tells about its contents.
    fn push_secret(&mut self, entry: CoercionEntry) {
        if !self.listed.contains(&entry) {
            self.push(entry);
        }
    }

    fn is_full(&self) -> bool {
        self.listed.len() >= ValidationReport::MAX_LISTED || self.pointer_bytes >= MAX_POINTER_BYTES
    }

    fn push(&mut self, entry: CoercionEntry) {
        if self.is_full() {
            self.omitted += 1;
        } else {
            self.pointer_bytes += entry.pointer.len();
            self.listed.push(entry);
        }
    }

    /// Converts to the reported form; the last entry states how many are omitted.
    pub(super) fn into_coercions(self) -> Vec<Coercion> {
        let omission = match self.omitted {
            0 => None,
            1 => Some("1 more value".to_owned()),
            more => Some(format!("{more} more values")),
        };
        let entries = self.listed.into_iter();
        let coercions =
            entries.map(|CoercionEntry { pointer, from, to }| Coercion::new(pointer, from, to));
        coercions
            .chain(omission.map(|omission| Coercion::new("", omission, "not listed")))
            .collect()
    }
}
