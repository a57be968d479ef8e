//! Lets a tool ask the user of its caller, who answers in the caller's own program.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;
use tool_contracts::ErrorCode;
use tool_runtime_schema::json::from_value;

use super::CallScope;
use super::host_parameters::FromCall;
use crate::failure::{Failure, FailureCode, ToolFailure};
use crate::refusal_reason::RefusalReason;

/// Lets a tool ask the user of its caller a question.
///
/// Clients of the Model Context Protocol show it as a form (an elicitation), if they can. Other callers
/// cannot be asked: check [`can_ask`](Self::can_ask), or let the tool fail.
///
/// Clients without a session answer a question by calling the tool again with the answer, so a tool
/// **asks before it has any effect**, and asks the same questions each time: it runs again from its
/// start, and gets the answers that it has asked for before.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::{InputAnswer, InputError, UserInput};
/// use tool_runtime::prelude::*;
///
/// /// Books a table.
/// #[ai_tool(effect = "write")]
/// async fn book_table(dry_run: &DryRun, input: &UserInput) -> Result<String, InputError> {
///     if dry_run.is_active() {
///         return Ok("would book a table".to_owned());
///     }
///     let form = json!({
///         "type": "object",
///         "properties": {"name": {"type": "string", "title": "Your name"}},
///         "required": ["name"],
///     });
///     Ok(match input.ask("guest", "Under which name?", form).await? {
///         InputAnswer::Given(guest) => format!("booked for {}", guest["name"]),
///         InputAnswer::Declined | InputAnswer::Dismissed => "nothing was booked".to_owned(),
///     })
/// }
/// ```
#[derive(Clone)]
pub struct UserInput(Option<Arc<dyn InputSource>>);

/// A question to a user: a text, and a form for the answer.
#[derive(Debug, Clone, PartialEq)]
#[allow(dead_code, reason = "only the feature `mcp` has users to ask")]
pub struct InputQuestion {
    /// The name of the question among those of one call.
    pub key: String,
    pub message: String,
    /// A JSON Schema of an object with members of simple types.
    pub form: Value,
}

/// The answer of a user.
#[derive(Debug, Clone, PartialEq)]
pub enum InputAnswer {
    /// The filled-in form. The client may not have checked it against the schema, so check what the
    /// tool relies on.
    Given(Map<String, Value>),
    /// The user has declined to answer.
    Declined,
    /// The user has closed the question without an answer.
    Dismissed,
}

/// The reason why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InputError {
    /// The caller has no user who can be asked.
    #[error("the tool needs an answer of the user, whom this caller cannot ask")]
    Unavailable,
    /// The question was sent to the caller, which calls the tool again with the answer.
    #[error("the tool needs an answer of the user, who is asked now")]
    Asked,
    /// The question is not one that the caller's client accepts.
    #[error("the question cannot be asked: {0}")]
    Invalid(String),
    /// The client did not answer in time, or answered with an error.
    #[error("the user did not answer")]
    Unanswered,
}

/// The user of one call's caller.
pub trait InputSource: Send + Sync {
    fn ask(&self, question: InputQuestion) -> BoxFuture<'static, Result<InputAnswer, InputError>>;
}

impl UserInput {
    /// Makes one whose user cannot be asked, for a unit test of a tool's function.
    #[must_use]
    pub const fn unavailable() -> Self {
        Self(None)
    }

    /// Makes one whose user answers by this function of the question's key, for a unit test of a tool's
    /// function.
    #[must_use]
    pub fn answering(answer: impl Fn(&str) -> InputAnswer + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(AnsweringUser(answer))))
    }

    /// Returns whether the user can be asked.
    #[must_use]
    pub fn can_ask(&self) -> bool {
        self.0.is_some()
    }

    /// Asks the user, and waits for the answer within the call's deadline.
    ///
    /// The key names the question among those of one call. The form is a JSON Schema of an object whose
    /// members are texts, numbers, booleans or choices.
    ///
    /// # Errors
    /// [`InputError`]; a tool that returns it fails with `NEEDS_USER_CONFIRMATION`, which the caller
    /// reads as the question where it can be asked.
    pub async fn ask(
        &self,
        key: impl Into<String>,
        message: impl Into<String>,
        form: impl Into<Value>,
    ) -> Result<InputAnswer, InputError> {
        let Some(source) = &self.0 else { return Err(InputError::Unavailable) };
        let (key, message, form) = (key.into(), message.into(), form.into());
        source.ask(InputQuestion { key, message, form }).await
    }
}

impl InputAnswer {
    /// Reads a filled-in form into a type; `None` if the user gave none.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if the form was filled in with something else.
    pub fn parse<T: DeserializeOwned>(self) -> Result<Option<T>, Failure> {
        let Self::Given(form) = self else { return Ok(None) };
        from_value(form.into()).map(Some).map_err(|error| {
            Failure::from_code(ErrorCode::InvalidArgument)
                .with_message("the user's answer does not have the form that was asked for")
                .with_log(error.to_string())
        })
    }
}

struct AnsweringUser<F>(F);

impl<F: Fn(&str) -> InputAnswer + Send + Sync> InputSource for AnsweringUser<F> {
    fn ask(&self, question: InputQuestion) -> BoxFuture<'static, Result<InputAnswer, InputError>> {
        let answer = (self.0)(&question.key);
        Box::pin(std::future::ready(Ok(answer)))
    }
}

impl FromCall for UserInput {
    fn from_call(call: &CallScope) -> Result<Self, Failure> {
        Ok(Self(call.input_source()))
    }
}

impl ToolFailure for InputError {
    fn failure(&self) -> Failure {
        Failure::from_code(ErrorCode::NeedsUserConfirmation)
            .with_message(self.to_string())
            .with_reason(RefusalReason::InputRequired)
    }

    fn codes() -> &'static [FailureCode] {
        const { &[FailureCode::standard(ErrorCode::NeedsUserConfirmation)] }
    }
}

impl fmt::Debug for UserInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserInput").field("can_ask", &self.can_ask()).finish()
    }
}
