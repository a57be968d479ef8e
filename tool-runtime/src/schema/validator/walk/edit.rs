//! Changes to the text that coercion asks for, and their receipts.

use std::ops::Range;

use tool_contracts::Coercion;

use super::super::report::Report;
use crate::json::{Node, View, pointer};

/// The most bytes of pointers that all receipts of one text have together.
const MOST_POINTER_BYTES: usize = 16 * 1024;

/// One value that is written otherwise, or left out.
#[derive(Debug)]
pub(super) struct Edit {
    at: u32,
    span: Range<usize>,
    text: String,
    from: &'static str,
    to: &'static str,
    /// Receipts of what was changed within, with pointers that begin at this value.
    inner: Receipts,
    respelled: bool,
}

#[derive(Debug)]
struct Receipt {
    pointer: String,
    from: &'static str,
    to: &'static str,
}

/// The receipts of one text, as many as are listed, and the number of the others.
#[derive(Debug, Default)]
pub(super) struct Receipts {
    listed: Vec<Receipt>,
    pointer_bytes: usize,
    left_out: usize,
}

impl Edit {
    /// The same whole number, as digits alone.
    pub(super) fn respelled(at: u32, node: &Node, text: String) -> Self {
        Self {
            respelled: true,
            ..Self::read_as(at, node, text, ["number", "integer"], Receipts::default())
        }
    }

    /// A property that is left out; the span takes one comma with it.
    pub(super) fn left_out(at: u32, span: Range<usize>) -> Self {
        let (from, to) = ("null", "absent");
        let (text, inner) = (String::new(), Receipts::default());
        Self { at, span, text, from, to, inner, respelled: false }
    }

    /// A value that is read as another type.
    pub(super) fn read_as(
        at: u32,
        node: &Node,
        text: String,
        [from, to]: [&'static str; 2],
        inner: Receipts,
    ) -> Self {
        Self { at, span: node.start()..node.end(), text, from, to, inner, respelled: false }
    }

    /// Is it the same number in another spelling?
    pub(super) const fn is_respelled(&self) -> bool {
        self.respelled
    }
}

/// The text with every edit made, and the receipts, in the order of the text.
pub(super) fn applied(view: View<'_>, mut edits: Vec<Edit>) -> (String, Receipts) {
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

fn receipts(view: View<'_>, edits: Vec<Edit>) -> Receipts {
    let mut receipts = Receipts::default();
    for Edit { at, from, to, inner, .. } in edits {
        if receipts.is_full() {
            receipts.left_out += 1 + inner.listed.len() + inner.left_out;
            continue;
        }
        let outer = pointer(view, at);
        receipts.left_out += inner.left_out;
        let within = inner
            .listed
            .into_iter()
            .map(|receipt| Receipt { pointer: format!("{outer}{}", receipt.pointer), ..receipt });
        let within: Vec<_> = within.collect();
        receipts.push(Receipt { pointer: outer, from, to });
        for receipt in within {
            receipts.push(receipt);
        }
    }
    receipts
}

impl Receipts {
    fn is_full(&self) -> bool {
        self.listed.len() >= Report::MOST || self.pointer_bytes >= MOST_POINTER_BYTES
    }

    fn push(&mut self, receipt: Receipt) {
        if self.is_full() {
            self.left_out += 1;
        } else {
            self.pointer_bytes += receipt.pointer.len();
            self.listed.push(receipt);
        }
    }

    /// The receipts as an answer carries them; the last one says how many are left out.
    pub(super) fn into_coercions(self) -> Vec<Coercion> {
        let rest = match self.left_out {
            0 => None,
            1 => Some("1 more value".to_owned()),
            more => Some(format!("{more} more values")),
        };
        let listed = self.listed.into_iter();
        let listed = listed.map(|Receipt { pointer, from, to }| Coercion::new(pointer, from, to));
        listed.chain(rest.map(|rest| Coercion::new("", rest, "not listed"))).collect()
    }
}
