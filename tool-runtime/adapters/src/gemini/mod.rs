//! Gemini `generateContent` API.

mod answer;
mod choose;
mod declare;
mod parts;
mod read;
mod stream;
mod usage;

use serde_json::{Map, Value, json};

use self::stream::GenerateStream;
use crate::format::{
    CallChoice, DeclaredTool, DialectFormat, ParsedResponse, PreparedAnswer, ReadError,
    ResponseValue, StreamAssembler, UnsupportedRule,
};
use crate::limits::DeclarationLimits;
use crate::names::{NameRules, ToolNames};
use crate::provider_schema::DialectProfile;

/// The format of `generateContent` and `streamGenerateContent`.
pub(super) struct GenerateContent;

impl DialectFormat for GenerateContent {
    fn name_rules(&self) -> &'static NameRules {
        &declare::NAMES
    }

    fn profile(&self) -> &'static DialectProfile {
        &declare::PROFILE
    }

    fn limits(&self) -> DeclarationLimits {
        declare::LIMITS
    }

    fn declaration(&self, tool: &DeclaredTool) -> Value {
        declare::declaration(tool)
    }

    fn declarations(&self, tools: Vec<Value>) -> Value {
        if tools.is_empty() { json!([]) } else { json!([{ "functionDeclarations": tools }]) }
    }

    fn lists_allowed_tools(&self) -> bool {
        true
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

    fn stream(&self) -> Box<dyn StreamAssembler> {
        Box::<GenerateStream>::default()
    }

    fn answer_messages(&self, answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
        answer::messages(answers)
    }
}
