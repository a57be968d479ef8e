//! Masks secrets and undeclared properties in a text that is shown to its sender.

use super::model::SchemaNode;
use super::sensitive::{SensitivityScope, sensitive_nodes};
use crate::json::JsonView;

/// Replaces a masked value.
pub(super) const MASK: &str = "\"***\"";

/// Masks every value that a secret schema may apply to.
pub(super) fn masked(schemas: &[SchemaNode], view: JsonView<'_>) -> String {
    let mut text = String::with_capacity(view.text.len());
    let mut done = 0;
    for mark in sensitive_nodes(schemas, view, SensitivityScope::Secrets) {
        let node = view.node(mark.node);
        text.push_str(&view.text[done..node.start()]);
        text.push_str(MASK);
        done = node.end();
    }
    text.push_str(&view.text[done..]);
    text
}
