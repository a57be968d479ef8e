//! Masks secrets and undeclared properties in a text that is shown to its sender.

use crate::json::{JsonView, OpaqueNodes};

/// Replaces a masked value.
pub(super) const MASK: &str = "\"***\"";

/// Masks every value that a secret schema may apply to.
pub(super) fn masked(view: JsonView<'_>, secrets: &OpaqueNodes) -> String {
    let mut text = String::with_capacity(view.text.len());
    let mut done = 0;
    for secret in secrets.nodes() {
        let node = view.node(secret);
        text.push_str(&view.text[done..node.start()]);
        text.push_str(MASK);
        done = node.end();
    }
    text.push_str(&view.text[done..]);
    text
}
