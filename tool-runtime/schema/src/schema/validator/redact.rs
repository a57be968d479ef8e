//! Redacts a text for a record, and lists the values that no log may repeat.

use std::borrow::Cow;

use super::mask::MASK;
use super::model::SchemaNode;
use super::sensitive::{SensitiveNode, Sensitivity, SensitivityScope, sensitive_nodes};
use crate::json::{JsonKind, JsonNode, JsonView};
use crate::redact::{MAX_VALUES, Redactor, omission_mark};
use crate::test_cost;

/// Limit on values and names per text that the redactor replaces; all others are masked.
const MAX_REPLACED: usize = 4_096;

/// Replaces every sensitive value; the rest stays as sent.
///
/// Scans at most `free_bytes` of free text; the rest is omitted.
pub(super) fn redact(
    schemas: &[SchemaNode],
    view: JsonView<'_>,
    redactor: &dyn Redactor,
    free_bytes: usize,
) -> String {
    let text = String::with_capacity(view.text.len());
    let mut copy = RedactedText {
        view,
        redactor,
        text,
        copied_to: 0,
        free_bytes,
        replaced: 0,
        hidden_names: 0,
    };
    let mut marks = sensitive_nodes(schemas, view, SensitivityScope::All).into_iter().peekable();
    let mut at = 0;
    while let Some(node) = view.nodes.get(at as usize) {
        copy.write_name(node);
        if let Some(mark) = marks.next_if(|mark| mark.node == at) {
            copy.write_sensitive(node, mark.sensitivity);
            at = node.next();
        } else {
            copy.write_leaf(node);
            at += 1;
        }
    }
    copy.finish()
}

/// A redacted copy of a text under construction.
struct RedactedText<'a> {
    view: JsonView<'a>,
    redactor: &'a dyn Redactor,
    text: String,
    /// End of the part that is copied.
    copied_to: usize,
    /// Bytes of free text that may still be scanned.
    free_bytes: usize,
    replaced: usize,
    hidden_names: usize,
}

impl RedactedText<'_> {
    /// Replaces a part of the text.
    fn replace(&mut self, start: usize, end: usize, json: &str) {
        self.text.push_str(&self.view.text[self.copied_to..start]);
        self.text.push_str(json);
        self.copied_to = end;
    }

    fn replace_with_text(&mut self, start: usize, end: usize, text: &str) {
        let json = serde_json::to_string(text).unwrap_or_else(|_| MASK.to_owned());
        self.replace(start, end, &json);
    }

    /// Numbers a sensitive name instead of masking it, so that two such names stay distinct.
    fn write_name(&mut self, node: &JsonNode) {
        let start = node.member_start();
        if start == 0 {
            return;
        }
        let key = self.view.key(node);
        let redacted_key = self.free_text(&key);
        if redacted_key.as_deref() != Some(&*key) {
            let end = start + self.view.raw_key(node).len() + 2;
            let replaced = self.personal(start, end).unwrap_or_else(|| {
                self.hidden_names += 1;
                format!("***{}", self.hidden_names)
            });
            self.replace_with_text(start, end, &replaced);
        }
    }

    /// Redacts free text; `None` if the limit is reached.
    fn free_text<'t>(&mut self, text: &'t str) -> Option<Cow<'t, str>> {
        self.free_bytes = self.free_bytes.checked_sub(text.len()).or_else(|| {
            test_cost::count(1);
            None
        })?;
        Some(self.redactor.free_text(text))
    }

    /// The replacement of personal data; `None` if the limit is reached.
    fn personal(&mut self, start: usize, end: usize) -> Option<String> {
        if self.replaced == MAX_REPLACED {
            return None;
        }
        self.replaced += 1;
        Some(self.redactor.personal(&self.view.text[start..end]))
    }

    fn write_sensitive(&mut self, node: &JsonNode, sensitivity: Sensitivity) {
        match sensitivity {
            Sensitivity::Personal => match self.personal(node.start(), node.end()) {
                Some(replaced) => self.replace_with_text(node.start(), node.end(), &replaced),
                None => self.replace(node.start(), node.end(), MASK),
            },
            Sensitivity::Secret | Sensitivity::Undeclared => {
                self.replace(node.start(), node.end(), MASK);
            }
        }
    }

    fn write_leaf(&mut self, node: &JsonNode) {
        match node.kind {
            JsonKind::String => {
                let text = self.view.string(node);
                match self.free_text(&text) {
                    Some(shown) if shown == text => {}
                    Some(shown) => self.replace_with_text(node.start(), node.end(), &shown),
                    None => {
                        let mark = omission_mark(text.len());
                        self.replace_with_text(node.start(), node.end(), &mark);
                    }
                }
            }
            // A number that no reader can represent would make the whole record unreadable.
            JsonKind::Number if node.is_wide() && !is_readable(self.view.raw(node)) => {
                self.replace(node.start(), node.end(), MASK);
            }
            JsonKind::Null
            | JsonKind::Bool
            | JsonKind::Number
            | JsonKind::Array
            | JsonKind::Object => {}
        }
    }

    fn finish(mut self) -> String {
        self.text.push_str(&self.view.text[self.copied_to..]);
        self.text
    }
}

fn is_readable(number: &str) -> bool {
    number.parse::<f64>().is_ok_and(f64::is_finite)
}

/// The values of one text that a log must not repeat.
#[derive(Debug, Default)]
pub struct SensitiveValues {
    #[doc(hidden)]
    pub secrets: Vec<String>,
    /// Personal data, and the values of undeclared properties.
    #[doc(hidden)]
    pub personal: Vec<String>,
}

/// The shortest name that is removed from texts; a shorter one is a word of too many texts.
const MIN_NAME_CHARS: usize = 4;

/// Lists the strings and numbers at and below every sensitive value, and the names below it that
/// no schema declares.
pub(super) fn sensitive(schemas: &[SchemaNode], view: JsonView<'_>) -> SensitiveValues {
    let mut sensitive_values = SensitiveValues::default();
    let declares = |name: &str| {
        let mut rules = schemas.iter().filter_map(|schema| schema.objects.as_ref());
        rules.any(|rules| rules.find(name).is_some())
    };
    for SensitiveNode { node, sensitivity } in sensitive_nodes(schemas, view, SensitivityScope::All)
    {
        let list = match sensitivity {
            Sensitivity::Secret => &mut sensitive_values.secrets,
            Sensitivity::Personal | Sensitivity::Undeclared => &mut sensitive_values.personal,
        };
        for leaf_id in node..view.node(node).next() {
            let leaf = view.node(leaf_id);
            // Above this limit every text is withheld, so the remaining values do not matter.
            if list.len() > MAX_VALUES {
                break;
            }
            let name = view.key(leaf);
            if leaf_id != node && name.chars().count() >= MIN_NAME_CHARS && !declares(&name) {
                list.push(name.into_owned());
            }
            match leaf.kind {
                JsonKind::String => list.push(view.string(leaf).into_owned()),
                JsonKind::Number => list.push(view.raw(leaf).to_owned()),
                JsonKind::Null | JsonKind::Bool | JsonKind::Array | JsonKind::Object => {}
            }
        }
    }
    sensitive_values
}
