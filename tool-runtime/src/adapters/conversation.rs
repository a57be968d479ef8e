//! The calls in, and the answers back.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;
use tool_contracts::ToolCallRequest;

use super::place::{self, Place};
use super::said::{Said, Spoken};
use super::stream::Gather;
use super::{
    Adapter, Answer, AnswerError, Asked, Dialect, ProviderError, ReadError, Stop, Turn, TurnStream,
    anthropic, bedrock, gemini, ollama, openai,
};
use crate::schema::nearest;

/// How many names an unknown one is answered with.
const CLOSEST_NAMES: usize = 3;

/// The calls in, and the answers back.
impl Adapter {
    /// Reads a whole response: what the model says, and what it asks for.
    ///
    /// Arguments keep every byte that the model wrote. Only no text at all is read as `{}`, which is
    /// how providers send a call without arguments. Of several candidates the first is read. What is unknown in a response is kept in the
    /// turn's [`messages`](Turn::messages) as it is.
    ///
    /// ```
    /// use tool_runtime::adapters::{Adapter, Dialect, Stop};
    ///
    /// let adapter = Adapter::new(Dialect::Ollama, &[]);
    /// let turn = adapter.read(r#"{"message":{"role":"assistant","content":"Hello"},"done":true}"#)?;
    /// assert_eq!((turn.text(), turn.stop()), ("Hello", &Stop::Done));
    /// # Ok::<(), tool_runtime::adapters::ReadError>(())
    /// ```
    ///
    /// # Errors
    /// The text is no JSON or no response of this dialect, it says that the provider failed, or it is
    /// too long.
    pub fn read(&self, response: &str) -> Result<Turn, ReadError> {
        let tree = place::parse(response, self.max_response_bytes)?;
        let root = Place::root(&tree, response);
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

    /// Makes the messages that answer every call of a turn, in the model's order.
    ///
    /// They follow the turn's own [`messages`](Turn::messages) at once: providers take nothing in
    /// between. The answers may come in any order, as executed calls or as [`Answer`]s. A turn without
    /// calls has no such messages.
    ///
    /// ```
    /// use tool_runtime::adapters::{Adapter, Answer, Dialect};
    ///
    /// let adapter = Adapter::new(Dialect::Ollama, &[]);
    /// let call = r#"{"function":{"name":"weather","arguments":{}}}"#;
    /// let message = format!(r#"{{"role":"assistant","tool_calls":[{call}]}}"#);
    /// let turn = adapter.read(&format!(r#"{{"message":{message},"done":true}}"#))?;
    /// let answer = Answer::from_text(turn.asked()[0].call_id(), "it rains");
    /// let messages = adapter.answers(&turn, [answer])?;
    /// assert_eq!(messages[0]["tool_name"], "weather");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A call has no answer or two, is not executed, or an answer is of no call of this turn.
    pub fn answers<A: Into<Answer>>(
        &self,
        turn: &Turn,
        answers: impl IntoIterator<Item = A>,
    ) -> Result<Vec<Value>, AnswerError> {
        let answers: Vec<_> = answers.into_iter().map(Into::into).collect();
        let replies = super::answers::in_order(turn, answers, &self.names)?;
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

    pub(super) fn turn(&self, said: Said) -> Turn {
        let Said { messages, text, calls, stop } = said;
        let asked = calls.list.into_iter().map(|call| self.asked(call, &stop)).collect();
        Turn { messages, text, asked, stop }
    }

    fn asked(&self, call: Spoken, stop: &Stop) -> Asked {
        let tool = self.names.tool(&call.name);
        let (name, closest) = match tool {
            Some(tool) => (tool.to_owned(), None),
            None => (call.name.clone(), Some(self.closest(&call.name))),
        };
        let restored = tool.and_then(|tool| match self.restore(tool, &call.arguments) {
            Cow::Owned(restored) => Some(restored),
            Cow::Borrowed(_) => None,
        });
        let mut asked = Asked {
            wire_id: call.wire_id,
            wire_name: call.name,
            name,
            call_id: call.call_id,
            arguments: call.arguments,
            restored,
            closest,
            request: None,
        };
        asked.request = request(&asked).filter(|_| *stop == Stop::Done);
        asked
    }

    fn closest(&self, name: &str) -> Vec<String> {
        let nearest = nearest(name, self.names.wires(), CLOSEST_NAMES);
        nearest.into_iter().map(str::to_owned).collect()
    }
}

fn read(dialect: Dialect, root: Place<'_>) -> Result<Said, ReadError> {
    match dialect {
        Dialect::OpenAiChat => openai::chat::read(root),
        Dialect::OpenAiResponses => openai::responses::read(root),
        Dialect::Anthropic => anthropic::read(root),
        Dialect::Gemini => gemini::read(root),
        Dialect::BedrockConverse => bedrock::read(root),
        Dialect::Ollama => ollama::read(root),
    }
}

fn gather(dialect: Dialect) -> Box<dyn Gather> {
    match dialect {
        Dialect::OpenAiChat => Box::<openai::chat::Gathered>::default(),
        Dialect::OpenAiResponses => Box::<openai::responses::Gathered>::default(),
        Dialect::Anthropic => Box::<anthropic::Gathered>::default(),
        Dialect::Gemini => Box::<gemini::Gathered>::default(),
        Dialect::BedrockConverse => Box::<bedrock::Gathered>::default(),
        Dialect::Ollama => Box::<ollama::Gathered>::default(),
    }
}

/// The request for a tool that was declared, with arguments that are JSON.
fn request(asked: &Asked) -> Option<ToolCallRequest> {
    if asked.closest.is_some() {
        return None;
    }
    let arguments = RawValue::from_string(asked.given().to_owned()).ok()?;
    Some(ToolCallRequest::new(&*asked.call_id, &*asked.name, arguments))
}
