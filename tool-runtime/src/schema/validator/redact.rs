//! The text as a record may keep it, and the values that no log may repeat.

use std::borrow::Cow;

use super::marks::{Mark, Search, Sensitivity, marks};
use super::mask::MASK;
use super::model::Schema;
use crate::json::{Kind, Node, View};
use crate::redact::{MOST_VALUES, Veil, left_out_mark};
use crate::steps;

/// How many values and names of one text are veiled at most; all others are masked.
const MOST_VEILED: usize = 4_096;

/// Replaces every value that is not for everybody; all else stands as sent.
///
/// At most `free_bytes` of free text are looked at; what is beyond is left out.
pub(super) fn redacted(
    schemas: &[Schema],
    view: View<'_>,
    veil: &dyn Veil,
    free_bytes: usize,
) -> String {
    let text = String::with_capacity(view.text.len());
    let mut copy = Copy { view, veil, text, done: 0, free_bytes, veiled: 0, hidden_names: 0 };
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
    /// How much free text may still be looked at.
    free_bytes: usize,
    veiled: usize,
    hidden_names: usize,
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
        let shown = self.free_text(&key);
        if shown.as_deref() != Some(&*key) {
            let end = start + self.view.raw_key(node).len() + 2;
            let veiled = self.personal(start, end).unwrap_or_else(|| {
                self.hidden_names += 1;
                format!("***{}", self.hidden_names)
            });
            self.put_text(start, end, &veiled);
        }
    }

    /// Free text as the veil shows it; none if enough was looked at.
    fn free_text<'t>(&mut self, text: &'t str) -> Option<Cow<'t, str>> {
        self.free_bytes = self.free_bytes.checked_sub(text.len()).or_else(|| {
            steps::count(1);
            None
        })?;
        Some(self.veil.free_text(text))
    }

    /// What stands in place of personal data; none if enough of it was veiled.
    fn personal(&mut self, start: usize, end: usize) -> Option<String> {
        if self.veiled == MOST_VEILED {
            return None;
        }
        self.veiled += 1;
        Some(self.veil.personal(&self.view.text[start..end]))
    }

    fn marked(&mut self, node: &Node, what: Sensitivity) {
        match what {
            Sensitivity::Personal => match self.personal(node.start(), node.end()) {
                Some(veiled) => self.put_text(node.start(), node.end(), &veiled),
                None => self.put(node.start(), node.end(), MASK),
            },
            Sensitivity::Secret | Sensitivity::Stranger => {
                self.put(node.start(), node.end(), MASK);
            }
        }
    }

    fn leaf(&mut self, node: &Node) {
        match node.kind {
            Kind::String => {
                let text = self.view.string(node);
                match self.free_text(&text) {
                    Some(shown) if shown == text => {}
                    Some(shown) => self.put_text(node.start(), node.end(), &shown),
                    None => {
                        let mark = left_out_mark(text.len());
                        self.put_text(node.start(), node.end(), &mark);
                    }
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
            // Beyond that many, every text is withheld, whatever the others are.
            if list.len() > MOST_VALUES {
                break;
            }
            match leaf.kind {
                Kind::String => list.push(view.string(leaf).into_owned()),
                Kind::Number => list.push(view.raw(leaf).to_owned()),
                _ => {}
            }
        }
    }
    found
}
