//! The answer as the response envelope that services share.

use serde_json::value::RawValue;
use tool_contracts::envelope::ResponseEnvelope;
use tool_contracts::{ErrorCode, ToolErrorDetail, ToolErrorMeta};

use super::output::{EnvelopeBody, ToolOutput};
use crate::failure::Failure;

/// The answer in the form of a [`ResponseEnvelope`], which leaves the echo of the input behind.
///
/// Neither of them fails. An envelope of our own that cannot be read, which would be a fault of a
/// tool that writes broken JSON, is answered `INTERNAL`.
impl ToolOutput {
    /// Shows the answer as a response envelope, whose data is borrowed from here.
    ///
    /// ```
    /// # use tool_runtime::prelude::*;
    /// # /// Adds one.
    /// # #[ai_tool(effect = "read", ttl = "60s")]
    /// # async fn next(
    /// #     /// To what.
    /// #     n: u32,
    /// # ) -> u32 { n + 1 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let runtime = Runtime::builder().tool::<NextTool>().build()?;
    /// # let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").build()?;
    /// let mut call = runtime.call("next", r#"{"n":1}"#, &cx);
    /// let response = call.execute().await.to_envelope();
    /// assert_eq!(response.data().map(|data| data.get()), Some("2"));
    /// assert_eq!(response.ttl_seconds(), Some(60));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn to_envelope(&self) -> ResponseEnvelope<&RawValue> {
        match &self.body {
            EnvelopeBody::Ok { .. } => self.success().unwrap_or_else(unreadable),
            EnvelopeBody::Error(body) => {
                ResponseEnvelope::failure(body.detail.clone(), body.meta.clone())
            }
        }
    }

    /// Turns the answer into a response envelope; its data stays in the buffer it was written to.
    #[must_use]
    pub fn into_envelope(self) -> ResponseEnvelope {
        match self.body {
            EnvelopeBody::Ok { .. } => self.into_success().unwrap_or_else(unreadable),
            EnvelopeBody::Error(body) => ResponseEnvelope::failure(body.detail, body.meta),
        }
    }

    fn success(&self) -> Option<ResponseEnvelope<&RawValue>> {
        Some(ResponseEnvelope::success(self.data().ok()?, self.result_meta()?.into_owned()))
    }

    fn into_success(self) -> Option<ResponseEnvelope> {
        let meta = self.result_meta()?.into_owned();
        let data = RawValue::from_string(self.into_data()?).ok()?;
        Some(ResponseEnvelope::success(data, meta))
    }

    /// Takes the data's text, moved to the front of the buffer.
    fn into_data(self) -> Option<String> {
        let EnvelopeBody::Ok { data, .. } = self.body else { return None };
        let mut json = self.json;
        json.truncate(data.end);
        json.drain(..data.start);
        String::from_utf8(json).ok()
    }
}

fn unreadable<O>() -> ResponseEnvelope<O> {
    let detail: ToolErrorDetail = Failure::from_code(ErrorCode::Internal).into_detail(None);
    ResponseEnvelope::failure(detail, ToolErrorMeta::default())
}

#[cfg(test)]
mod tests {
    use tool_contracts::ToolResultMeta;
    use tool_contracts::envelope::ResponseError;

    use super::*;

    #[track_caller]
    fn check(data: &str, code: Option<ErrorCode>) {
        let output = ToolOutput::given_before(None, data, ToolResultMeta::new(1));
        assert_eq!(output.to_envelope().error().map(ResponseError::code), code);
        assert_eq!(output.into_envelope().error().map(ResponseError::code), code);
    }

    #[test]
    fn an_output_that_cannot_be_read_is_answered_internal() {
        check("[1]", None);
        check("[1", Some(ErrorCode::Internal));
        check("1 2", Some(ErrorCode::Internal));
    }
}
