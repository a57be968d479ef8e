//! The parts of an answer, as the agent's loop takes them.

use tool_contracts::Audience;
use tool_runtime_core::tool::Attachment;

use super::ToolAnswer;
use super::format::AnswerBody;

impl ToolAnswer {
    /// Takes the attachments that are meant for the model out; the answer then has no note of them.
    pub fn take_attachments_for_model(&mut self) -> Vec<Attachment> {
        let attachments = std::mem::take(&mut self.content.attachments);
        let is_for_model = |attachment: &Attachment| attachment.is_for(Audience::Assistant);
        let (taken, others) = attachments.into_iter().partition(is_for_model);
        self.content.attachments = others;
        taken
    }

    /// Returns the text that the model reads; none for a call that is not executed.
    #[must_use]
    pub fn into_text(self) -> Option<String> {
        let is_executed = !matches!(self.content.body, AnswerBody::Pending);
        is_executed.then(|| self.content.without_parts().to_text())
    }

    /// Separates JSON data from its notes.
    ///
    /// # Errors
    /// Returns the answer as it is if it has no data in JSON.
    pub fn into_data_and_notes(mut self) -> Result<(String, Vec<String>), Box<Self>> {
        match self.content.body {
            AnswerBody::Data(json) => {
                self.content.body = AnswerBody::Notes;
                Ok((json, self.content.without_parts().into_owned().notes))
            }
            body @ (AnswerBody::Pending
            | AnswerBody::Text(_)
            | AnswerBody::Error(_)
            | AnswerBody::Notes) => {
                self.content.body = body;
                Err(Box::new(self))
            }
        }
    }
}
