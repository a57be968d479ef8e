//! Anthropic Messages API.

mod answer;
mod blocks;
mod cache;
mod choose;
mod declare;
mod read;
mod stream;
mod usage;

use serde_json::{Map, Value};

pub(super) use self::declare::{STRICT_PROFILE, STRICT_QUOTA};
use self::stream::MessageStream;
use crate::format::{
    CallChoice, DeclaredTool, DialectFormat, ParsedResponse, PreparedAnswer, ReadError,
    ResponseValue, StreamAssembler, UnsupportedRule,
};
use crate::names::{NameRules, ToolNames};
use crate::provider_schema::DialectProfile;
use crate::strict_quota::StrictQuota;
use crate::{CacheLifetime, ToolSearch};

/// The format of the Messages API.
pub(super) struct Messages;

impl DialectFormat for Messages {
    fn name_rules(&self) -> &'static NameRules {
        &declare::NAMES
    }

    fn profile(&self) -> &'static DialectProfile {
        &declare::PROFILE
    }

    fn strict_profile(&self) -> Option<&'static DialectProfile> {
        Some(&STRICT_PROFILE)
    }

    fn is_strict_by_default(&self) -> bool {
        false
    }

    /// See <https://platform.claude.com/docs/en/agents-and-tools/tool-use/programmatic-tool-calling>,
    /// "Feature incompatibilities".
    fn lets_programs_call_strict_tools(&self) -> bool {
        false
    }

    fn strict_quota(&self) -> Option<StrictQuota> {
        Some(STRICT_QUOTA)
    }

    fn has_examples(&self) -> bool {
        true
    }

    fn search_tool(&self, search: ToolSearch) -> Option<Value> {
        declare::search_tool(search)
    }

    fn declaration(&self, tool: &DeclaredTool) -> Value {
        declare::declaration(tool)
    }

    fn mark_declarations(&self, tools: &mut Vec<Value>, lifetime: CacheLifetime) {
        cache::mark_tools(tools, lifetime);
    }

    fn write_choice(
        &self,
        choice: &CallChoice<'_>,
        parallel: Option<bool>,
        fields: &mut Map<String, Value>,
    ) -> Result<(), UnsupportedRule> {
        choose::write(choice, parallel, fields);
        Ok(())
    }

    fn is_whole(&self, event: ResponseValue<'_>) -> bool {
        event.is("type", "message")
    }

    fn read(
        &self,
        response: ResponseValue<'_>,
        names: &ToolNames,
    ) -> Result<ParsedResponse, ReadError> {
        read::read(response, names)
    }

    fn stream(&self) -> Box<dyn StreamAssembler> {
        Box::<MessageStream>::default()
    }

    fn mark_message(&self, message: &mut Value, lifetime: CacheLifetime) -> bool {
        cache::mark_message(message, lifetime)
    }

    fn unmark_message(&self, message: &mut Value) {
        cache::unmark_message(message);
    }

    fn answer_messages(&self, answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
        answer::messages(answers)
    }
}
