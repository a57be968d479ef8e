//! Reads calls from responses, and writes answers.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;
use tool_contracts::ToolCallRequest;

use super::parsed_response::{ParsedCall, ParsedResponse};
use super::response_value::{self, ResponseValue};
use super::stream::StreamAssembler;
use super::{
    Adapter, Answer, AnswerError, Dialect, ProviderError, ReadError, RequestedCall, StopReason,
    Turn, TurnStream, anthropic, bedrock, gemini, ollama, openai,
};
use crate::schema::nearest;

/// The most similar names in the answer to an unknown name.
const CLOSEST_NAMES: usize = 3;

/// Reads responses and writes answers.
impl Adapter {
    /// Reads a complete response: its text and its calls.
    ///
    /// Arguments keep every byte that the model wrote, except that an empty text becomes `{}`,
    /// because that is how providers send a call without arguments. Only the first of several
    /// candidates is read. Unknown content is kept in the turn's [`messages`](Turn::messages).
    ///
    /// ```
    /// use tool_runtime::adapters::{Adapter, Dialect, StopReason};
    ///
    /// let adapter = Adapter::new(Dialect::Ollama, &[]);
    /// let turn = adapter.read(r#"{"message":{"role":"assistant","content":"Hello"},"done":true}"#)?;
    /// assert_eq!((turn.text(), turn.stop_reason()), ("Hello", &StopReason::Done));
    /// # Ok::<(), tool_runtime::adapters::ReadError>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the text is not JSON or not a response of this dialect, if it reports a
    /// failure of the provider, or if it is too long.
    pub fn read(&self, response: &str) -> Result<Turn, ReadError> {
        let tree = response_value::parse(response, self.max_response_bytes)?;
        let root = ResponseValue::root(&tree, response);
        if let Some(error) = root.get("error") {
            return Err(ProviderError::of(error).into());
        }
        Ok(self.turn(read(self.dialect, root)?))
    }

    /// Starts reading a streamed response.
    #[must_use]
    pub fn stream(&self) -> TurnStream<'_> {
        TurnStream::new(self, gather(self.dialect))
    }

    /// Creates the messages that answer every call of a turn, in the model's order.
    ///
    /// Append them directly after the turn's own [`messages`](Turn::messages): providers accept
    /// nothing in between. The answers may be in any order, as executed calls or as [`Answer`]s. A
    /// turn without calls has no answer messages.
    ///
    /// ```
    /// use tool_runtime::adapters::{Adapter, Answer, Dialect};
    ///
    /// let adapter = Adapter::new(Dialect::Ollama, &[]);
    /// let call = r#"{"function":{"name":"weather","arguments":{}}}"#;
    /// let message = format!(r#"{{"role":"assistant","tool_calls":[{call}]}}"#);
    /// let turn = adapter.read(&format!(r#"{{"message":{message},"done":true}}"#))?;
    /// let answer = Answer::from_text(turn.calls()[0].call_id(), "it rains");
    /// let messages = adapter.answers(&turn, [answer])?;
    /// assert_eq!(messages[0]["tool_name"], "weather");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a call has no answer or two, or is not executed, or if an answer belongs
    /// to no call of this turn.
    pub fn answers<A: Into<Answer>>(
        &self,
        turn: &Turn,
        answers: impl IntoIterator<Item = A>,
    ) -> Result<Vec<Value>, AnswerError> {
        let answers: Vec<_> = answers.into_iter().map(Into::into).collect();
        let replies = super::answers::match_to_calls(turn, answers, &self.names)?;
        if replies.is_empty() {
            return Ok(Vec::new());
        }
        Ok(match self.dialect {
            Dialect::OpenAiChat => openai::chat::answer(&replies),
            Dialect::OpenAiResponses => openai::responses::answer(&replies),
            Dialect::Anthropic => anthropic::answer(&replies),
            Dialect::Gemini => gemini::answer(&replies),
            Dialect::BedrockConverse => bedrock::answer(&replies),
            Dialect::Ollama => ollama::answer(&replies),
        })
    }

    pub(super) fn turn(&self, said: ParsedResponse) -> Turn {
        let ParsedResponse { messages, text, calls, stop } = said;
        let asked = calls.list.into_iter().map(|call| self.asked(call, &stop)).collect();
        Turn { messages, text, asked, stop }
    }

    fn asked(&self, call: ParsedCall, stop: &StopReason) -> RequestedCall {
        let tool = self.names.tool(&call.name);
        let (name, closest) = match tool {
            Some(tool) => (tool.to_owned(), None),
            None => (call.name.clone(), Some(self.closest(&call.name))),
        };
        let restored = tool.and_then(|tool| match self.restore(tool, &call.arguments) {
            Cow::Owned(restored) => Some(restored),
            Cow::Borrowed(_) => None,
        });
        let mut asked = RequestedCall {
            wire_id: call.wire_id,
            wire_name: call.name,
            name,
            call_id: call.call_id,
            arguments: call.arguments,
            restored,
            closest,
            request: None,
        };
        asked.request = request(&asked).filter(|_| *stop == StopReason::Done);
        asked
    }

    fn closest(&self, name: &str) -> Vec<String> {
        let nearest = nearest(name, self.names.declared_names(), CLOSEST_NAMES);
        nearest.into_iter().map(str::to_owned).collect()
    }
}

fn read(dialect: Dialect, root: ResponseValue<'_>) -> Result<ParsedResponse, ReadError> {
    match dialect {
        Dialect::OpenAiChat => openai::chat::read(root),
        Dialect::OpenAiResponses => openai::responses::read(root),
        Dialect::Anthropic => anthropic::read(root),
        Dialect::Gemini => gemini::read(root),
        Dialect::BedrockConverse => bedrock::read(root),
        Dialect::Ollama => ollama::read(root),
    }
}

fn gather(dialect: Dialect) -> Box<dyn StreamAssembler> {
    match dialect {
        Dialect::OpenAiChat => Box::<openai::chat::ChatStream>::default(),
        Dialect::OpenAiResponses => Box::<openai::responses::ResponsesStream>::default(),
        Dialect::Anthropic => Box::<anthropic::MessageStream>::default(),
        Dialect::Gemini => Box::<gemini::GenerateStream>::default(),
        Dialect::BedrockConverse => Box::<bedrock::ConverseStream>::default(),
        Dialect::Ollama => Box::<ollama::ChatStream>::default(),
    }
}

/// The request for a declared tool, if the arguments are JSON.
fn request(asked: &RequestedCall) -> Option<ToolCallRequest> {
    if asked.closest.is_some() {
        return None;
    }
    let arguments = RawValue::from_string(asked.given().to_owned()).ok()?;
    Some(ToolCallRequest::new(&*asked.call_id, &*asked.name, arguments))
}
