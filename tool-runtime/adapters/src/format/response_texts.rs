//! The texts of one response, which are kept apart.

use super::parsed_response::is_blank;

/// The texts of one response in the model's order, and the one that is the answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResponseTexts {
    list: Vec<String>,
    /// The index of the text that the provider marks as the answer.
    answer: Option<usize>,
}

impl ResponseTexts {
    /// Creates the texts of a response that has one text at most.
    pub(crate) fn from_one(text: String) -> Self {
        let list = if text.is_empty() { Vec::new() } else { vec![text] };
        Self { list, answer: None }
    }

    /// Adds a text after the others.
    pub(crate) fn push(&mut self, text: String) {
        if !text.is_empty() {
            self.list.push(text);
        }
    }

    /// Adds a piece of the last text.
    pub(crate) fn append(&mut self, piece: &str) {
        match self.list.last_mut() {
            Some(last) => last.push_str(piece),
            None => self.push(piece.to_owned()),
        }
    }

    /// Adds a text that the provider marks as the answer.
    pub(crate) fn push_answer(&mut self, text: String) {
        if !text.is_empty() {
            self.answer = Some(self.list.len());
            self.list.push(text);
        }
    }

    /// Returns the answer: the marked text, else the last one that is not blank.
    pub(crate) fn answer(&self) -> &str {
        let marked = self.answer.and_then(|at| self.list.get(at));
        let last = || self.list.iter().rfind(|text| !is_blank(text)).or(self.list.last());
        marked.or_else(last).map_or("", String::as_str)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(String::as_str)
    }
}
