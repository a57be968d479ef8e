//! Ollama chat API.

mod answer;
mod declare;
mod read;
mod stream;
mod usage;

use serde_json::Value;

use self::stream::ChatStream;
use crate::adapters::format::{
    DeclaredTool, DialectFormat, ParsedResponse, PreparedAnswer, ReadError, ResponseValue,
    StreamAssembler,
};
use crate::adapters::framing::StreamFraming;
use crate::adapters::lower::DialectProfile;
use crate::adapters::names::{NameRules, ToolNames};

/// The format of `POST /api/chat`.
pub(super) struct OllamaChat;

impl DialectFormat for OllamaChat {
    fn name_rules(&self) -> &'static NameRules {
        &declare::NAMES
    }

    fn profile(&self) -> &'static DialectProfile {
        &declare::PROFILE
    }

    fn declaration(&self, tool: &DeclaredTool) -> Value {
        declare::declaration(tool)
    }

    fn declarations(&self, tools: Vec<Value>) -> Value {
        Value::Array(tools)
    }

    fn request_field(&self) -> &'static str {
        "tools"
    }

    fn read(
        &self,
        response: ResponseValue<'_>,
        names: &ToolNames,
    ) -> Result<ParsedResponse, ReadError> {
        read::read(response, names)
    }

    fn framing(&self) -> StreamFraming {
        StreamFraming::JsonLines
    }

    fn stream(&self) -> Box<dyn StreamAssembler> {
        Box::<ChatStream>::default()
    }

    fn answer_messages(&self, answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
        answer::messages(answers)
    }
}
