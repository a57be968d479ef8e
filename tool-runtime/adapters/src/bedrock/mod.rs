//! Amazon Bedrock Converse API.

mod answer;
mod blocks;
mod cache;
mod choose;
mod declare;
mod read;
mod stream;
mod usage;

use serde_json::{Map, Value, json};

use self::stream::ConverseStream;
use crate::CacheLifetime;
use crate::anthropic::{STRICT_PROFILE, STRICT_QUOTA};
use crate::format::{
    CallChoice, DeclaredTool, DialectFormat, ParsedResponse, PreparedAnswer, ReadError,
    ResponseValue, StreamAssembler, UnsupportedRule,
};
use crate::framing::StreamFraming;
use crate::names::{NameRules, ToolNames};
use crate::provider_schema::DialectProfile;
use crate::strict_quota::StrictQuota;

/// The format of `Converse` and `ConverseStream`.
pub(super) struct Converse;

impl DialectFormat for Converse {
    fn name_rules(&self) -> &'static NameRules {
        &declare::NAMES
    }

    fn profile(&self) -> &'static DialectProfile {
        &declare::PROFILE
    }

    /// Its documentation names the subset of Anthropic, whose models support it.
    fn strict_profile(&self) -> Option<&'static DialectProfile> {
        Some(&STRICT_PROFILE)
    }

    fn is_strict_by_default(&self) -> bool {
        false
    }

    fn strict_quota(&self) -> Option<StrictQuota> {
        Some(STRICT_QUOTA)
    }

    fn declaration(&self, tool: &DeclaredTool) -> Value {
        declare::declaration(tool)
    }

    fn mark_declarations(&self, tools: &mut Vec<Value>, lifetime: CacheLifetime) {
        cache::mark_tools(tools, lifetime);
    }

    fn declarations(&self, tools: Vec<Value>) -> Value {
        json!({ "tools": tools })
    }

    fn request_field(&self) -> &'static str {
        "toolConfig"
    }

    fn write_choice(
        &self,
        choice: &CallChoice<'_>,
        parallel: Option<bool>,
        fields: &mut Map<String, Value>,
    ) -> Result<(), UnsupportedRule> {
        choose::write(choice, parallel, fields)
    }

    fn is_whole(&self, event: ResponseValue<'_>) -> bool {
        event.get("output").is_some()
    }

    fn read(
        &self,
        response: ResponseValue<'_>,
        names: &ToolNames,
    ) -> Result<ParsedResponse, ReadError> {
        read::read(response, names)
    }

    fn framing(&self) -> StreamFraming {
        StreamFraming::AmazonEventStream
    }

    fn stream(&self) -> Box<dyn StreamAssembler> {
        Box::<ConverseStream>::default()
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
