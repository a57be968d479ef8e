//! Converts declarations, responses and messages to and from the types of client libraries.

use std::any::type_name;
use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tool_runtime_schema::json::read_seed;

use super::{
    Adapter, AnswerError, ClientTypeError, Delta, ReadError, ToolAnswer, Turn, TurnStream,
};

/// Reads and writes the types of client libraries.
impl Adapter {
    /// Returns the [`declarations`](Self::declarations) as a type of a client library: that of the
    /// request's field, often a list.
    ///
    /// # Errors
    /// Returns an error if the type is of another dialect.
    pub fn declarations_as<T: DeserializeOwned>(&self) -> Result<T, ClientTypeError> {
        convert(self.declarations(), || "the declarations".to_owned())
    }

    /// Reads a complete response from a client library's type, which serializes as the provider's
    /// JSON.
    ///
    /// A type that drops fields that it does not know, such as reasoning and signatures, drops them
    /// from the turn's messages too.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::adapters::{Adapter, Dialect};
    ///
    /// let adapter = Adapter::new(Dialect::Ollama, &[]);
    /// let message = json!({ "role": "assistant", "content": "Hello" });
    /// let turn = adapter.read_response(&json!({ "message": message, "done": true }))?;
    /// assert_eq!(turn.text(), "Hello");
    /// # Ok::<(), tool_runtime::adapters::ReadError>(())
    /// ```
    ///
    /// # Errors
    /// As [`read`](Self::read), and if the value cannot be serialized as JSON.
    pub fn read_response<T: Serialize + ?Sized>(&self, response: &T) -> Result<Turn, ReadError> {
        self.read(&to_json(response)?)
    }

    /// Creates the [`answer_messages`](Self::answer_messages) in a client library's type of a
    /// message.
    ///
    /// # Errors
    /// As [`answer_messages`](Self::answer_messages), and if the type is of another dialect.
    pub fn answer_messages_as<T: DeserializeOwned, A: Into<ToolAnswer>>(
        &self,
        turn: &Turn,
        answers: impl IntoIterator<Item = A>,
    ) -> Result<Vec<T>, AnswerError> {
        let messages = self.answer_messages(turn, answers)?;
        convert_all(&messages).map_err(AnswerError::ClientType)
    }
}

impl Turn {
    /// Returns the [`messages`](Self::messages) in a client library's type of a message.
    ///
    /// # Errors
    /// Returns an error if the type is of another dialect, or does not know a part of a message.
    pub fn messages_as<T: DeserializeOwned>(&self) -> Result<Vec<T>, ClientTypeError> {
        convert_all(self.messages())
    }
}

impl TurnStream<'_> {
    /// Processes one event in a client library's type, which serializes as the provider's JSON.
    ///
    /// # Errors
    /// As [`push`](Self::push), and if the event cannot be serialized as JSON.
    pub fn push_event<T: Serialize + ?Sized>(
        &mut self,
        event: &T,
    ) -> Result<Vec<Delta>, ReadError> {
        let event = to_json(event)?;
        self.push(&event)
    }
}

fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<String, ReadError> {
    let type_name = type_name::<T>();
    serde_json::to_string(value).map_err(|_| ReadError::NotSerializable { type_name })
}

fn convert_all<T: DeserializeOwned>(messages: &[Value]) -> Result<Vec<T>, ClientTypeError> {
    let numbered = messages.iter().enumerate();
    numbered.map(|(at, message)| convert(message, || format!("message {at}"))).collect()
}

fn convert<T: DeserializeOwned>(
    value: &Value,
    name: impl FnOnce() -> String,
) -> Result<T, ClientTypeError> {
    read_seed(PhantomData::<T>, value).map_err(|error| ClientTypeError {
        value: name(),
        type_name: type_name::<T>(),
        reason: error.to_string(),
    })
}
