//! Excerpts of long answers.

use super::Answer;
use super::format::AnswerBody;
use crate::policy::ModelAnswer;

impl Answer {
    /// Replaces a long answer by the excerpt of [`ToolCall::for_model`](crate::ToolCall::for_model), with a note.
    #[must_use]
    pub fn with_excerpt(mut self, shown: &ModelAnswer) -> Self {
        if let (AnswerBody::Data(_), Some(mark)) = (&self.content.body, shown.excerpt()) {
            self.content.body = shown
                .data_json()
                .map_or(AnswerBody::Notes, |data| AnswerBody::Data(data.to_owned()));
            self.content.notes.push(mark.to_string());
        }
        self
    }
}
