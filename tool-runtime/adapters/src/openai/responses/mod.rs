//! OpenAI Responses API.

mod answer;
mod declare;
mod items;
mod partial_items;
mod read;
mod stream;
mod usage;

use serde_json::{Map, Value};

use self::stream::ResponsesStream;
use super::choose;
use super::schema::{NAMES, PROFILE, RESPONSES_LIMITS, STRICT_PROFILE};
use crate::ToolSearch;
use crate::format::{
    CallChoice, DeclaredTool, DialectFormat, ParsedResponse, PreparedAnswer, ReadError,
    ResponseValue, StreamAssembler, UnsupportedRule,
};
use crate::limits::DeclarationLimits;
use crate::names::{NameRules, ToolNames};
use crate::provider_schema::DialectProfile;

/// The format of `POST /v1/responses`.
pub(crate) struct Responses;

impl DialectFormat for Responses {
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
        RESPONSES_LIMITS
    }

    fn search_tool(&self, search: ToolSearch) -> Option<Value> {
        declare::search_tool(search)
    }

    fn has_client_executed_search(&self) -> bool {
        true
    }

    fn declaration(&self, tool: &DeclaredTool) -> Value {
        declare::declaration(tool)
    }

    fn deferred_declarations(&self, tools: &[&DeclaredTool]) -> Vec<Value> {
        declare::deferred(tools)
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
        if matches!(choice, CallChoice::Tool(tool) if tool.is_search) {
            return Err(UnsupportedRule {
                rule: "a required search for tools",
                cure: "require a call of any tool, or use `ToolSearch::SearchTools`",
            });
        }
        choose::write(&declare::CHOICE_FORMS, choice, parallel, fields);
        Ok(())
    }

    fn declares_namespaces(&self) -> bool {
        true
    }

    fn is_whole(&self, event: ResponseValue<'_>) -> bool {
        event.get("type").is_none() && event.get("output").is_some()
    }

    fn read(
        &self,
        response: ResponseValue<'_>,
        names: &ToolNames,
    ) -> Result<ParsedResponse, ReadError> {
        read::read(response, names)
    }

    fn stream(&self) -> Box<dyn StreamAssembler> {
        Box::<ResponsesStream>::default()
    }

    fn answer_messages(&self, answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
        answer::messages(answers)
    }
}
