//! OpenAI Chat Completions API, and compatible servers.

pub(crate) mod answer;
mod calls;
mod declare;
pub(crate) mod file_parts;
mod pieces;
mod read;
mod stream;
mod usage;

use serde_json::{Map, Value};

use self::stream::ChatStream;
use super::choose;
use super::schema::{CHAT_LIMITS, NAMES, PROFILE, STRICT_PROFILE};
use crate::format::{
    CallChoice, DeclaredTool, DialectFormat, ParsedResponse, PreparedAnswer, ReadError,
    ResponseValue, StreamAssembler, UnsupportedRule,
};
use crate::limits::DeclarationLimits;
use crate::names::{NameRules, ToolNames};
use crate::provider_schema::DialectProfile;

/// The format of `POST /v1/chat/completions`.
pub(crate) struct ChatCompletions;

impl DialectFormat for ChatCompletions {
    fn name_rules(&self) -> &'static NameRules {
        &NAMES
    }

    fn profile(&self) -> &'static DialectProfile {
        &PROFILE
    }

    fn strict_profile(&self) -> Option<&'static DialectProfile> {
        Some(&STRICT_PROFILE)
    }

    fn has_custom_tools(&self) -> bool {
        true
    }

    fn limits(&self) -> DeclarationLimits {
        CHAT_LIMITS
    }

    fn declaration(&self, tool: &DeclaredTool) -> Value {
        declare::declaration(tool)
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
        choose::write(&declare::CHOICE_FORMS, choice, parallel, fields);
        Ok(())
    }

    fn is_whole(&self, event: ResponseValue<'_>) -> bool {
        let first = event.list("choices").ok().and_then(|mut choices| choices.next());
        first.is_some_and(|it| it.get("message").is_some() && it.get("delta").is_none())
    }

    fn read(
        &self,
        response: ResponseValue<'_>,
        names: &ToolNames,
    ) -> Result<ParsedResponse, ReadError> {
        read::read(response, names)
    }

    fn stream(&self) -> Box<dyn StreamAssembler> {
        Box::<ChatStream>::default()
    }

    fn answer_messages(&self, answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
        answer::messages(answers)
    }
}
