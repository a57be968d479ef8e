//! The text as its sender may see it again: secrets, and what the schema does not know, replaced.

use super::marks::{Search, marks};
use super::model::Schema;
use crate::json::View;

/// What stands in place of a value.
pub(super) const MASK: &str = "\"***\"";

/// Masks every value that a secret schema may look at.
pub(super) fn masked(schemas: &[Schema], view: View<'_>) -> String {
    let mut text = String::with_capacity(view.text.len());
    let mut done = 0;
    for mark in marks(schemas, view, Search::Secrets) {
        let node = view.node(mark.node);
        text.push_str(&view.text[done..node.start()]);
        text.push_str(MASK);
        done = node.end();
    }
    text.push_str(&view.text[done..]);
    text
}
