//! The text as a record may keep it, and the values that no log may repeat.

use super::marks::{Mark, Search, Sensitivity, marks};
use super::mask::MASK;
use super::model::Schema;
use crate::json::{Kind, Node, View};
use crate::redact::Veil;

/// Replaces every value that is not for everybody; all else stands as sent.
pub(super) fn redacted(schemas: &[Schema], view: View<'_>, veil: &dyn Veil) -> String {
    let mut copy = Copy { view, veil, text: String::with_capacity(view.text.len()), done: 0 };
    let mut marks = marks(schemas, view, Search::All).into_iter().peekable();
    let mut at = 0;
    while let Some(node) = view.nodes.get(at as usize) {
        copy.key(node);
        if let Some(mark) = marks.next_if(|mark| mark.node == at) {
            copy.marked(node, mark.what);
            at = node.next();
        } else {
            copy.leaf(node);
            at += 1;
        }
    }
    copy.finish()
}

/// A text on its way into a record.
struct Copy<'a> {
    view: View<'a>,
    veil: &'a dyn Veil,
    text: String,
    /// What is copied already.
    done: usize,
}

impl Copy<'_> {
    /// Writes something in place of a part of the text.
    fn put(&mut self, start: usize, end: usize, json: &str) {
        self.text.push_str(&self.view.text[self.done..start]);
        self.text.push_str(json);
        self.done = end;
    }

    fn put_text(&mut self, start: usize, end: usize, text: &str) {
        let json = serde_json::to_string(text).unwrap_or_else(|_| MASK.to_owned());
        self.put(start, end, &json);
    }

    /// A name that says something is veiled, not replaced: two of them must stay two.
    fn key(&mut self, node: &Node) {
        let start = node.member_start();
        if start == 0 {
            return;
        }
        let key = self.view.key(node);
        if self.veil.free_text(&key) != key {
            let end = start + self.view.raw_key(node).len() + 2;
            let veiled = self.veil.personal(&self.view.text[start..end]);
            self.put_text(start, end, &veiled);
        }
    }

    fn marked(&mut self, node: &Node, what: Sensitivity) {
        match what {
            Sensitivity::Personal => {
                let veiled = self.veil.personal(self.view.raw(node));
                self.put_text(node.start(), node.end(), &veiled);
            }
            Sensitivity::Secret | Sensitivity::Stranger => {
                self.put(node.start(), node.end(), MASK);
            }
        }
    }

    fn leaf(&mut self, node: &Node) {
        match node.kind {
            Kind::String => {
                let text = self.view.string(node);
                let shown = self.veil.free_text(&text);
                if shown != text {
                    self.put_text(node.start(), node.end(), &shown);
                }
            }
            // A number that no reader can hold would make the whole record unreadable.
            Kind::Number if node.is_wide() && !is_readable(self.view.raw(node)) => {
                self.put(node.start(), node.end(), MASK);
            }
            _ => {}
        }
    }

    fn finish(mut self) -> String {
        self.text.push_str(&self.view.text[self.done..]);
        self.text
    }
}

fn is_readable(number: &str) -> bool {
    number.parse::<f64>().is_ok_and(f64::is_finite)
}

/// The values of one text that a log must not repeat.
#[derive(Debug, Default)]
pub(crate) struct Withheld {
    pub(crate) secrets: Vec<String>,
    /// Personal data, and what stands under a name that no schema knows.
    pub(crate) personal: Vec<String>,
}

/// Lists the strings and numbers at and in every value that is not for everybody.
pub(super) fn sensitive(schemas: &[Schema], view: View<'_>) -> Withheld {
    let mut found = Withheld::default();
    for Mark { node, what } in marks(schemas, view, Search::All) {
        let list = match what {
            Sensitivity::Secret => &mut found.secrets,
            Sensitivity::Personal | Sensitivity::Stranger => &mut found.personal,
        };
        for leaf in &view.nodes[node as usize..view.node(node).next() as usize] {
            match leaf.kind {
                Kind::String => list.push(view.string(leaf).into_owned()),
                Kind::Number => list.push(view.raw(leaf).to_owned()),
                _ => {}
            }
        }
    }
    found
}
