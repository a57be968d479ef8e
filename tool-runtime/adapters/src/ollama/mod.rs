//! Ollama chat API.

mod answer;
mod choose;
mod declare;
mod read;
mod stream;
mod usage;

use serde_json::{Map, Value};

use self::stream::ChatStream;
use crate::format::{
    CallChoice, DeclaredTool, DialectFormat, ParsedResponse, PreparedAnswer, ReadError,
    ResponseValue, StreamAssembler, UnsupportedRule,
};
use crate::framing::StreamFraming;
use crate::names::{NameRules, ToolNames};
use crate::provider_schema::DialectProfile;

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

    fn write_choice(
        &self,
        choice: &CallChoice<'_>,
        parallel: Option<bool>,
        fields: &mut Map<String, Value>,
    ) -> Result<(), UnsupportedRule> {
        choose::write(choice, parallel, fields)
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
