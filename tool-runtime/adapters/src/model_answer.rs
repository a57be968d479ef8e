//! Answers as the policy prepares them for a model.

use tool_contracts::Audience;
use tool_runtime_core::call::ToolCall;
use tool_runtime_core::policy::ModelAnswer;

use super::ToolAnswer;
use super::format::AnswerBody;

impl ToolAnswer {
    /// Answers an executed call by what [`ToolCall::for_model`] returns: in the format of the
    /// tool's serializer, and shortened to its limits.
    ///
    /// Contents of attachments that only the output store has, as of an answer that is given again
    /// under its idempotency key, are read from there.
    ///
    /// ```
    /// use tool_runtime::adapters::{Dialect, ToolAnswer};
    /// use tool_runtime::articulate::Articulator;
    /// use tool_runtime::policy::{Policy, Rules};
    /// use tool_runtime::prelude::*;
    ///
    /// /// Lists the squares of the first numbers.
    /// #[ai_tool(effect = "read")]
    /// fn squares(
    ///     /// How many.
    ///     count: u32,
    /// ) -> Vec<Square> {
    ///     (0..count).map(|n| Square { n, square: n * n }).collect()
    /// }
    ///
    /// /// A number and its square.
    /// #[ai_type]
    /// struct Square { n: u32, square: u32 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let policy = Policy::new().rules(Rules::new().result_serializer(Articulator::new()));
    /// let runtime = Runtime::builder().tool::<SquaresTool>().policy(policy).build()?;
    /// let bridge = runtime.bridge(Dialect::OpenAiChat);
    /// let mut call = bridge.call("squares", r#"{"count":30}"#, &ToolContext::local());
    /// call.execute().await;
    /// let text = bridge.answer_text(ToolAnswer::for_model(&call).await)?;
    /// # #[cfg(feature = "toon")]
    /// assert!(text.starts_with("The data is in TOON") && text.contains("\n[30]{n,square}:\n  0,0\n"));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn for_model(call: &ToolCall) -> Self {
        let attachments = call.attachments_with_content(Some(Audience::Assistant)).await;
        Self::from(call).with_attachments(attachments).with_model_answer(&call.for_model().await)
    }

    /// Replaces the data by what [`ToolCall::for_model`] returned. A format other than JSON is
    /// named in one line before the data, and an excerpt is described in a note.
    #[must_use]
    pub fn with_model_answer(mut self, shown: &ModelAnswer) -> Self {
        if !matches!(self.content.body, AnswerBody::Data(_)) {
            return self;
        }
        self.content.body = match (shown.text(), shown.format().model_note()) {
            (Some(text), Some(note)) => AnswerBody::Text(format!("{note}\n{text}")),
            (Some(text), None) if shown.data_json().is_some() => AnswerBody::Data(text.to_owned()),
            // The first part of a long text, which is no JSON.
            (Some(text), None) => AnswerBody::Text(text.to_owned()),
            (None, _) => AnswerBody::Notes,
        };
        self.content.notes.extend(shown.excerpt().map(ToString::to_string));
        self
    }
}
