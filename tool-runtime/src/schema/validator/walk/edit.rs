//! Changes to the text that coercion asks for, and their receipts.

use std::ops::Range;

use tool_contracts::Coercion;

use crate::json::{Node, View, pointers};

/// One value that is written otherwise, or left out.
#[derive(Debug)]
pub(super) struct Edit {
    at: u32,
    span: Range<usize>,
    text: String,
    from: &'static str,
    to: &'static str,
    /// Receipts of what was changed within, with pointers that begin at this value.
    inner: Vec<Receipt>,
    respelled: bool,
}

#[derive(Debug)]
pub(super) struct Receipt {
    pointer: String,
    from: &'static str,
    to: &'static str,
}

impl Edit {
    /// The same whole number, as digits alone.
    pub(super) fn respelled(at: u32, node: &Node, text: String) -> Self {
        Self { respelled: true, ..Self::read_as(at, node, text, ["number", "integer"], Vec::new()) }
    }

    /// A property that is left out; the span takes one comma with it.
    pub(super) fn left_out(at: u32, span: Range<usize>) -> Self {
        let (from, to) = ("null", "absent");
        Self { at, span, text: String::new(), from, to, inner: Vec::new(), respelled: false }
    }

    /// A value that is read as another type.
    pub(super) fn read_as(
        at: u32,
        node: &Node,
        text: String,
        [from, to]: [&'static str; 2],
        inner: Vec<Receipt>,
    ) -> Self {
        Self { at, span: node.start()..node.end(), text, from, to, inner, respelled: false }
    }

    /// Is it the same number in another spelling?
    pub(super) const fn is_respelled(&self) -> bool {
        self.respelled
    }
}

/// The text with every edit made, and the receipts, in the order of the text.
pub(super) fn applied(view: View<'_>, mut edits: Vec<Edit>) -> (String, Vec<Receipt>) {
    // Two schemas that look at one value ask for the same edit; the sort keeps the first.
    edits.sort_by_key(|edit| edit.at);
    edits.dedup_by_key(|edit| edit.at);
    (written(view.text, &edits), receipts(view, edits))
}

fn written(text: &str, edits: &[Edit]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        // Properties left out side by side have spans that overlap.
        if edit.span.start > done {
            result.push_str(&text[done..edit.span.start]);
        }
        result.push_str(&edit.text);
        done = done.max(edit.span.end);
    }
    result.push_str(&text[done..]);
    result
}

fn receipts(view: View<'_>, edits: Vec<Edit>) -> Vec<Receipt> {
    let places: Vec<_> = edits.iter().map(|edit| edit.at).collect();
    let mut receipts = Vec::with_capacity(edits.len());
    for (edit, pointer) in edits.into_iter().zip(pointers(view, &places)) {
        let inner = edit
            .inner
            .into_iter()
            .map(|receipt| Receipt { pointer: format!("{pointer}{}", receipt.pointer), ..receipt });
        let inner: Vec<_> = inner.collect();
        receipts.push(Receipt { pointer, from: edit.from, to: edit.to });
        receipts.extend(inner);
    }
    receipts
}

impl From<Receipt> for Coercion {
    fn from(receipt: Receipt) -> Self {
        Self::new(receipt.pointer, receipt.from, receipt.to)
    }
}
